// Reads columns of a whole file into memory that is kept, as a data frame would, and says how long
// it took and what was read.
//
//   hipo-columns FILE --threads N [--bank NAME [--column NAME]]
//
// Without a bank: every column of every bank that has a schema. Opening is not timed. Prints one
// line: seconds, values in bytes, and the sum over columns of the CRC-32 of their values, all
// events in order. Run by scripts/bench_peers.py.

#include "hipotool/error.hpp"
#include "hipotool/reader.hpp"

#include <libdeflate.h>

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

std::vector<hipo::Record> read_all(const hipo::FileReader& reader,
                                   const hipo::Projection& projection, unsigned threads) {
  std::vector<hipo::Record> records(reader.records().size());
  std::atomic<std::size_t> next = 0;
  std::vector<std::jthread> workers;
  for (unsigned t = 0; t < threads; ++t) {
    workers.emplace_back([&] {
      hipo::CodecContext context;
      for (std::size_t i = next++; i < records.size(); i = next++) {
        reader.read_record(i, projection, context, records[i]);
      }
    });
  }
  workers.clear();
  return records;
}

using Checksums = std::map<std::pair<hipo::BankKey, std::size_t>, std::uint32_t>;

// Of the tables of one record; returns their bytes.
std::uint64_t add(const hipo::Record& record, const hipo::Projection& projection,
                  Checksums& checksums) {
  std::uint64_t bytes = 0;
  for (const hipo::BankBlock& block : record.blocks()) {
    for (std::size_t c = 0; block.schema != nullptr && c < block.schema->columns().size(); ++c) {
      if (!projection.wants(block.key, c)) {
        continue;
      }
      std::uint32_t& checksum = checksums[{block.key, c}];
      const std::uint64_t width = block.schema->columns()[c].width();
      for (const hipo::BankOccurrence& occurrence : block.occurrences) {
        if (block.is_table(occurrence)) {
          const std::uint64_t rows = block.rows(occurrence);
          checksum = libdeflate_crc32(checksum, block.cells(occurrence, rows, c), rows * width);
          bytes += rows * width;
        }
      }
    }
  }
  return bytes;
}

void run(const Options& options) {
  const hipo::FileReader reader(options.file);
  const hipo::Projection projection = projection_of(reader.dictionary(), options);
  const auto start = std::chrono::steady_clock::now();
  const std::vector<hipo::Record> records = read_all(reader, projection, options.threads);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  Checksums checksums;
  std::uint64_t bytes = 0;
  for (const hipo::Record& record : records) {
    bytes += add(record, projection, checksums);
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
