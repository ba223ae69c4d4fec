#include "bench/levels.hpp"

#include "hipotool/record_plan.hpp"
#include "hipotool/transcode.hpp"

#include "bench/tables.hpp"
#include "bench/value_checksum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace hipotool::app::bench {

namespace {

// The highest levels take seconds for each megabyte.
constexpr std::uint64_t kStreamBytes = std::uint64_t{8} << 20U;

std::uint64_t size_of(std::span<const ByteSpan> streams) {
  std::uint64_t bytes = 0;
  for (const ByteSpan stream : streams) {
    bytes += stream.size();
  }
  return bytes;
}

// Memory that the codecs take turns in.
struct Scratch {
  Buffer stored{};
  Buffer raw{};
};

// One codec at work on all streams.
class CodecWork {
 public:
  CodecWork(std::span<const ByteSpan> streams, const BareCodecRow& row, Scratch& scratch)
      : streams_(streams), codec_(row.make()), scratch_(&scratch) {
    std::size_t bound = 0;
    for (const ByteSpan stream : streams) {
      bound += codec_->bound(stream.size());
    }
    scratch.raw.resize_discard(size_of(streams));
    scratch.stored.resize_discard(std::max(bound, scratch.stored.size()));
    // Reading needs something written.
    SystemClock clock;
    Stopwatch unused(clock);
    stored_.append(scratch.stored.span().first(compress(unused)));
  }

  // Returns the bytes stored.
  std::uint64_t compress(Stopwatch& watch) {
    sizes_.clear();
    std::size_t used = 0;
    watch.start();
    for (const ByteSpan stream : streams_) {
      sizes_.push_back(codec_->compress(stream, scratch_->stored.span().subspan(used)));
      used += sizes_.back();
    }
    watch.stop();
    return used;
  }

  // Returns the checksum over what came out. What another run left behind must not pass for it.
  std::uint64_t decompress(Stopwatch& watch) {
    const MutableByteSpan raw = scratch_->raw.span();
    std::fill(raw.begin(), raw.end(), kUntouched);
    std::size_t from = 0;
    std::size_t to = 0;
    watch.start();
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      to += codec_->decompress(stored_.span().subspan(from, sizes_[i]),
                               raw.subspan(to, streams_[i].size()));
      from += sizes_[i];
    }
    watch.stop();
    return checksum_of(raw.first(to));
  }

  [[nodiscard]] std::uint64_t stored_bytes() const noexcept { return stored_.size(); }

 private:
  static constexpr std::byte kUntouched{0xa5};

  std::span<const ByteSpan> streams_;
  std::unique_ptr<BareCodec> codec_;
  Scratch* scratch_;
  std::vector<std::size_t> sizes_{};
  Buffer stored_{};
};

std::uint64_t checksum_of_all(std::span<const ByteSpan> streams) {
  Buffer all;
  for (const ByteSpan stream : streams) {
    all.append(stream);
  }
  return checksum_of(all.span());
}

}  // namespace

Table measure_codecs(std::span<const ByteSpan> streams, std::span<const BareCodecRow> codecs,
                     const TimeCells& time) {
  const std::uint64_t raw_bytes = size_of(streams);
  const std::uint64_t checksum = checksum_of_all(streams);
  Scratch scratch;
  std::vector<std::unique_ptr<CodecWork>> works;
  std::vector<TimedCell> cells;
  for (const BareCodecRow& row : codecs) {
    works.push_back(std::make_unique<CodecWork>(streams, row, scratch));
    CodecWork& work = *works.back();
    cells.push_back({.name = row.name + ", compress",
                     .expected = work.stored_bytes(),
                     .rule = kWriteRule,
                     .run = [&work](Stopwatch& watch) { return work.compress(watch); }});
    cells.push_back({.name = row.name + ", decompress",
                     .group = "streams",
                     .expected = checksum,
                     .run = [&work](Stopwatch& watch) { return work.decompress(watch); }});
  }
  const std::vector<TimedCellResult> timed = time(cells);
  Table table{.name = "levels", .row_name = "codec"};
  table.shown = {{"compress", Shown::raw_rate},       {"compress", Shown::cpu_raw_rate},
                 {"compress", Shown::stored_rate},    {"decompress", Shown::raw_rate},
                 {"decompress", Shown::cpu_raw_rate}, {"decompress", Shown::stored_rate},
                 {"compress", Shown::peak_memory},    {"decompress", Shown::peak_memory}};
  for (std::size_t i = 0; i < codecs.size(); ++i) {
    const std::uint64_t stored_bytes = works[i]->stored_bytes();
    Row row{.name = codecs[i].name + (codecs[i].what_if ? " (what if)" : "")};
    row.facts = {
        {"stored_bytes", Unit::bytes, stored_bytes, Better::less},
        {"ratio", Unit::ratio, static_cast<double>(raw_bytes) / static_cast<double>(stored_bytes),
         Better::more}};
    for (std::size_t side = 0; side < 2; ++side) {
      const TimedCellResult& result = timed[2 * i + side];
      row.measurements.push_back({.work = side == 0 ? "compress" : "decompress",
                                  .samples = result.samples,
                                  .proved = side == 1,
                                  .raw_bytes = raw_bytes,
                                  .stored_bytes = stored_bytes,
                                  .peak_memory_bytes = result.peak_memory_bytes});
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table measure_levels(Workbench& bench) {
  // Stored with codec none, streams lie in the records as they are.
  const Compression bare{.codec = CodecId::none, .layout = LayoutId::per_column};
  CodecContext context;
  std::vector<EncodedRecord> records;
  std::vector<ByteSpan> all;
  RecordDirectory directory;
  for (const PlannedRecord& planned : plan_records(bench.sample().records, bare, 0)) {
    EncodedRecord& encoded = records.emplace_back();
    encode(planned.events, planned.compression, bench.input().dictionary(), context, encoded);
    const StoredRecord stored = StoredRecord::borrow(encoded.bytes());
    read_directory(stored, context, directory);
    for (const StreamInfo& stream : directory.streams) {
      if (stream.raw_bytes != 0) {
        all.push_back(stored.range(stream.offset, stream.stored_bytes));
      }
    }
  }
  // Every so manieth, so that all banks take part.
  const std::uint64_t bytes = size_of(all);
  const auto step = static_cast<std::size_t>(
      std::max<std::uint64_t>((bytes + kStreamBytes - 1) / kStreamBytes, 1));
  std::vector<ByteSpan> streams;
  for (std::size_t i = 0; i < all.size(); i += step) {
    streams.push_back(all[i]);
  }
  std::vector<BareCodecRow> codecs;
  codecs.reserve(bench.options().codecs.size());
  for (const CodecLevel& one : bench.options().codecs) {
    codecs.push_back(library_codec(one.codec, one.level));
  }
  if (codecs.empty()) {
    codecs = all_bare_codecs();
  }
  Table table = measure_codecs(streams, codecs, [&](std::span<const TimedCell> cells) {
    std::vector<TimedCellResult> results;
    for (const Workbench::Timed& one : bench.time("levels", cells)) {
      results.push_back({one.samples, one.peak_memory_bytes});
    }
    return results;
  });
  table.title = fmt::format(
      "{}; of its {} per-column streams {}, {} bytes, each compressed alone; threads 1; compress "
      "n = 3, decompress n = 7 to 31",
      bench.conditions(), all.size(), streams.size(), size_of(streams));
  return table;
}

}  // namespace hipotool::app::bench
