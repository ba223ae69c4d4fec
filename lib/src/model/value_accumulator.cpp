#include "model/value_accumulator.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>

namespace hipotool::inline v0::values {
namespace {

// The square of 2^32 such values can still be squared, and told from infinity.
constexpr double kLargestSquare = 0x1p900;

// Fewer floats are added faster one by one.
constexpr std::size_t kWorthFlushing = 64;

// Adds a * b * 2^shift without rounding.
void add_product(ExactSum& sum, double a, double b, int shift) {
  const double high = a * b;
  sum.add(std::ldexp(high, shift));
  sum.add(std::ldexp(std::fma(a, b, -high), shift));
}

double mean_of(const ExactSum& sum, double count) {
  const std::vector<double> terms = sum.terms();
  if (terms.empty()) {
    return sum.value();  // 0, or infinite
  }
  const double mean = terms[0] / count;
  const double rest = std::fma(-mean, count, terms[0]) + (terms.size() > 1 ? terms[1] : 0);
  return mean + rest / count;
}

// (n * sum of squares - square of the sum) / n^2, with the difference exact: where the spread is
// small beside the mean nearly all digits cancel.
double variance_of(const ExactSum& sum, const ExactSum& squares, double count) {
  const std::vector<double> terms = sum.terms();
  ExactSum spread;
  for (const double square : squares.terms()) {
    add_product(spread, square, count, 0);
  }
  for (const double a : terms) {
    for (const double b : terms) {
      add_product(spread, -a, b, 0);
    }
  }
  return spread.value() / count / count;
}

std::optional<double> if_finite(double value) {
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

}  // namespace

void FloatSums::flush(ExactSum& sum, ExactSum& squares) {
  constexpr int kBias = 150;  // of the mantissa's last bit
  for (std::size_t exponent = 0; exponent < slots_.size(); ++exponent) {
    Slot& slot = slots_[exponent];
    if (slot.squares_low == 0 && slot.squares_high == 0) {
      continue;
    }
    const int scale = std::max(static_cast<int>(exponent), 1) - kBias;
    // Below 2^56: the halves of its magnitude fit into doubles.
    const auto magnitude = static_cast<std::uint64_t>(slot.sum < 0 ? -slot.sum : slot.sum);
    const double sign = slot.sum < 0 ? -1 : 1;
    sum.add(std::ldexp(sign * static_cast<double>(magnitude >> 32), scale + 32));
    sum.add(std::ldexp(sign * static_cast<double>(magnitude & 0xFFFFFFFF), scale));
    squares.add_scaled(slot.squares_low, 2 * scale);
    squares.add_scaled(slot.squares_high, 2 * scale + 32);
    slot = {};
  }
}

void ValueAccumulator::add(ColumnType type, ByteSpan cells, ValueScratch& scratch) {
  RecentHashes& recent = scratch.recent;
  recent.clear(cells.size() / size_of(type));
  switch (type) {
    case ColumnType::i8:
      return add_integers<std::int8_t>(cells, recent);
    case ColumnType::i16:
      return add_integers<std::int16_t>(cells, recent);
    case ColumnType::i32:
      return add_integers<std::int32_t>(cells, recent);
    case ColumnType::i64:
      return add_integers<std::int64_t>(cells, recent);
    case ColumnType::f32:
      return add_reals<float>(cells, scratch);
    case ColumnType::f64:
      return add_reals<double>(cells, scratch);
  }
}

template <typename T>
void ValueAccumulator::add_integers(ByteSpan cells, RecentHashes& recent) {
  const std::size_t count = cells.size() / sizeof(T);
  if (count == 0) {
    return;
  }
  T low = load_le<T>(cells.data());
  T high = low;
  std::int64_t sum = 0;
  std::uint64_t squares_low = 0;  // of each square the low and the high half
  std::uint64_t squares_high = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const T value = load_le<T>(cells.data() + i * sizeof(T));
    low = std::min(low, value);
    high = std::max(high, value);
    zeros_ += value == 0 ? 1U : 0U;
    distinct_.add(static_cast<std::uint64_t>(value), recent);
    if constexpr (sizeof(T) < sizeof(std::int64_t)) {
      const auto wide = std::int64_t{value};
      const auto square = static_cast<std::uint64_t>(wide * wide);
      sum += wide;
      squares_low += square & 0xFFFFFFFF;
      squares_high += square >> 32;
    } else {
      const std::int64_t upper = value >> 32;
      sum_.add(std::ldexp(static_cast<double>(upper), 32));
      sum_.add(static_cast<double>(value & 0xFFFFFFFF));
      add_square(value);
    }
  }
  values_ += count;
  const std::uint64_t magnitude = sum < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(sum)
                                          : static_cast<std::uint64_t>(sum);
  const double sign = sum < 0 ? -1 : 1;
  sum_.add(sign * std::ldexp(static_cast<double>(magnitude >> 32), 32));
  sum_.add(sign * static_cast<double>(magnitude & 0xFFFFFFFF));
  squares_.add_scaled(squares_low, 0);
  squares_.add_scaled(squares_high, 32);
  note_range(std::int64_t{low}, std::int64_t{high});
  histogram_.cover(std::int64_t{low}, std::int64_t{high});
  for (std::size_t i = 0; i < count; ++i) {
    histogram_.count(std::int64_t{load_le<T>(cells.data() + i * sizeof(T))});
  }
}

// (2^32 u + l)^2, each product without rounding.
void ValueAccumulator::add_square(std::int64_t value) {
  const auto upper = static_cast<double>(value >> 32);
  const auto lower = static_cast<double>(value & 0xFFFFFFFF);
  add_product(squares_, upper, upper, 64);
  add_product(squares_, upper, lower, 33);
  add_product(squares_, lower, lower, 0);
}

template <typename T>
void ValueAccumulator::add_reals(ByteSpan cells, ValueScratch& scratch) {
  const std::size_t count = cells.size() / sizeof(T);
  const bool by_exponent = sizeof(T) == sizeof(float) && count >= kWorthFlushing;
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (std::size_t i = 0; i < count; ++i) {
    double value = load_le<T>(cells.data() + i * sizeof(T));
    if (std::isnan(value)) {
      ++not_a_number_;
      continue;
    }
    value = value == 0 ? 0.0 : value;  // -0 is no other value, and no lower one
    distinct_.add(std::bit_cast<std::uint64_t>(value), scratch.recent);
    if (std::isinf(value)) {
      ++infinite_;
      continue;
    }
    zeros_ += value == 0 ? 1U : 0U;
    low = std::min(low, value);
    high = std::max(high, value);
    if (by_exponent) {
      scratch.floats.add(static_cast<float>(value));
    } else {
      add_to_sums(value);
    }
  }
  if (by_exponent) {
    scratch.floats.flush(sum_, squares_);
  }
  values_ += count;
  if (low > high) {
    return;
  }
  note_range(low, high);
  histogram_.cover(low, high);
  for (std::size_t i = 0; i < count; ++i) {
    const double value = load_le<T>(cells.data() + i * sizeof(T));
    if (std::isfinite(value)) {
      histogram_.count(value);
    }
  }
}

void ValueAccumulator::add_to_sums(double value) {
  sum_.add(value);
  const double square = value * value;
  if (square > kLargestSquare) {
    squares_overflowed_ = true;
    return;
  }
  squares_.add(square);
  squares_.add(std::fma(value, value, -square));
}

void ValueAccumulator::note_range(std::int64_t low, std::int64_t high) {
  lowest_integer_ = has_range_ ? std::min(lowest_integer_, low) : low;
  highest_integer_ = has_range_ ? std::max(highest_integer_, high) : high;
  has_range_ = true;
}

void ValueAccumulator::note_range(double low, double high) {
  lowest_ = has_range_ ? std::min(lowest_, low) : low;
  highest_ = has_range_ ? std::max(highest_, high) : high;
  has_range_ = true;
}

void ValueAccumulator::add(const ValueAccumulator& other) {
  values_ += other.values_;
  zeros_ += other.zeros_;
  not_a_number_ += other.not_a_number_;
  infinite_ += other.infinite_;
  squares_overflowed_ = squares_overflowed_ || other.squares_overflowed_;
  if (other.has_range_) {
    const bool had_range = has_range_;
    note_range(other.lowest_integer_, other.highest_integer_);
    has_range_ = had_range;
    note_range(other.lowest_, other.highest_);
  }
  sum_.add(other.sum_);
  squares_.add(other.squares_);
  distinct_.add(other.distinct_);
  histogram_.add(other.histogram_);
}

ValueStatistics ValueAccumulator::finish(ColumnType type) const {
  ValueStatistics statistics{.values = values_,
                             .zeros = zeros_,
                             .not_a_number = not_a_number_,
                             .infinite = infinite_,
                             .distinct = distinct_.count(),
                             .distinct_is_exact = distinct_.is_exact(),
                             .histogram = histogram_.bins()};
  if (finite() == 0) {
    return statistics;
  }
  const bool real = type == ColumnType::f32 || type == ColumnType::f64;
  statistics.min = real ? ColumnValue(lowest_) : ColumnValue(lowest_integer_);
  statistics.max = real ? ColumnValue(highest_) : ColumnValue(highest_integer_);
  const auto count = static_cast<double>(finite());
  statistics.mean = if_finite(mean_of(sum_, count));
  if (statistics.mean && !squares_overflowed_) {
    statistics.standard_deviation = std::sqrt(std::max(0.0, variance_of(sum_, squares_, count)));
  }
  return statistics;
}

}  // namespace hipotool::inline v0::values
