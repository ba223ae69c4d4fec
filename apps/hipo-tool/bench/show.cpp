#include "bench/show.hpp"

#include "bench/text_table.hpp"
#include "report/printable.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <span>
#include <utility>

namespace hipotool::app::bench {

namespace {

constexpr double kMega = 1e6;
constexpr double kMilli = 1e3;

// Three significant digits at least, and no more decimals than that needs.
std::string figure(std::optional<double> value) {
  if (!value || !std::isfinite(*value)) {
    return "-";
  }
  const double size = std::abs(*value);
  return size >= 100  ? fmt::format("{:.0f}", *value)
         : size >= 10 ? fmt::format("{:.1f}", *value)
         : size >= 1  ? fmt::format("{:.2f}", *value)
                      : fmt::format("{:.3f}", *value);
}

std::optional<double> number_of(const Cell& cell) {
  if (const auto* natural = std::get_if<std::uint64_t>(&cell)) {
    return static_cast<double>(*natural);
  }
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) {
    return static_cast<double>(*integer);
  }
  if (const auto* real = std::get_if<double>(&cell)) {
    return *real;
  }
  return std::nullopt;
}

struct ShownUnit {
  std::string_view text;
  Better better;
};

ShownUnit unit_of(Shown what) {
  switch (what) {
    case Shown::seconds:
      return {"s", Better::less};
    case Shown::cpu_seconds:
      return {"CPU s", Better::less};
    case Shown::milliseconds:
      return {"ms", Better::less};
    case Shown::raw_rate:
      return {"raw MB/s", Better::more};
    case Shown::cpu_raw_rate:
      return {"raw MB/CPU s", Better::more};
    case Shown::stored_rate:
      return {"stored MB/s", Better::more};
    case Shown::nanoseconds_per_event:
      return {"ns/event", Better::less};
    case Shown::milliseconds_per_megabyte:
      return {"ms/raw MB", Better::less};
    case Shown::peak_memory:
      return {"peak MB", Better::less};
  }
  return {"", Better::neither};
}

std::string spoken(std::string name) {
  for (char& letter : name) {
    letter = letter == '_' ? ' ' : letter;
  }
  return name;
}

// One column of the compact table, before it becomes text.
struct Figures {
  std::string header{};
  Better better = Better::neither;
  std::vector<std::optional<double>> values{};
  std::vector<std::string> texts{};
};

void mark_best(Figures& figures) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < figures.values.size(); ++i) {
    if (!figures.values[i]) {
      continue;
    }
    const bool better =
        !best || (figures.better == Better::less ? *figures.values[i] < *figures.values[*best]
                                                 : *figures.values[i] > *figures.values[*best]);
    if (better) {
      best = i;
    }
  }
  for (std::size_t i = 0; i < figures.texts.size(); ++i) {
    const bool is_best =
        figures.better != Better::neither && best == i && figures.values.size() > 1;
    figures.texts[i] += is_best ? "*" : " ";
  }
}

Figures figures_of_fact(const Table& table, std::size_t fact) {
  const Fact& first = table.rows.front().facts[fact];
  Figures figures{.header = spoken(first.name), .better = first.better};
  if (first.unit == Unit::bytes) {
    figures.header = figures.header.ends_with(" bytes")
                         ? figures.header.substr(0, figures.header.size() - 6) + " MB"
                         : figures.header + ", MB";
  }
  for (const Row& row : table.rows) {
    const Fact& one = row.facts[fact];
    std::optional<double> value = number_of(one.value);
    if (value && one.unit == Unit::bytes) {
      value = *value / kMega;
    }
    figures.values.push_back(value);
    if (const auto* text = std::get_if<std::string>(&one.value)) {
      figures.texts.push_back(*text);
    } else {
      figures.texts.push_back(one.unit == Unit::count && value ? fmt::format("{:.0f}", *value)
                                                               : figure(value));
    }
  }
  mark_best(figures);
  return figures;
}

Figures figures_of_work(const Table& table, const ShownColumn& column) {
  const ShownUnit unit = unit_of(column.what);
  Figures figures{.header = column.work + ", " + std::string(unit.text), .better = unit.better};
  for (const Row& row : table.rows) {
    const Measurement* one = row.find(column.work);
    const std::optional<double> value = one == nullptr ? std::nullopt : one->shown(column.what);
    figures.values.push_back(value);
    const bool doubtful = one != nullptr && value && !one->real().trustworthy();
    figures.texts.push_back(figure(value) + (doubtful ? "?" : ""));
  }
  mark_best(figures);
  return figures;
}

bool any_value(const Figures& figures) {
  for (const auto& text : figures.texts) {
    if (!text.starts_with("- ") && text != "-") {
      return true;
    }
  }
  return false;
}

TextTable compact(const Table& table) {
  TextTable shown{.name = table.name, .title = table.title, .header = {table.row_name}};
  shown.notes = table.notes;
  std::vector<Figures> columns;
  for (std::size_t fact = 0; !table.rows.empty() && fact < table.rows.front().facts.size();
       ++fact) {
    columns.push_back(figures_of_fact(table, fact));
  }
  for (const ShownColumn& column : table.shown) {
    Figures figures = figures_of_work(table, column);
    if (any_value(figures)) {
      columns.push_back(std::move(figures));
    }
  }
  bool any_pareto = false;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const bool pareto = table.rows[i].pareto.value_or(false);
    any_pareto = any_pareto || pareto;
    std::vector<std::string> cells{table.rows[i].name + (pareto ? " P" : "")};
    for (const Figures& figures : columns) {
      cells.push_back(figures.texts[i]);
    }
    shown.rows.push_back(std::move(cells));
  }
  for (const Figures& figures : columns) {
    shown.header.push_back(figures.header + " ");
  }
  std::string legend = "* best of its column; ? varies by more than 8 %, not to be tuned by";
  if (any_pareto) {
    legend +=
        "; P no other format is better without being worse in file size, write, read column "
        "or read all";
  }
  shown.notes.insert(shown.notes.begin(), legend);
  return shown;
}

std::optional<double> per_second(std::uint64_t amount, double seconds) {
  return amount != 0 && seconds > 0 ? std::optional(static_cast<double>(amount) / seconds)
                                    : std::nullopt;
}

std::optional<double> scaled(std::optional<double> value, double by) {
  return value ? std::optional(*value * by) : std::nullopt;
}

std::vector<std::string> detail_row(const Row& row, const Measurement& one) {
  const Spread real = one.real();
  const Spread cpu = one.cpu();
  std::vector<std::string> cells{
      row.name + ", " + one.work,
      std::to_string(one.threads),
      std::to_string(real.samples),
      figure(real.median * kMilli),
      figure(real.least * kMilli),
      figure(real.most * kMilli),
      figure(real.deviation * kMilli),
      fmt::format("{:.1f}{}", 100 * real.variation, real.trustworthy() ? "" : "?"),
      fmt::format("{:.1f}", 100 * real.noise_floor),
      figure(cpu.median * kMilli),
      figure(scaled(per_second(one.events, real.median), 1 / kMilli)),
      figure(scaled(per_second(one.raw_bytes, real.median), 1 / kMega)),
      figure(scaled(per_second(one.raw_bytes, cpu.median), 1 / kMega)),
      figure(scaled(per_second(one.stored_bytes, real.median), 1 / kMega)),
      figure(scaled(per_second(one.stored_bytes, cpu.median), 1 / kMega))};
  if (one.counters) {
    const ReadCounters& counters = *one.counters;
    cells.push_back(std::to_string(counters.read_calls));
    cells.push_back(figure(static_cast<double>(counters.bytes_read) / kMega));
    cells.push_back(one.file_bytes ? figure(100 * static_cast<double>(counters.bytes_read) /
                                            static_cast<double>(*one.file_bytes))
                                   : "-");
    cells.push_back(figure(static_cast<double>(counters.bytes_inflated) / kMega));
    cells.push_back(figure(counters.inflate_seconds * kMilli));
    cells.push_back(figure(counters.read_seconds * kMilli));
    cells.push_back(figure(counters.wait_seconds * kMilli));
  } else {
    cells.insert(cells.end(), 7, "-");
  }
  cells.push_back(
      one.peak_memory_bytes ? figure(static_cast<double>(*one.peak_memory_bytes) / kMega) : "-");
  return cells;
}

TextTable details(const Table& table) {
  TextTable shown{.name = table.name + ", details",
                  .title =
                      "medians; MB are 10^6 bytes; noise floor is 1.31 x CoV; the counters are "
                      "of one more run"};
  shown.header = {"cell",         "threads",     "n",
                  "ms",           "min ms",      "max ms",
                  "MAD ms",       "CoV %",       "noise %",
                  "CPU ms",       "kev/s",       "raw MB/s",
                  "raw MB/CPU s", "stored MB/s", "stored MB/CPU s",
                  "read calls",   "read MB",     "% of file",
                  "inflated MB",  "inflate ms",  "in reads ms",
                  "disk wait ms", "peak MB"};
  for (const Row& row : table.rows) {
    for (const Measurement& one : row.measurements) {
      shown.rows.push_back(detail_row(row, one));
    }
  }
  return shown;
}

void append(std::string& line, std::string_view text) {
  line += line.empty() ? "" : ",";
  line += csv_field(text);
}

std::string text_of(std::optional<double> value) {
  return value ? plain(Cell(*value)) : std::string();
}

// One line for each fact and for each measurement, in base units.
void show_csv(const BenchResult& result, Output& output) {
  output.write(
      "table,row,work,value,threads,samples,median_seconds,least_seconds,most_seconds,mad_seconds,"
      "variation,noise_floor,trustworthy,cpu_seconds,raw_bytes,stored_bytes,events,checksum,"
      "read_calls,bytes_read,bytes_inflated,inflate_seconds,read_seconds,wait_seconds,"
      "peak_memory_bytes\n");
  for (const Table& table : result.tables) {
    for (const Row& row : table.rows) {
      for (const Fact& fact : row.facts) {
        std::string line;
        append(line, table.name);
        append(line, row.name);
        append(line, fact.name);
        append(line, plain(fact.value));
        output.write(line + std::string(21, ',') + "\n");
      }
      for (const Measurement& one : row.measurements) {
        const Spread real = one.real();
        std::string line;
        append(line, table.name);
        append(line, row.name);
        append(line, one.work);
        const std::vector<std::string> cells{
            "",
            std::to_string(one.threads),
            std::to_string(real.samples),
            text_of(real.median),
            text_of(real.least),
            text_of(real.most),
            text_of(real.deviation),
            text_of(real.variation),
            text_of(real.noise_floor),
            real.trustworthy() ? "true" : "false",
            text_of(one.cpu().median),
            std::to_string(one.raw_bytes),
            std::to_string(one.stored_bytes),
            std::to_string(one.events),
            one.proved ? fmt::format("{:016x}", one.samples.checksum) : "",
            one.counters ? std::to_string(one.counters->read_calls) : "",
            one.counters ? std::to_string(one.counters->bytes_read) : "",
            one.counters ? std::to_string(one.counters->bytes_inflated) : "",
            one.counters ? text_of(one.counters->inflate_seconds) : "",
            one.counters ? text_of(one.counters->read_seconds) : "",
            one.counters ? text_of(one.counters->wait_seconds) : "",
            one.peak_memory_bytes ? std::to_string(*one.peak_memory_bytes) : ""};
        for (const std::string& cell : cells) {
          append(line, cell);
        }
        output.write(line + "\n");
      }
    }
  }
}

void show_environment(const BenchResult& result, ReportFormat format, Output& output) {
  const Environment& environment = result.environment;
  std::string libraries;
  for (const auto& [name, version] : environment.libraries) {
    libraries += fmt::format("{}{}: {}", libraries.empty() ? "" : ", ", name, version);
  }
  const std::vector<std::pair<std::string, std::string>> lines{
      {"input", fmt::format("{}, {} bytes, {}{}", result.input, result.input_bytes,
                            result.input_storage, result.synthetic ? ", synthetic" : "")},
      {"command", environment.command_line},
      {"tool", fmt::format("hipo-tool {} {}, {}, {}", environment.version, environment.revision,
                           environment.build, environment.compiler)},
      {"libraries", libraries},
      {"machine",
       fmt::format("{}, {} CPUs usable, {} of memory, {}, load {}", environment.cpu,
                   environment.usable_cpus, readable({"", Unit::bytes}, environment.memory_bytes),
                   environment.kernel, figure(environment.load))},
      {"files", fmt::format("input on {}, written on {}", environment.file_system,
                            environment.work_file_system)}};
  for (const auto& [name, value] : lines) {
    output.write(format == ReportFormat::markdown
                     ? "- " + name + ": " + printable(value) + "\n"
                     : fmt::format("{:<10}{}\n", name, printable(value)));
  }
}

}  // namespace

void show(const BenchResult& result, ReportFormat format, Output& output) {
  if (format == ReportFormat::json) {
    output.write(bench_json(result));
    return;
  }
  if (format == ReportFormat::csv) {
    show_csv(result, output);
    return;
  }
  if (format == ReportFormat::markdown) {
    output.write("## bench\n\n");
  }
  show_environment(result, format, output);
  for (const Table& table : result.tables) {
    write_table(compact(table), format, output);
    write_table(details(table), format, output);
  }
}

}  // namespace hipotool::app::bench
