#include "hipotool/transcode.hpp"

#include "hipotool/error.hpp"

#include "format/constants.hpp"
#include "layout/layout.hpp"
#include "layout/memory_need.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace hipotool {
inline namespace v0 {

codec::Decompressor& CodecContext::State::decompressor(CodecId id) {
  auto& worker = decompressors_[static_cast<std::size_t>(id)];
  if (!worker) {
    worker = codec::require_codec(id).make_decompressor();
  }
  return *worker;
}

codec::Compressor& CodecContext::State::compressor(const codec::Way& way) {
  constexpr std::size_t kMostKept = 2;
  std::vector<KeptCompressor>& kept = compressors_[static_cast<std::size_t>(way.codec)];
  const auto found = std::find_if(
      kept.begin(), kept.end(), [&](const KeptCompressor& one) { return one.level == way.level; });
  if (found != kept.end()) {
    return *found->worker;
  }
  if (kept.size() == kMostKept) {
    kept.erase(kept.begin());
  }
  kept.push_back({codec::require_codec(way.codec).make_compressor(way.level), way.level});
  return *kept.back().worker;
}

CodecContext::CodecContext(std::uint64_t most_bytes) : state_(std::make_unique<State>()) {
  limit(most_bytes);
}
void CodecContext::limit(std::uint64_t most_bytes) noexcept {
  state_->most_bytes = most_bytes;
}
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
  layout::release_excess(context.state(), record);
  record.user_words = stored.header.user_words;
  layout::layout_of(stored.header.layout)
      .decode({stored, directory, dictionary, projection, context.state()}, record);
}

void StreamChoices::set(BankKey key, std::size_t column, StreamChoice choice) {
  choices_.insert_or_assign({key, column}, choice);
}

const StreamChoice* StreamChoices::find(BankKey key, std::size_t column) const noexcept {
  const auto found = choices_.find({key, column});
  return found == choices_.end() ? nullptr : &found->second;
}

void encode(const EventBatch& batch, const Compression& compression, const Dictionary& dictionary,
            CodecContext& context, EncodedRecord& encoded) {
  encode_choosing(batch, {compression}, dictionary, context, encoded);
}

void encode_choosing(const EventBatch& batch, const Storing& storing, const Dictionary& dictionary,
                     CodecContext& context, EncodedRecord& encoded) {
  require_usable(storing.compression);
  layout::layout_of(storing.compression.layout)
      .encode(
          {batch, storing.compression, dictionary, context.state(), storing.known, storing.chosen},
          encoded);
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
