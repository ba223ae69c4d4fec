#pragma once
// Holds decoded events against the batch that they were made from: all at once, or bank by bank as
// they are decoded.

#include "hipotool/event_batch.hpp"
#include "hipotool/record.hpp"

#include <cstdint>
#include <vector>

namespace hipotool::inline v0 {

// Every require_*() throws Error{corrupt} naming event and bank where the two sides differ. Events
// are counted in the batch. The batch outlives the comparison.
class BatchComparison {
 public:
  explicit BatchComparison(const EventBatch& batch);

  // Banks that the batch's events hold, ascending.
  [[nodiscard]] const std::vector<BankKey>& banks() const noexcept { return banks_; }

  void require_tags(const Record& decoded) const;
  void require_sizes(const Record& decoded) const;
  // Compares the events that both sides keep as they were stored, which require_bank() passes over
  // from then on.
  void require_images(const Record& decoded);
  // All events' banks of this key; null where the decoded side has none.
  void require_bank(BankKey key, const BankBlock* decoded) const;

 private:
  struct Run {
    const EventRun* events;
    std::uint32_t at;  // index of its first event in the batch
  };

  std::uint32_t event_count_;
  std::vector<Run> runs_;
  std::vector<Run> without_images_;
  std::vector<BankKey> banks_;
};

}  // namespace hipotool::inline v0
