#pragma once
// Finding a file's records: a walk over all record headers, and what the trailer's index is worth
// when held against it (docs/format.md 6.5, 6.6 and 12).

#include <string>
#include <vector>

#include "hipotool/byte_source.hpp"
#include "hipotool/reader.hpp"

namespace hipotool::inline v0::file {

struct Walk {
  std::vector<RecordEntry> records;  // data records with events
  std::uint64_t empty_records = 0;
  IndexState index = IndexState::valid;
  std::string index_reason;
  std::uint64_t stray_bytes = 0;
};

// Walks from `first_data` on. Error{truncated, corrupt, ...} with record and offset where a record
// is damaged.
[[nodiscard]] Walk walk_records(const ByteSource& source, const FileHeader& header,
                                std::uint64_t first_data);

// The events of a whole record with a special meaning (dictionary, trailer), little-endian.
[[nodiscard]] std::vector<DictionaryEvent> read_special_record(const ByteSource& source,
                                                               std::uint64_t offset);

}  // namespace hipotool::inline v0::file
