#include "hipotool/transcode.hpp"

#include "hipotool/error.hpp"

#include "format/constants.hpp"
#include "layout/layout.hpp"

#include <string>

namespace hipotool {
inline namespace v0 {

codec::Decompressor& CodecContext::State::decompressor(CodecId id) {
  auto& worker = decompressors_[static_cast<std::size_t>(id)];
  if (!worker) {
    worker = codec::require_codec(id).make_decompressor();
  }
  return *worker;
}

codec::Compressor& CodecContext::State::compressor(CodecId id, int level) {
  KeptCompressor& kept = compressors_[static_cast<std::size_t>(id)];
  if (!kept.worker || kept.level != level) {
    kept = {codec::require_codec(id).make_compressor(level), level};
  }
  return *kept.worker;
}

CodecContext::CodecContext() : state_(std::make_unique<State>()) {}
CodecContext::~CodecContext() = default;
CodecContext::CodecContext(CodecContext&&) noexcept = default;
CodecContext& CodecContext::operator=(CodecContext&&) noexcept = default;

void read_directory(const StoredRecord& stored, CodecContext& context, RecordDirectory& directory) {
  layout::layout_of(stored.header.layout).read_directory(stored, context.state(), directory);
}

// NOLINTNEXTLINE(readability-function-size): six things that have nothing in common
void decode(const StoredRecord& stored, const RecordDirectory& directory,
            const Dictionary& dictionary, const Projection& projection, CodecContext& context,
            Record& record) {
  record.clear();
  record.user_words = stored.header.user_words;
  layout::layout_of(stored.header.layout)
      .decode({stored, directory, dictionary, projection, context.state()}, record);
}

void encode(const EventBatch& batch, const Compression& compression, const Dictionary& dictionary,
            CodecContext& context, EncodedRecord& encoded) {
  require_usable(compression);
  layout::layout_of(compression.layout)
      .encode({batch, compression, dictionary, context.state()}, encoded);
}

namespace layout {

const RecordLayout& layout_of(LayoutId id) noexcept {
  switch (id) {
    case LayoutId::per_bank:
      return per_bank();
    case LayoutId::per_column:
      return per_column();
    default:
      return per_chunk();
  }
}

void inflate_exactly(CodecId codec, ByteSpan stored, MutableByteSpan out, std::uint64_t offset,
                     CodecContext::State& context) {
  with_context([&] { return ErrorContext{.offset_in_record = offset}; },
               [&] {
                 if (out.empty()) {
                   return;
                 }
                 codec::require_plausible(codec, out.size(), stored.size());
                 const std::size_t produced = context.decompressor(codec).decompress(stored, out);
                 if (produced != out.size()) {
                   throw Error(ErrorCode::corrupt,
                               std::string(to_string(codec)) + ": inflates to " +
                                   std::to_string(produced) + " bytes where " +
                                   std::to_string(out.size()) + " are declared");
                 }
               });
}

}  // namespace layout
}  // namespace v0
}  // namespace hipotool
