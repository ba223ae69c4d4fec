#pragma once
// Wrong usage that only shows once a file is open.

#include "hipotool/error.hpp"

#include "arguments.hpp"

#include <string>
#include <string_view>

namespace hipotool::app {

// work(). What it refuses as Error{invalid_argument} makes no sense for any file, so it is wrong
// usage of `option`; a name that this file lacks stays an Error.
template <typename Work>
auto as_usage_of(std::string_view option, const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    if (error.code() == ErrorCode::invalid_argument) {
      throw UsageError(std::string(option) + ": " + error.message());
    }
    throw;
  }
}

}  // namespace hipotool::app
