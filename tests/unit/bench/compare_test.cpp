#include "bench/compare.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace hipotool::test {
namespace {

using namespace app::bench;

StoredCell cell(const std::string& work, double median, double noise_floor,
                const std::string& checksum = "1") {
  return {.table = "formats",
          .row = "lz4/per-bank",
          .work = work,
          .measure = {median, noise_floor},
          .checksum = checksum};
}

TEST(BenchCompare, GoesCellByCell) {
  const StoredResult before{.path = "a",
                            .cells = {cell("read all", 1, 0.05), cell("read bank", 1, 0.01),
                                      cell("write", 1, 0.01), cell("read tags", 1, 0.01)}};
  const StoredResult after{.path = "b",
                           .cells = {cell("read all", 1.04, 0.01), cell("read bank", 1.2, 0.02),
                                     cell("write", 0.5, 0.01), cell("read meta", 1, 0.01)}};
  const Comparison comparison = compare_results(before, {&after, 1});
  ASSERT_EQ(comparison.cells.size(), 3U);
  EXPECT_EQ(comparison.cells[0].verdict, Verdict::no_measurable_difference);
  EXPECT_DOUBLE_EQ(comparison.cells[0].noise_floor, 0.05);
  EXPECT_EQ(comparison.cells[1].verdict, Verdict::slower);
  EXPECT_DOUBLE_EQ(comparison.cells[1].ratio, 1.2);
  EXPECT_EQ(comparison.cells[2].verdict, Verdict::faster);
  ASSERT_EQ(comparison.only_before.size(), 1U);
  EXPECT_EQ(comparison.only_before[0], "b: formats: lz4/per-bank, read tags, 1 thread");
  EXPECT_EQ(comparison.only_after.size(), 1U);
}

TEST(BenchCompare, OnlyAMeasurableLossBeyondTheLimitCounts) {
  const StoredResult before{.path = "a",
                            .cells = {cell("read all", 1, 0.3), cell("read bank", 1, 0.01)}};
  const StoredResult after{.path = "b",
                           .cells = {cell("read all", 1.25, 0.3), cell("read bank", 1.2, 0.01)}};
  const Comparison comparison = compare_results(before, {&after, 1});
  EXPECT_TRUE(any_slower(comparison, 10));
  EXPECT_FALSE(any_slower(comparison, 21));
}

TEST(BenchCompare, TakesManyResults) {
  const StoredResult before{.path = "a", .cells = {cell("read all", 1, 0.01)}};
  const std::vector<StoredResult> after{{.path = "b", .cells = {cell("read all", 1, 0.01)}},
                                        {.path = "c", .cells = {cell("read all", 3, 0.01)}}};
  const Comparison comparison = compare_results(before, after);
  ASSERT_EQ(comparison.cells.size(), 2U);
  EXPECT_EQ(comparison.cells[1].path, "c");
  EXPECT_TRUE(any_slower(comparison, 100));
}

TEST(BenchCompare, SaysWhereOtherValuesOrMachinesWereMeasured) {
  const StoredResult before{.path = "a", .cpu = "X", .cells = {cell("read all", 1, 0.01, "1")}};
  const StoredResult after{.path = "b", .cpu = "Y", .cells = {cell("read all", 1, 0.01, "2")}};
  const Comparison comparison = compare_results(before, {&after, 1});
  EXPECT_TRUE(comparison.cells[0].other_values);
  ASSERT_EQ(comparison.warnings.size(), 2U);
  EXPECT_NE(comparison.warnings[0].find("another CPU"), std::string::npos);
  EXPECT_NE(comparison.warnings[1].find("other values"), std::string::npos);
}

}  // namespace
}  // namespace hipotool::test
