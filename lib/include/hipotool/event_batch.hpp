#pragma once
// An ordered list of event runs taken from one or more Records: what encode() turns into one
// record. Packing small records, cutting a large one and dropping events are all the same operation
// on runs, with no record in between.

#include "hipotool/record.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace hipotool {
inline namespace v0 {

struct EventRun {
  std::shared_ptr<const Record> record;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

class EventBatch {
 public:
  // Adjoining runs of one record become one.
  void append(const std::shared_ptr<const Record>& record, std::uint32_t first,
              std::uint32_t count);
  [[nodiscard]] const std::vector<EventRun>& runs() const noexcept { return runs_; }
  [[nodiscard]] bool empty() const noexcept { return runs_.empty(); }
  [[nodiscard]] std::uint32_t event_count() const noexcept { return event_count_; }
  // What the events take per-chunk with codec none, index included.
  [[nodiscard]] std::uint64_t raw_bytes() const noexcept { return raw_bytes_; }
  void clear();

  UserWords user_words{};

 private:
  std::vector<EventRun> runs_;
  std::uint32_t event_count_ = 0;
  std::uint64_t raw_bytes_ = 0;
};

// A batch cut where a split layout must give way. Kinds are bits of Oddity; 0 for the parts that
// fit.
struct BatchPart {
  EventBatch batch;
  std::uint8_t kinds = 0;
};

// Cuts `batch` into the fewest runs such that those with kinds == 0 can be stored in a split layout
// and the others hold exactly the events that cannot. The type byte and format length of a bank's
// first occurrence in the batch are the ones that others must agree with.
[[nodiscard]] std::vector<BatchPart> partition_for_split(const EventBatch& batch);

// Throws Error{corrupt} naming event and bank unless `decoded` holds exactly the events of `batch`:
// tags, banks, types, sizes and all bytes; reserved words and trailing bytes too where both sides
// keep them.
void require_equal(const EventBatch& batch, const Record& decoded);

}  // namespace v0
}  // namespace hipotool
