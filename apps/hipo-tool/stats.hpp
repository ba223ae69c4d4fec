#pragma once
// What `stats` was told and what it found in a file, between the command and its report.

#include "hipotool/merge.hpp"
#include "hipotool/reader.hpp"
#include "hipotool/statistics.hpp"

#include "inputs.hpp"
#include "report/writer.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace hipotool::app {

struct StatsOptions {
  InputOptions inputs{};
  bool per_bank = false;
  bool per_column = false;
  bool values = false;
  bool per_tag = false;
  bool estimate = false;
  bool duplicates = false;
  bool total = false;
  bool only = false;
  std::vector<std::string> banks{};
  std::optional<std::string> sort_key{};
  std::vector<TagRange> tags{};
  std::optional<std::string> condition{};
  std::optional<std::vector<TagRange>> special{};

  [[nodiscard]] bool filters() const { return !tags.empty() || condition; }
};

// What a file says besides its events; not there for several files together.
struct StatsFile {
  std::string path{};
  IndexState index = IndexState::valid;
  std::string index_reason{};
  std::uint64_t dictionary_bytes = 0;
  std::uint64_t schemas = 0;
  std::uint64_t configuration_entries = 0;
  std::vector<TagName> tag_names{};
  Readers readers{};
  std::string oxihipo_since{};
};

struct StatsResult {
  std::optional<StatsFile> file{};
  StatisticsSummary summary{};
  std::optional<std::set<BankKey>> wanted{};  // of `banks` those to show; none: all
  std::vector<BankStatistics> banks{};
  std::vector<ColumnStatistics> columns{};
  std::vector<std::string> warnings{};
};

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
  template <typename Row>
  struct Field {
    ReportColumn column;
    std::function<Cell(const Row&)> cell;
    Cell usual{};  // text leaves out a column in which every row has this, or nothing
  };
  // A row together with what it is a part of.
  struct BankRow;
  struct ColumnRow;

  void add_bank_fields();
  void add_column_fields();
  void add_value_fields();
  void check_sort_key() const;
  [[nodiscard]] bool has_rows_only() const;
  void write_summary(const StatsResult& result, ReportWriter& report) const;
  void write_banks(const StatsResult& result, ReportWriter& report);
  void write_columns(const StatsResult& result, ReportWriter& report);
  template <typename Row>
  void write_table(const char* name, const std::vector<Field<Row>>& fields,
                   const std::vector<Row>& rows, ReportWriter& report);

  const StatsOptions& options_;
  ReportFormat format_;
  bool for_people_;
  bool in_table_ = false;
  std::vector<Field<BankRow>> bank_fields_{};
  std::vector<Field<ColumnRow>> column_fields_{};
};

}  // namespace hipotool::app
