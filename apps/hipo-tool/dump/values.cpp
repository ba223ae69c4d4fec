#include "dump/values.hpp"

#include "report/json_text.hpp"

#include <cmath>
#include <type_traits>

namespace hipotool::app {

namespace {

template <typename T>
void append_plain(std::string& out, T value) {
  if constexpr (std::is_floating_point_v<T>) {
    if (!std::isfinite(value)) {
      out += std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
      return;
    }
  }
  append_json_number(out, value);
}

}  // namespace

void append_cell(std::string& out, const std::byte* from, ColumnType type, std::uint32_t length) {
  const auto append = [&out](auto value) { append_plain(out, value); };
  if (length == 1) {
    with_value(from, type, append);
    return;
  }
  for (std::uint32_t i = 0; i < length; ++i) {
    out += i == 0 ? '[' : ',';
    with_value(from + std::size_t{i} * size_of(type), type, append);
  }
  out += ']';
}

}  // namespace hipotool::app
