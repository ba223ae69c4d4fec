#pragma once
// How events in memory become the records of a file: cut as rewrite() cuts them, and where a split
// layout cannot hold an event, in per-chunk records of the same codec. For those who encode without
// rewriting a file.

#include "hipotool/compression.hpp"
#include "hipotool/event_batch.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace hipotool {
inline namespace v0 {

// What becomes one record, and how it is to be stored.
struct PlannedRecord {
  EventBatch events{};
  Compression compression{};
};

// All events of `records`, in order. `record_bytes` as in RewriteOptions.
[[nodiscard]] std::vector<PlannedRecord> plan_records(
    std::span<const std::shared_ptr<const Record>> records, const Compression& compression,
    std::uint64_t record_bytes, std::uint32_t record_events = 100'000);

}  // namespace v0
}  // namespace hipotool
