#include "hipotool/stream_codec.hpp"

#include "codec/codec.hpp"

#include <memory>

namespace hipotool::inline v0 {

struct StreamCodec::State {
  const codec::Codec* row = nullptr;
  std::unique_ptr<codec::Compressor> compressor{};
  std::unique_ptr<codec::Decompressor> decompressor{};
};

StreamCodec::StreamCodec(CodecId codec, int level) : state_(std::make_unique<State>()) {
  const CodecInfo& info = codec_info(codec);
  const int used = level == 0 ? info.default_level : level;
  require_usable({.codec = codec, .layout = LayoutId::per_chunk, .level = used});
  state_->row = &codec::require_codec(codec);
  state_->compressor = state_->row->make_compressor(used);
  state_->decompressor = state_->row->make_decompressor();
}

StreamCodec::StreamCodec(StreamCodec&&) noexcept = default;
StreamCodec& StreamCodec::operator=(StreamCodec&&) noexcept = default;
StreamCodec::~StreamCodec() = default;

std::size_t StreamCodec::bound(std::size_t raw_bytes) const {
  return state_->row->bound(raw_bytes);
}

std::size_t StreamCodec::compress(ByteSpan raw, MutableByteSpan out) {
  return state_->compressor->compress(raw, out);
}

std::size_t StreamCodec::decompress(ByteSpan stored, MutableByteSpan out) {
  return state_->decompressor->decompress(stored, out);
}

}  // namespace hipotool::inline v0
