#include "model/distinct_counter.hpp"

#include "support/random.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace hipotool::test {
namespace {

using values::DistinctCounter;
using values::RecentHashes;

class Distinct : public ::testing::Test {
 protected:
  Distinct() { recent_.clear(100); }

  void add(DistinctCounter& counter, std::uint64_t pattern) { counter.add(pattern, recent_); }

  RecentHashes recent_;
};

TEST_F(Distinct, IsExactUpToItsSize) {
  DistinctCounter counter;
  EXPECT_EQ(counter.count(), 0U);
  for (int again = 0; again < 5; ++again) {
    for (std::uint64_t pattern = 0; pattern < DistinctCounter::kExact; ++pattern) {
      add(counter, pattern * pattern);
    }
  }
  EXPECT_EQ(counter.count(), DistinctCounter::kExact);
  EXPECT_TRUE(counter.is_exact());
  add(counter, UINT64_MAX);
  EXPECT_FALSE(counter.is_exact());
}

TEST_F(Distinct, IsCloseBeyond) {
  for (const std::uint64_t different : {2'000U, 50'000U, 1'000'000U}) {
    DistinctCounter counter;
    for (std::uint64_t pattern = 0; pattern < different; ++pattern) {
      add(counter, pattern);
      add(counter, pattern);
    }
    EXPECT_FALSE(counter.is_exact());
    EXPECT_NEAR(static_cast<double>(counter.count()), static_cast<double>(different),
                0.1 * static_cast<double>(different));
  }
}

TEST_F(Distinct, DoesNotDependOnOrderOrPortions) {
  for (const std::uint32_t different : {10U, 1024U, 1025U, 3000U, 60'000U}) {
    Random random(different);
    DistinctCounter whole;
    DistinctCounter parts[3];
    for (std::uint32_t i = 0; i < 3 * different; ++i) {
      const std::uint64_t pattern = random.below(different);
      add(whole, pattern);
    }
    Random again(different);
    for (std::uint32_t i = 0; i < 3 * different; ++i) {
      const std::uint64_t pattern = again.below(different);
      recent_.clear(1);  // a part may not rely on what another one met
      add(parts[i % 3], pattern);
    }
    DistinctCounter total;
    for (const int part : {1, 2, 0}) {
      total.add(parts[part]);
    }
    EXPECT_EQ(total.count(), whole.count());
    EXPECT_EQ(total.is_exact(), whole.is_exact());
  }
}

}  // namespace
}  // namespace hipotool::test
