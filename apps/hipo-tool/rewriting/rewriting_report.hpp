#pragma once
// The reports of commands that rewrite files: docs/cli.md lists the keys, docs/schema the types.

#include "hipotool/rewrite.hpp"
#include "hipotool/splitting.hpp"

#include "report/writer.hpp"
#include "report/written_file.hpp"

#include <string>
#include <vector>

namespace hipotool::app {

struct RewritingJob;

struct RewritingResult {
  RewriteSummary summary{};
  std::vector<WrittenOutput> outputs{};  // where there are several
  Cost cost{};
  std::vector<std::string> warnings{};
};

void report_written(ReportWriter& report, const RewritingJob& job, const RewritingResult& result);
void report_plan(ReportWriter& report, const RewritingJob& job, const RewritePlan& plan,
                 const SizeEstimate& estimate, const std::vector<std::string>& warnings);
void report_skipped(ReportWriter& report, const RewritingJob& job);

}  // namespace hipotool::app
