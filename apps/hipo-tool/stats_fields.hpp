#pragma once
// What the tables of `stats` show of a bank and of a column, field by field.

#include "report/writer.hpp"
#include "stats.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace hipotool::app {

// A row together with what it is a part of.
struct StatsBankRow {
  const StatsResult& result;
  const BankStatistics& bank;
  std::uint64_t all_raw_bytes = 0;
  std::optional<std::uint64_t> all_stored_bytes{};
};

struct StatsColumnRow {
  const StatsResult& result;
  const ColumnStatistics& column;
  std::uint64_t all_raw_bytes = 0;
  std::optional<std::uint64_t> all_stored_bytes{};
};

template <typename Row>
struct StatsField {
  ReportColumn column;
  std::function<Cell(const Row&)> cell;
  Cell usual{};  // text leaves out a column in which every row has this, or nothing
};

// None where the table is not asked for.
[[nodiscard]] std::vector<StatsField<StatsBankRow>> bank_fields(const StatsOptions& options,
                                                                ReportFormat format);
[[nodiscard]] std::vector<StatsField<StatsColumnRow>> column_fields(const StatsOptions& options,
                                                                    ReportFormat format);

// Whether the rows of tables are all that is shown; each names its file then.
[[nodiscard]] bool has_rows_only(const StatsOptions& options, ReportFormat format);
// Whether numbers are for looking at, and what is usual goes without saying.
[[nodiscard]] bool is_for_people(ReportFormat format);

}  // namespace hipotool::app
