#include "hipotool/bytes.hpp"

#include "hipotool/error.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string_view>
#include <utility>

namespace hipotool {
namespace {

ByteSpan bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

std::string_view text_of(const Buffer& buffer) {
  return {reinterpret_cast<const char*>(buffer.data()), buffer.size()};
}

Buffer buffer_of(std::string_view text) {
  Buffer buffer;
  buffer.append(bytes_of(text));
  return buffer;
}

TEST(LittleEndian, LoadsAndStoresAtAnyAddress) {
  std::byte memory[9]{};
  store_le<std::uint32_t>(memory + 1, 0x01020304);
  EXPECT_EQ(memory[1], std::byte{4});
  EXPECT_EQ(memory[4], std::byte{1});
  EXPECT_EQ(load_le<std::uint32_t>(memory + 1), 0x01020304u);
  store_le(memory + 1, 0.1);
  EXPECT_EQ(load_le<double>(memory + 1), 0.1);
}

TEST(Buffer, AppendsAndKeepsWhatIsThere) {
  Buffer buffer = buffer_of("ab");
  buffer.append(bytes_of("cde"));
  buffer.append({});
  buffer.append_le<std::uint16_t>(0x6766);
  EXPECT_EQ(text_of(buffer), "abcdefg");
}

TEST(Buffer, AllocatesExactlyWhatADiscardingResizeAsksFor) {
  Buffer buffer(1000);
  EXPECT_EQ(buffer.size(), 1000u);
  EXPECT_EQ(buffer.capacity(), 1000u);
  buffer.resize_discard(1001);
  EXPECT_EQ(buffer.capacity(), 1001u);
}

TEST(Buffer, NeverShrinksItsStorage) {
  Buffer buffer(1000);
  const std::byte* const storage = buffer.data();
  buffer.resize_discard(10);
  buffer.resize_keep(5);
  buffer.clear();
  EXPECT_TRUE(buffer.empty());
  buffer.resize_discard(1000);
  EXPECT_EQ(buffer.data(), storage);
  EXPECT_EQ(buffer.capacity(), 1000u);
}

TEST(Buffer, GrowsInFewStepsWhenAppendedTo) {
  Buffer buffer;
  std::size_t steps = 0;
  for (std::uint32_t i = 0; i < 100'000; ++i) {
    const std::size_t before = buffer.capacity();
    buffer.append_le(i);
    steps += buffer.capacity() != before ? 1U : 0U;
  }
  EXPECT_LE(steps, 20u);
  EXPECT_EQ(buffer.size(), 400'000u);
  EXPECT_EQ(load_le<std::uint32_t>(buffer.data() + 399'996), 99'999u);
}

TEST(Buffer, KeepsContentUpToTheSmallerSize) {
  Buffer buffer = buffer_of("abcdef");
  buffer.resize_keep(3);
  EXPECT_EQ(text_of(buffer), "abc");
  buffer.resize_keep(5000);
  EXPECT_EQ(text_of(buffer).substr(0, 3), "abc");
}

TEST(Buffer, LeavesTheSourceOfAMoveEmpty) {
  Buffer first = buffer_of("abc");
  Buffer second = std::move(first);
  EXPECT_EQ(text_of(second), "abc");
  EXPECT_EQ(first.size(), 0u);  // NOLINT(bugprone-use-after-move): what is promised
  EXPECT_EQ(first.capacity(), 0u);
  first.append(bytes_of("xy"));
  first = std::move(second);
  EXPECT_EQ(text_of(first), "abc");
  EXPECT_EQ(second.data(), nullptr);  // NOLINT(bugprone-use-after-move)
}

TEST(Buffer, ReleasesItsStorage) {
  Buffer buffer = buffer_of("abc");
  buffer.release();
  EXPECT_EQ(buffer.capacity(), 0u);
  EXPECT_EQ(buffer.data(), nullptr);
}

TEST(Buffer, SaysHowMuchMemoryWasMissing) {
  volatile std::size_t too_much = std::numeric_limits<std::size_t>::max() / 2;
  Buffer buffer = buffer_of("abc");
  try {
    buffer.resize_keep(too_much);
    FAIL() << "allocated";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::over_budget);
    EXPECT_STREQ(error.what(), "no memory for 9223372036854775807 bytes");
  }
  EXPECT_EQ(text_of(buffer), "abc");
  EXPECT_THROW(buffer.resize_discard(too_much), Error);
  EXPECT_TRUE(buffer.empty());
  buffer.append(bytes_of("usable"));
  EXPECT_EQ(text_of(buffer), "usable");
}

}  // namespace
}  // namespace hipotool
