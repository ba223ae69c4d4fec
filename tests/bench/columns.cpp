// Reads columns of a whole file into memory that is kept, as a data frame would, and says how long
// it took and what was read.
//
//   hipo-columns FILE --threads N [--bank NAME [--column NAME]]
//
// Without a bank: every column of every bank that has a schema. Opening is not timed, and all is
// read once before the clock starts. Prints one line: seconds, values in bytes, and the sum over
// columns of the CRC-32 of their values, all events in order. Run by scripts/bench_peers.py.

#include "hipotool/error.hpp"
#include "hipotool/reader.hpp"

#include <libdeflate.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

namespace hipo = hipotool;

struct Options {
  std::filesystem::path file;
  unsigned threads = 1;
  std::string bank;
  std::string column;
};

Options parse_options(int count, char** words) {
  Options options;
  options.file = count > 1 ? words[1] : "";
  for (int i = 2; i + 1 < count; i += 2) {
    const std::string option = words[i];
    if (option == "--threads") {
      options.threads = static_cast<unsigned>(std::atoi(words[i + 1]));
    } else if (option == "--bank") {
      options.bank = words[i + 1];
    } else if (option == "--column") {
      options.column = words[i + 1];
    } else {
      throw std::invalid_argument("no option " + option);
    }
  }
  return options;
}

hipo::Projection projection_of(const hipo::Dictionary& dictionary, const Options& options) {
  if (options.bank.empty()) {
    return hipo::Projection::everything();
  }
  const hipo::Schema* schema = dictionary.find(options.bank);
  if (schema == nullptr) {
    throw std::invalid_argument("no bank " + options.bank);
  }
  hipo::Projection projection = hipo::Projection::nothing();
  return options.column.empty()
             ? projection.add(schema->key())
             : projection.add(schema->key(), {schema->find_column(options.column).value()});
}

// The wanted columns of one record.
struct Piece {
  hipo::BankKey bank;
  std::size_t column;
  hipo::ByteSpan values;
};

// What is kept of one record: columns that lie in one piece stay where they were inflated to;
// others are brought together.
struct Kept {
  hipo::Record record;
  hipo::Buffer gathered;
  std::vector<Piece> pieces;
};

template <typename Visit>
void for_each_column(const hipo::Record& record, const hipo::Projection& projection,
                     Visit&& visit) {
  for (const hipo::BankBlock& block : record.blocks()) {
    for (std::size_t c = 0; block.schema != nullptr && c < block.schema->columns().size(); ++c) {
      if (projection.wants(block.key, c)) {
        visit(block, c);
      }
    }
  }
}

void gather(const hipo::Record& record, const hipo::Projection& projection, Kept& kept) {
  std::uint64_t bytes = 0;
  for (const hipo::BankBlock& block : record.blocks()) {
    for (const hipo::BankOccurrence& occurrence : block.occurrences) {
      bytes += occurrence.size;
    }
  }
  kept.gathered.resize_discard(bytes);
  std::byte* to = kept.gathered.data();
  for_each_column(record, projection, [&](const hipo::BankBlock& block, std::size_t c) {
    const std::uint64_t width = block.schema->columns()[c].width();
    std::byte* const begin = to;
    for (const hipo::BankOccurrence& occurrence : block.occurrences) {
      if (block.is_table(occurrence)) {
        const std::uint64_t rows = block.rows(occurrence);
        to = std::copy_n(block.cells(occurrence, rows, c), rows * width, to);
      }
    }
    kept.pieces.push_back({block.key, c, {begin, to}});
  });
}

// What a thread reads with.
struct Worker {
  hipo::CodecContext context;
  hipo::Record whole;  // of a record whose columns lie in pieces
};

Kept read_one(const hipo::FileReader& reader, std::size_t index, const hipo::Projection& projection,
              Worker& worker) {
  Kept kept;
  if (reader.records()[index].header.layout != hipo::LayoutId::per_column) {
    reader.read_record(index, projection, worker.context, worker.whole);
    gather(worker.whole, projection, kept);
    return kept;
  }
  reader.read_record(index, projection, worker.context, kept.record);
  for_each_column(kept.record, projection, [&](const hipo::BankBlock& block, std::size_t c) {
    if (block.arrangement == hipo::Arrangement::by_column) {
      kept.pieces.push_back({block.key, c, block.columns[c]});
    }
  });
  return kept;
}

std::vector<Kept> read_all(const hipo::FileReader& reader, const hipo::Projection& projection,
                           unsigned threads) {
  std::vector<Kept> kept(reader.records().size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    Worker worker;
    for (std::size_t i = next++; i < kept.size(); i = next++) {
      kept[i] = read_one(reader, i, projection, worker);
    }
  };
  std::vector<std::jthread> others;
  for (unsigned t = 1; t < threads; ++t) {
    others.emplace_back(work);
  }
  work();
  others.clear();
  return kept;
}

void run(const Options& options) {
  const hipo::FileReader reader(options.file);
  const hipo::Projection projection = projection_of(reader.dictionary(), options);
  static_cast<void>(read_all(reader, projection, options.threads));  // warms up
  const auto start = std::chrono::steady_clock::now();
  const std::vector<Kept> kept = read_all(reader, projection, options.threads);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  std::map<std::pair<hipo::BankKey, std::size_t>, std::uint32_t> checksums;
  std::uint64_t bytes = 0;
  for (const Kept& record : kept) {
    for (const Piece& piece : record.pieces) {
      std::uint32_t& checksum = checksums[{piece.bank, piece.column}];
      checksum = libdeflate_crc32(checksum, piece.values.data(), piece.values.size());
      bytes += piece.values.size();
    }
  }
  std::uint64_t sum = 0;
  for (const auto& [column, checksum] : checksums) {
    sum += checksum;
  }
  std::printf("%.6f %llu %llu\n", elapsed.count(), static_cast<unsigned long long>(bytes),
              static_cast<unsigned long long>(sum));
}

}  // namespace

int main(int count, char** words) {
  try {
    run(parse_options(count, words));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "hipo-columns: %s\n", error.what());
    return 1;
  }
}
