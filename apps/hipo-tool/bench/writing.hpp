#pragma once
// What a writing cell does: encodes records that are planned in memory and appends them to a file
// that nobody keeps.

#include "hipotool/atomic_file.hpp"
#include "hipotool/dictionary.hpp"
#include "hipotool/reader.hpp"
#include "hipotool/record_plan.hpp"
#include "hipotool/writer.hpp"

#include "bench/sampling.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace hipotool::app::bench {

// Makes a file that vanishes unless it is committed.
using MakeFile = std::function<AtomicFile()>;

class WritingPass {
 public:
  // `input` gives the dictionary, and outlives the pass.
  WritingPass(const FileReader& input, std::vector<PlannedRecord> planned, unsigned threads);
  WritingPass(WritingPass&&) noexcept;
  WritingPass& operator=(WritingPass&&) noexcept;
  WritingPass(const WritingPass&) = delete;
  WritingPass& operator=(const WritingPass&) = delete;
  ~WritingPass();

  // Writes all into a new file; creating it is not timed, and neither is its dictionary record.
  WriteSummary run(AtomicFile& file, Stopwatch& watch);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace hipotool::app::bench
