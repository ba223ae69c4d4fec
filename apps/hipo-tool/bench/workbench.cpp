#include "bench/workbench.hpp"

#include "hipotool/error.hpp"

#include "bench/isolation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace hipotool::app::bench {

namespace fs = std::filesystem;

namespace {

// Default runs end within two minutes; what is left for one table's samples.
constexpr double kLimitSeconds = 60;
// A sample in memory takes its raw size and what points into it; encoders need as much again.
constexpr std::uint64_t kSampleShare = 3;

std::uint64_t sample_bytes(const BenchOptions& options, std::uint64_t memory_bytes) {
  const std::uint64_t wanted = options.sample_bytes.value_or(
      options.full ? std::numeric_limits<std::uint64_t>::max() : kSampleBytes);
  return std::min(wanted, memory_bytes / kSampleShare);
}

Sample sample_within(const FileReader& input, const BenchOptions& options,
                     std::uint64_t memory_bytes) {
  try {
    return take_sample(input, sample_bytes(options, memory_bytes), memory_bytes / kSampleShare);
  } catch (const OverBudget& error) {
    throw OverBudget(kSampleShare * error.needed_bytes(), memory_bytes, error.context());
  }
}

}  // namespace

CodecLevel automatic_level(CodecId codec) noexcept {
  return {codec, codec_info(codec).auto_level, Effort::automatic};
}

Workbench::Workbench(const fs::path& input, const BenchOptions& options, Invocation& invocation)
    : invocation_(&invocation),
      path_(input),
      options_(options),
      source_(std::make_shared<CountingSource>(open_file(input))),
      input_(std::make_unique<FileReader>(source_)),
      sample_(sample_within(*input_, options, invocation.memory_bytes())),
      scopes_(choose_scopes(*input_, sample_, options.banks, options.column)),
      progress_(invocation.quiet()),
      begin_(clock_.now().real_seconds) {}

std::string Workbench::conditions() const {
  return fmt::format("{}{}; {}{}", synthetic() ? "synthetic, directional only; " : "",
                     sample_.text(), options_.cold ? "cold" : "warm",
                     options_.isolate ? ", each cell in a process of its own" : "");
}

AtomicFile Workbench::scratch_file() {
  const fs::path target =
      options_.work_folder / fmt::format("hipo-tool-bench-{}.hipo", ++scratch_files_);
  const fs::space_info space = fs::space(options_.work_folder);
  if (space.available < 2 * sample_.raw_bytes) {
    throw Error(ErrorCode::no_space,
                fmt::format("{} bytes are free where the benchmark writes, and it may need {}; "
                            "--work-folder names another folder",
                            space.available, 2 * sample_.raw_bytes),
                {.path = options_.work_folder.string()});
  }
  return invocation_->create_target(target, false);
}

WritingPass Workbench::writing_pass(const Compression& compression, std::uint64_t record_bytes,
                                    unsigned threads) const {
  return {*input_, plan_records(sample_.records, compression, record_bytes), threads, encoders_};
}

FormatFile Workbench::write_format(WritingPass& pass) {
  Stopwatch unused(clock_);
  FormatFile made{.file = scratch_file(), .source = {}, .reader = {}};
  made.summary = pass.run(made.file, unused);
  made.source = std::make_shared<CountingSource>(open_file(made.file.temporary()));
  made.reader = std::make_unique<FileReader>(made.source);
  return made;
}

std::vector<Workbench::Timed> Workbench::time(const std::string& table,
                                              std::span<const TimedCell> cells) {
  Sampling sampling{.clock = &clock_};
  if (!options_.full) {
    sampling.limit_seconds = kLimitSeconds;
  }
  sampling.before_run = [&](unsigned round, std::size_t cell) {
    tell(round == 0 ? fmt::format("{}: warm-up, cell {} of {}", table, cell + 1, cells.size())
                    : fmt::format("{}: round {}, cell {} of {} ({})", table, round, cell + 1,
                                  cells.size(), cells[cell].name));
  };
  std::vector<Timed> timed(cells.size());
  std::vector<std::uint64_t> peaks(cells.size(), 0);
  std::vector<TimedCell> isolated;
  if (options_.isolate) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      isolated.push_back(isolate(cells[i], clock_, peaks[i]));
    }
  }
  const std::vector<CellSamples> samples = measure(options_.isolate ? isolated : cells, sampling);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    timed[i].samples = samples[i];
    if (options_.isolate) {
      timed[i].peak_memory_bytes = peaks[i];
    }
  }
  progress_.clear();
  return timed;
}

void Workbench::tell(const std::string& what) {
  if (invocation_->stop().stop_requested()) {
    throw Error(ErrorCode::cancelled, "stopped on request");
  }
  progress_.tell(fmt::format("{}, {:.0f} s", what, clock_.now().real_seconds - begin_));
}

}  // namespace hipotool::app::bench
