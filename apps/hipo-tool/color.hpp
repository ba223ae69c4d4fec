#pragma once
// Colour for people at a terminal: the words error and warning, and the headings of text reports.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hipotool::app {

// `automatic`: on a terminal, unless NO_COLOR is set and not empty (https://no-color.org) or TERM
// is "dumb".
enum class ColorMode : std::uint8_t { automatic, always, never };
[[nodiscard]] std::optional<ColorMode> parse_color_mode(std::string_view word) noexcept;

[[nodiscard]] bool wants_color(ColorMode mode, int descriptor);

enum class Color : std::uint8_t { error, warning, heading };
[[nodiscard]] std::string colored(Color color, std::string_view text);

}  // namespace hipotool::app
