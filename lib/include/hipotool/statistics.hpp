#pragma once
// What is in a file, counted: events by tag, runs, records, and how much of everything each bank
// and each column takes. Records that are split by bank or column are counted from their
// directories, without inflating anything but what is asked for beyond that (docs/architecture.md);
// whole records are inflated.
//
// Sizes. The raw bytes of events are what they take per-chunk with codec none, headers and index
// included. The raw bytes of a bank are its data in all events, without the 8-byte structure
// headers; those of a column are its cells. Stored bytes are those of the streams, and so known
// exactly only where a bank or column has streams of its own.
//
// Every number is a function of the file's events and of how they are stored, never of the number
// of threads; what depends on the events alone is the same for every layout.

#include "hipotool/compression.hpp"
#include "hipotool/expression.hpp"
#include "hipotool/reader.hpp"
#include "hipotool/schema.hpp"
#include "hipotool/tag_range.hpp"
#include "hipotool/value_statistics.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace hipotool {
inline namespace v0 {

struct StatisticsOptions {
  bool banks = false;    // count each bank
  bool columns = false;  // and each of its columns
  bool values = false;   // and look at the values in them
  // Sizes that the layout does not tell, by compressing each bank, or with `columns` each column,
  // of a record alone with the record's codec.
  bool estimate = false;
  bool runs = true;         // from bank RUN::config
  bool duplicates = false;  // inflates everything
  bool per_tag = false;     // counts of banks and columns apart for each event tag
  // Columns, values and estimates of these banks only.
  std::optional<std::set<BankKey>> wanted{};

  // Events that count. All must hold; a tag of `exempt` passes `where` unasked.
  std::vector<TagRange> tags{};  // none: all
  const Expression* where = nullptr;
  std::vector<TagRange> exempt{};

  // Fewer threads run where what each would keep of the values does not fit into half the memory.
  unsigned threads = 1;
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;  // of records in flight, and of hashes
  std::stop_token stop{};
  // Called in the calling thread after each record, in order. May be empty.
  std::function<void(std::size_t index)> progress{};
};

// Bytes that something takes in the file.
struct StoredSize {
  std::optional<std::uint64_t> bytes{};  // nullopt where that cannot be told
  bool is_estimate = false;              // some were compressed to find out
};

// Records that are stored in the same way.
struct StorageStatistics {
  Compression compression{};  // `level` is not known and 0
  std::uint64_t records = 0;
  std::uint64_t events = 0;
  std::uint64_t stored_bytes = 0;
  std::uint64_t raw_bytes = 0;
};

struct RunStatistics {
  std::int64_t run = 0;
  std::uint64_t events = 0;
  // Of RUN::config.event; nullopt if there is no such column.
  std::optional<std::int64_t> lowest_event{};
  std::optional<std::int64_t> highest_event{};
};

struct DuplicateEvent {
  std::uint64_t event = 0;        // number in its file, from 0
  std::uint64_t original = 0;     // the first event with the same tag and the same banks ...
  std::size_t event_in_file = 0;  // ... and which of the files that were added up they are in
  std::size_t original_in_file = 0;
};

struct Spread {
  std::uint64_t min = 0;
  std::uint64_t median = 0;  // the lower one of two
  std::uint64_t max = 0;
};

struct StatisticsSummary {
  std::uint64_t files = 0;
  std::uint64_t file_bytes = 0;
  std::uint64_t records = 0;  // with events
  std::uint64_t empty_records = 0;
  std::uint64_t events_in_file = 0;
  std::uint64_t events = 0;         // that count; all of the following are about those
  std::uint64_t exempt_events = 0;  // that `where` was not asked about
  std::uint64_t empty_events = 0;
  std::uint64_t raw_bytes = 0;
  // At most 4096 tags, the smallest; and the events of all others.
  std::map<std::uint32_t, std::uint64_t> events_by_tag{};
  std::uint64_t events_of_other_tags = 0;

  // Ascending, at most 4096. Nullopt where RUN::config is not in the dictionary, or was not wanted.
  std::optional<std::vector<RunStatistics>> runs{};
  std::uint64_t events_of_other_runs = 0;
  std::uint64_t events_without_run = 0;

  std::optional<std::uint64_t> duplicate_events{};  // equal to an earlier one
  std::vector<DuplicateEvent> duplicates{};         // the first ten

  // Of whole records, whichever of their events count.
  std::vector<StorageStatistics> storage{};
  std::uint64_t directory_bytes = 0;  // stored, with section headers; of split records
  std::optional<Spread> record_bytes{};
  std::optional<Spread> record_raw_bytes{};
  std::optional<Spread> record_events{};
  std::uint64_t tiny_records = 0;  // of less than kTinyRecordBytes raw

  // What it took.
  std::uint64_t streams_inflated = 0;
  std::uint64_t bytes_read = 0;  // of data records
};
// The smallest record size that writers here offer.
inline constexpr std::uint64_t kTinyRecordBytes = std::uint64_t{64} << 10;

struct BankStatistics {
  std::uint32_t tag = 0;  // with per_tag
  BankKey key{};
  std::string name;  // the schema's, or "group/item"
  bool has_schema = false;
  std::uint64_t events = 0;               // that have it
  std::uint64_t events_without_rows = 0;  // that have it without a byte in it
  std::optional<std::uint64_t> rows{};    // nullopt without a schema
  std::uint64_t ragged = 0;               // times that its bytes are no whole rows
  std::uint64_t raw_bytes = 0;
  StoredSize stored{};
};

struct ColumnStatistics {
  std::uint32_t tag = 0;
  BankKey key{};
  std::string bank;
  Column column{};
  std::uint64_t rows = 0;
  std::uint64_t raw_bytes = 0;
  StoredSize stored{};
  std::optional<ValueStatistics> values{};
};

// Counts of one file, or of several added up.
class Statistics {
 public:
  Statistics();
  Statistics(Statistics&&) noexcept;
  Statistics& operator=(Statistics&&) noexcept;
  Statistics(const Statistics&) = delete;
  Statistics& operator=(const Statistics&) = delete;
  ~Statistics();

  // Both must have been collected with the same options. Banks are the same if key, name and
  // columns are.
  void add(const Statistics& other);

  [[nodiscard]] StatisticsSummary summary() const;
  // Ascending by tag and key. Every bank that a dictionary declares, used or not, and those used
  // without. Empty unless asked for.
  [[nodiscard]] std::vector<BankStatistics> banks() const;
  // In the same order, of wanted banks that occur.
  [[nodiscard]] std::vector<ColumnStatistics> columns() const;

  struct State;

 private:
  friend Statistics collect_statistics(const FileReader& reader, const StatisticsOptions& options);
  std::unique_ptr<State> state_;
};

// Error of the first damage in file order, with path, record and offset. Error{over_budget} where
// hashes of all events do not fit into the memory allowed, or more than 256 tags are to be kept
// apart.
[[nodiscard]] Statistics collect_statistics(const FileReader& reader,
                                            const StatisticsOptions& options);

}  // namespace v0
}  // namespace hipotool
