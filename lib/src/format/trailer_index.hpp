#pragma once
// The bank 32111/1 that lists a file's data records (docs/format.md section 6.5).

#include "hipotool/bytes.hpp"
#include "hipotool/directory.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace hipotool::inline v0::format {

struct TrailerRow {
  std::uint64_t position = 0;
  std::uint32_t length_bytes = 0;
  std::uint32_t events = 0;
  UserWords user_words{};
};

inline constexpr std::size_t kTrailerRowBytes = 32;

// Error{corrupt} for a size that is no whole number of rows or a negative field.
[[nodiscard]] std::vector<TrailerRow> parse_trailer_index(ByteSpan bank);
[[nodiscard]] std::vector<std::byte> format_trailer_index(std::span<const TrailerRow> rows);

}  // namespace hipotool::inline v0::format
