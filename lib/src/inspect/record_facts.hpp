#pragma once
// What one record tells a check, so that many can be looked at in parallel and added up in order.

#include "hipotool/check.hpp"
#include "hipotool/digest.hpp"
#include "hipotool/directory.hpp"
#include "hipotool/event_counts.hpp"
#include "hipotool/record.hpp"

#include <cstdint>
#include <vector>

namespace hipotool::inline v0::inspect {

struct RecordFacts {
  std::vector<EventHash> hashes{};
  EventCounts<std::uint32_t> events_by_tag{};
  std::uint64_t events = 0;
  std::uint64_t other_tags = 0;  // events with another tag than the record's user word
  CheckOddities oddities{};
};

// Of a record decoded for everything; with the hashes of its events or without.
[[nodiscard]] RecordFacts facts_of(const Record& record, bool hash);

// Stored bytes that a checksum of the format covers: gzip members and version 3 streams. The
// directories of split records have none.
[[nodiscard]] std::uint64_t checksummed_bytes(const RecordHeader& header,
                                              const RecordDirectory& directory);

}  // namespace hipotool::inline v0::inspect
