#pragma once
// From what is wrong with a file to the verdict on it.

#include "hipotool/check.hpp"
#include "hipotool/error.hpp"

namespace hipotool::inline v0::inspect {

// Of two things that are wrong with a file the graver one is its verdict: that of the larger
// number.
[[nodiscard]] int gravity(CheckVerdict verdict);

// Of a file that cannot be opened or read on for that.
[[nodiscard]] CheckVerdict verdict_of(const Error& error);

}  // namespace hipotool::inline v0::inspect
