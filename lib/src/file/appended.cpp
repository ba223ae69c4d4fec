#include "hipotool/counted.hpp"
#include "hipotool/error.hpp"

#include "file/file_walk.hpp"
#include "format/constants.hpp"
#include "format/file_header.hpp"

#include <algorithm>
#include <array>

namespace hipotool {
inline namespace v0 {
namespace {

// Counts the data records from `at` to the end; of files on the way neither dictionary nor trailer.
void count_records(const ByteSource& source, std::uint64_t at, Appended& appended) {
  std::optional<std::uint64_t> trailer;
  while (at < source.size()) {
    if (const auto header = file::file_header_at(source, at)) {
      trailer = at + header->trailer_position;
      at += std::min(source.size() - at,
                     std::uint64_t{4} * header->header_words + header->dictionary_bytes);
    } else if (const auto record = file::record_at(source, at)) {
      if (at != trailer && record->event_count != 0) {
        ++appended.records;
        appended.events += record->event_count;
      }
      at += record->record_bytes();
    } else {
      at = file::find_record(source, at + 1).value_or(source.size());
    }
  }
}

}  // namespace

std::string to_string(const Appended& appended) {
  return (appended.is_file ? "another HIPO file begins" : "more records begin") +
         (" at byte " + std::to_string(appended.offset)) + ": " +
         counted(appended.records, "record") + " with " + counted(appended.events, "event") +
         ", which no index lists";
}

namespace file {

std::optional<FileHeader> file_header_at(const ByteSource& source, std::uint64_t offset) {
  if (offset > source.size() || source.size() - offset < format::kFileHeaderBytes) {
    return std::nullopt;
  }
  std::array<std::byte, format::kFileHeaderBytes> bytes;
  source.read_at(offset, bytes);
  try {
    return format::parse_file_header(bytes);
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::optional<Appended> find_appended(const ByteSource& source, std::uint64_t from) {
  if (from >= source.size()) {
    return std::nullopt;
  }
  Appended appended{.offset = from, .is_file = file_header_at(source, from).has_value()};
  if (!appended.is_file) {
    const auto record = find_record(source, from);
    if (!record) {
      return std::nullopt;
    }
    appended.offset = *record;
  }
  appended.bytes = source.size() - appended.offset;
  count_records(source, appended.offset, appended);
  return appended;
}

Gap gap_of(const Appended& appended, const std::string& reason) {
  const std::string offset = std::to_string(appended.offset);
  return {appended.offset, appended.bytes, appended.records, appended.events,
          appended.is_file
              ? "another HIPO file begins here" + (reason.empty() ? "" : " (" + reason + ")") +
                    "; cut off there (head -c " + offset + ", tail -c +" +
                    std::to_string(appended.offset + 1) + ") it is one to be read"
              : "records behind the trailer, which no index lists"};
}

}  // namespace file
}  // namespace v0
}  // namespace hipotool
