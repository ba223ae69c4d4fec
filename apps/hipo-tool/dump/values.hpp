#pragma once
// Values as text, one spelling in every form of output: integers exact, real numbers the shortest
// text that reads back as their own type.

#include "hipotool/bytes.hpp"
#include "hipotool/schema.hpp"

#include <cstdint>
#include <string>

namespace hipotool::app {

// Calls `use` with the value that lies at `from`: integers as std::int64_t, others as what they
// are.
template <typename Use>
void with_value(const std::byte* from, ColumnType type, const Use& use) {
  switch (type) {
    case ColumnType::i8:
      return use(std::int64_t{load_le<std::int8_t>(from)});
    case ColumnType::i16:
      return use(std::int64_t{load_le<std::int16_t>(from)});
    case ColumnType::i32:
      return use(std::int64_t{load_le<std::int32_t>(from)});
    case ColumnType::i64:
      return use(load_le<std::int64_t>(from));
    case ColumnType::f32:
      return use(load_le<float>(from));
    case ColumnType::f64:
      return use(load_le<double>(from));
  }
}

// A cell without quotes: `7`, `0.1`, `NaN`; of an array column `[0.5,1.0]`.
void append_cell(std::string& out, const std::byte* from, ColumnType type, std::uint32_t length);

}  // namespace hipotool::app
