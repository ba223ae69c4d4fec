#pragma once
// What of a selection depends on the events chosen before: every so manieth, and the first so many.

#include "hipotool/selection.hpp"

#include <cmath>
#include <cstdint>

namespace hipotool::inline v0::file {

// Of the events that a selector chooses those that are left over after its thinning. They come in
// order; serial.
class Thinner {
 public:
  // Null: all are. The events that will come are that `share` of all.
  explicit Thinner(const EventSelector* selector, double share = 1)
      : selector_(selector), most_(selector == nullptr ? 0 : selector->selection().most) {
    if (share < 1 && selector != nullptr && selector->selection().most != Selection{}.most) {
      most_ = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(most_)));
    }
  }

  [[nodiscard]] bool takes(std::uint32_t tag) {
    if (selector_ == nullptr) {
      return true;
    }
    const Selection& selection = selector_->selection();
    if (!selection.thins() || selector_->is_special(tag)) {
      return true;
    }
    const bool due = taken_ < most_ && seen_++ % selection.every == 0;
    taken_ += due ? 1U : 0U;
    return due;
  }
  // How many events that are not special can still be taken.
  [[nodiscard]] std::uint64_t left() const noexcept {
    return selector_ == nullptr ? Selection{}.most : most_ - taken_;
  }
  // Whether none of them can.
  [[nodiscard]] bool has_most() const noexcept { return left() == 0; }
  // Whether nothing more can be taken.
  [[nodiscard]] bool is_done() const {
    return selector_ != nullptr && has_most() &&
           (selector_->selection().only || selector_->selection().special.empty());
  }

 private:
  const EventSelector* selector_;
  std::uint64_t most_;
  std::uint64_t seen_ = 0;
  std::uint64_t taken_ = 0;
};

}  // namespace hipotool::inline v0::file
