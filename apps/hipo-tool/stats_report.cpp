// The report of `stats`: docs/cli.md lists the keys, docs/schema/stats.json the types.

#include "arguments.hpp"
#include "report/written_file.hpp"
#include "stats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace hipotool::app {

namespace {

// In text a number is for looking at: six digits, and more where values differ in later ones.
double rounded(double value, double spread) {
  int digits = 6;
  if (value != 0 && spread > 0) {
    digits = std::clamp(static_cast<int>(std::log10(std::abs(value) / spread)) + 5, 6, 15);
  }
  return std::strtod(fmt::format("{:.{}g}", value, digits).c_str(), nullptr);
}

// The double whose shortest text is that of the float: 0.1 and not 0.10000000149011612.
double as_written(float value) {
  return std::strtod(fmt::format("{}", value).c_str(), nullptr);
}

Cell real_cell(const std::optional<double>& value, const ValueStatistics& of, bool for_people) {
  if (!value) {
    return {};
  }
  return for_people ? rounded(*value, of.standard_deviation.value_or(0)) : *value;
}

Cell value_cell(const std::optional<ColumnValue>& value, const ColumnStatistics& column,
                bool for_people) {
  if (!value) {
    return {};
  }
  if (const auto* integer = std::get_if<std::int64_t>(&*value)) {
    return *integer;
  }
  const double real = std::get<double>(*value);
  const bool is_float = column.column.type == ColumnType::f32;
  return real_cell(is_float ? as_written(static_cast<float>(real)) : real, *column.values,
                   for_people);
}

// Null where it is not known, or of nothing.
Cell share(const std::optional<std::uint64_t>& part, const std::optional<std::uint64_t>& whole) {
  return part && whole ? ratio(*part, *whole) : Cell();
}

Cell stored_ratio(std::uint64_t raw, const StoredSize& stored) {
  return stored.bytes ? ratio(raw, *stored.bytes) : Cell();
}

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

std::string type_text(const Column& column) {
  std::string text(1, letter_of(column.type));
  if (column.length > 1) {
    text += "#" + std::to_string(column.length);
  }
  return text;
}

// One character a bin, darker for more; what is there at all shows.
std::string drawing(const std::vector<HistogramBin>& bins) {
  constexpr std::string_view kShades = ".:-=+*#%@";
  std::uint64_t most = 1;
  for (const HistogramBin& bin : bins) {
    most = std::max(most, bin.count);
  }
  std::string text;
  for (const HistogramBin& bin : bins) {
    const double height = static_cast<double>(bin.count) / static_cast<double>(most);
    const auto shade =
        static_cast<std::size_t>(std::ceil(height * static_cast<double>(kShades.size())));
    text += bin.count == 0 ? ' ' : kShades[shade - 1];
  }
  return bins.empty() ? "" : "[" + text + "]";
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

std::string tag_names_of(std::uint32_t tag, const std::vector<TagName>& names) {
  std::string text;
  std::uint32_t rest = tag;
  for (const TagName& name : names) {
    const std::uint32_t mask = std::uint32_t{1} << name.bit;
    if ((tag & mask) != 0) {
      text += (text.empty() ? "" : "|") + name.name;
      rest &= ~mask;
    }
  }
  if (!text.empty() && rest != 0) {
    text += fmt::format("|{:#x}", rest);
  }
  return text;
}

void report_tags(ReportWriter& report, const StatsResult& result) {
  const std::array<ReportColumn, 3> columns{
      {{"tag", Unit::count}, {"names"}, {"events", Unit::count}}};
  report.begin_table("events_by_tag", columns);
  for (const auto& [tag, events] : result.summary.events_by_tag) {
    const std::string names = result.file ? tag_names_of(tag, result.file->tag_names) : "";
    report.row(std::array<Cell, 3>{std::uint64_t{tag}, cell_or_null(names), events});
  }
  report.end_table();
}

void report_runs(ReportWriter& report, const StatisticsSummary& summary) {
  const std::array<ReportColumn, 4> columns{{{"run", Unit::count},
                                             {"events", Unit::count},
                                             {"lowest_event", Unit::count},
                                             {"highest_event", Unit::count}}};
  report.begin_table("runs", columns);
  for (const RunStatistics& run : *summary.runs) {
    report.row(std::array<Cell, 4>{run.run, run.events, cell_of(run.lowest_event),
                                   cell_of(run.highest_event)});
  }
  report.end_table();
}

void report_storage(ReportWriter& report, const StatisticsSummary& summary) {
  const std::array<ReportColumn, 7> columns{{{"codec"},
                                             {"layout"},
                                             {"encodings"},
                                             {"records", Unit::count},
                                             {"events", Unit::count},
                                             {"stored_bytes", Unit::bytes},
                                             {"raw_bytes", Unit::bytes}}};
  report.begin_table("storage", columns);
  for (const StorageStatistics& one : summary.storage) {
    report.row(std::array<Cell, 7>{std::string(to_string(one.compression.codec)),
                                   std::string(to_string(one.compression.layout)),
                                   std::string(to_string(one.compression.encodings)), one.records,
                                   one.events, one.stored_bytes, one.raw_bytes});
  }
  report.end_table();
}

void report_record_sizes(ReportWriter& report, const StatisticsSummary& summary) {
  const std::array<ReportColumn, 4> bytes{
      {{"of"}, {"min", Unit::bytes}, {"median", Unit::bytes}, {"max", Unit::bytes}}};
  report.begin_table("record_sizes", bytes);
  const auto row = [&](const char* what, const std::optional<Spread>& spread) {
    if (spread) {
      report.row(std::array<Cell, 4>{std::string(what), spread->min, spread->median, spread->max});
    }
  };
  row("stored", summary.record_bytes);
  row("raw", summary.record_raw_bytes);
  report.end_table();
}

void report_duplicates(ReportWriter& report, const StatisticsSummary& summary) {
  if (!summary.duplicate_events) {
    return;
  }
  const std::array<ReportColumn, 4> columns{{{"event", Unit::count},
                                             {"equals", Unit::count},
                                             {"event_in_file", Unit::count},
                                             {"equals_in_file", Unit::count}}};
  report.begin_table("duplicates", columns);
  for (const DuplicateEvent& one : summary.duplicates) {
    report.row(std::array<Cell, 4>{one.event, one.original, std::uint64_t{one.event_in_file},
                                   std::uint64_t{one.original_in_file}});
  }
  report.end_table();
}

void report_readers(ReportWriter& report, const StatsFile& file) {
  const std::array<ReportColumn, 4> columns{{{"reader"}, {"reads"}, {"since"}, {"reason"}}};
  report.begin_table("readers", columns);
  const auto row = [&](const char* reader, const std::string& reason, const std::string& since) {
    report.row(std::array<Cell, 4>{std::string(reader), reason.empty(),
                                   cell_or_null(reason.empty() ? since : ""),
                                   cell_or_null(reason)});
  };
  row("C++ hipo4", file.readers.cpp, "");
  row("Java", file.readers.java, "");
  row("oxihipo", file.readers.oxihipo, file.oxihipo_since);
  report.end_table();
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

struct StatsReport::BankRow {
  const StatsResult& result;
  const BankStatistics& bank;
  std::uint64_t all_raw_bytes = 0;
  std::optional<std::uint64_t> all_stored_bytes{};
};

struct StatsReport::ColumnRow {
  const StatsResult& result;
  const ColumnStatistics& column;
  std::uint64_t all_raw_bytes = 0;
  std::optional<std::uint64_t> all_stored_bytes{};
};

StatsReport::StatsReport(const StatsOptions& options, ReportFormat format)
    : options_(options),
      format_(format),
      for_people_(format == ReportFormat::text || format == ReportFormat::markdown) {
  if (options.per_bank) {
    add_bank_fields();
  }
  if (options.per_column) {
    add_column_fields();
  }
  if (options.values) {
    add_value_fields();
  }
  if (options.sort_key) {
    check_sort_key();
  }
}

void StatsReport::add_bank_fields() {
  auto& fields = bank_fields_;
  if (has_rows_only()) {
    fields.push_back({{"path"}, [](const BankRow& row) {
                        return row.result.file ? Cell(row.result.file->path) : Cell();
                      }});
  }
  if (options_.per_tag) {
    fields.push_back(
        {{"tag", Unit::count}, [](const BankRow& row) { return std::uint64_t{row.bank.tag}; }});
  }
  fields.push_back({{"bank"}, [](const BankRow& row) { return row.bank.name; }});
  fields.push_back({{"group", Unit::count},
                    [](const BankRow& row) { return std::uint64_t{row.bank.key.group}; }});
  fields.push_back(
      {{"item", Unit::count}, [](const BankRow& row) { return std::uint64_t{row.bank.key.item}; }});
  fields.push_back({{"state"}, [](const BankRow& row) {
                      return std::string(row.bank.events == 0      ? "absent"
                                         : row.bank.raw_bytes == 0 ? "empty"
                                                                   : "filled");
                    }});
  fields.push_back({{"events", Unit::count}, [](const BankRow& row) { return row.bank.events; }});
  fields.push_back({{"events_without_rows", Unit::count},
                    [](const BankRow& row) { return row.bank.events_without_rows; }});
  fields.push_back(
      {{"rows", Unit::count}, [](const BankRow& row) { return cell_of(row.bank.rows); }});
  fields.push_back({{"rows_per_event", Unit::ratio}, [](const BankRow& row) {
                      return row.bank.rows ? ratio(*row.bank.rows, row.bank.events) : Cell();
                    }});
  fields.push_back(
      {{"raw_bytes", Unit::bytes}, [](const BankRow& row) { return row.bank.raw_bytes; }});
  fields.push_back({{"raw_share", Unit::ratio}, [](const BankRow& row) {
                      return ratio(row.bank.raw_bytes, row.all_raw_bytes);
                    }});
  fields.push_back({{"stored_bytes", Unit::bytes},
                    [](const BankRow& row) { return cell_of(row.bank.stored.bytes); }});
  fields.push_back({{"stored_share", Unit::ratio}, [](const BankRow& row) {
                      return share(row.bank.stored.bytes, row.all_stored_bytes);
                    }});
  fields.push_back({{"ratio", Unit::ratio}, [](const BankRow& row) {
                      return stored_ratio(row.bank.raw_bytes, row.bank.stored);
                    }});
  fields.push_back(
      {{"estimated"}, [](const BankRow& row) { return row.bank.stored.is_estimate; }, false});
}

void StatsReport::add_column_fields() {
  auto& fields = column_fields_;
  if (has_rows_only()) {
    fields.push_back({{"path"}, [](const ColumnRow& row) {
                        return row.result.file ? Cell(row.result.file->path) : Cell();
                      }});
  }
  if (options_.per_tag) {
    fields.push_back(
        {{"tag", Unit::count}, [](const ColumnRow& row) { return std::uint64_t{row.column.tag}; }});
  }
  fields.push_back({{"bank"}, [](const ColumnRow& row) { return row.column.bank; }});
  fields.push_back({{"column"}, [](const ColumnRow& row) { return row.column.column.name; }});
  fields.push_back({{"type"}, [](const ColumnRow& row) { return type_text(row.column.column); }});
  fields.push_back({{"rows", Unit::count}, [](const ColumnRow& row) { return row.column.rows; }});
  fields.push_back(
      {{"raw_bytes", Unit::bytes}, [](const ColumnRow& row) { return row.column.raw_bytes; }});
  fields.push_back({{"raw_share", Unit::ratio}, [](const ColumnRow& row) {
                      return ratio(row.column.raw_bytes, row.all_raw_bytes);
                    }});
  fields.push_back({{"stored_bytes", Unit::bytes},
                    [](const ColumnRow& row) { return cell_of(row.column.stored.bytes); }});
  fields.push_back({{"stored_share", Unit::ratio}, [](const ColumnRow& row) {
                      return share(row.column.stored.bytes, row.all_stored_bytes);
                    }});
  fields.push_back({{"ratio", Unit::ratio}, [](const ColumnRow& row) {
                      return stored_ratio(row.column.raw_bytes, row.column.stored);
                    }});
  fields.push_back(
      {{"estimated"}, [](const ColumnRow& row) { return row.column.stored.is_estimate; }, false});
}

void StatsReport::add_value_fields() {
  auto& fields = column_fields_;
  const bool people = for_people_;
  const auto count = [&](const char* name, std::uint64_t ValueStatistics::*member,
                         const Cell& usual = {}) {
    fields.push_back({{name, Unit::count},
                      [member](const ColumnRow& row) { return (*row.column.values).*member; },
                      usual});
  };
  const auto value = [&](const char* name, std::optional<ColumnValue> ValueStatistics::*member) {
    fields.push_back({{name}, [member, people](const ColumnRow& row) {
                        return value_cell((*row.column.values).*member, row.column, people);
                      }});
  };
  count("values", &ValueStatistics::values);
  value("min", &ValueStatistics::min);
  value("max", &ValueStatistics::max);
  fields.push_back({{"mean"}, [people](const ColumnRow& row) {
                      return real_cell(row.column.values->mean, *row.column.values, people);
                    }});
  fields.push_back({{"standard_deviation"}, [people](const ColumnRow& row) {
                      return real_cell(row.column.values->standard_deviation, *row.column.values,
                                       people);
                    }});
  count("zeros", &ValueStatistics::zeros);
  count("not_a_number", &ValueStatistics::not_a_number, std::uint64_t{0});
  count("infinite", &ValueStatistics::infinite, std::uint64_t{0});
  count("distinct", &ValueStatistics::distinct);
  fields.push_back({{"distinct_is_exact"},
                    [](const ColumnRow& row) { return row.column.values->distinct_is_exact; },
                    true});
  if (people) {
    fields.push_back({{"histogram"}, [](const ColumnRow& row) {
                        return cell_or_null(drawing(row.column.values->histogram));
                      }});
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

bool StatsReport::has_rows_only() const {
  return format_ == ReportFormat::csv && (options_.per_bank || options_.per_column);
}

void StatsReport::write(const StatsResult& result, ReportWriter& report) {
  if (has_rows_only()) {
    write_banks(result, report);
    write_columns(result, report);
    return;
  }
  report.begin_document("stats");
  write_summary(result, report);
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

void StatsReport::write_summary(const StatsResult& result, ReportWriter& report) const {
  const StatisticsSummary& summary = result.summary;
  const auto* file = result.file ? &*result.file : nullptr;
  const auto count = [&](const char* name, std::uint64_t value) {
    report.field({name, Unit::count}, value);
  };
  // What is usually 0 is told to people only where it is not.
  const auto rare = [&](const char* name, std::uint64_t value, Unit unit = Unit::count) {
    report.field({name, unit}, for_people_ && value == 0 ? Cell() : Cell(value));
  };
  report.field({"path"}, file == nullptr ? Cell() : Cell(file->path));
  rare("files", for_people_ && file != nullptr ? 0 : summary.files);
  report.field({"bytes", Unit::bytes}, summary.file_bytes);
  report.field({"raw_bytes", Unit::bytes}, summary.raw_bytes);
  // Of all events only: nothing says what those that a filter chose take in the file.
  report.field({"ratio", Unit::ratio},
               options_.filters() ? Cell() : ratio(summary.raw_bytes, summary.file_bytes));
  report.field({"index"}, file == nullptr ? Cell() : Cell(std::string(to_string(file->index))));
  report.field({"index_reason"}, file == nullptr ? Cell() : cell_or_null(file->index_reason));
  count("events", summary.events);
  rare("events_in_file", for_people_ && !options_.filters() ? 0 : summary.events_in_file);
  if (options_.condition) {
    rare("special_events", summary.exempt_events);
  } else {
    report.field({"special_events", Unit::count}, Cell());
  }
  count("empty_events", summary.empty_events);
  report.field({"duplicate_events", Unit::count}, cell_of(summary.duplicate_events));
  if (summary.runs) {
    rare("events_without_run", summary.events_without_run);
  } else {
    report.field({"events_without_run", Unit::count}, Cell());
  }
  rare("events_of_other_tags", summary.events_of_other_tags);
  rare("events_of_other_runs", summary.events_of_other_runs);
  count("records", summary.records);
  rare("empty_records", summary.empty_records);
  rare("tiny_records", summary.tiny_records);
  report.field({"median_record_events", Unit::count},
               summary.record_events ? Cell(summary.record_events->median) : Cell());
  rare("directory_bytes", summary.directory_bytes, Unit::bytes);
  const auto of_file = [&](const char* name, Unit unit, std::uint64_t StatsFile::*member) {
    report.field({name, unit}, file == nullptr ? Cell() : Cell(file->*member));
  };
  of_file("dictionary_bytes", Unit::bytes, &StatsFile::dictionary_bytes);
  of_file("schemas", Unit::count, &StatsFile::schemas);
  of_file("configuration_entries", Unit::count, &StatsFile::configuration_entries);
  rare("streams_inflated", for_people_ ? 0 : summary.streams_inflated);
  rare("bytes_read", for_people_ ? 0 : summary.bytes_read, Unit::bytes);
  report_tags(report, result);
  if (summary.runs) {
    report_runs(report, summary);
  } else if (format_ == ReportFormat::json) {
    report.field({"runs"}, Cell());
  }
  report_storage(report, summary);
  report_record_sizes(report, summary);
  report_duplicates(report, summary);
  if (file != nullptr) {
    report_readers(report, *file);
  }
}

// Banks that were not asked for count in the shares of the others.
void StatsReport::write_banks(const StatsResult& result, ReportWriter& report) {
  std::vector<BankRow> rows;
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
  std::vector<ColumnRow> rows;
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
void StatsReport::write_table(const char* name, const std::vector<Field<Row>>& fields,
                              const std::vector<Row>& rows, ReportWriter& report) {
  std::vector<std::vector<Cell>> table;
  table.reserve(rows.size());
  for (const Row& row : rows) {
    std::vector<Cell>& cells = table.emplace_back();
    for (const Field<Row>& field : fields) {
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
    if (has_rows_only()) {
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
