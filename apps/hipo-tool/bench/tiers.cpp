// Where the time of a full read goes: its steps, each timed apart, in the order in which they
// happen to a record.

#include "hipotool/record_plan.hpp"
#include "hipotool/stream_codec.hpp"
#include "hipotool/transcode.hpp"

#include "bench/tables.hpp"
#include "bench/value_checksum.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>

namespace hipotool::app::bench {

namespace {

// The sum of the steps must come so close to the full read.
constexpr double kClose = 0.10;

enum class Tier : std::uint8_t {
  headers,
  fetch,
  directories,
  inflate,
  decode,
  values,
  full,
  write
};
constexpr std::array<std::string_view, 8> kNames{"headers", "fetch",  "directories", "inflate",
                                                 "decode",  "values", "full",        "write"};

std::string name_of(Tier tier) {
  return std::string(kNames[static_cast<std::size_t>(tier)]);
}

// Goes through the sample's records as they are stored. Each step is timed record by record, the
// steps that it needs before it are not, so that what it finds in the caches is what it would find
// in a read.
class TierWork {
 public:
  explicit TierWork(Workbench& bench)
      : reader_(&bench.input()), target_(ReadTarget::of(bench.input(), bench.sample().indices)) {}

  std::uint64_t run(Tier tier, Stopwatch& watch) {
    checksum_.clear();
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < target_.indices.size(); ++i) {
      seen += run_record(tier, i, watch);
    }
    return tier == Tier::values || tier == Tier::full ? checksum_.value() : seen;
  }

 private:
  static const Projection& everything() {
    static const Projection projection = Projection::everything();
    return projection;
  }

  // Returns something that must be the same in every run.
  std::uint64_t run_record(Tier tier, std::size_t i, Stopwatch& watch) {
    const std::size_t index = target_.indices[i];
    switch (tier) {
      case Tier::headers: {
        watch.start();
        std::array<std::byte, RecordHeader::kBytes> bytes;
        reader_->source().read_at(reader_->records()[index].offset, bytes);
        const std::uint64_t events = parse_record_header(bytes).event_count;
        watch.stop();
        return events;
      }
      case Tier::fetch:
        watch.start();
        reader_->read(index, stored_);
        watch.stop();
        return stored_.bytes_read;
      case Tier::directories:
        reader_->read(index, stored_);
        watch.start();
        read_directory(stored_, context_, directory_);
        watch.stop();
        return directory_.streams.size();
      case Tier::inflate:
        reader_->read(index, stored_);
        read_directory(stored_, context_, directory_);
        return inflate_streams(watch);
      case Tier::decode:
        reader_->read(index, stored_);
        read_directory(stored_, context_, directory_);
        watch.start();
        decode(stored_, directory_, reader_->dictionary(), everything(), context_, record_);
        watch.stop();
        return record_.event_count();
      case Tier::values:
        reader_->read_record(index, everything(), context_, record_);
        watch.start();
        checksum_.add(record_, everything(), target_.first_events[i]);
        watch.stop();
        return 0;
      default:
        watch.start();
        reader_->read_record(index, everything(), context_, record_);
        checksum_.add(record_, everything(), target_.first_events[i]);
        watch.stop();
        return 0;
    }
  }

  // Each into a place of its own, as decoding does, by the bare codec.
  std::uint64_t inflate_streams(Stopwatch& watch) {
    StreamCodec& codec = codec_for(stored_.header.codec);
    std::uint64_t bytes = 0;
    for (const StreamInfo& stream : directory_.streams) {
      bytes += stream.raw_bytes;
    }
    raw_.resize_discard(bytes);
    std::size_t at = 0;
    watch.start();
    for (const StreamInfo& stream : directory_.streams) {
      if (stream.raw_bytes != 0) {
        at += codec.decompress(stored_.range(stream.offset, stream.stored_bytes),
                               raw_.span().subspan(at, stream.raw_bytes));
      }
    }
    watch.stop();
    return at;
  }

  StreamCodec& codec_for(CodecId id) { return codecs_.try_emplace(id, id).first->second; }

  const FileReader* reader_;
  ReadTarget target_;
  CodecContext context_{};
  StoredRecord stored_{};
  RecordDirectory directory_{};
  Record record_{};
  ValueChecksum checksum_{};
  std::map<CodecId, StreamCodec> codecs_{};
  Buffer raw_{};
};

// As the input's first record is stored.
Compression storage_of(const FileReader& reader) {
  const RecordHeader& header = reader.records().front().header;
  return {.codec = header.codec,
          .layout = header.layout,
          .level = codec_info(header.codec).default_level};
}

struct Step {
  std::string name;
  double seconds = 0;
  double noise_seconds = 0;
};

// What the steps of a full read take: those timed apart, and what decoding does besides inflating.
std::vector<Step> steps_of(const std::map<Tier, Spread>& spreads) {
  const auto step = [&](Tier tier, std::string name) {
    const Spread& spread = spreads.at(tier);
    return Step{std::move(name), spread.median, spread.noise_floor * spread.median};
  };
  const Step inflate = step(Tier::inflate, "decompress");
  const Step decoding = step(Tier::decode, "locate events");
  return {step(Tier::fetch, "fetch bytes"),
          step(Tier::directories, "decode directories"),
          inflate,
          {decoding.name, decoding.seconds - inflate.seconds,
           std::max(decoding.noise_seconds, inflate.noise_seconds)},
          step(Tier::values, "decode values")};
}

}  // namespace

Table measure_tiers(Workbench& bench) {
  TierWork work(bench);
  const Compression storage = storage_of(bench.input());
  WritingPass writing = bench.writing_pass(storage, bench.options().record_bytes, 1);
  std::vector<TimedCell> cells;
  constexpr std::array kTiers{Tier::headers, Tier::fetch,  Tier::directories, Tier::inflate,
                              Tier::decode,  Tier::values, Tier::full,        Tier::write};
  for (const Tier tier : kTiers) {
    TimedCell cell{.name = name_of(tier),
                   .run = [&work, tier](Stopwatch& watch) { return work.run(tier, watch); }};
    if (tier == Tier::values || tier == Tier::full) {
      cell.group = "values";
    } else if (tier == Tier::write) {
      cell.rule = kWriteRule;
      cell.run = [&](Stopwatch& watch) {
        AtomicFile file = bench.scratch_file();
        return writing.run(file, watch).file_bytes;
      };
    }
    cells.push_back(std::move(cell));
  }
  const auto timed = bench.time("tiers", cells);
  std::map<Tier, Spread> spreads;
  for (std::size_t i = 0; i < kTiers.size(); ++i) {
    spreads[kTiers[i]] = spread_of(timed[i].samples.cpu_seconds());
  }
  Table table{.name = "tiers", .row_name = "tier"};
  table.title = fmt::format(
      "{}; as stored ({}/{}); threads 1; CPU time, which other work on the machine disturbs least; "
      "n = 7 to 31",
      bench.conditions(), to_string(storage.codec), to_string(storage.layout));
  const double megabytes = static_cast<double>(bench.sample().raw_bytes) / 1e6;
  const double full = spreads[Tier::full].median;
  double sum = 0;
  const auto add_row = [&](const std::string& name, double seconds, bool is_part,
                           std::optional<std::size_t> cell) {
    Row row{.name = name};
    row.facts = {{"CPU_ms_per_raw_MB", Unit::none, seconds * 1e3 / megabytes, Better::neither},
                 {"share_of_full_read", Unit::ratio, is_part ? Cell(seconds / full) : Cell(),
                  Better::neither}};
    if (cell) {
      row.measurements.push_back(
          {.work = cells[*cell].name,
           .samples = timed[*cell].samples,
           .proved = kTiers[*cell] == Tier::values || kTiers[*cell] == Tier::full,
           .raw_bytes = bench.sample().raw_bytes,
           .stored_bytes = bench.sample().stored_bytes,
           .events = bench.sample().events,
           .peak_memory_bytes = timed[*cell].peak_memory_bytes});
    }
    table.rows.push_back(std::move(row));
  };
  add_row("scan record headers (when opening)", spreads[Tier::headers].median, false, 0);
  const std::array<std::size_t, 5> measured_as{1, 2, 3, 4, 5};
  std::size_t next = 0;
  for (const Step& step : steps_of(spreads)) {
    add_row(step.name, step.seconds, true, measured_as[next++]);
    sum += step.seconds;
    if (step.seconds < -step.noise_seconds) {
      table.notes.push_back(fmt::format(
          "NOT CONSISTENT: {} came out negative beyond the noise floor; measure again", step.name));
    }
  }
  add_row("sum of these", sum, true, std::nullopt);
  add_row("full read", full, true, 6);
  add_row("write (encode, append)", spreads[Tier::write].median, false, 7);
  if (std::abs(sum - full) > kClose * full) {
    table.notes.push_back(
        fmt::format("NOT CONSISTENT: the steps add up to {:.0f} % of the full read; measure again",
                    100 * sum / full));
  }
  table.notes.emplace_back(
      "\"locate events\" is decoding less the bare decompression of the same streams; the details "
      "show decoding as a whole.");
  return table;
}

}  // namespace hipotool::app::bench
