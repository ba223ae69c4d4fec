#pragma once
// Takes in the values of one column, in any order and any portions, and adds up with others of its
// kind: threads each have their own.

#include "hipotool/bytes.hpp"
#include "hipotool/schema.hpp"
#include "hipotool/value_statistics.hpp"

#include "model/distinct_counter.hpp"
#include "model/exact_sum.hpp"
#include "model/power_histogram.hpp"

#include <array>
#include <bit>
#include <cstdint>

namespace hipotool::inline v0::values {

// Sums of floats and their squares, exact like ExactSum and several times as quick: an integer for
// each exponent takes the mantissas. For fewer than 2^32 values at a time.
class FloatSums {
 public:
  // `value` is finite.
  void add(float value) noexcept {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t exponent = (bits >> 23) & 0xFF;
    const std::uint32_t hidden = exponent == 0 ? 0 : std::uint32_t{1} << 23;
    const std::int64_t mantissa = (bits & 0x7FFFFF) | hidden;
    const auto square = static_cast<std::uint64_t>(mantissa * mantissa);
    Slot& slot = slots_[exponent];
    slot.sum += (bits >> 31) != 0 ? -mantissa : mantissa;
    slot.squares_low += square & 0xFFFFFFFF;
    slot.squares_high += square >> 32;
  }
  // Adds what was collected to the sums, and forgets it.
  void flush(ExactSum& sum, ExactSum& squares);

 private:
  struct Slot {
    std::int64_t sum = 0;
    std::uint64_t squares_low = 0;  // of each square the low and the high 32 bits
    std::uint64_t squares_high = 0;
  };
  std::array<Slot, 256> slots_{};  // by exponent
};

// What one thread needs for the column at hand.
struct ValueScratch {
  RecentHashes recent{};
  FloatSums floats{};
};

class ValueAccumulator {
 public:
  // Whole elements of `type`, fewer than 2^32, as they lie in a column.
  void add(ColumnType type, ByteSpan cells, ValueScratch& scratch);
  void add(const ValueAccumulator& other);
  [[nodiscard]] ValueStatistics finish(ColumnType type) const;

 private:
  template <typename T>
  void add_integers(ByteSpan cells, RecentHashes& recent);
  template <typename T>
  void add_reals(ByteSpan cells, ValueScratch& scratch);
  void add_to_sums(double value);
  void add_square(std::int64_t value);
  void note_range(std::int64_t low, std::int64_t high);
  void note_range(double low, double high);
  [[nodiscard]] std::uint64_t finite() const noexcept {
    return values_ - not_a_number_ - infinite_;
  }

  std::uint64_t values_ = 0;
  std::uint64_t zeros_ = 0;
  std::uint64_t not_a_number_ = 0;
  std::uint64_t infinite_ = 0;
  bool has_range_ = false;
  bool squares_overflowed_ = false;
  // One of the two pairs, by the column's type.
  std::int64_t lowest_integer_ = 0;
  std::int64_t highest_integer_ = 0;
  double lowest_ = 0;
  double highest_ = 0;
  ExactSum sum_;
  ExactSum squares_;
  DistinctCounter distinct_;
  PowerHistogram histogram_;
};

}  // namespace hipotool::inline v0::values
