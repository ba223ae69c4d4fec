#pragma once
// What the text and the JSON form of a schema share.

#include "hipotool/schema.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hipotool::inline v0::model {

[[nodiscard]] std::string_view trimmed(std::string_view text) noexcept;
// "F" or "F#3".
[[nodiscard]] std::string type_token(const Column& column);
// Both throw Error{corrupt} for what docs/format.md 6.2 does not allow.
[[nodiscard]] Column make_column(std::string_view name, std::string_view type);
[[nodiscard]] Schema make_schema(std::string name, std::uint64_t group, std::uint64_t item,
                                 std::vector<Column> columns);

}  // namespace hipotool::inline v0::model
