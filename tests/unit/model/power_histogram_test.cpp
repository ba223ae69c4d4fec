#include "model/power_histogram.hpp"

#include "support/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

namespace hipotool::test {
namespace {

using values::PowerHistogram;

template <typename T>
void fill(PowerHistogram& histogram, const std::vector<T>& values) {
  if (values.empty()) {
    return;
  }
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  histogram.cover(*low, *high);
  for (const T value : values) {
    histogram.count(value);
  }
}

std::string text_of(const PowerHistogram& histogram) {
  std::ostringstream text;
  text.precision(17);
  for (const HistogramBin& bin : histogram.bins()) {
    text << '[' << bin.low << ',' << bin.high << ")=" << bin.count << ' ';
  }
  return text.str();
}

template <typename T>
std::string text_of(const std::vector<T>& values) {
  PowerHistogram histogram;
  fill(histogram, values);
  return text_of(histogram);
}

TEST(PowerHistogram, HasNarrowBinsForFewIntegers) {
  EXPECT_EQ(text_of(std::vector<std::int64_t>{}), "");
  EXPECT_EQ(text_of(std::vector<std::int64_t>{-1, 1, 1, 0}), "[-1,0)=1 [0,1)=1 [1,2)=2 ");
  EXPECT_EQ(text_of(std::vector<std::int64_t>{5, 36}).substr(0, 8), "[5,6)=1 ");
  EXPECT_EQ(text_of(std::vector<std::int64_t>{5, 37}).substr(0, 8), "[4,6)=1 ");
  EXPECT_EQ(text_of(std::vector<std::int64_t>{-3, 30}).substr(0, 9), "[-4,-2)=1");
}

TEST(PowerHistogram, TakesTheWholeRangeOfIntegers) {
  const std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
  const std::int64_t highest = std::numeric_limits<std::int64_t>::max();
  PowerHistogram histogram;
  fill(histogram, std::vector<std::int64_t>{0});
  fill(histogram, std::vector<std::int64_t>{lowest, highest, -1});
  const std::vector<HistogramBin> bins = histogram.bins();
  ASSERT_EQ(bins.size(), PowerHistogram::kMostBins);
  EXPECT_EQ(bins.front().low, -0x1p63);
  EXPECT_EQ(bins.back().high, 0x1p63);
  EXPECT_EQ(bins[15].count, 1U);
  EXPECT_EQ(bins[16].count, 1U);
}

TEST(PowerHistogram, TakesRealsOfAllMagnitudes) {
  EXPECT_EQ(text_of(std::vector<double>{1.0, 1.0}), "[1,1.0000000000000002)=2 ");
  EXPECT_EQ(text_of(std::vector<double>{0.0, 8.0}).substr(0, 9), "[0,0.5)=1");
  const double largest = std::numeric_limits<double>::max();
  PowerHistogram histogram;
  fill(histogram, std::vector<double>{-largest, largest, -1e-320, 1e-320, 0.0});
  const std::vector<HistogramBin> bins = histogram.bins();
  ASSERT_EQ(bins.size(), 32U);
  EXPECT_EQ(bins[15].count, 1U);  // below 0, however little
  EXPECT_EQ(bins[16].count, 2U);
}

// Portions of the values, in any order, add up to the histogram of all.
template <typename T>
void expect_same_in_portions(Random& random, const std::vector<T>& values) {
  std::vector<T> portions[4];
  for (const T value : values) {
    portions[random.below(4)].push_back(value);
  }
  PowerHistogram total;
  fill(total, portions[2]);
  fill(total, portions[0]);
  PowerHistogram other;
  fill(other, portions[3]);
  fill(other, portions[1]);
  total.add(other);
  PowerHistogram from_nothing;
  from_nothing.add(total);
  ASSERT_EQ(text_of(from_nothing), text_of(values));
}

TEST(PowerHistogram, DoesNotDependOnOrderOrPortions) {
  Random random(3);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::int64_t> integers;
    std::vector<double> reals;
    const std::uint32_t magnitude = 1 + random.below(62);
    const int exponent = static_cast<int>(random.below(1800)) - 1000;
    for (std::uint32_t i = random.below(200) + 1; i > 0; --i) {
      const auto integer = static_cast<std::int64_t>(random.next()) >> magnitude;
      integers.push_back(integer);
      reals.push_back(
          std::ldexp(static_cast<double>(integer), exponent + 2 * static_cast<int>(i % 9)));
    }
    expect_same_in_portions(random, integers);
    expect_same_in_portions(random, reals);
  }
}

}  // namespace
}  // namespace hipotool::test
