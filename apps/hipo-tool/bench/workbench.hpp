#pragma once
// What the tables share: the input and its sample, what was asked for, and the way to time cells.

#include "hipotool/compression.hpp"
#include "hipotool/reader.hpp"

#include "bench/reading.hpp"
#include "bench/result.hpp"
#include "bench/sample.hpp"
#include "bench/sampling.hpp"
#include "bench/writing.hpp"
#include "invocation.hpp"
#include "progress.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace hipotool::app::bench {

struct CodecLevel {
  CodecId codec = CodecId::lz4;
  int level = 0;
  Effort effort = Effort::full;
};
// "lz4hc:auto"
[[nodiscard]] CodecLevel automatic_level(CodecId codec) noexcept;

struct BenchOptions {
  std::vector<std::string> tables{};
  bool full = false;
  std::vector<CodecLevel> codecs{};  // empty: those of default_formats(), every level for levels
  std::vector<Compression> formats{};
  std::vector<unsigned> threads{1};
  std::vector<std::string> banks{};
  std::optional<std::string> column{};
  std::vector<std::uint64_t> record_sizes{};  // empty: 1 MiB to 64 MiB
  std::vector<std::uint64_t> budgets{};       // empty: 128 MiB to 1 GiB
  std::uint64_t record_bytes = 0;             // 0: as usual for the layout
  std::optional<std::uint64_t> sample_bytes{};
  bool cold = false;
  bool isolate = false;
  std::filesystem::path work_folder{};
};

// A file in one format, open for reading. It vanishes with this.
struct FormatFile {
  AtomicFile file;
  std::shared_ptr<CountingSource> source;
  std::unique_ptr<FileReader> reader;
  WriteSummary summary{};
};

class Workbench {
 public:
  Workbench(const std::filesystem::path& input, const BenchOptions& options,
            Invocation& invocation);

  [[nodiscard]] const FileReader& input() const noexcept { return *input_; }
  [[nodiscard]] CountingSource& input_source() const noexcept { return *source_; }
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  [[nodiscard]] const Sample& sample() const noexcept { return sample_; }
  [[nodiscard]] const ScopeChoice& scopes() const noexcept { return scopes_; }
  [[nodiscard]] const BenchOptions& options() const noexcept { return options_; }
  [[nodiscard]] std::uint64_t memory_bytes() const { return invocation_->memory_bytes(); }
  [[nodiscard]] bool synthetic() const { return is_synthetic(*input_); }
  [[nodiscard]] Clock& clock() noexcept { return clock_; }

  // "synthetic: directional only; " or nothing, sample, warm or cold; the beginning of every title.
  [[nodiscard]] std::string conditions() const;

  [[nodiscard]] const std::shared_ptr<EncoderPool>& encoders() const noexcept { return encoders_; }
  [[nodiscard]] AtomicFile scratch_file();
  [[nodiscard]] FormatFile write_format(WritingPass& pass);
  [[nodiscard]] WritingPass writing_pass(const Compression& compression, std::uint64_t record_bytes,
                                         unsigned threads) const;

  // Times the cells, each alone in a fresh process where that was asked for; results in their
  // order, with the peak memory of isolated ones. Stops where the user asks for it.
  struct Timed {
    CellSamples samples{};
    std::optional<std::uint64_t> peak_memory_bytes{};
  };
  [[nodiscard]] std::vector<Timed> time(const std::string& table, std::span<const TimedCell> cells);
  // Shows what is going on, and stops where that was asked for.
  void tell(const std::string& what);

 private:
  Invocation* invocation_;
  std::filesystem::path path_;
  BenchOptions options_;
  std::shared_ptr<CountingSource> source_;
  std::unique_ptr<FileReader> input_;
  Sample sample_;
  ScopeChoice scopes_;
  SystemClock clock_;
  Progress progress_;
  double begin_;
  std::shared_ptr<EncoderPool> encoders_ = make_encoder_pool();
  unsigned scratch_files_ = 0;
};

}  // namespace hipotool::app::bench
