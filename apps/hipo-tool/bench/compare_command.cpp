#include "bench/compare_command.hpp"

#include "arguments.hpp"
#include "bench/compare.hpp"
#include "report/writer.hpp"
#include "report/written_file.hpp"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace hipotool::app::bench {

namespace {

void report_cells(const Comparison& comparison, ReportWriter& report) {
  const std::vector<ReportColumn> columns{{"path"},
                                          {"table"},
                                          {"row"},
                                          {"work"},
                                          {"threads", Unit::count},
                                          {"before_seconds", Unit::seconds},
                                          {"after_seconds", Unit::seconds},
                                          {"ratio", Unit::ratio},
                                          {"noise_floor", Unit::ratio},
                                          {"verdict"}};
  report.begin_table("cells", columns);
  for (const ComparedCell& cell : comparison.cells) {
    const std::vector<Cell> cells{
        cell.path,
        cell.before.table,
        cell.before.row,
        cell.before.work,
        cell.before.threads,
        cell.before.measure.median,
        cell.after.measure.median,
        cell.ratio,
        cell.noise_floor,
        cell.other_values ? std::string("other values") : std::string(to_string(cell.verdict))};
    report.row(cells);
  }
  report.end_table();
}

void report_missing(const Comparison& comparison, ReportWriter& report) {
  const std::vector<ReportColumn> columns{{"cell"}, {"in"}};
  report.begin_table("without_partner", columns);
  for (const std::string& key : comparison.only_before) {
    report.row(std::vector<Cell>{key, std::string("before")});
  }
  for (const std::string& key : comparison.only_after) {
    report.row(std::vector<Cell>{key, std::string("after")});
  }
  report.end_table();
}

}  // namespace

int run_compare(std::span<const std::string> paths, std::optional<double> fail_if_slower,
                Invocation& invocation) {
  std::vector<std::filesystem::path> files(paths.begin(), paths.end());
  invocation.open_report(files);
  std::vector<StoredResult> results;
  for (const std::filesystem::path& file : files) {
    for (StoredResult& result : read_results(file)) {
      results.push_back(std::move(result));
    }
  }
  if (results.size() < 2) {
    throw UsageError("bench compare needs at least two results");
  }
  const Comparison comparison =
      compare_results(results.front(), std::span<const StoredResult>(results).subspan(1));
  for (const std::string& warning : comparison.warnings) {
    invocation.log().warning(warning);
  }
  const bool slower = fail_if_slower && any_slower(comparison, *fail_if_slower);
  if (invocation.wants_report()) {
    ReportWriter& report = invocation.report();
    report.begin_document("bench");
    if (invocation.format() != ReportFormat::csv) {
      report.field({"view"}, std::string("comparison"));
      report.field({"before"}, results.front().path);
      report.field({"results_compared", Unit::count}, std::uint64_t{results.size() - 1});
      report.field({"slower_than_allowed"}, fail_if_slower ? Cell(slower) : Cell());
    }
    report_cells(comparison, report);
    if (invocation.format() != ReportFormat::csv) {
      report_missing(comparison, report);
      report_warnings(report, comparison.warnings);
    }
    report.end_document();
  }
  return slower ? 1 : 0;
}

}  // namespace hipotool::app::bench
