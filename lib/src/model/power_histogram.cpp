#include "model/power_histogram.hpp"

#include <algorithm>
#include <cmath>

namespace hipotool::inline v0::values {
namespace {

// Bins of reals are no finer than the value's own last bit, so that their numbers are exact, and
// not so fine that 2^-scale overflows.
constexpr int kBitsOfBin = 53;
constexpr int kFinestScale = -1000;

std::int64_t halved(std::int64_t bin, int times) {
  return times > 62 ? (bin < 0 ? -1 : 0) : bin >> times;
}

int finest_scale(double value) {
  if (value == 0) {
    return kFinestScale;
  }
  int exponent = 0;
  static_cast<void>(std::frexp(value, &exponent));
  return std::max(exponent - kBitsOfBin, kFinestScale);
}

}  // namespace

void PowerHistogram::cover(std::int64_t low, std::int64_t high) {
  widen(scale_, low >> scale_, high >> scale_);
}

void PowerHistogram::cover(double low, double high) {
  const int least = std::max(finest_scale(low), finest_scale(high));
  const int scale = counts_.empty() ? least : std::max(scale_, least);
  const double inverse_width = std::ldexp(1.0, -scale);
  widen(scale, bin_of(low, inverse_width), bin_of(high, inverse_width));
}

void PowerHistogram::widen(int scale, std::int64_t first, std::int64_t last) {
  if (!counts_.empty()) {
    const std::int64_t end = first_ + static_cast<std::int64_t>(counts_.size()) - 1;
    if (scale == scale_ && first >= first_ && last <= end) {
      return;
    }
    first = std::min(first, halved(first_, scale - scale_));
    last = std::max(last, halved(end, scale - scale_));
  }
  // Two's complement makes the difference right even where it does not fit into an int64.
  while (static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first) >= kMostBins) {
    ++scale;
    first = halved(first, 1);
    last = halved(last, 1);
  }
  std::vector<std::uint64_t> wider(static_cast<std::size_t>(last - first) + 1);
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    const std::int64_t bin = halved(first_ + static_cast<std::int64_t>(i), scale - scale_);
    wider[static_cast<std::size_t>(bin - first)] += counts_[i];
  }
  counts_ = std::move(wider);
  first_ = first;
  scale_ = scale;
  inverse_width_ = std::ldexp(1.0, -scale);
}

void PowerHistogram::add(const PowerHistogram& other) {
  if (other.counts_.empty()) {
    return;
  }
  const int scale = counts_.empty() ? other.scale_ : std::max(scale_, other.scale_);
  const std::int64_t other_last =
      other.first_ + static_cast<std::int64_t>(other.counts_.size()) - 1;
  widen(scale, halved(other.first_, scale - other.scale_),
        halved(other_last, scale - other.scale_));
  for (std::size_t i = 0; i < other.counts_.size(); ++i) {
    const std::int64_t bin =
        halved(other.first_ + static_cast<std::int64_t>(i), scale_ - other.scale_);
    counts_[index_of(bin)] += other.counts_[i];
  }
}

std::vector<HistogramBin> PowerHistogram::bins() const {
  std::vector<HistogramBin> bins;
  bins.reserve(counts_.size());
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    const auto number = static_cast<double>(first_ + static_cast<std::int64_t>(i));
    bins.push_back({std::ldexp(number, scale_), std::ldexp(number + 1, scale_), counts_[i]});
  }
  return bins;
}

}  // namespace hipotool::inline v0::values
