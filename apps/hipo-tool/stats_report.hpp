#pragma once
// The report of `stats`: docs/cli.md lists the keys, docs/schema/stats.json the types.

#include "report/writer.hpp"
#include "stats.hpp"
#include "stats_fields.hpp"

#include <vector>

namespace hipotool::app {

// Shows results one after the other. With CSV and a table asked for, rows of all files make one
// table.
class StatsReport {
 public:
  // Throws UsageError for a sort key that no table shown has, naming those that there are.
  StatsReport(const StatsOptions& options, ReportFormat format);

  void write(const StatsResult& result, ReportWriter& report);
  // After the last one.
  void finish(ReportWriter& report);

 private:
  void check_sort_key() const;
  void write_banks(const StatsResult& result, ReportWriter& report);
  void write_columns(const StatsResult& result, ReportWriter& report);
  template <typename Row>
  void write_table(const char* name, const std::vector<StatsField<Row>>& fields,
                   const std::vector<Row>& rows, ReportWriter& report);

  const StatsOptions& options_;
  ReportFormat format_;
  bool in_table_ = false;
  std::vector<StatsField<StatsBankRow>> bank_fields_;
  std::vector<StatsField<StatsColumnRow>> column_fields_;
};

}  // namespace hipotool::app
