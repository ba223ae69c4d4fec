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

[[nodiscard]] inline bool equal_small(const std::byte* a, const std::byte* b,
                                      std::size_t size) noexcept {
  switch (size) {
    case 0:
      return true;
    case 1:
      return *a == *b;
    case 2:
      return load_le<std::uint16_t>(a) == load_le<std::uint16_t>(b);
    case 4:
      return load_le<std::uint32_t>(a) == load_le<std::uint32_t>(b);
    case 8:
      return load_le<std::uint64_t>(a) == load_le<std::uint64_t>(b);
    default:
      return std::memcmp(a, b, size) == 0;
  }
}

}  // namespace hipotool::inline v0
