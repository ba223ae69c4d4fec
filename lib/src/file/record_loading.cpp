#include "file/record_loading.hpp"

#include "hipotool/error.hpp"

#include <algorithm>

namespace hipotool::inline v0::file {
namespace {

bool same_record(const RecordHeader& a, const RecordHeader& b) {
  return a.length_words == b.length_words && a.event_count == b.event_count &&
         a.compression_word == b.compression_word && a.bit_info == b.bit_info;
}

void prepare(const RecordEntry& entry, StoredRecord& stored) {
  stored.header = entry.header;
  stored.file_offset = entry.offset;
  stored.bytes_read = 0;
  stored.forget_ranges();
  stored.storage.resize_discard(entry.header.record_bytes());
  stored.bytes = stored.storage.span();
}

void require_same_header(const RecordEntry& entry, const StoredRecord& stored) {
  if (!same_record(parse_record_header(stored.bytes.first(RecordHeader::kBytes)), entry.header)) {
    throw Error(ErrorCode::changed, "the record header is no longer what it was when opening");
  }
}

}  // namespace

void load(const ByteSource& source, std::uint64_t begin, std::uint64_t end, StoredRecord& stored) {
  if (begin >= end) {
    return;
  }
  source.read_at(stored.file_offset + begin, stored.storage.span().subspan(begin, end - begin));
  stored.mark_loaded(begin, end - begin);
  stored.bytes_read += end - begin;
}

void load_record(const ByteSource& source, const RecordEntry& entry, StoredRecord& stored) {
  prepare(entry, stored);
  stored.storage.prefer_large_pages();
  load(source, 0, entry.header.record_bytes(), stored);
  require_same_header(entry, stored);
}

void load_directory(const ByteSource& source, const RecordEntry& entry, CodecContext& context,
                    StoredRecord& stored, RecordDirectory& directory) {
  const std::uint64_t record_bytes = entry.header.record_bytes();
  prepare(entry, stored);
  const std::uint64_t prefix = std::min(record_bytes, kPrefixBytes);
  load(source, 0, prefix, stored);
  require_same_header(entry, stored);
  if (entry.header.layout != LayoutId::per_chunk) {
    const std::uint64_t section = entry.header.payload_offset();
    if (section + 20 <= prefix) {
      const std::uint64_t wanted =
          section + 20 + load_le<std::uint32_t>(stored.bytes.data() + section + 12);
      load(source, prefix, std::min(wanted, record_bytes), stored);
    }
  }
  hipotool::read_directory(stored, context, directory);
}

}  // namespace hipotool::inline v0::file
