#include "hipotool/writer.hpp"

#include "hipotool/error.hpp"

#include "format/constants.hpp"
#include "format/file_header.hpp"
#include "format/record_header.hpp"
#include "format/structure.hpp"
#include "format/trailer_index.hpp"

#include <array>
#include <limits>
#include <string>

namespace hipotool {
inline namespace v0 {
namespace {

constexpr std::uint64_t kTrailerPositionAt = 40;

// An uncompressed whole record from complete events: what dictionary and trailer are.
Buffer special_record(std::span<const DictionaryEvent> events) {
  std::uint64_t data_bytes = 0;
  for (const DictionaryEvent& event : events) {
    data_bytes += event.size();
  }
  const std::size_t index_bytes = 4 * events.size();
  const RecordHeader header =
      format::make_record_header({.event_count = static_cast<std::uint32_t>(events.size()),
                                  .data_bytes = data_bytes,
                                  .stored_payload_bytes = index_bytes + data_bytes});
  Buffer record(header.record_bytes());
  std::fill_n(record.data(), record.size(), std::byte{0});
  format::store_record_header(header, record.data());
  std::byte* index = record.data() + RecordHeader::kBytes;
  std::byte* at = index + index_bytes;
  for (const DictionaryEvent& event : events) {
    store_le(index, static_cast<std::uint32_t>(event.size()));
    index += 4;
    at = std::copy(event.begin(), event.end(), at);
  }
  return record;
}

}  // namespace

FileWriter::FileWriter(ByteSink& sink, std::span<const DictionaryEvent> dictionary,
                       const FileHeader& like)
    : sink_(&sink), header_(like) {
  const Buffer record = special_record(dictionary);
  header_.dictionary_bytes = static_cast<std::uint32_t>(record.size());
  header_.trailer_position = 0;
  std::array<std::byte, format::kFileHeaderBytes> bytes;
  format::store_file_header(header_, false, bytes.data());
  sink_->write(bytes);
  sink_->write(record.span());
}

void FileWriter::append(EncodedRecord& record) {
  if (rows_.size() >= kMaxRecords) {
    throw Error(ErrorCode::not_representable,
                "more than " + std::to_string(kMaxRecords) +
                    " records cannot be indexed; use a larger record size");
  }
  record.header.number = static_cast<std::uint32_t>(rows_.size() + 1);
  format::store_record_header(record.header, record.bytes().data());
  rows_.push_back({sink_->size(), static_cast<std::uint32_t>(record.header.record_bytes()),
                   record.header.event_count, record.header.user_words});
  sink_->write(record.bytes());
  events_ += record.header.event_count;
}

std::uint64_t FileWriter::bytes_with(std::uint64_t record_bytes) const noexcept {
  constexpr std::uint64_t kRowBytes = 32;
  const std::uint64_t trailer = RecordHeader::kBytes + 4 + format::kEventHeaderBytes +
                                format::kStructureHeaderBytes + kRowBytes * (rows_.size() + 1);
  return sink_->size() + record_bytes + trailer;
}

WriteSummary FileWriter::finish() {
  std::vector<format::TrailerRow> rows;
  rows.reserve(rows_.size());
  for (const IndexRow& row : rows_) {
    rows.push_back({row.position, row.length_bytes, row.events, row.user_words});
  }
  const std::vector<std::byte> index = format::format_trailer_index(rows);
  DictionaryEvent event(format::kEventHeaderBytes);
  format::append_structure(event, format::kFileIndexKey, format::kTableType, index);
  format::store_event_header(static_cast<std::uint32_t>(event.size()), 0, 0, event.data());
  header_.trailer_position = sink_->size();
  sink_->write(special_record({&event, 1}).span());
  if (!sink_->can_overwrite()) {
    return {sink_->size(), rows_.size(), events_};
  }
  std::array<std::byte, format::kFileHeaderBytes> bytes;
  format::store_file_header(header_, true, bytes.data());
  // The position last: until it is there, readers that scan still find every record.
  sink_->write_at(0, ByteSpan(bytes).first(kTrailerPositionAt));
  sink_->write_at(kTrailerPositionAt, ByteSpan(bytes).subspan(kTrailerPositionAt));
  return {sink_->size(), rows_.size(), events_};
}

}  // namespace v0
}  // namespace hipotool
