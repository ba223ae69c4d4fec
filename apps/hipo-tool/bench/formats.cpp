// Each codec and layout: the size that the sample takes, how long writing it takes, and reading by
// scope.

#include "hipotool/counted.hpp"
#include "hipotool/record_plan.hpp"

#include "bench/cold_pages.hpp"
#include "bench/tables.hpp"

#include <fmt/format.h>

#include <array>
#include <memory>
#include <utility>

namespace hipotool::app::bench {

namespace {

struct Format {
  Compression compression{};
  WritingPass writing;
  FormatFile file;
  std::vector<std::unique_ptr<ReadingPass>> readings{};
  std::unique_ptr<ColdPages> pages{};
};

// What the sample takes per-chunk with codec none, as a file.
std::uint64_t uncompressed_bytes(Workbench& bench) {
  WritingPass pass = bench.writing_pass({.codec = CodecId::none}, 0, 1);
  AtomicFile file = bench.scratch_file();
  Stopwatch unused(bench.clock());
  return pass.run(file, unused).file_bytes;
}

Format make_format(Workbench& bench, const Compression& compression, ReadingMemories& memories) {
  bench.tell("formats: writing " + to_string(compression));
  const unsigned threads = bench.options().threads.front();
  WritingPass writing = bench.writing_pass(compression, bench.options().record_bytes, threads);
  FormatFile file = bench.write_format(writing);
  Format format{.compression = compression, .writing = std::move(writing), .file = std::move(file)};
  for (const Scope scope : kScopes) {
    format.readings.push_back(std::make_unique<ReadingPass>(
        ReadTarget::whole(*format.file.reader), scope, bench.scopes().projection(scope), threads,
        bench.memory_bytes(), memories.of(scope, compression.layout)));
  }
  if (bench.options().cold) {
    format.pages = std::make_unique<ColdPages>(format.file.file.temporary(), Ownership::ours);
  }
  return format;
}

TimedCell writing_cell(Workbench& bench, Format& format) {
  return {.name = to_string(format.compression) + ", write",
          .expected = format.file.summary.file_bytes,
          .rule = kWriteRule,
          .run = [&](Stopwatch& watch) {
            AtomicFile file = bench.scratch_file();
            return format.writing.run(file, watch).file_bytes;
          }};
}

TimedCell reading_cell(Format& format, std::size_t scope) {
  const std::string name(to_string(kScopes[scope]));
  return {.name = to_string(format.compression) + ", read " + name,
          .group = name,
          .run = [&format, scope](Stopwatch& watch) {
            if (format.pages) {
              format.pages->evict();
            }
            return format.readings[scope]->run(watch);
          }};
}

std::vector<Fact> facts_of(const Format& format, const Sample& sample, std::uint64_t uncompressed) {
  const auto bytes = static_cast<double>(format.file.summary.file_bytes);
  return {{"file_bytes", Unit::bytes, format.file.summary.file_bytes, Better::less},
          {"ratio", Unit::ratio, static_cast<double>(uncompressed) / bytes, Better::more},
          {"bytes_per_event", Unit::none, bytes / static_cast<double>(sample.events), Better::less},
          {"records", Unit::count, format.file.summary.records, Better::neither}};
}

// What a narrow scope amounts to is what it had to inflate and to fetch.
Measurement about_reading(Workbench& bench, Format& format, std::size_t scope,
                          const Workbench::Timed& timed) {
  const ReadCounters counters = format.readings[scope]->count(*format.file.source);
  const bool all = kScopes[scope] == Scope::all;
  return {.work = work_of(kScopes[scope]),
          .threads = kScopes[scope] == Scope::meta ? 1 : bench.options().threads.front(),
          .samples = timed.samples,
          .proved = true,
          .raw_bytes = all ? bench.sample().raw_bytes : counters.bytes_inflated,
          .stored_bytes = all ? format.file.summary.file_bytes : counters.bytes_read,
          .events = bench.sample().events,
          .counters = counters,
          .file_bytes = format.file.summary.file_bytes,
          .peak_memory_bytes = timed.peak_memory_bytes};
}

std::string title_of(Workbench& bench) {
  const ScopeChoice& scopes = bench.scopes();
  return fmt::format(
      "{}; column {}.{}, bank {}, some: {}; threads {}; write n = 3, read n = 7 to 31",
      bench.conditions(), scopes.bank_name, scopes.column_name, scopes.bank_name,
      counted(scopes.some.size(), "bank"), bench.options().threads.front());
}

}  // namespace

std::string work_of(Scope scope) {
  return "read " + std::string(to_string(scope));
}

Table measure_formats(Workbench& bench) {
  const std::uint64_t uncompressed = uncompressed_bytes(bench);
  ReadingMemories memories;
  std::vector<Format> formats;
  formats.reserve(bench.options().formats.size());
  for (const Compression& compression : bench.options().formats) {
    formats.push_back(make_format(bench, compression, memories));
  }
  std::vector<TimedCell> cells;
  for (Format& format : formats) {
    cells.push_back(writing_cell(bench, format));
    for (std::size_t scope = 0; scope < kScopes.size(); ++scope) {
      cells.push_back(reading_cell(format, scope));
    }
  }
  const auto timed = bench.time("formats", cells);

  Table table{.name = "formats", .title = title_of(bench), .row_name = "format"};
  table.shown = {
      {"write", Shown::seconds}, {"write", Shown::cpu_seconds}, {"write", Shown::raw_rate}};
  for (const Scope scope : kScopes) {
    table.shown.push_back({work_of(scope), Shown::milliseconds});
  }
  std::size_t cell = 0;
  for (Format& format : formats) {
    Row row{.name = to_string(format.compression),
            .facts = facts_of(format, bench.sample(), uncompressed)};
    const unsigned threads = bench.options().threads.front();
    const std::uint64_t file_bytes = format.file.summary.file_bytes;
    row.measurements.push_back({.work = "write",
                                .threads = threads,
                                .samples = timed[cell].samples,
                                .raw_bytes = bench.sample().raw_bytes,
                                .stored_bytes = file_bytes,
                                .events = bench.sample().events,
                                .peak_memory_bytes = timed[cell].peak_memory_bytes});
    ++cell;
    for (std::size_t scope = 0; scope < kScopes.size(); ++scope, ++cell) {
      if (format.pages) {
        format.pages->evict();
      }
      row.measurements.push_back(about_reading(bench, format, scope, timed[cell]));
    }
    table.rows.push_back(std::move(row));
  }
  constexpr std::array<std::string_view, 3> kWorks{"write", "read column", "read all"};
  mark_pareto(table, "file_bytes", kWorks);
  table.notes.emplace_back(
      "Rates of `read all` count the sample's bytes; those of narrower scopes what they inflate "
      "and "
      "fetch. Writing ends in the page cache; nothing is synced.");
  return table;
}

}  // namespace hipotool::app::bench
