#pragma once
// Loads that may be big-endian: for headers, which state their byte order (docs/format.md section
// 9).

#include "hipotool/bytes.hpp"

#include <algorithm>
#include <cstddef>

namespace hipotool::inline v0::format {

// Reverses the bytes of `count` adjoining elements of `width` bytes.
inline void swap_elements(std::byte* at, std::size_t count, std::size_t width) noexcept {
  for (std::size_t i = 0; i < count; ++i, at += width) {
    std::reverse(at, at + width);
  }
}

template <typename T>
[[nodiscard]] T load(const std::byte* from, bool big_endian) noexcept {
  if (!big_endian) {
    return load_le<T>(from);
  }
  std::byte bytes[sizeof(T)];
  std::reverse_copy(from, from + sizeof(T), bytes);
  return load_le<T>(bytes);
}

}  // namespace hipotool::inline v0::format
