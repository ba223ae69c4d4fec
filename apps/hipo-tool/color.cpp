#include "color.hpp"

#include <cstdlib>
#include <unistd.h>

namespace hipotool::app {

std::optional<ColorMode> parse_color_mode(std::string_view word) noexcept {
  if (word == "auto") {
    return ColorMode::automatic;
  }
  if (word == "always") {
    return ColorMode::always;
  }
  return word == "never" ? std::optional(ColorMode::never) : std::nullopt;
}

bool wants_color(ColorMode mode, int descriptor) {
  if (mode != ColorMode::automatic) {
    return mode == ColorMode::always;
  }
  const char* const no_color = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  const bool is_refused = (no_color != nullptr && *no_color != '\0') || terminal == nullptr ||
                          std::string_view(terminal) == "dumb";
  return !is_refused && ::isatty(descriptor) == 1;
}

std::string colored(Color color, std::string_view text) {
  const std::string_view code = color == Color::error     ? "1;31"
                                : color == Color::warning ? "1;33"
                                                          : "1";
  std::string all = "\x1b[";
  all += code;
  all += 'm';
  all += text;
  return all + "\x1b[0m";
}

}  // namespace hipotool::app
