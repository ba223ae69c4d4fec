#pragma once
// What the operating system refused, as an Error. `path` is what the user knows the file by.

#include "hipotool/error.hpp"

#include <string>
#include <string_view>

namespace hipotool::inline v0::io {

// "No such file or directory"
[[nodiscard]] std::string system_reason(int error_number);

// Error{no_space} for ENOSPC, EDQUOT and EFBIG, Error{io} otherwise: "PATH: cannot WHAT: REASON".
[[noreturn]] void throw_system_error(int error_number, const std::string& path,
                                     std::string_view what);

}  // namespace hipotool::inline v0::io
