// Tables whose rows differ in one number: threads, record size, memory.

#include "hipotool/counted.hpp"
#include "hipotool/rewrite.hpp"

#include "bench/cold_pages.hpp"
#include "bench/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace hipotool::app::bench {

namespace {

constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20U;

std::string mebibytes(std::uint64_t bytes) {
  return bytes % kMebibyte == 0 ? fmt::format("{} MiB", bytes / kMebibyte)
                                : fmt::format("{} bytes", bytes);
}

// What a sweep rewrites to: the first format that was asked for, per-column lz4 by default.
Compression sweep_format(const Workbench& bench) {
  const std::vector<Compression>& formats = bench.options().formats;
  const Compression usual{.codec = CodecId::lz4, .layout = LayoutId::per_column};
  const bool has_usual = std::find(formats.begin(), formats.end(), usual) != formats.end();
  return has_usual || formats.empty() ? usual : formats.front();
}

RewriteOptions recook_options(Workbench& bench, unsigned threads, std::uint64_t memory_bytes) {
  RewriteOptions options;
  options.compression = sweep_format(bench);
  options.record_bytes = bench.options().record_bytes;
  options.reencode = true;
  options.verify = Verify::none;
  options.accept_cut = true;
  options.threads = threads;
  options.memory_bytes = memory_bytes;
  return options;
}

// The whole input to a file that nobody keeps. Returns the bytes of that file.
std::uint64_t recook(Workbench& bench, const RewriteOptions& options, Stopwatch& watch) {
  const FileReader* input = &bench.input();
  AtomicFile file = bench.scratch_file();
  watch.start();
  const RewriteSummary summary =
      rewrite({&input, 1}, bench.input().dictionary_events(), file, options);
  watch.stop();
  return summary.file_bytes_out;
}

std::vector<unsigned> thread_counts(const BenchOptions& options, unsigned usable) {
  if (options.threads.size() > 1) {
    return options.threads;
  }
  std::vector<unsigned> counts;
  for (unsigned count = 1; count <= std::max(usable, options.threads.front()); count *= 2) {
    counts.push_back(count);
  }
  return counts;
}

void add_scaling(Table& table) {
  for (Row& row : table.rows) {
    for (const std::string work : {"read all", "recook"}) {
      const Measurement* first = table.rows.front().find(work);
      const Measurement* mine = row.find(work);
      const double speed_up = first->real().median / mine->real().median;
      const std::string name = work == "recook" ? "recook" : "read";
      row.facts.push_back({name + "_speed_up", Unit::ratio, speed_up, Better::more});
      row.facts.push_back({name + "_efficiency", Unit::ratio,
                           speed_up * first->threads / mine->threads, Better::more});
    }
  }
}

}  // namespace

Table measure_threads(Workbench& bench) {
  const std::vector<unsigned> counts =
      thread_counts(bench.options(), read_environment(bench.path(), ".").usable_cpus);
  const std::uint64_t raw_bytes = raw_bytes_of(bench.input(), bench.memory_bytes());
  ReadingMemories memories;
  const auto memory = memories.of(Scope::all, bench.input().records().front().header.layout);
  std::vector<std::unique_ptr<ReadingPass>> readings;
  std::vector<TimedCell> cells;
  for (const unsigned threads : counts) {
    readings.push_back(std::make_unique<ReadingPass>(ReadTarget::whole(bench.input()), Scope::all,
                                                     Projection::everything(), threads,
                                                     bench.memory_bytes(), memory));
    ReadingPass& reading = *readings.back();
    cells.push_back({.name = counted(threads, "thread") + ", read all",
                     .group = "all",
                     .run = [&reading](Stopwatch& watch) { return reading.run(watch); }});
    cells.push_back({.name = counted(threads, "thread") + ", recook",
                     .group = "recook",
                     .rule = kWriteRule,
                     .run = [&bench, threads](Stopwatch& watch) {
                       return recook(bench, recook_options(bench, threads, bench.memory_bytes()),
                                     watch);
                     }});
  }
  const auto timed = bench.time("threads", cells);
  Table table{.name = "threads", .row_name = "threads"};
  table.title = fmt::format(
      "{}the whole file, {}, {} bytes raw; recook to {} without verification, one more "
      "thread writes; read n = 7 to 31, recook n = 3",
      bench.synthetic() ? "synthetic, directional only; " : "",
      counted(bench.input().records().size(), "record"), raw_bytes, to_string(sweep_format(bench)));
  table.shown = {{"read all", Shown::milliseconds}, {"recook", Shown::seconds}};
  for (std::size_t i = 0; i < counts.size(); ++i) {
    Row row{.name = std::to_string(counts[i])};
    for (std::size_t side = 0; side < 2; ++side) {
      row.measurements.push_back({.work = side == 0 ? "read all" : "recook",
                                  .threads = counts[i],
                                  .samples = timed[2 * i + side].samples,
                                  .proved = side == 0,
                                  .raw_bytes = raw_bytes,
                                  .stored_bytes = bench.input().file_bytes(),
                                  .events = bench.input().event_count(),
                                  .peak_memory_bytes = timed[2 * i + side].peak_memory_bytes});
    }
    table.rows.push_back(std::move(row));
  }
  add_scaling(table);
  table.notes.emplace_back(
      "Threads share records: a file with fewer records than threads cannot be faster.");
  return table;
}

Table measure_record_sizes(Workbench& bench) {
  std::vector<std::uint64_t> sizes = bench.options().record_sizes;
  for (std::uint64_t size = kMebibyte;
       bench.options().record_sizes.empty() && size <= 64 * kMebibyte; size *= 2) {
    sizes.push_back(size);
  }
  const Compression compression = sweep_format(bench);
  const unsigned many = std::max(
      bench.options().threads.back(),
      bench.options().threads.size() > 1 ? 1U : read_environment(bench.path(), ".").usable_cpus);
  ReadingMemories memories;
  std::vector<FormatFile> files;
  std::vector<std::unique_ptr<ReadingPass>> readings;
  std::vector<TimedCell> cells;
  struct Kind {
    Scope scope;
    unsigned threads;
    std::string work;
  };
  const std::vector<Kind> kinds{{Scope::column, 1, "read column"},
                                {Scope::all, 1, "read all"},
                                {Scope::all, many, "read all, " + counted(many, "thread")}};
  for (const std::uint64_t size : sizes) {
    bench.tell("record-size: writing " + mebibytes(size));
    WritingPass pass = bench.writing_pass(compression, size, 1);
    files.push_back(bench.write_format(pass));
    for (const Kind& kind : kinds) {
      readings.push_back(std::make_unique<ReadingPass>(
          ReadTarget::whole(*files.back().reader), kind.scope,
          bench.scopes().projection(kind.scope), kind.threads, bench.memory_bytes(),
          memories.of(kind.scope, compression.layout)));
      ReadingPass& reading = *readings.back();
      cells.push_back({.name = fmt::format("{}, {}", mebibytes(size), kind.work),
                       .group = std::string(to_string(kind.scope)),
                       .run = [&reading](Stopwatch& watch) { return reading.run(watch); }});
    }
  }
  const auto timed = bench.time("record-size", cells);
  WritingPass usual = bench.writing_pass(compression, 0, 1);
  const auto usual_bytes = static_cast<double>(bench.write_format(usual).summary.file_bytes);
  Table table{.name = "record-size", .row_name = "record size"};
  table.title = fmt::format("{}; {}; n = 7 to 31", bench.conditions(), to_string(compression));
  for (const Kind& kind : kinds) {
    table.shown.push_back({kind.work, Shown::milliseconds});
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::uint64_t bytes = files[i].summary.file_bytes;
    Row row{.name = mebibytes(sizes[i])};
    row.facts = {
        {"file_bytes", Unit::bytes, bytes, Better::less},
        {"size_to_usual", Unit::ratio, static_cast<double>(bytes) / usual_bytes, Better::less},
        {"records", Unit::count, files[i].summary.records, Better::neither}};
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
      const std::size_t cell = i * kinds.size() + kind;
      const ReadCounters counters = readings[cell]->count(*files[i].source);
      row.measurements.push_back(
          {.work = kinds[kind].work,
           .threads = kinds[kind].threads,
           .samples = timed[cell].samples,
           .proved = true,
           .raw_bytes =
               kinds[kind].scope == Scope::all ? bench.sample().raw_bytes : counters.bytes_inflated,
           .stored_bytes = kinds[kind].scope == Scope::all ? bytes : counters.bytes_read,
           .events = bench.sample().events,
           .counters = counters,
           .file_bytes = bytes,
           .peak_memory_bytes = timed[cell].peak_memory_bytes});
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table measure_budgets(Workbench& bench) {
  std::vector<std::uint64_t> budgets = bench.options().budgets;
  if (budgets.empty()) {
    budgets = {128 * kMebibyte, 256 * kMebibyte, 512 * kMebibyte, 1024 * kMebibyte};
  }
  const unsigned threads = bench.options().threads.back();
  const FileReader* input = &bench.input();
  std::vector<std::string> notes;
  std::erase_if(budgets, [&](std::uint64_t budget) {
    try {
      static_cast<void>(plan_rewrite({&input, 1}, recook_options(bench, threads, budget)));
      return false;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::over_budget) {
        throw;
      }
      notes.push_back(fmt::format("{}: {}", mebibytes(budget), error.message()));
      return true;
    }
  });
  std::vector<TimedCell> cells;
  cells.reserve(budgets.size());
  for (const std::uint64_t budget : budgets) {
    cells.push_back({.name = mebibytes(budget),
                     .group = "recook",
                     .rule = kWriteRule,
                     .run = [&bench, threads, budget](Stopwatch& watch) {
                       return recook(bench, recook_options(bench, threads, budget), watch);
                     }});
  }
  const auto timed = bench.time("memory", cells);
  const std::uint64_t raw_bytes = raw_bytes_of(bench.input(), bench.memory_bytes());
  Table table{.name = "memory", .row_name = "budget"};
  table.title = fmt::format(
      "{}recook of the whole file, {} bytes raw, to {} without verification; threads {} and one "
      "that writes; n = 3",
      bench.synthetic() ? "synthetic, directional only; " : "", raw_bytes,
      to_string(sweep_format(bench)), threads);
  table.shown = {
      {"recook", Shown::seconds}, {"recook", Shown::raw_rate}, {"recook", Shown::peak_memory}};
  for (std::size_t i = 0; i < budgets.size(); ++i) {
    Row row{.name = mebibytes(budgets[i])};
    const RewritePlan plan = plan_rewrite({&input, 1}, recook_options(bench, threads, budgets[i]));
    row.facts = {{"threads_allowed", Unit::count, std::uint64_t{plan.threads}, Better::neither},
                 {"predicted_peak_bytes", Unit::bytes, plan.predicted_peak_bytes, Better::less}};
    row.measurements.push_back({.work = "recook",
                                .threads = plan.threads,
                                .samples = timed[i].samples,
                                .raw_bytes = raw_bytes,
                                .stored_bytes = bench.input().file_bytes(),
                                .events = bench.input().event_count(),
                                .peak_memory_bytes = timed[i].peak_memory_bytes});
    table.rows.push_back(std::move(row));
  }
  table.notes = std::move(notes);
  table.notes.emplace_back(bench.options().isolate
                               ? "The peak holds the sample as well, which the benchmark keeps."
                               : "Peak memory is only known with --isolate.");
  return table;
}

}  // namespace hipotool::app::bench
