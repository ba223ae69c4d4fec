#pragma once
// What is counted for statistics, in parts that add up to the same whatever the order in which that
// is done: each thread has its own.

#include "hipotool/digest.hpp"
#include "hipotool/statistics.hpp"

#include "model/value_accumulator.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

namespace hipotool::inline v0::inspect {

// Of maps whose keys a file chooses: the smallest keys are kept, which does not depend on the order
// in which they come. What the others would count follows from the totals.
inline constexpr std::size_t kMostKeys = 4096;

// The value of `key`, or null where it is not among the smallest. Valid until the next call.
template <typename Key, typename Value>
Value* value_of(std::map<Key, Value>& values, Key key) {
  const auto found = values.find(key);
  if (found != values.end()) {
    return &found->second;
  }
  if (values.size() >= kMostKeys && values.rbegin()->first < key) {
    return nullptr;
  }
  Value* value = &values[key];
  if (values.size() > kMostKeys) {
    values.erase(std::prev(values.end()));
  }
  return value;
}

struct StoredCount {
  std::uint64_t bytes = 0;
  bool is_known = true;
  bool is_estimate = false;

  void add(const StoredCount& other) noexcept;
  [[nodiscard]] StoredSize size() const;
};

struct BankCount {
  std::uint64_t events = 0;
  std::uint64_t events_without_rows = 0;
  std::uint64_t rows = 0;
  std::uint64_t ragged = 0;
  std::uint64_t raw_bytes = 0;
  StoredCount stored{};
  // One for each column where columns, or values, are counted; else none.
  std::vector<StoredCount> columns{};
  std::vector<values::ValueAccumulator> values{};

  void add(const BankCount& other);
};
using BankCounts = std::map<BankKey, BankCount>;

struct RunCount {
  std::uint64_t events = 0;
  std::optional<std::int64_t> lowest_event{};
  std::optional<std::int64_t> highest_event{};

  void add(const RunCount& other);
};

struct HashedEvent {
  EventHash hash{};
  std::uint64_t event = 0;
  std::uint64_t file = 0;
};

struct RecordSize {
  std::uint64_t stored_bytes = 0;
  std::uint64_t raw_bytes = 0;
  std::uint64_t events = 0;
};

struct Counts {
  std::uint64_t events_in_file = 0;
  std::uint64_t events = 0;
  std::uint64_t exempt_events = 0;
  std::uint64_t empty_events = 0;
  std::uint64_t events_with_run = 0;
  std::uint64_t raw_bytes = 0;
  std::uint64_t directory_bytes = 0;
  std::uint64_t streams_inflated = 0;
  std::uint64_t bytes_read = 0;
  std::map<std::uint32_t, std::uint64_t> events_by_tag{};
  std::map<std::int64_t, RunCount> runs{};
  std::map<std::tuple<CodecId, LayoutId, Encodings>, StorageStatistics> storage{};
  std::vector<RecordSize> records{};
  std::map<std::uint32_t, BankCounts> banks{};  // by tag; all under 0 where tags are not kept apart
  std::vector<HashedEvent> hashes{};

  // All but `banks`, which mean nothing without their dictionary.
  void add(const Counts& other);
};

// Throws Error{over_budget} for more event tags than can be kept apart.
void require_few_groups(std::size_t tags);

// Adds up counts that were made with one dictionary.
void add_banks(std::map<std::uint32_t, BankCounts>& to,
               const std::map<std::uint32_t, BankCounts>& from);

}  // namespace hipotool::inline v0::inspect
