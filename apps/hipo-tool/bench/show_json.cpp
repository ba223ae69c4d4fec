#include "bench/show.hpp"
#include "report/json_text.hpp"

#include <fmt/format.h>

#include <optional>
#include <type_traits>
#include <variant>

namespace hipotool::app::bench {

namespace {

// Appends members to an object that somebody else opens and closes.
class Members {
 public:
  explicit Members(std::string& out) : out_(out) {}

  std::string& key(std::string_view name) {
    out_ += first_ ? "" : ",";
    first_ = false;
    append_json_string(out_, name);
    out_ += ':';
    return out_;
  }
  void text(std::string_view name, std::string_view value) {
    out_ += first_ ? "" : ",";
    first_ = false;
    append_json_member(out_, name, value);
  }
  void text_or_null(std::string_view name, std::string_view value) {
    if (value.empty()) {
      key(name) += "null";
    } else {
      text(name, value);
    }
  }
  void flag(std::string_view name, bool value) { key(name) += value ? "true" : "false"; }
  void number(std::string_view name, std::uint64_t value) { append_json_number(key(name), value); }
  void real(std::string_view name, double value) { append_json_number(key(name), value); }
  template <typename T>
  void optional(std::string_view name, const std::optional<T>& value) {
    std::string& out = key(name);
    if (value) {
      append_json_number(out, *value);
    } else {
      out += "null";
    }
  }
  void cell(std::string_view name, const Cell& value) {
    std::visit(
        [&](const auto& one) {
          using T = std::decay_t<decltype(one)>;
          if constexpr (std::is_same_v<T, std::monostate>) {
            key(name) += "null";
          } else if constexpr (std::is_same_v<T, std::string>) {
            text(name, one);
          } else if constexpr (std::is_same_v<T, bool>) {
            flag(name, one);
          } else {
            append_json_number(key(name), one);
          }
        },
        value);
  }

 private:
  std::string& out_;
  bool first_ = true;
};

template <typename Range, typename Write>
void append_list(std::string& out, const Range& range, const Write& write) {
  out += '[';
  bool first = true;
  for (const auto& one : range) {
    out += first ? "" : ",";
    first = false;
    write(one);
  }
  out += ']';
}

void append_spread(std::string& out, const Spread& spread) {
  out += '{';
  Members members(out);
  members.real("median_seconds", spread.median);
  members.real("least_seconds", spread.least);
  members.real("most_seconds", spread.most);
  members.real("mad_seconds", spread.deviation);
  members.real("variation", spread.variation);
  members.real("noise_floor", spread.noise_floor);
  out += '}';
}

void append_counters(std::string& out, const Measurement& one) {
  if (!one.counters) {
    out += "null";
    return;
  }
  const ReadCounters& counters = *one.counters;
  out += '{';
  Members members(out);
  members.number("read_calls", counters.read_calls);
  members.number("bytes_read", counters.bytes_read);
  members.optional("file_share", one.file_bytes
                                     ? std::optional(static_cast<double>(counters.bytes_read) /
                                                     static_cast<double>(*one.file_bytes))
                                     : std::nullopt);
  members.number("bytes_inflated", counters.bytes_inflated);
  members.real("inflate_seconds", counters.inflate_seconds);
  members.real("read_seconds", counters.read_seconds);
  members.real("wait_seconds", counters.wait_seconds);
  out += '}';
}

std::optional<double> rate(std::uint64_t amount, double seconds) {
  return amount != 0 && seconds > 0 ? std::optional(static_cast<double>(amount) / seconds)
                                    : std::nullopt;
}

void append_measurement(std::string& out, const Measurement& one) {
  const Spread real = one.real();
  const Spread cpu = one.cpu();
  out += '{';
  Members members(out);
  members.text("work", one.work);
  members.number("threads", one.threads);
  members.number("samples", real.samples);
  append_spread(members.key("real"), real);
  append_spread(members.key("cpu"), cpu);
  members.flag("trustworthy", real.trustworthy());
  append_list(members.key("real_seconds"), one.samples.real_seconds(),
              [&](double seconds) { append_json_number(out, seconds); });
  append_list(members.key("cpu_seconds"), one.samples.cpu_seconds(),
              [&](double seconds) { append_json_number(out, seconds); });
  members.text_or_null("checksum",
                       one.proved ? fmt::format("{:016x}", one.samples.checksum) : std::string());
  members.number("raw_bytes", one.raw_bytes);
  members.number("stored_bytes", one.stored_bytes);
  members.number("events", one.events);
  members.optional("raw_bytes_per_second", rate(one.raw_bytes, real.median));
  members.optional("raw_bytes_per_cpu_second", rate(one.raw_bytes, cpu.median));
  members.optional("stored_bytes_per_second", rate(one.stored_bytes, real.median));
  members.optional("stored_bytes_per_cpu_second", rate(one.stored_bytes, cpu.median));
  members.optional("events_per_second", rate(one.events, real.median));
  append_counters(members.key("counters"), one);
  members.optional("peak_memory_bytes", one.peak_memory_bytes);
  out += '}';
}

void append_row(std::string& out, const Row& row) {
  out += '{';
  Members members(out);
  members.text("name", row.name);
  if (row.pareto) {
    members.flag("pareto", *row.pareto);
  } else {
    members.key("pareto") += "null";
  }
  members.key("facts") += '{';
  Members facts(out);
  for (const Fact& fact : row.facts) {
    facts.cell(fact.name, fact.value);
  }
  out += '}';
  append_list(members.key("measurements"), row.measurements,
              [&](const Measurement& one) { append_measurement(out, one); });
  out += '}';
}

void append_table(std::string& out, const Table& table) {
  out += '{';
  Members members(out);
  members.text("name", table.name);
  members.text("title", table.title);
  append_list(members.key("rows"), table.rows, [&](const Row& row) { append_row(out, row); });
  append_list(members.key("notes"), table.notes,
              [&](const std::string& note) { append_json_string(out, note); });
  out += '}';
}

void append_environment(std::string& out, const Environment& environment) {
  out += '{';
  Members members(out);
  members.text("version", environment.version);
  members.text("revision", environment.revision);
  members.text("build", environment.build);
  members.text("compiler", environment.compiler);
  members.key("libraries") += '{';
  Members libraries(out);
  for (const auto& [name, version] : environment.libraries) {
    libraries.text(name, version);
  }
  out += '}';
  members.text_or_null("cpu", environment.cpu);
  members.number("usable_cpus", environment.usable_cpus);
  members.optional("cpu_limit", environment.cpu_limit);
  members.number("memory_bytes", environment.memory_bytes);
  members.optional("memory_limit_bytes", environment.memory_limit_bytes);
  members.text_or_null("kernel", environment.kernel);
  members.text("file_system", environment.file_system);
  members.text("work_file_system", environment.work_file_system);
  members.optional("load", environment.load);
  out += '}';
}

}  // namespace

std::string bench_json(const BenchResult& result) {
  std::string out = "{";
  Members members(out);
  members.text("schema", "hipo-tool/bench/1");
  members.text("view", "results");
  members.text("command_line", result.environment.command_line);
  append_environment(members.key("environment"), result.environment);
  members.text("input", result.input);
  members.number("input_bytes", result.input_bytes);
  members.text("input_storage", result.input_storage);
  members.flag("synthetic", result.synthetic);
  members.flag("cold", result.cold);
  members.flag("isolated", result.isolated);
  members.text("sample", result.sample);
  append_list(members.key("tables"), result.tables,
              [&](const Table& table) { append_table(out, table); });
  return out + "}\n";
}

}  // namespace hipotool::app::bench
