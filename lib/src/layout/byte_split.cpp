#include "layout/byte_split.hpp"

#include <algorithm>

namespace hipotool::inline v0::layout {
namespace {

// A constant width lets the compiler unroll the inner loop.
template <std::size_t kWidth>
void split(ByteSpan from, std::byte* to) noexcept {
  const std::size_t n = from.size() / kWidth;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < kWidth; ++k) {
      to[k * n + i] = from[i * kWidth + k];
    }
  }
  std::copy(from.begin() + static_cast<std::ptrdiff_t>(n * kWidth), from.end(), to + n * kWidth);
}

template <std::size_t kWidth>
void undo(ByteSpan from, std::byte* to) noexcept {
  const std::size_t n = from.size() / kWidth;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < kWidth; ++k) {
      to[i * kWidth + k] = from[k * n + i];
    }
  }
  std::copy(from.begin() + static_cast<std::ptrdiff_t>(n * kWidth), from.end(), to + n * kWidth);
}

}  // namespace

void byte_split(ByteSpan from, std::size_t width, std::byte* to) noexcept {
  switch (width) {
    case 2:
      return split<2>(from, to);
    case 4:
      return split<4>(from, to);
    case 8:
      return split<8>(from, to);
    default:
      return split<1>(from, to);
  }
}

void undo_byte_split(ByteSpan from, std::size_t width, std::byte* to) noexcept {
  switch (width) {
    case 2:
      return undo<2>(from, to);
    case 4:
      return undo<4>(from, to);
    case 8:
      return undo<8>(from, to);
    default:
      return undo<1>(from, to);
  }
}

}  // namespace hipotool::inline v0::layout
