#pragma once
// Event tags from one to another.

#include <algorithm>
#include <cstdint>
#include <span>

namespace hipotool {
inline namespace v0 {

struct TagRange {
  // Wider than an event tag, since a record's word may be held against it too.
  std::uint64_t first = 0;
  std::uint64_t last = 0;  // included
};

[[nodiscard]] inline bool contains(std::span<const TagRange> ranges, std::uint64_t tag) noexcept {
  return std::any_of(ranges.begin(), ranges.end(), [tag](const TagRange& range) {
    return range.first <= tag && tag <= range.last;
  });
}

}  // namespace v0
}  // namespace hipotool
