#include "hipotool/projection.hpp"

#include <gtest/gtest.h>

#include <set>

namespace hipotool::test {
namespace {

using Columns = std::set<std::size_t>;

constexpr BankKey kA{1, 1};
constexpr BankKey kB{1, 2};

TEST(Projection, OfEverythingWantsEveryBankAndColumn) {
  const Projection everything = Projection::everything();
  EXPECT_TRUE(everything.is_everything());
  EXPECT_TRUE(everything.wants(kA));
  EXPECT_TRUE(everything.wants(kA, 99));
}

TEST(Projection, OfNothingWantsNoBank) {
  const Projection nothing = Projection::nothing();
  EXPECT_FALSE(nothing.is_everything());
  EXPECT_FALSE(nothing.wants(kA));
  EXPECT_FALSE(nothing.wants(kA, 0));
}

TEST(Projection, OfABankWantsAllItsColumns) {
  const Projection bank = Projection::nothing().add(kA);
  EXPECT_TRUE(bank.wants(kA));
  EXPECT_TRUE(bank.wants(kA, 7));
  EXPECT_FALSE(bank.wants(kB));
  EXPECT_FALSE(bank.is_everything());
}

TEST(Projection, OfColumnsGrowsByUnion) {
  Projection columns;
  columns.add(kA, Columns{1}).add(kA, Columns{3});
  EXPECT_TRUE(columns.wants(kA));
  EXPECT_TRUE(columns.wants(kA, 1));
  EXPECT_FALSE(columns.wants(kA, 2));
  EXPECT_TRUE(columns.wants(kA, 3));
}

TEST(Projection, OfAWholeBankStaysWholeWhenColumnsAreAdded) {
  Projection before;
  before.add(kA).add(kA, Columns{1});
  EXPECT_TRUE(before.wants(kA, 0));
  Projection after;
  after.add(kA, Columns{1}).add(kA);
  EXPECT_TRUE(after.wants(kA, 0));
}

TEST(Projection, OfNoColumnsWantsTheBankWithoutThem) {
  const Projection projection = Projection::nothing().add(kA, Columns{});
  EXPECT_TRUE(projection.wants(kA));
  EXPECT_FALSE(projection.wants(kA, 0));
}

}  // namespace
}  // namespace hipotool::test
