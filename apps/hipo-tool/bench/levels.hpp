#pragma once
// The table of codec levels, apart from where its streams come from, so that a test can bring its
// own streams and codecs.

#include "hipotool/bytes.hpp"

#include "bench/bare_codec.hpp"
#include "bench/result.hpp"
#include "bench/sampling.hpp"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace hipotool::app::bench {

struct TimedCellResult {
  CellSamples samples{};
  std::optional<std::uint64_t> peak_memory_bytes{};
};
// Times cells: measure(), or something around it.
using TimeCells = std::function<std::vector<TimedCellResult>(std::span<const TimedCell>)>;

// Error{checksum} where what a codec gives back is not what it was given.
[[nodiscard]] Table measure_codecs(std::span<const ByteSpan> streams,
                                   std::span<const BareCodecRow> codecs, const TimeCells& time);

}  // namespace hipotool::app::bench
