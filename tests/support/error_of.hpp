#pragma once
// The Error that a piece of work ends with, as text to compare whole: "CODE: what()".

#include "hipotool/error.hpp"

#include <string>
#include <utility>

namespace hipotool::test {

template <typename Work>
[[nodiscard]] std::string error_of(Work&& work) {
  try {
    std::forward<Work>(work)();
  } catch (const Error& error) {
    return std::string(to_string(error.code())) + ": " + error.what();
  }
  return "no error";
}

}  // namespace hipotool::test
