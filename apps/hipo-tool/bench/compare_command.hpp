#pragma once
// `bench compare BEFORE AFTER...`

#include "invocation.hpp"

#include <optional>
#include <span>
#include <string>

namespace hipotool::app::bench {

// Returns the exit code: 1 where a cell is measurably slower by more than `fail_if_slower` percent.
[[nodiscard]] int run_compare(std::span<const std::string> paths,
                              std::optional<double> fail_if_slower, Invocation& invocation);

}  // namespace hipotool::app::bench
