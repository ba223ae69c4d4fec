#pragma once
// What a result is before anybody chose how to show it: typed cells in columns with units. Values
// are in base units (bytes, seconds); only text for people scales them. What cannot be known is
// null.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace hipotool::app {

enum class Unit : std::uint8_t { none, count, bytes, seconds, bytes_per_second, ratio };

struct ReportColumn {
  std::string name;  // the key in JSON and CSV: "stored_bytes_in"
  Unit unit = Unit::none;
};

using Cell = std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string>;

template <typename T>
[[nodiscard]] Cell cell_of(const std::optional<T>& value) {
  return value ? Cell(*value) : Cell();
}

// Null for an empty text, which stands for "not known" in many places.
[[nodiscard]] inline Cell cell_or_null(std::string text) {
  return text.empty() ? Cell() : Cell(std::move(text));
}

}  // namespace hipotool::app
