#pragma once
// A histogram that finds its own range: bins are a power of two wide, begin at multiples of that,
// and become wider when values come that do not fit into 32 of them. The bins are the narrowest
// possible for all values so far, whatever their order, so histograms of parts add up to that of
// the whole.

#include "hipotool/value_statistics.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hipotool::inline v0::values {

// Of integers or of finite reals, never both.
class PowerHistogram {
 public:
  static constexpr std::size_t kMostBins = 32;

  // Makes room for values from `low` to `high`, both of which are among the values.
  void cover(std::int64_t low, std::int64_t high);
  void cover(double low, double high);
  // A value within what was covered.
  void count(std::int64_t value) noexcept { ++counts_[index_of(value >> scale_)]; }
  void count(double value) noexcept { ++counts_[index_of(bin_of(value, inverse_width_))]; }
  void add(const PowerHistogram& other);
  [[nodiscard]] std::vector<HistogramBin> bins() const;

 private:
  // The bins from `first` to `last`, each 2^scale wide.
  void widen(int scale, std::int64_t first, std::int64_t last);
  [[nodiscard]] std::size_t index_of(std::int64_t bin) const noexcept {
    return static_cast<std::size_t>(bin - first_);
  }
  // The floor of the product. Not std::floor, which is a call on older processors.
  [[nodiscard]] static std::int64_t bin_of(double value, double inverse_width) noexcept {
    const double scaled = value * inverse_width;
    const auto toward_zero = static_cast<std::int64_t>(scaled);
    const bool underflowed = value < 0 && scaled == 0;
    const bool below = static_cast<double>(toward_zero) > scaled || underflowed;
    return toward_zero - (below ? 1 : 0);
  }

  std::vector<std::uint64_t> counts_;  // first and last are never empty
  std::int64_t first_ = 0;             // the first bin begins at first_ * 2^scale_
  int scale_ = 0;
  double inverse_width_ = 1;
};

}  // namespace hipotool::inline v0::values
