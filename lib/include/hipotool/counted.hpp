#pragma once
// Numbers of things in messages, so that one of them is no plural.

#include <cstdint>
#include <string>
#include <string_view>

namespace hipotool {
inline namespace v0 {

// "1 record", "2 records". For nouns that take an s.
[[nodiscard]] inline std::string counted(std::uint64_t number, std::string_view noun) {
  return std::to_string(number) + ' ' + std::string(noun) + (number == 1 ? "" : "s");
}
// The verb that goes with it: "is" or "are".
[[nodiscard]] inline std::string_view verb_of(std::uint64_t number, std::string_view one,
                                              std::string_view several) {
  return number == 1 ? one : several;
}

}  // namespace v0
}  // namespace hipotool
