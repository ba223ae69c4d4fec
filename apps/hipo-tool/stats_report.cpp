#include "stats_report.hpp"

#include "arguments.hpp"
#include "report/written_file.hpp"
#include "stats_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>

namespace hipotool::app {

namespace {

template <typename Row>
std::uint64_t raw_total(const std::vector<Row>& rows) {
  std::uint64_t total = 0;
  for (const Row& row : rows) {
    total += row.raw_bytes;
  }
  return total;
}

// Nullopt unless all are known.
template <typename Row>
std::optional<std::uint64_t> stored_total(const std::vector<Row>& rows) {
  std::uint64_t total = 0;
  for (const Row& row : rows) {
    if (!row.stored.bytes) {
      return std::nullopt;
    }
    total += *row.stored.bytes;
  }
  return total;
}

// Numbers from large to small, text from A to Z, what is not known last.
bool comes_before(const Cell& a, const Cell& b) {
  const auto rank = [](const Cell& cell) {
    return std::holds_alternative<std::monostate>(cell) ? 2
           : std::holds_alternative<std::string>(cell)  ? 1
                                                        : 0;
  };
  if (rank(a) != rank(b) || rank(a) == 2) {
    return rank(a) < rank(b);
  }
  if (rank(a) == 1) {
    return std::get<std::string>(a) < std::get<std::string>(b);
  }
  if (a.index() == b.index()) {
    return b < a;
  }
  const auto number = [](const Cell& cell) {
    return std::visit(
        [](const auto& value) {
          if constexpr (std::is_arithmetic_v<std::decay_t<decltype(value)>>) {
            return static_cast<double>(value);
          } else {
            return 0.0;
          }
        },
        cell);
  };
  return number(b) < number(a);
}

void report_histograms(ReportWriter& report, const StatsResult& result) {
  const std::array<ReportColumn, 6> columns{
      {{"tag", Unit::count}, {"bank"}, {"column"}, {"low"}, {"high"}, {"values", Unit::count}}};
  report.begin_table("histograms", columns);
  for (const ColumnStatistics& column : result.columns) {
    if (!column.values) {
      continue;
    }
    for (const HistogramBin& bin : column.values->histogram) {
      if (bin.count != 0) {
        report.row(std::array<Cell, 6>{std::uint64_t{column.tag}, column.bank, column.column.name,
                                       bin.low, bin.high, bin.count});
      }
    }
  }
  report.end_table();
}

}  // namespace

StatsReport::StatsReport(const StatsOptions& options, ReportFormat format)
    : options_(options),
      format_(format),
      bank_fields_(bank_fields(options, format)),
      column_fields_(column_fields(options, format)) {
  if (options.sort_key) {
    check_sort_key();
  }
}

void StatsReport::check_sort_key() const {
  std::vector<std::string> names;
  const auto add_names = [&](const auto& fields) {
    for (const auto& field : fields) {
      if (std::find(names.begin(), names.end(), field.column.name) == names.end()) {
        names.push_back(field.column.name);
      }
    }
  };
  add_names(bank_fields_);
  add_names(column_fields_);
  if (std::find(names.begin(), names.end(), *options_.sort_key) == names.end()) {
    throw UsageError(
        fmt::format("--sort: '{}' is none of {}", *options_.sort_key, fmt::join(names, ", ")));
  }
}

void StatsReport::write(const StatsResult& result, ReportWriter& report) {
  if (has_rows_only(options_, format_)) {
    write_banks(result, report);
    write_columns(result, report);
    return;
  }
  report.begin_document("stats");
  report_summary(report, result, options_, format_);
  write_banks(result, report);
  write_columns(result, report);
  if (options_.values && format_ == ReportFormat::json) {
    report_histograms(report, result);
  }
  report_warnings(report, result.warnings);
  report.end_document();
}

void StatsReport::finish(ReportWriter& report) {
  if (in_table_) {
    report.end_table();
    report.end_document();
    in_table_ = false;
  }
}

// Banks that were not asked for count in the shares of the others.
void StatsReport::write_banks(const StatsResult& result, ReportWriter& report) {
  std::vector<StatsBankRow> rows;
  const std::uint64_t raw = raw_total(result.banks);
  const std::optional<std::uint64_t> stored = stored_total(result.banks);
  for (const BankStatistics& bank : result.banks) {
    if (!result.wanted || result.wanted->contains(bank.key)) {
      rows.push_back({result, bank, raw, stored});
    }
  }
  if (options_.per_bank) {
    write_table("banks", bank_fields_, rows, report);
  }
}

void StatsReport::write_columns(const StatsResult& result, ReportWriter& report) {
  std::vector<StatsColumnRow> rows;
  const std::uint64_t raw = raw_total(result.banks);
  const std::optional<std::uint64_t> stored = stored_total(result.banks);
  for (const ColumnStatistics& column : result.columns) {
    rows.push_back({result, column, raw, stored});
  }
  if (options_.per_column) {
    write_table("columns", column_fields_, rows, report);
  }
}

template <typename Row>
void StatsReport::write_table(const char* name, const std::vector<StatsField<Row>>& fields,
                              const std::vector<Row>& rows, ReportWriter& report) {
  std::vector<std::vector<Cell>> table;
  table.reserve(rows.size());
  for (const Row& row : rows) {
    std::vector<Cell>& cells = table.emplace_back();
    for (const StatsField<Row>& field : fields) {
      cells.push_back(field.cell(row));
    }
  }
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (options_.sort_key == fields[i].column.name) {
      std::stable_sort(table.begin(), table.end(),
                       [i](const auto& a, const auto& b) { return comes_before(a[i], b[i]); });
    }
    const bool says_something = std::any_of(table.begin(), table.end(), [&](const auto& cells) {
      return !std::holds_alternative<std::monostate>(cells[i]) && cells[i] != fields[i].usual;
    });
    if (says_something || format_ != ReportFormat::text) {
      shown.push_back(i);
    }
  }
  if (!in_table_) {
    if (has_rows_only(options_, format_)) {
      report.begin_document("stats");
      in_table_ = true;
    }
    std::vector<ReportColumn> columns;
    columns.reserve(shown.size());
    for (const std::size_t i : shown) {
      columns.push_back(fields[i].column);
    }
    report.begin_table(name, columns);
  }
  std::vector<Cell> cells(shown.size());
  for (const std::vector<Cell>& row : table) {
    std::transform(shown.begin(), shown.end(), cells.begin(),
                   [&row](std::size_t i) { return row[i]; });
    report.row(cells);
  }
  if (!in_table_) {
    report.end_table();
  }
}

}  // namespace hipotool::app
