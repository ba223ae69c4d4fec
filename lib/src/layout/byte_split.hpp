#pragma once
// The byte split of version 3 (docs/format.md section 8.3): plane k holds byte k of every element.

#include "hipotool/bytes.hpp"

#include <cstddef>

namespace hipotool::inline v0::layout {

// `width` is 1, 2, 4 or 8; bytes after the last whole element stay as they are. `to` has
// from.size() bytes and does not overlap.
void byte_split(ByteSpan from, std::size_t width, std::byte* to) noexcept;
void undo_byte_split(ByteSpan from, std::size_t width, std::byte* to) noexcept;

}  // namespace hipotool::inline v0::layout
