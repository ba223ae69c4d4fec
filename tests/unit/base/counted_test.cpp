#include "hipotool/counted.hpp"

#include <gtest/gtest.h>

namespace hipotool::test {
namespace {

TEST(Counted, OneIsNoPlural) {
  EXPECT_EQ(counted(0, "record"), "0 records");
  EXPECT_EQ(counted(1, "record"), "1 record");
  EXPECT_EQ(counted(2, "special event"), "2 special events");
  EXPECT_EQ(verb_of(0, "is", "are"), "are");
  EXPECT_EQ(verb_of(1, "is", "are"), "is");
}

}  // namespace
}  // namespace hipotool::test
