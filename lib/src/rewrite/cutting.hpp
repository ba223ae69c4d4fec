#pragma once
// How a sequence of events becomes records: a left fold in input order, greedy, without look-ahead.
// A record is closed when the next event would exceed a limit, or belongs to another group (user
// words, record user header, compression), since those are never mixed. An event larger than the
// limit gets a record of its own. Pure: no file, no thread, no clock.

#include "hipotool/compression.hpp"
#include "hipotool/event_batch.hpp"

#include <cstdint>
#include <vector>

namespace hipotool::inline v0::rewriting {

struct CutLimits {
  std::uint64_t record_bytes = 0;  // raw, index entry included; 0: as usual for the layout
  std::uint32_t record_events = 0;
};

// What becomes one record, and how it is to be stored.
struct CutBatch {
  EventBatch events{};
  Compression compression{};
};

class Cutter {
 public:
  explicit Cutter(CutLimits limits) : limits_(limits) {}

  // Appends the batches that `run` completes to `done`.
  void add(const EventRun& run, const Compression& compression, std::vector<CutBatch>& done);
  // Closes the open batch, if there is one.
  void close(std::vector<CutBatch>& done);

 private:
  [[nodiscard]] bool belongs(const Record& record, const Compression& compression) const;

  CutLimits limits_;
  CutBatch open_;
};

}  // namespace hipotool::inline v0::rewriting
