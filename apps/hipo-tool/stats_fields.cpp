#include "stats_fields.hpp"

#include "report/written_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>

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

// Which column it is, and what it takes.
void add_sizes(const StatsOptions& options, ReportFormat format,
               std::vector<StatsField<StatsColumnRow>>& fields) {
  if (has_rows_only(options, format)) {
    fields.push_back({{"path"}, [](const StatsColumnRow& row) {
                        return row.result.file ? Cell(row.result.file->path) : Cell();
                      }});
  }
  if (options.per_tag) {
    fields.push_back({{"tag", Unit::count},
                      [](const StatsColumnRow& row) { return std::uint64_t{row.column.tag}; }});
  }
  fields.push_back({{"bank"}, [](const StatsColumnRow& row) { return row.column.bank; }});
  fields.push_back({{"column"}, [](const StatsColumnRow& row) { return row.column.column.name; }});
  fields.push_back(
      {{"type"}, [](const StatsColumnRow& row) { return type_text(row.column.column); }});
  fields.push_back(
      {{"rows", Unit::count}, [](const StatsColumnRow& row) { return row.column.rows; }});
  fields.push_back(
      {{"raw_bytes", Unit::bytes}, [](const StatsColumnRow& row) { return row.column.raw_bytes; }});
  fields.push_back({{"raw_share", Unit::ratio}, [](const StatsColumnRow& row) {
                      return ratio(row.column.raw_bytes, row.all_raw_bytes);
                    }});
  fields.push_back({{"stored_bytes", Unit::bytes},
                    [](const StatsColumnRow& row) { return cell_of(row.column.stored.bytes); }});
  fields.push_back({{"stored_share", Unit::ratio}, [](const StatsColumnRow& row) {
                      return share(row.column.stored.bytes, row.all_stored_bytes);
                    }});
  fields.push_back({{"ratio", Unit::ratio}, [](const StatsColumnRow& row) {
                      return stored_ratio(row.column.raw_bytes, row.column.stored);
                    }});
  fields.push_back({{"estimated"},
                    [](const StatsColumnRow& row) { return row.column.stored.is_estimate; },
                    false});
}

// What is in it.
void add_values(ReportFormat format, std::vector<StatsField<StatsColumnRow>>& fields) {
  const bool people = is_for_people(format);
  const auto count = [&](const char* name, std::uint64_t ValueStatistics::*member,
                         const Cell& usual = {}) {
    fields.push_back({{name, Unit::count},
                      [member](const StatsColumnRow& row) { return (*row.column.values).*member; },
                      usual});
  };
  const auto value = [&](const char* name, std::optional<ColumnValue> ValueStatistics::*member) {
    fields.push_back({{name}, [member, people](const StatsColumnRow& row) {
                        return value_cell((*row.column.values).*member, row.column, people);
                      }});
  };
  count("values", &ValueStatistics::values);
  value("min", &ValueStatistics::min);
  value("max", &ValueStatistics::max);
  fields.push_back({{"mean"}, [people](const StatsColumnRow& row) {
                      return real_cell(row.column.values->mean, *row.column.values, people);
                    }});
  fields.push_back({{"standard_deviation"}, [people](const StatsColumnRow& row) {
                      return real_cell(row.column.values->standard_deviation, *row.column.values,
                                       people);
                    }});
  count("zeros", &ValueStatistics::zeros);
  count("not_a_number", &ValueStatistics::not_a_number, std::uint64_t{0});
  count("infinite", &ValueStatistics::infinite, std::uint64_t{0});
  count("distinct", &ValueStatistics::distinct);
  fields.push_back({{"distinct_is_exact"},
                    [](const StatsColumnRow& row) { return row.column.values->distinct_is_exact; },
                    true});
  if (people) {
    fields.push_back({{"histogram"}, [](const StatsColumnRow& row) {
                        return cell_or_null(drawing(row.column.values->histogram));
                      }});
  }
}

}  // namespace

std::vector<StatsField<StatsBankRow>> bank_fields(const StatsOptions& options,
                                                  ReportFormat format) {
  std::vector<StatsField<StatsBankRow>> fields;
  if (!options.per_bank) {
    return fields;
  }
  if (has_rows_only(options, format)) {
    fields.push_back({{"path"}, [](const StatsBankRow& row) {
                        return row.result.file ? Cell(row.result.file->path) : Cell();
                      }});
  }
  if (options.per_tag) {
    fields.push_back({{"tag", Unit::count},
                      [](const StatsBankRow& row) { return std::uint64_t{row.bank.tag}; }});
  }
  fields.push_back({{"bank"}, [](const StatsBankRow& row) { return row.bank.name; }});
  fields.push_back({{"group", Unit::count},
                    [](const StatsBankRow& row) { return std::uint64_t{row.bank.key.group}; }});
  fields.push_back({{"item", Unit::count},
                    [](const StatsBankRow& row) { return std::uint64_t{row.bank.key.item}; }});
  fields.push_back({{"state"}, [](const StatsBankRow& row) {
                      return std::string(row.bank.events == 0      ? "absent"
                                         : row.bank.raw_bytes == 0 ? "empty"
                                                                   : "filled");
                    }});
  fields.push_back(
      {{"events", Unit::count}, [](const StatsBankRow& row) { return row.bank.events; }});
  fields.push_back({{"events_without_rows", Unit::count},
                    [](const StatsBankRow& row) { return row.bank.events_without_rows; }});
  fields.push_back(
      {{"rows", Unit::count}, [](const StatsBankRow& row) { return cell_of(row.bank.rows); }});
  fields.push_back({{"rows_per_event", Unit::ratio}, [](const StatsBankRow& row) {
                      return row.bank.rows ? ratio(*row.bank.rows, row.bank.events) : Cell();
                    }});
  fields.push_back(
      {{"raw_bytes", Unit::bytes}, [](const StatsBankRow& row) { return row.bank.raw_bytes; }});
  fields.push_back({{"raw_share", Unit::ratio}, [](const StatsBankRow& row) {
                      return ratio(row.bank.raw_bytes, row.all_raw_bytes);
                    }});
  fields.push_back({{"stored_bytes", Unit::bytes},
                    [](const StatsBankRow& row) { return cell_of(row.bank.stored.bytes); }});
  fields.push_back({{"stored_share", Unit::ratio}, [](const StatsBankRow& row) {
                      return share(row.bank.stored.bytes, row.all_stored_bytes);
                    }});
  fields.push_back({{"ratio", Unit::ratio}, [](const StatsBankRow& row) {
                      return stored_ratio(row.bank.raw_bytes, row.bank.stored);
                    }});
  fields.push_back(
      {{"estimated"}, [](const StatsBankRow& row) { return row.bank.stored.is_estimate; }, false});
  return fields;
}

std::vector<StatsField<StatsColumnRow>> column_fields(const StatsOptions& options,
                                                      ReportFormat format) {
  std::vector<StatsField<StatsColumnRow>> fields;
  if (options.per_column) {
    add_sizes(options, format, fields);
  }
  if (options.values) {
    add_values(format, fields);
  }
  return fields;
}

bool has_rows_only(const StatsOptions& options, ReportFormat format) {
  return format == ReportFormat::csv && (options.per_bank || options.per_column);
}

bool is_for_people(ReportFormat format) {
  return format == ReportFormat::text || format == ReportFormat::markdown;
}

}  // namespace hipotool::app
