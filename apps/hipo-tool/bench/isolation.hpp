#pragma once
// Runs a cell in a fresh process, so that memory that another cell has touched or fragmented cannot
// make it faster or slower.

#include "bench/sampling.hpp"

#include <cstdint>

namespace hipotool::app::bench {

// The cell, each run of which forks a child that does the work twice (the first time to warm up)
// and reports the second. `peak_memory_bytes` becomes the largest peak of resident memory of any
// run; it outlives the cell. What the child throws as Error is thrown here. The child shares what
// the parent holds, the sample for one, and its peak contains that.
[[nodiscard]] TimedCell isolate(const TimedCell& cell, Clock& clock,
                                std::uint64_t& peak_memory_bytes);

}  // namespace hipotool::app::bench
