#include "layout/byte_split.hpp"

#include "support/random.hpp"

#include <gtest/gtest.h>

namespace hipotool::test {
namespace {

Bytes split(const Bytes& from, std::size_t width) {
  Bytes to(from.size(), std::byte{0xEE});
  layout::byte_split(from, width, to.data());
  return to;
}

Bytes undone(const Bytes& from, std::size_t width) {
  Bytes to(from.size(), std::byte{0xEE});
  layout::undo_byte_split(from, width, to.data());
  return to;
}

TEST(ByteSplit, PutsByteKOfEveryElementIntoPlaneK) {
  const Bytes numbers = from_hex("00 01 02 03  10 11 12 13  20 21 22 23");
  EXPECT_EQ(to_hex(split(numbers, 4)), to_hex(from_hex("00 10 20  01 11 21  02 12 22  03 13 23")));
  EXPECT_EQ(to_hex(split(numbers, 2)), to_hex(from_hex("00 02 10 12 20 22  01 03 11 13 21 23")));
  EXPECT_EQ(to_hex(split(numbers, 1)), to_hex(numbers));
}

TEST(ByteSplit, LeavesTheBytesAfterTheLastElementAlone) {
  EXPECT_EQ(to_hex(split(from_hex("00 01 02 03 04 05 06 07 08 09 aa bb"), 8)),
            to_hex(from_hex("00 01 02 03 04 05 06 07 08 09 aa bb")));
  EXPECT_EQ(to_hex(split(from_hex("00 01  10 11  ff"), 2)), to_hex(from_hex("00 10  01 11  ff")));
  EXPECT_EQ(to_hex(split(from_hex("01 02 03"), 4)), to_hex(from_hex("01 02 03")));
}

TEST(ByteSplit, IsUndoneForEveryWidthAndSize) {
  Random random(8);
  for (const std::size_t width : {std::size_t{1}, std::size_t{2}, std::size_t{4}, std::size_t{8}}) {
    for (std::size_t size = 0; size < 70; ++size) {
      const Bytes bytes = random.bytes(size);
      ASSERT_TRUE(undone(split(bytes, width), width) == bytes) << width << " x " << size;
    }
  }
}

}  // namespace
}  // namespace hipotool::test
