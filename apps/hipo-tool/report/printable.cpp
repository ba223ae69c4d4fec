#include "report/printable.hpp"

#include <fmt/format.h>

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
