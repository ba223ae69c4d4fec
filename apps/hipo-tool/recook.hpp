#pragma once
// What `recook` was told and what came of it, between the command and its report.

#include "hipotool/merge.hpp"
#include "hipotool/reader.hpp"
#include "hipotool/rewrite.hpp"

#include "options.hpp"
#include "report/writer.hpp"
#include "report/written_file.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace hipotool::app {

struct RecookOptions {
  CompressionOptions compression{};
  std::optional<std::string> output{};
  bool force = false;
  bool skip_existing = false;
  bool dry_run = false;
  bool reencode = false;
  bool strict_layout = false;
  bool salvage = false;
  bool skip_bad = false;
  std::optional<std::string> dictionary{};  // the file to borrow one from
  Verify verify = Verify::record;
  std::uint8_t discard = 0;  // bits of Oddity
  MergeOptions merge{};
};

struct RecookJob {
  Operands operands{};
  std::vector<std::unique_ptr<FileReader>> readers{};
  std::vector<const FileReader*> inputs{};  // the same, as the library takes them
  RewriteOptions rewrite{};
  MergedDictionary dictionary{};
  Readers readable{};
};

struct RecookResult {
  RewriteSummary summary{};
  Cost cost{};
};

// What of the inputs is not in the output.
struct Losses {
  struct Lost {
    std::string path{};
    std::optional<std::uint64_t> record{};  // none: bytes between records
    Gap gap{};
  };
  std::vector<Lost> gaps{};
  std::uint64_t bytes = 0;
  std::uint64_t events = 0;  // known to be lost
  bool may_be_more = false;  // an input was longer once, or nothing tells what a gap held

  [[nodiscard]] bool any() const noexcept { return !gaps.empty() || may_be_more; }
};
// `dropped`: by the rewrite, after the inputs were opened.
[[nodiscard]] Losses losses_of(const RecookJob& job, const std::vector<DroppedRecord>& dropped);

[[nodiscard]] std::string_view to_string(Verify verify) noexcept;
// "can be read by oxihipo (0.9.0 and later); not by C++ hipo4 (...), not by Java (...)"
[[nodiscard]] std::string readers_line(const RecookJob& job);
// "reserved-word, repeated-bank"
[[nodiscard]] std::string causes_of(const std::map<Oddity, std::uint64_t>& events_by_cause);

void report_written(ReportWriter& report, const RecookJob& job, const RecookResult& result,
                    const std::vector<std::string>& warnings);
void report_plan(ReportWriter& report, const RecookJob& job, const RewritePlan& plan,
                 const SizeEstimate& estimate, const std::vector<std::string>& warnings);
void report_skipped(ReportWriter& report, const std::filesystem::path& target);

}  // namespace hipotool::app
