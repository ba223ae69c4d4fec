#include "report/printable.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace hipotool::app {

std::string printable(std::string_view text) {
  std::string shown;
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if (byte < 0x20 || byte == 0x7F) {
      shown += fmt::format("\\x{:02x}", byte);
    } else {
      shown += character;
    }
  }
  return shown;
}

std::size_t width_of(std::string_view text) noexcept {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char character) {
    return (static_cast<unsigned char>(character) & 0xC0U) != 0x80;
  }));
}

std::string csv_field(std::string_view text) {
  if (text.find_first_of("\",\r\n") == std::string_view::npos) {
    return std::string(text);
  }
  std::string field = "\"";
  for (const char character : text) {
    field += character == '"' ? "\"\"" : std::string(1, character);
  }
  return field + "\"";
}

std::string tsv_field(std::string_view text) {
  std::string field;
  for (const char character : text) {
    switch (character) {
      case '\t':
        field += "\\t";
        break;
      case '\n':
        field += "\\n";
        break;
      case '\r':
        field += "\\r";
        break;
      case '\\':
        field += "\\\\";
        break;
      default:
        field += character;
        break;
    }
  }
  return field;
}

}  // namespace hipotool::app
