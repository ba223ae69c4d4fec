// Tables about the input as it is stored: what a tag filter costs, and whether reading it waits for
// the disk or for the CPU.

#include "hipotool/counted.hpp"
#include "hipotool/error.hpp"
#include "hipotool/rewrite.hpp"
#include "hipotool/selection.hpp"
#include "hipotool/transcode.hpp"

#include "bench/cold_pages.hpp"
#include "bench/tables.hpp"
#include "bench/value_checksum.hpp"

#include <fmt/format.h>

#include <limits>
#include <memory>
#include <optional>
#include <utility>

namespace hipotool::app::bench {

namespace {

constexpr double kOnePercent = 0.01;

struct Filter {
  std::string name{};
  std::unique_ptr<EventSelector> selector{};  // null: none
};

std::vector<Filter> make_filters(const FileReader& input) {
  const FileReader* inputs = &input;
  Selection selection;
  selection.tags.push_back({.values = {{0, std::numeric_limits<std::uint32_t>::max()}}});
  selection.only = true;
  std::vector<Filter> filters;
  filters.push_back({.name = "none"});
  filters.push_back({.name = "all pass",
                     .selector = std::make_unique<EventSelector>(
                         selection, std::span<const FileReader* const>(&inputs, 1))});
  selection.share = kOnePercent;
  filters.push_back({.name = "1 % passes",
                     .selector = std::make_unique<EventSelector>(
                         selection, std::span<const FileReader* const>(&inputs, 1))});
  return filters;
}

std::uint64_t filter(Workbench& bench, const Filter& one, Stopwatch& watch) {
  const FileReader* input = &bench.input();
  RewriteOptions options;
  options.compression = {.codec = CodecId::lz4, .layout = LayoutId::per_column};
  options.reencode = true;
  options.verify = Verify::none;
  options.accept_cut = true;
  options.memory_bytes = bench.memory_bytes();
  options.selector = one.selector.get();
  AtomicFile file = bench.scratch_file();
  watch.start();
  const RewriteSummary summary =
      rewrite({&input, 1}, bench.input().dictionary_events(), file, options);
  watch.stop();
  return summary.events;
}

// What a read consists of, each alone.
class InputWork {
 public:
  explicit InputWork(Workbench& bench)
      : target_(ReadTarget::of(bench.input(), bench.sample().indices)) {
    for (const std::size_t index : target_.indices) {
      target_.reader->read(index, stored_.emplace_back());
    }
  }

  std::uint64_t fetch(Stopwatch& watch) {
    std::uint64_t bytes = 0;
    watch.start();
    for (const std::size_t index : target_.indices) {
      target_.reader->read(index, fetched_);
      bytes += fetched_.bytes_read;
    }
    watch.stop();
    return bytes;
  }

  std::uint64_t decode_stored(Stopwatch& watch) {
    checksum_.clear();
    watch.start();
    for (std::size_t i = 0; i < stored_.size(); ++i) {
      read_directory(stored_[i], context_, directory_);
      decode(stored_[i], directory_, target_.reader->dictionary(), everything_, context_, record_);
      checksum_.add(record_, everything_, target_.first_events[i]);
    }
    watch.stop();
    return checksum_.value();
  }

 private:
  ReadTarget target_;
  std::vector<StoredRecord> stored_{};
  StoredRecord fetched_{};
  Projection everything_ = Projection::everything();
  CodecContext context_{};
  RecordDirectory directory_{};
  Record record_{};
  ValueChecksum checksum_{};
};

std::string verdict_of(std::optional<Spread> cold, const Spread& warm, const Spread& fetch,
                       const Spread& decoding) {
  const double share = 100 * decoding.median / warm.median;
  std::string text =
      fmt::format("Warm, decoding takes {:.0f} % of a full read and fetching {:.0f} %", share,
                  100 * fetch.median / warm.median);
  if (!cold) {
    return text + "; cold is not known here.";
  }
  const double waiting = cold->median - warm.median;
  switch (compare({warm.median, warm.noise_floor}, {cold->median, cold->noise_floor})) {
    case Verdict::slower:
      return text + fmt::format("; cold, {:.0f} % of the time is waiting for the disk: {}.",
                                100 * waiting / cold->median,
                                waiting > warm.median
                                    ? "bound by I/O, so a smaller file or a narrower read helps"
                                    : "bound by the CPU, so a faster codec helps");
    default:
      return text + "; a cold read is not measurably slower: bound by the CPU.";
  }
}

}  // namespace

Table measure_tag_filter(Workbench& bench) {
  const std::vector<Filter> filters = make_filters(bench.input());
  std::vector<TimedCell> cells;
  cells.reserve(filters.size());
  for (const Filter& one : filters) {
    cells.push_back({.name = one.name, .rule = kWriteRule, .run = [&](Stopwatch& watch) {
                       return filter(bench, one, watch);
                     }});
  }
  // All pass must mean all.
  cells[0].group = cells[1].group = "events";
  const auto timed = bench.time("tag-filter", cells);
  const auto events = static_cast<double>(bench.input().event_count());
  Table table{.name = "tag-filter", .row_name = "filter"};
  table.title = fmt::format(
      "{}recook of the whole file, {}, to lz4/per-column, every record encoded anew, "
      "without "
      "verification; 1 thread and one that writes; n = 3",
      bench.synthetic() ? "synthetic, directional only; " : "",
      counted(bench.input().event_count(), "event"));
  table.shown = {{"filter", Shown::seconds}, {"filter", Shown::nanoseconds_per_event}};
  const Spread none = spread_of(timed[0].samples.real_seconds());
  for (std::size_t i = 0; i < filters.size(); ++i) {
    const Spread spread = spread_of(timed[i].samples.real_seconds());
    Row row{.name = filters[i].name};
    row.facts = {
        {"events_passed", Unit::count, timed[i].samples.checksum, Better::neither},
        {"difference_ns_per_event", Unit::none,
         i == 0 ? Cell() : Cell((spread.median - none.median) * 1e9 / events), Better::neither},
        {"verdict", Unit::none,
         i == 0 ? Cell()
                : Cell(std::string(to_string(compare({none.median, none.noise_floor},
                                                     {spread.median, spread.noise_floor})))),
         Better::neither}};
    row.measurements.push_back({.work = "filter",
                                .samples = timed[i].samples,
                                .raw_bytes = raw_bytes_of(bench.input(), bench.memory_bytes()),
                                .stored_bytes = bench.input().file_bytes(),
                                .events = bench.input().event_count(),
                                .peak_memory_bytes = timed[i].peak_memory_bytes});
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table measure_input(Workbench& bench) {
  InputWork work(bench);
  ReadingPass warm(ReadTarget::of(bench.input(), bench.sample().indices), Scope::all,
                   Projection::everything(), 1, bench.memory_bytes());
  ReadingPass cold(ReadTarget::of(bench.input(), bench.sample().indices), Scope::all,
                   Projection::everything(), 1, bench.memory_bytes());
  std::unique_ptr<ColdPages> pages;
  std::string no_cold;
  try {
    pages = std::make_unique<ColdPages>(bench.path(), Ownership::foreign);
    pages->evict();
  } catch (const Error& error) {
    if (bench.options().cold || error.code() != ErrorCode::unsupported) {
      throw;
    }
    pages.reset();
    no_cold = "No cold read: " + error.message();
  }
  std::vector<TimedCell> cells;
  cells.push_back({.name = "warm read", .group = "values", .run = [&](Stopwatch& watch) {
                     return warm.run(watch);
                   }});
  cells.push_back({.name = "read without decoding",
                   .run = [&](Stopwatch& watch) { return work.fetch(watch); }});
  cells.push_back({.name = "decode of bytes in memory",
                   .group = "values",
                   .run = [&](Stopwatch& watch) { return work.decode_stored(watch); }});
  if (pages) {
    // The last one, so that the next round's warm read pays for it in its warm-up read.
    cells.push_back({.name = "cold read", .group = "values", .run = [&](Stopwatch& watch) {
                       pages->evict();
                       return cold.run(watch);
                     }});
  }
  const auto timed = bench.time("io", cells);
  Table table{.name = "io", .row_name = "work"};
  table.title = fmt::format("{}; as stored; threads 1; n = 7 to 31", bench.conditions());
  std::vector<Spread> spreads;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    spreads.push_back(spread_of(timed[i].samples.real_seconds()));
    Row row{.name = cells[i].name};
    const double seconds = spreads.back().median;
    row.facts = {
        {"raw_MB_per_s", Unit::none, static_cast<double>(bench.sample().raw_bytes) / 1e6 / seconds,
         Better::neither},
        {"stored_MB_per_s", Unit::none,
         static_cast<double>(bench.sample().stored_bytes) / 1e6 / seconds, Better::neither}};
    row.measurements.push_back({.work = cells[i].name,
                                .samples = timed[i].samples,
                                .proved = i != 1,
                                .raw_bytes = bench.sample().raw_bytes,
                                .stored_bytes = bench.sample().stored_bytes,
                                .events = bench.sample().events,
                                .peak_memory_bytes = timed[i].peak_memory_bytes});
    if (cells[i].name == "cold read") {
      pages->evict();
      row.measurements.back().counters = cold.count(bench.input_source());
    } else if (i == 0) {
      row.measurements.back().counters = warm.count(bench.input_source());
    }
    if (row.measurements.back().counters) {
      row.measurements.back().file_bytes = bench.input().file_bytes();
    }
    table.rows.push_back(std::move(row));
  }
  table.notes.push_back(verdict_of(pages ? std::optional(spreads[3]) : std::nullopt, spreads[0],
                                   spreads[1], spreads[2]));
  if (!no_cold.empty()) {
    table.notes.push_back(no_cold);
  }
  return table;
}

}  // namespace hipotool::app::bench
