#pragma once
// Says what a file is worth: whether it is what a HIPO file must be, what is wrong with it if not,
// and how much of it can still be read. Whatever is in the file, the answer is a CheckReport and
// never an Error, no damage crashes or hangs, and memory is bounded by what the file holds.
//
// Most codecs carry no checksum, so a changed byte may give other values that nothing contradicts:
// `consistent` means that all structure, and every checksum that there is, holds.
// `checksummed_bytes` tells how much that covers. Only `verified` says that the events are those of
// a digest that was noted before.

#include "hipotool/byte_source.hpp"
#include "hipotool/compression.hpp"
#include "hipotool/digest.hpp"
#include "hipotool/error.hpp"
#include "hipotool/event_counts.hpp"
#include "hipotool/reader.hpp"
#include "hipotool/record.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hipotool {
inline namespace v0 {

// How far a check looks. `quick`: file header, dictionary, trailer, and header and directory of the
// last record; what it reads does not grow with the data. `headers`: all record headers, held
// against the index. `full`: every byte of every event as well.
enum class CheckDepth : std::uint8_t { quick, headers, full };
[[nodiscard]] std::string_view to_string(CheckDepth depth) noexcept;

enum class CheckVerdict : std::uint8_t {
  consistent,         // nothing is wrong, as far as the depth looks
  verified,           // and its events have the expected digest
  differs,            // its events have another digest than expected
  unlisted,           // for callers with a list of digests that does not name the file
  unreadable,         // the system refuses, or it is beyond this build
  not_hipo,           // something else than a HIPO file
  empty,              // no bytes, or neither events nor an index
  no_index,           // the writer did not finish; the records are there
  truncated,          // it ends before what it announces
  corrupt,            // bytes contradict the format, each other or a checksum
  index_disagrees,    // the index is damaged or contradicts the records
  tags_inconsistent,  // event tags contradict user words (CheckOptions::strict_tags)
};
[[nodiscard]] std::string_view to_string(CheckVerdict verdict) noexcept;  // "index-disagrees"
[[nodiscard]] bool is_good(CheckVerdict verdict) noexcept;

struct CheckProgress {
  std::uint64_t records_done = 0;
  std::uint64_t records_total = 0;
  std::uint64_t bytes_done = 0;  // of records
  std::uint64_t bytes_total = 0;
};

struct CheckOptions {
  CheckDepth depth = CheckDepth::full;
  // These three need CheckDepth::full.
  bool digest = false;
  std::optional<std::string> expected_digest{};  // Digest::ordered; implies `digest`
  bool strict_tags = false;  // every event's tag must be the first user word of its record
  unsigned threads = 1;
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;  // of records in flight
  std::stop_token stop{};
  // Called in the calling thread after each record. May be empty.
  std::function<void(const CheckProgress&)> progress{};
};

struct CheckFinding {
  CheckVerdict verdict = CheckVerdict::consistent;
  std::string message{};  // with record, offset and event, without the path
  std::optional<Error> error{};
};

// What is odd and yet allowed (docs/format.md 12).
struct CheckOddities {
  std::map<Oddity, std::uint64_t> events{};   // what a split layout could not hold; by kind
  std::uint64_t ragged_banks = 0;             // a schema, but no whole number of rows
  std::uint64_t banks_without_schema = 0;     // neither table nor composite
  std::uint64_t records_with_surplus = 0;     // inflate to more than their headers say
  std::uint64_t unread_dictionary_texts = 0;  // schemas and the like that do not parse
};

// Records of one kind.
struct CheckTally {
  std::uint64_t records = 0;
  std::uint64_t events = 0;
  std::uint64_t stored_bytes = 0;  // headers and padding included
};

// What is not known is unset. Numbers that need CheckDepth::full are marked so.
struct CheckReport {
  static constexpr std::size_t kBadRecordsListed = 100;

  std::string path{};
  CheckDepth depth = CheckDepth::full;
  CheckVerdict verdict = CheckVerdict::consistent;
  std::string reason{};  // one line; empty for a good file
  // The gravest first; of bad records the first kBadRecordsListed.
  std::vector<CheckFinding> findings{};

  std::optional<std::uint64_t> bytes{};
  // Data records with events, and the events that their headers count; of a file whose headers are
  // damaged those that were found.
  std::optional<std::uint64_t> records{};
  std::optional<std::uint64_t> events{};
  std::optional<std::uint64_t> empty_records{};
  // `valid` only after a walk over the record headers.
  std::optional<IndexState> index{};
  std::optional<std::uint64_t> stray_bytes{};          // after the trailer
  std::map<std::uint64_t, CheckTally> by_user_word{};  // the first one
  std::map<std::pair<CodecId, LayoutId>, CheckTally> by_compression{};

  std::optional<Digest> digest{};               // full: of all events, unless one could not be read
  std::optional<std::uint64_t> bad_records{};   // full: that do not decode
  std::optional<std::uint64_t> good_records{};  // full
  std::optional<std::uint64_t> good_events{};   // full: can be read whatever is wrong elsewhere
  std::optional<std::uint64_t> bytes_lost{};    // full: in bad records and gaps between records
  std::optional<std::uint64_t> bytes_missing{};  // at least, behind the end of a file that was cut
  std::vector<Gap> gaps{};                       // full: where no record could be found
  std::optional<std::uint64_t> stored_bytes{};   // full: payloads of all good records
  std::optional<std::uint64_t> checksummed_bytes{};  // full: of these, covered by a checksum
  std::optional<std::uint64_t> mixed_records{};      // full: whose user word and event tags differ
  std::optional<EventCounts<std::uint32_t>> events_by_tag{};  // full
  std::optional<CheckOddities> oddities{};                    // full
};

// Thread-safe. Error{cancelled} when a stop is requested, {invalid_argument} for options that do
// not go together; everything else is in the report.
[[nodiscard]] CheckReport check(const std::filesystem::path& path, const CheckOptions& options);
[[nodiscard]] CheckReport check(std::shared_ptr<const ByteSource> source,
                                const CheckOptions& options);

}  // namespace v0
}  // namespace hipotool
