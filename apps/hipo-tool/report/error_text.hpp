#pragma once
// An Error as other programs read it.

#include "hipotool/error.hpp"

#include <string>

namespace hipotool::app {

// One object in one line, without a line feed (docs/schema/error.json). What is not known is null.
[[nodiscard]] std::string error_json(const Error& error, const std::string& advice);

}  // namespace hipotool::app
