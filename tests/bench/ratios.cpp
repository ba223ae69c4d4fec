// The library against the bare codecs, in one process and alternating, so that a machine whose
// clock drifts treats both alike. One thread, except where a row says otherwise.
//
//   hipo-ratios FOLDER --rounds N [--row NAME]...
//
// FOLDER holds lz4_per-chunk.hipo and, made from it, {lz4,lz4hc,gzip,zstd}_per-column.hipo and
// more, as scripts/bench_floor.sh makes them. Prints one line for each sample, separated by tabs:
//   row, limit (0: none of its own), round, floor seconds, our seconds, floor bytes read, our bytes
//   read, checksums equal
// Bytes are those fetched from the file by a read, and those compressed by a recook.

#include "hipotool/atomic_file.hpp"
#include "hipotool/byte_source.hpp"
#include "hipotool/error.hpp"
#include "hipotool/merge.hpp"
#include "hipotool/reader.hpp"
#include "hipotool/rewrite.hpp"

#include "bare.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>
#include <xxhash.h>

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr const char* kBank = "REC::Particle";
constexpr const char* kColumn = "px";

// With several threads it is the gain over one thread that is held against the floor's.
constexpr double kNoLimit = 0;

struct Pair {
  bare::Sample floor;
  bare::Sample ours;
  bool same_content = true;
};

struct Row {
  std::string name;
  double limit;
  std::function<Pair()> sample;
};

// Counts what is read from a file.
class CountingSource final : public hipotool::ByteSource {
 public:
  explicit CountingSource(const fs::path& path) : file_(hipotool::open_file(path)) {}

  void read_at(std::uint64_t offset, hipotool::MutableByteSpan out) const override {
    bytes_read_ += out.size();
    file_->read_at(offset, out);
  }
  [[nodiscard]] std::uint64_t size() const noexcept override { return file_->size(); }
  [[nodiscard]] const std::string& name() const noexcept override { return file_->name(); }
  void require_unchanged() const override { file_->require_unchanged(); }
  [[nodiscard]] std::uint64_t bytes_read() const { return bytes_read_; }

 private:
  std::shared_ptr<const hipotool::ByteSource> file_;
  mutable std::uint64_t bytes_read_ = 0;
};

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

enum class Scope { column, bank, everything };

struct Target {
  hipotool::Projection projection = hipotool::Projection::everything();
  bare::Wanted wanted{};
};

Target target_of(const hipotool::FileReader& reader, Scope scope) {
  Target target;
  if (scope == Scope::everything) {
    return target;
  }
  const hipotool::Schema* schema = reader.dictionary().find(kBank);
  if (schema == nullptr) {
    bare::fail(std::string("the file has no ") + kBank);
  }
  target.wanted = {false, schema->key().group, schema->key().item, -1};
  target.projection = hipotool::Projection::nothing();
  if (scope == Scope::bank) {
    target.projection.add(schema->key());
    return target;
  }
  const std::optional<std::size_t> column = schema->find_column(kColumn);
  if (!column) {
    bare::fail(std::string("the bank has no ") + kColumn);
  }
  target.projection.add(schema->key(), {*column});
  target.wanted.column = static_cast<int>(*column);
  return target;
}

void add(bare::Sample& sample, hipotool::ByteSpan bytes) {
  sample.raw_bytes += bytes.size();
  sample.checksum += XXH3_64bits(bytes.data(), bytes.size());
}

// The sum over streams of their hashes, as the floor has it.
void add_content(const hipotool::Record& record, hipotool::LayoutId layout, bare::Sample& sample) {
  if (layout == hipotool::LayoutId::per_chunk) {
    add(sample, record.payload.span());
    return;
  }
  for (const hipotool::BankBlock& block : record.blocks()) {
    if (block.arrangement == hipotool::Arrangement::by_event) {
      add(sample, block.bytes);
      continue;
    }
    for (const hipotool::ByteSpan column : block.columns) {
      if (column.data() != nullptr) {
        add(sample, column);
      }
    }
  }
}

bare::Sample read_ours(const fs::path& file, const hipotool::Projection& projection) {
  const auto source = std::make_shared<CountingSource>(file);
  const hipotool::FileReader reader(source);
  const std::uint64_t to_open = source->bytes_read();
  bare::Sample sample;
  hipotool::CodecContext context;
  hipotool::Record record;
  for (std::size_t i = 0; i < reader.records().size(); ++i) {
    const auto start = Clock::now();
    reader.read_record(i, projection, context, record);
    sample.seconds += seconds_since(start);
    add_content(record, reader.records()[i].header.layout, sample);
  }
  sample.bytes_read = source->bytes_read() - to_open;
  return sample;
}

Row read_row(const fs::path& file, const std::string& what, Scope scope, double limit) {
  return {"read " + what + ", " + file.stem().string(), limit, [=] {
            const bare::File bare_file(file.string());
            const Target target = target_of(hipotool::FileReader(file), scope);
            Pair pair;
            pair.floor = bare::read(bare_file, target.wanted);
            pair.ours = read_ours(file, target.projection);
            pair.same_content = pair.floor.checksum == pair.ours.checksum &&
                                pair.floor.raw_bytes == pair.ours.raw_bytes;
            return pair;
          }};
}

struct RecookCase {
  fs::path input;
  fs::path output;  // what it becomes; made before
  hipotool::Compression compression{};
  bool verify = false;
  unsigned threads = 1;
};

bare::Sample recook_ours(const RecookCase& recook) {
  const hipotool::FileReader reader(recook.input);
  const hipotool::FileReader* inputs[] = {&reader};
  hipotool::RewriteOptions options;
  options.compression = recook.compression;
  options.record_bytes = hipotool::default_record_bytes(recook.compression.layout);
  options.reencode = true;
  options.verify = recook.verify ? hipotool::Verify::record : hipotool::Verify::none;
  options.threads = recook.threads;
  hipotool::AtomicFile target(fs::path(recook.output).concat(".again"),
                              hipotool::AtomicFile::Existing::replace);
  const auto start = Clock::now();
  const hipotool::RewriteSummary summary =
      hipotool::rewrite(inputs, hipotool::merge_dictionaries(inputs, {}).events, target, options);
  bare::Sample sample;
  sample.seconds = seconds_since(start);
  sample.bytes_read = summary.file_bytes_out;
  return sample;
}

Row recook_row(const RecookCase& recook, double limit) {
  const std::string name =
      "recook " + recook.input.stem().string() + " to " + recook.output.stem().string() + ":" +
      std::to_string(recook.compression.level) + (recook.verify ? ", verified" : "") + ", " +
      std::to_string(recook.threads) + "t";
  return {name, limit, [=] {
            const bare::File input(recook.input.string());
            const bare::File output(recook.output.string());
            const bare::RecookWork work(input, output);
            const bare::Codec codec{
                bare::parse_codec(std::string(to_string(recook.compression.codec))),
                recook.compression.level};
            Pair pair;
            pair.floor = work.run(codec, recook.verify, recook.threads);
            pair.ours = recook_ours(recook);
            // Ours has headers, directories, dictionary and trailer beside the same streams.
            pair.same_content = pair.ours.bytes_read == fs::file_size(recook.output) &&
                                pair.ours.bytes_read >= pair.floor.bytes_read;
            return pair;
          }};
}

std::vector<Row> rows_of(const fs::path& folder) {
  using hipotool::CodecId;
  using hipotool::LayoutId;
  std::vector<Row> rows;
  const fs::path chunks = folder / "lz4_per-chunk.hipo";
  const auto columns = [&](const char* codec) {
    return folder / (std::string(codec) + "_per-column.hipo");
  };
  for (const char* codec : {"lz4", "lz4hc", "zstd", "gzip"}) {
    rows.push_back(read_row(columns(codec), "one column", Scope::column, 1.5));
    rows.push_back(read_row(columns(codec), "one bank", Scope::bank, 1.5));
  }
  rows.push_back(read_row(columns("lz4"), "everything", Scope::everything, 1.3));
  rows.push_back(read_row(columns("zstd"), "everything", Scope::everything, 1.15));
  rows.push_back(read_row(chunks, "everything", Scope::everything, 1.6));
  const hipotool::Compression zstd{CodecId::zstd, LayoutId::per_column, 3};
  const hipotool::Compression lz4{CodecId::lz4, LayoutId::per_column, 0};
  rows.push_back(recook_row({chunks, columns("zstd"), zstd, false, 1}, 1.15));
  rows.push_back(recook_row({columns("lz4"), columns("lz4"), lz4, false, 1}, 1.2));
  rows.push_back(recook_row({chunks, columns("zstd"), zstd, true, 1}, 1.2));
  rows.push_back(recook_row({columns("lz4"), columns("lz4"), lz4, true, 1}, 1.2));
  const unsigned threads = std::min(4U, std::max(2U, std::thread::hardware_concurrency()));
  for (const bool verify : {false, true}) {
    rows.push_back(recook_row({chunks, columns("zstd"), zstd, verify, threads}, kNoLimit));
    rows.push_back(recook_row({columns("lz4"), columns("lz4"), lz4, verify, threads}, kNoLimit));
  }
  return rows;
}

struct Options {
  fs::path folder;
  int rounds = 7;
  std::set<std::string> names;  // empty: all
};

Options parse_options(int count, char** words) {
  if (count < 2) {
    bare::fail("usage: hipo-ratios FOLDER --rounds N [--row NAME]...");
  }
  Options options;
  options.folder = words[1];
  for (int i = 2; i + 1 < count; i += 2) {
    const std::string option = words[i];
    if (option == "--rounds") {
      options.rounds = std::atoi(words[i + 1]);
    } else if (option == "--row") {
      options.names.insert(words[i + 1]);
    } else {
      bare::fail("unknown option " + option);
    }
  }
  return options;
}

void run(const Options& options) {
  std::vector<Row> rows = rows_of(options.folder);
  std::erase_if(rows, [&](const Row& row) {
    return !options.names.empty() && options.names.count(row.name) == 0;
  });
  for (int round = 0; round <= options.rounds; ++round) {
    for (const Row& row : rows) {
      const Pair pair = row.sample();
      if (round == 0) {
        continue;  // warms up
      }
      std::printf("%s\t%.2f\t%d\t%.6f\t%.6f\t%llu\t%llu\t%s\n", row.name.c_str(), row.limit, round,
                  pair.floor.seconds, pair.ours.seconds,
                  static_cast<unsigned long long>(pair.floor.bytes_read),
                  static_cast<unsigned long long>(pair.ours.bytes_read),
                  pair.same_content ? "yes" : "no");
      std::fflush(stdout);
    }
  }
}

}  // namespace

int main(int count, char** words) {
  try {
    run(parse_options(count, words));
    return 0;
  } catch (const hipotool::Error& error) {
    std::fprintf(stderr, "hipo-ratios: %s\n", error.what());
    return 1;
  }
}
