#include "model/exact_sum.hpp"

#include "support/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

namespace hipotool::test {
namespace {

using values::ExactSum;

ExactSum sum_of(const std::vector<double>& values) {
  ExactSum sum;
  for (const double value : values) {
    sum.add(value);
  }
  return sum;
}

double high(const std::vector<double>& values) {
  return sum_of(values).value();
}

// Finite doubles of all magnitudes and both signs.
std::vector<double> wild_doubles(Random& random, std::size_t count) {
  std::vector<double> values;
  while (values.size() < count) {
    const auto value = std::bit_cast<double>(random.next());
    if (std::isfinite(value)) {
      values.push_back(value);
    }
  }
  return values;
}

TEST(ExactSum, LosesNothing) {
  EXPECT_EQ(high({}), 0);
  EXPECT_EQ(high({0.0, -0.0}), 0);
  EXPECT_EQ(high({1e300, 1.0, -1e300}), 1.0);
  EXPECT_EQ(high({1.0, 1e-300, -1.0}), 1e-300);
  EXPECT_EQ(high({-3.5}), -3.5);
  const double smallest = std::numeric_limits<double>::denorm_min();
  EXPECT_EQ(high({smallest, smallest}), 2 * smallest);
  EXPECT_EQ(high({1e308, -smallest, -1e308}), -smallest);
  EXPECT_EQ(high({0.1, 0.2, 0.3}), 0.6);  // 0.6000000000000001 with rounding in between
}

TEST(ExactSum, GivesAllThatADoubleCannotHold) {
  using Terms = std::vector<double>;
  EXPECT_EQ(sum_of({}).terms(), Terms());
  EXPECT_EQ(sum_of({1e20, 1.0}).terms(), Terms({1e20, 1.0}));
  EXPECT_EQ(sum_of({-1e20, -1.0}).terms(), Terms({-1e20, -1.0}));
  EXPECT_EQ(sum_of({1e20, -1.0}).terms(), Terms({1e20, -1.0}));
  EXPECT_EQ(sum_of({1e300, 1.0, 1e-300}).terms(), Terms({1e300, 1.0, 1e-300}));
}

TEST(ExactSum, LastsForManyAdditions) {
  ExactSum up;
  ExactSum down;
  const double value = std::nextafter(2.0, 0.0);  // all bits of the mantissa
  for (int i = 0; i < 100'000; ++i) {
    up.add(value);
    down.add(-value);
  }
  EXPECT_EQ(up.value(), 100'000 * value);
  EXPECT_EQ(down.value(), -100'000 * value);
  up.add(down);
  EXPECT_EQ(up.value(), 0);
}

TEST(ExactSum, DoesNotDependOnOrderOrPortions) {
  Random random(1);
  for (int round = 0; round < 50; ++round) {
    std::vector<double> values = wild_doubles(random, 1 + random.below(3000));
    const std::vector<double> expected = sum_of(values).terms();
    for (std::size_t i = values.size(); i > 1; --i) {
      std::swap(values[i - 1], values[random.below(static_cast<std::uint32_t>(i))]);
    }
    ExactSum parts[3];
    for (const double value : values) {
      parts[random.below(3)].add(value);
    }
    ExactSum total;
    for (const std::size_t part : {2U, 0U, 1U}) {
      total.add(parts[part]);
    }
    ASSERT_EQ(total.terms(), expected);
  }
}

TEST(ExactSum, AgreesWithIntegers) {
  Random random(2);
  ExactSum sum;
  std::uint64_t expected = 0;
  for (int i = 0; i < 2000; ++i) {
    const std::uint64_t value = random.next() >> 20;
    sum.add_scaled(value, 0);
    expected += value;
  }
  EXPECT_EQ(sum.value(), static_cast<double>(expected));  // below 2^55, and rounded once
}

TEST(ExactSum, IsInfiniteBeyondTheRange) {
  const double largest = std::numeric_limits<double>::max();
  EXPECT_EQ(high({largest, largest}), std::numeric_limits<double>::infinity());
  EXPECT_EQ(high({-largest, -largest}), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(high({largest, largest, -largest}), largest);
}

}  // namespace
}  // namespace hipotool::test
