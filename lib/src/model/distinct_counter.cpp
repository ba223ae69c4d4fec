#include "model/distinct_counter.hpp"

#include <algorithm>
#include <cmath>

namespace hipotool::inline v0::values {

void DistinctCounter::keep(std::uint64_t hash) {
  hashes_.push_back(hash);
  if (hashes_.size() == 2 * kExact) {
    settle();
  }
}

// Keeps the smallest, each once.
void DistinctCounter::settle() {
  std::sort(hashes_.begin(), hashes_.end());
  hashes_.erase(std::unique(hashes_.begin(), hashes_.end()), hashes_.end());
  if (hashes_.size() > kExact) {
    overflowed_ = true;
    hashes_.resize(kExact);
  }
  if (overflowed_) {
    limit_ = hashes_.back();
  }
}

void DistinctCounter::add(const DistinctCounter& other) {
  overflowed_ = overflowed_ || other.overflowed_;
  hashes_.insert(hashes_.end(), other.hashes_.begin(), other.hashes_.end());
  settle();
}

std::uint64_t DistinctCounter::count() const {
  DistinctCounter settled = *this;
  settled.settle();
  if (!settled.overflowed_) {
    return settled.hashes_.size();
  }
  const double share = std::ldexp(static_cast<double>(settled.limit_), -64);
  return static_cast<std::uint64_t>(std::llround(static_cast<double>(kExact - 1) / share));
}

bool DistinctCounter::is_exact() const {
  DistinctCounter settled = *this;
  settled.settle();
  return !settled.overflowed_;
}

}  // namespace hipotool::inline v0::values
