#pragma once
// Finding a file's records: a walk over all record headers, and what the trailer's index is worth
// when held against it (docs/format.md 6.5, 6.6 and 12).

#include "hipotool/byte_source.hpp"
#include "hipotool/reader.hpp"

#include "format/trailer_index.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hipotool::inline v0::file {

struct Walk {
  std::vector<RecordEntry> records;  // data records with events
  std::uint64_t empty_records = 0;
  IndexState index = IndexState::valid;
  std::string index_reason;
  std::uint64_t stray_bytes = 0;
  std::optional<Appended> appended;
  std::vector<Gap> gaps;  // salvage only
};

enum class CutRecord : std::uint8_t { refuse, accept };

// Walks from `first_data` on. Error{truncated, corrupt, ...} with record and offset where a record
// is damaged. A last record that is not there as a whole may be left out instead.
[[nodiscard]] Walk walk_records(const ByteSource& source, const FileHeader& header,
                                std::uint64_t first_data, CutRecord cut = CutRecord::refuse);

// The header of a file that begins at `offset`, if one does.
[[nodiscard]] std::optional<FileHeader> file_header_at(const ByteSource& source,
                                                       std::uint64_t offset);
// What lies at `from` and behind it, where that holds records.
[[nodiscard]] std::optional<Appended> find_appended(const ByteSource& source, std::uint64_t from);
// What salvage says of it where it cannot be taken; `reason` is why a file cannot.
[[nodiscard]] Gap gap_of(const Appended& appended, const std::string& reason = "");

struct SalvageStart {
  std::uint64_t first_data = 0;
  std::uint64_t memory_bytes = 0;  // for a record that is decoded in doubt
};

// The same for a damaged file: records whose headers are sound, and the gaps between them. Where a
// record is not followed by another one, it is decoded before it is believed, since its length may
// be what is wrong. Throws only what reading the source throws.
[[nodiscard]] Walk salvage_records(const ByteSource& source, const FileHeader& header,
                                   const Dictionary& dictionary, const SalvageStart& how);

// The first sound record header at or after `from`, at any byte. Nullopt: there is none.
[[nodiscard]] std::optional<std::uint64_t> find_record(const ByteSource& source,
                                                       std::uint64_t from);

// A record header that is sound and whose record lies inside the source.
[[nodiscard]] std::optional<RecordHeader> record_at(const ByteSource& source, std::uint64_t offset);

// Whether this is a trailer that the file header does not point to.
[[nodiscard]] bool is_stray_trailer(const ByteSource& source, const RecordEntry& entry);

// What the trailer lists, where it can be read at all.
[[nodiscard]] std::vector<format::TrailerRow> trailer_rows(const ByteSource& source,
                                                           std::uint64_t trailer);

// Error{corrupt} where the index of a trailer at `trailer` leaves out one of these records, all
// that lie between `first_data` and it, or says something else of one.
void require_index_agrees(std::vector<format::TrailerRow> rows,
                          const std::vector<RecordEntry>& records, std::uint64_t first_data,
                          std::uint64_t trailer);

// Error{corrupt} where a row of the index says something else than the record's header.
void require_row_agrees(const format::TrailerRow& row, const RecordEntry& entry);

// The events of a whole record with a special meaning (dictionary, trailer), little-endian.
[[nodiscard]] std::vector<DictionaryEvent> read_special_record(const ByteSource& source,
                                                               std::uint64_t offset);

}  // namespace hipotool::inline v0::file
