#pragma once
// How a sequence of events becomes records: a left fold in input order, greedy, without look-ahead.
// A record is closed when the next event would exceed a limit, or belongs to another group (user
// words and record user header), since those are never mixed. An event larger than the limit gets a
// record of its own. Pure: no file, no thread, no clock.

#include "hipotool/event_batch.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace hipotool::inline v0::file {

struct CutLimits {
  std::uint64_t record_bytes = 0;  // raw, index entry included
  std::uint32_t record_events = 0;
};

class Cutter {
 public:
  explicit Cutter(CutLimits limits) : limits_(limits) {}

  // Appends the batches that `record` completes to `done`.
  void add(const std::shared_ptr<const Record>& record, std::vector<EventBatch>& done);
  // Closes the open batch, if there is one.
  void close(std::vector<EventBatch>& done);

 private:
  [[nodiscard]] bool belongs(const Record& record) const;

  CutLimits limits_;
  EventBatch open_;
};

}  // namespace hipotool::inline v0::file
