#pragma once
// Copying and comparing runs of a few bytes. Most banks have few rows, so most runs are one or two
// elements; a fixed size needs no call, and the calls would be most of the work.

#include "hipotool/bytes.hpp"

#include <cstring>

namespace hipotool::inline v0 {

inline void copy_small(std::byte* to, const std::byte* from, std::size_t size) noexcept {
  switch (size) {
    case 0:
      return;
    case 1:
      *to = *from;
      return;
    case 2:
      std::memcpy(to, from, 2);
      return;
    case 4:
      std::memcpy(to, from, 4);
      return;
    case 8:
      std::memcpy(to, from, 8);
      return;
    default:
      std::memcpy(to, from, size);
  }
}

// Bytes behind its place that copy_run() may overwrite.
inline constexpr std::size_t kCopySlack = 32;

// Copies `size` bytes, and as many behind them as make one move of a fixed size where the source
// has them: `to` has room for `size` + kCopySlack, and `end` is where readable memory ends.
inline void copy_run(std::byte* to, const std::byte* from, std::size_t size,
                     const std::byte* end) noexcept {
  if (size <= kCopySlack && static_cast<std::size_t>(end - from) >= kCopySlack) {
    std::memcpy(to, from, kCopySlack);
  } else if (size != 0) {
    std::memcpy(to, from, size);
  }
}

// Not 0 where two runs differ. Reads no byte beyond them.
[[nodiscard]] inline std::uint64_t difference_of_runs(const std::byte* a, const std::byte* b,
                                                      std::size_t size) noexcept {
  const auto word = [&](std::size_t at) {
    return load_le<std::uint64_t>(a + at) ^ load_le<std::uint64_t>(b + at);
  };
  const auto half = [&](std::size_t at) {
    return load_le<std::uint32_t>(a + at) ^ load_le<std::uint32_t>(b + at);
  };
  // Overlapping loads cover every size between two powers of two.
  if (size >= 8) {
    if (size <= 16) {
      return word(0) | word(size - 8);
    }
    if (size <= 32) {
      return word(0) | word(8) | word(size - 16) | word(size - 8);
    }
    return std::memcmp(a, b, size) == 0 ? 0 : 1;
  }
  if (size >= 4) {
    return half(0) | half(size - 4);
  }
  std::uint64_t difference = 0;
  for (std::size_t i = 0; i < size; ++i) {
    difference |= static_cast<std::uint64_t>(a[i] ^ b[i]);
  }
  return difference;
}

}  // namespace hipotool::inline v0
