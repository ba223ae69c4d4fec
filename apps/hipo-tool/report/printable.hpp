#pragma once
// Text from files and file names, made safe to show: names in a damaged or hostile file may hold
// anything, and neither a terminal nor a line-oriented script should act on it.

#include <cstddef>
#include <string>
#include <string_view>

namespace hipotool::app {

// Control characters become \xNN; everything else stays.
[[nodiscard]] std::string printable(std::string_view text);

// Characters that a terminal shows, for text that is UTF-8.
[[nodiscard]] std::size_t width_of(std::string_view text) noexcept;

// A field of comma-separated output, in quotes where RFC 4180 wants them.
[[nodiscard]] std::string csv_field(std::string_view text);

// A field of tab-separated output: tab, line feed, carriage return and backslash as C writes them.
[[nodiscard]] std::string tsv_field(std::string_view text);

}  // namespace hipotool::app
