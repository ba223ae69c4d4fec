#include "io/system_error.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <system_error>

namespace hipotool::inline v0::io {

std::string system_reason(int error_number) {
  return std::generic_category().message(error_number);
}

void throw_system_error(int error_number, const std::string& path, std::string_view what) {
  const bool full = error_number == ENOSPC || error_number == EDQUOT || error_number == EFBIG;
  throw Error(full ? ErrorCode::no_space : ErrorCode::io,
              fmt::format("cannot {}: {}", what, system_reason(error_number)), {.path = path});
}

}  // namespace hipotool::inline v0::io
