#include "inspect/counts.hpp"

#include "hipotool/error.hpp"

#include <algorithm>
#include <iterator>

namespace hipotool::inline v0::inspect {
namespace {

void widen(std::optional<std::int64_t>& lowest, std::optional<std::int64_t>& highest,
           const RunCount& by) {
  if (by.lowest_event) {
    lowest = lowest ? std::min(*lowest, *by.lowest_event) : by.lowest_event;
  }
  if (by.highest_event) {
    highest = highest ? std::max(*highest, *by.highest_event) : by.highest_event;
  }
}

}  // namespace

void StoredCount::add(const StoredCount& other) noexcept {
  bytes += other.bytes;
  is_known = is_known && other.is_known;
  is_estimate = is_estimate || other.is_estimate;
}

StoredSize StoredCount::size() const {
  return is_known ? StoredSize{bytes, is_estimate} : StoredSize{};
}

void BankCount::add(const BankCount& other) {
  events += other.events;
  events_without_rows += other.events_without_rows;
  rows += other.rows;
  ragged += other.ragged;
  raw_bytes += other.raw_bytes;
  stored.add(other.stored);
  columns.resize(std::max(columns.size(), other.columns.size()));
  for (std::size_t c = 0; c < other.columns.size(); ++c) {
    columns[c].add(other.columns[c]);
  }
  values.resize(std::max(values.size(), other.values.size()));
  for (std::size_t c = 0; c < other.values.size(); ++c) {
    values[c].add(other.values[c]);
  }
}

void RunCount::add(const RunCount& other) {
  events += other.events;
  widen(lowest_event, highest_event, other);
}

void Counts::add(const Counts& other) {
  events_in_file += other.events_in_file;
  events += other.events;
  exempt_events += other.exempt_events;
  empty_events += other.empty_events;
  events_with_run += other.events_with_run;
  raw_bytes += other.raw_bytes;
  directory_bytes += other.directory_bytes;
  streams_inflated += other.streams_inflated;
  bytes_read += other.bytes_read;
  for (const auto& [tag, count] : other.events_by_tag) {
    if (std::uint64_t* mine = value_of(events_by_tag, tag)) {
      *mine += count;
    }
  }
  for (const auto& [run, count] : other.runs) {
    if (RunCount* mine = value_of(runs, run)) {
      mine->add(count);
    }
  }
  for (const auto& [how, count] : other.storage) {
    StorageStatistics& mine = storage[how];
    mine.compression = count.compression;
    mine.records += count.records;
    mine.events += count.events;
    mine.stored_bytes += count.stored_bytes;
    mine.raw_bytes += count.raw_bytes;
  }
  records.insert(records.end(), other.records.begin(), other.records.end());
  hashes.insert(hashes.end(), other.hashes.begin(), other.hashes.end());
}

void require_few_groups(std::size_t tags) {
  constexpr std::size_t kMostGroups = 256;
  if (tags > kMostGroups) {
    throw Error(ErrorCode::over_budget, "more than 256 event tags to be kept apart; choose fewer");
  }
}

void add_banks(std::map<std::uint32_t, BankCounts>& to,
               const std::map<std::uint32_t, BankCounts>& from) {
  for (const auto& [tag, banks] : from) {
    for (const auto& [key, count] : banks) {
      to[tag][key].add(count);
    }
    require_few_groups(to.size());
  }
}

}  // namespace hipotool::inline v0::inspect
