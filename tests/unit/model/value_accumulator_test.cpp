#include "model/value_accumulator.hpp"

#include "support/event_images.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

namespace hipotool::test {
namespace {

using values::FloatSums;
using values::ValueAccumulator;
using values::ValueScratch;

template <typename T>
Bytes cells_of(const std::vector<T>& values) {
  Bytes bytes;
  for (const T value : values) {
    append(bytes, packed(value));
  }
  return bytes;
}

template <typename T>
ValueStatistics statistics_of(ColumnType type, const std::vector<T>& values) {
  ValueAccumulator accumulator;
  ValueScratch scratch;
  accumulator.add(type, cells_of(values), scratch);
  return accumulator.finish(type);
}

TEST(ValueAccumulator, DescribesIntegersOfEveryWidth) {
  const auto expect = [](const ValueStatistics& statistics) {
    EXPECT_EQ(statistics.values, 5U);
    EXPECT_EQ(statistics.zeros, 2U);
    EXPECT_EQ(statistics.min, ColumnValue(std::int64_t{-3}));
    EXPECT_EQ(statistics.max, ColumnValue(std::int64_t{7}));
    EXPECT_EQ(statistics.mean, 1.6);
    EXPECT_DOUBLE_EQ(statistics.standard_deviation.value(), std::sqrt(74.0 / 5 - 1.6 * 1.6));
    EXPECT_EQ(statistics.distinct, 4U);
    EXPECT_TRUE(statistics.distinct_is_exact);
    EXPECT_EQ(statistics.histogram.size(), 11U);
  };
  expect(statistics_of<std::int8_t>(ColumnType::i8, {-3, 0, 4, 7, 0}));
  expect(statistics_of<std::int16_t>(ColumnType::i16, {-3, 0, 4, 7, 0}));
  expect(statistics_of<std::int32_t>(ColumnType::i32, {-3, 0, 4, 7, 0}));
  expect(statistics_of<std::int64_t>(ColumnType::i64, {-3, 0, 4, 7, 0}));
}

TEST(ValueAccumulator, DescribesReals) {
  const ValueStatistics floats = statistics_of<float>(ColumnType::f32, {0.5F, -0.0F, 0.0F, 2.5F});
  EXPECT_EQ(floats.min, ColumnValue(0.0));
  EXPECT_FALSE(std::signbit(std::get<double>(*floats.min)));
  EXPECT_EQ(floats.max, ColumnValue(2.5));
  EXPECT_EQ(floats.zeros, 2U);
  EXPECT_EQ(floats.distinct, 3U);
  EXPECT_EQ(floats.mean, 0.75);
  EXPECT_DOUBLE_EQ(floats.standard_deviation.value(), std::sqrt(6.5 / 4 - 0.75 * 0.75));
}

TEST(ValueAccumulator, KeepsNaNAndInfinityApart) {
  const double nan = std::nan("");
  const double infinity = std::numeric_limits<double>::infinity();
  const ValueStatistics some =
      statistics_of<double>(ColumnType::f64, {nan, 1.0, infinity, -infinity, nan, 3.0, infinity});
  EXPECT_EQ(some.values, 7U);
  EXPECT_EQ(some.not_a_number, 2U);
  EXPECT_EQ(some.infinite, 3U);
  EXPECT_EQ(some.min, ColumnValue(1.0));
  EXPECT_EQ(some.max, ColumnValue(3.0));
  EXPECT_EQ(some.mean, 2.0);
  EXPECT_EQ(some.standard_deviation, 1.0);
  EXPECT_EQ(some.distinct, 4U);
  const ValueStatistics none = statistics_of<double>(ColumnType::f64, {nan, infinity});
  EXPECT_EQ(none.values, 2U);
  EXPECT_FALSE(none.min.has_value());
  EXPECT_FALSE(none.mean.has_value());
  EXPECT_FALSE(none.standard_deviation.has_value());
  EXPECT_TRUE(none.histogram.empty());
}

TEST(ValueAccumulator, IsPreciseWhereSpreadIsSmallBesideTheMean) {
  // Naive formulas give 0, or the root of a negative number, here.
  std::vector<double> values(1000);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = 1e12 + static_cast<double>(i % 2);
  }
  const ValueStatistics statistics = statistics_of(ColumnType::f64, values);
  EXPECT_EQ(statistics.mean, 1e12 + 0.5);
  EXPECT_EQ(statistics.standard_deviation, 0.5);
  EXPECT_EQ(statistics_of<float>(ColumnType::f32, std::vector<float>(777, 0.1F)).standard_deviation,
            0.0);
}

TEST(ValueAccumulator, IsExactForTheLargestIntegers) {
  const std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
  const std::int64_t highest = std::numeric_limits<std::int64_t>::max();
  const ValueStatistics both =
      statistics_of<std::int64_t>(ColumnType::i64, {lowest, highest, lowest, highest});
  EXPECT_EQ(both.min, ColumnValue(lowest));
  EXPECT_EQ(both.max, ColumnValue(highest));
  EXPECT_EQ(both.mean, -0.5);
  EXPECT_EQ(both.standard_deviation, 0x1p63);
  // All digits of the squares cancel but the last few of 126 bits.
  const ValueStatistics near =
      statistics_of<std::int64_t>(ColumnType::i64, {lowest, lowest + 1, lowest + 2, lowest + 3});
  EXPECT_EQ(near.mean, -0x1p63);
  EXPECT_DOUBLE_EQ(near.standard_deviation.value(), std::sqrt(1.25));
  const std::vector<std::int32_t> many(100'000, std::numeric_limits<std::int32_t>::min());
  const ValueStatistics equal = statistics_of(ColumnType::i32, many);
  EXPECT_EQ(equal.mean, -0x1p31);
  EXPECT_EQ(equal.standard_deviation, 0.0);
}

TEST(ValueAccumulator, SaysNothingWhereADoubleCannot) {
  const ValueStatistics huge = statistics_of<double>(ColumnType::f64, {1e200, -1e200});
  EXPECT_EQ(huge.mean, 0.0);
  EXPECT_FALSE(huge.standard_deviation.has_value());
}

TEST(FloatSums, AgreeWithExactSums) {
  Random random(9);
  FloatSums quick;
  values::ExactSum quick_sum;
  values::ExactSum quick_squares;
  values::ExactSum sum;
  values::ExactSum squares;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 20'000; ++i) {
      const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(random.next()));
      if (!std::isfinite(value)) {
        continue;
      }
      quick.add(value);
      sum.add(value);
      squares.add(double{value} * value);
    }
    quick.flush(quick_sum, quick_squares);
    ASSERT_EQ(quick_sum.terms(), sum.terms());
    ASSERT_EQ(quick_squares.terms(), squares.terms());
  }
}

TEST(ValueAccumulator, DoesNotDependOnOrderOrPortions) {
  Random random(5);
  std::vector<float> floats;
  std::vector<double> doubles;
  std::vector<std::int64_t> longs;
  for (int i = 0; i < 5000; ++i) {
    floats.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random.next())));
    doubles.push_back(std::ldexp(static_cast<double>(random.next()), -70 - i % 5));
    longs.push_back(static_cast<std::int64_t>(random.next()));
  }
  const auto expect_same = [&](ColumnType type, const auto& values) {
    const ValueStatistics whole = statistics_of(type, values);
    std::decay_t<decltype(values)> portions[3];
    for (auto value = values.rbegin(); value != values.rend(); ++value) {
      portions[random.below(3)].push_back(*value);
    }
    ValueAccumulator total;
    ValueScratch scratch;
    for (const auto& portion : portions) {
      ValueAccumulator part;
      part.add(type, cells_of(portion), scratch);
      total.add(part);
    }
    const ValueStatistics parts = total.finish(type);
    EXPECT_EQ(parts.min, whole.min);
    EXPECT_EQ(parts.max, whole.max);
    EXPECT_EQ(parts.mean, whole.mean);
    EXPECT_EQ(parts.standard_deviation, whole.standard_deviation);
    EXPECT_EQ(parts.distinct, whole.distinct);
    EXPECT_EQ(parts.not_a_number, whole.not_a_number);
    ASSERT_EQ(parts.histogram.size(), whole.histogram.size());
    for (std::size_t i = 0; i < whole.histogram.size(); ++i) {
      EXPECT_EQ(parts.histogram[i].low, whole.histogram[i].low);
      EXPECT_EQ(parts.histogram[i].count, whole.histogram[i].count);
    }
  };
  expect_same(ColumnType::f32, floats);
  expect_same(ColumnType::f64, doubles);
  expect_same(ColumnType::i64, longs);
}

}  // namespace
}  // namespace hipotool::test
