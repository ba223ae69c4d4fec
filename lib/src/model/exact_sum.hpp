#pragma once
// A sum of doubles without rounding, and so without regard to their order: what threads and records
// contribute can be added up in any way. Chunks of 32 bits of a wide fixed-point number, as in
// R. M. Neal, "Fast exact summation using small and large superaccumulators" (2015).

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hipotool::inline v0::values {

class ExactSum {
 public:
  // `value` is finite.
  void add(double value);
  // Adds value * 2^shift.
  void add_scaled(std::uint64_t value, int shift);
  void add(const ExactSum& other);
  // Within one unit of the last digit; infinite where a double cannot hold it.
  [[nodiscard]] double value() const;
  // Doubles that add up to exactly this, each at most a rounding error of the one before. None for
  // 0, or where the sum is beyond the range.
  [[nodiscard]] std::vector<double> terms() const;

 private:
  void make_room(std::size_t chunk);
  void carry();

  // Chunk i counts 2^(32 * (first_ + i) - 1075). Only those in use are there; they may be negative
  // and hold more than 32 bits until carry().
  std::vector<std::int64_t> chunks_;
  std::size_t first_ = 0;
  unsigned pending_ = 0;  // additions since the last carry()
};

}  // namespace hipotool::inline v0::values
