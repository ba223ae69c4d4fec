#pragma once
// What the values of one column look like, over all rows of all events that were looked at. All
// numbers are functions of the values alone: neither the order nor the records in which they lie
// make a difference, not even in the last digit.

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

namespace hipotool {
inline namespace v0 {

// Integers stay exact.
using ColumnValue = std::variant<std::int64_t, double>;

struct HistogramBin {
  double low = 0;   // included
  double high = 0;  // excluded
  std::uint64_t count = 0;
};

struct ValueStatistics {
  std::uint64_t values = 0;  // each element of an array cell is one
  std::uint64_t zeros = 0;
  std::uint64_t not_a_number = 0;
  std::uint64_t infinite = 0;
  // Of the finite values; nullopt where there is none, or where a double cannot hold the result.
  std::optional<ColumnValue> min{};
  std::optional<ColumnValue> max{};
  std::optional<double> mean{};
  std::optional<double> standard_deviation{};  // of these values, not of what they are a sample of
  // Different finite or infinite values; -0 is 0. Exact up to 1024, beyond that an estimate that is
  // off by 3 % (one standard deviation).
  std::uint64_t distinct = 0;
  bool distinct_is_exact = true;
  // Of the finite values: at most 32 bins that follow each other, a power of two wide, with edges
  // at its multiples; as narrow as they can be.
  std::vector<HistogramBin> histogram{};
};

}  // namespace v0
}  // namespace hipotool
