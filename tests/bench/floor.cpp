// The floor of a recook: the codec work alone, on the same bytes, with the bare libraries and none
// of this project's code. Inflates the records of one file, compresses the streams of another (made
// from it) anew, and unless told otherwise inflates and compares them as a verifying recook must.
// Each thread works on every N-th record; there is no lock, no file and no order between them.
//
//   hipo-floor INPUT.hipo OUTPUT.hipo --codec lz4hc|zstd|lz4 --level L --threads N [--no-verify]
//
// INPUT: per-chunk, lz4. OUTPUT: per-column version 1, any of the codecs above. Prints one line:
// real seconds, CPU seconds, compressed bytes, raw bytes, and a checksum over what was inflated.

#include <lz4.h>
#include <lz4hc.h>
#include <zstd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {

using Bytes = std::vector<char>;

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "hipo-floor: %s\n", what.c_str());
  std::exit(1);
}

std::uint32_t word(const char* at) {
  std::uint32_t value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

Bytes read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    fail("cannot read " + path);
  }
  return Bytes(std::istreambuf_iterator<char>(file), {});
}

struct StoredRecord {
  const char* payload;
  std::size_t stored;
  std::size_t raw;  // whole records only
  std::uint32_t tag;
  std::uint32_t events;
};

// Data records between dictionary and trailer.
std::vector<StoredRecord> records_of(const Bytes& file) {
  std::vector<StoredRecord> records;
  std::uint64_t trailer;
  std::memcpy(&trailer, file.data() + 40, sizeof trailer);
  std::size_t at = 56 + word(file.data() + 24);
  while (at < trailer) {
    const char* header = file.data() + at;
    const std::size_t bytes = std::size_t{4} * word(header);
    const std::uint32_t pad = (word(header + 20) >> 24) & 3;
    records.push_back({header + 56, bytes - 56 - pad,
                       std::size_t{word(header + 16)} + word(header + 32), word(header + 36) >> 28,
                       word(header + 12)});
    at += bytes;
  }
  return records;
}

struct Codec {
  std::string name;
  int level = 0;
};

// One thread's codec contexts.
class Worker {
 public:
  explicit Worker(const Codec& codec)
      : codec_(codec),
        hc_(LZ4_createStreamHC(), LZ4_freeStreamHC),
        compress_(ZSTD_createCCtx(), ZSTD_freeCCtx),
        inflate_(ZSTD_createDCtx(), ZSTD_freeDCtx) {}

  std::size_t compress(const Bytes& raw, Bytes& out) {
    const int size = static_cast<int>(raw.size());
    const std::size_t bound = codec_.name == "zstd"
                                  ? ZSTD_compressBound(raw.size())
                                  : static_cast<std::size_t>(LZ4_compressBound(size));
    if (out.size() < bound) {
      out.resize(bound);
    }
    if (codec_.name == "zstd") {
      return ZSTD_compressCCtx(compress_.get(), out.data(), bound, raw.data(), raw.size(),
                               codec_.level);
    }
    if (codec_.name == "lz4hc") {
      LZ4_resetStreamHC_fast(hc_.get(), codec_.level);
      return static_cast<std::size_t>(LZ4_compress_HC_continue(hc_.get(), raw.data(), out.data(),
                                                               size, static_cast<int>(bound)));
    }
    return static_cast<std::size_t>(
        LZ4_compress_default(raw.data(), out.data(), size, static_cast<int>(bound)));
  }

  void inflate(bool zstd, const char* from, std::size_t stored, char* to, std::size_t raw) {
    const std::size_t produced =
        zstd ? ZSTD_decompressDCtx(inflate_.get(), to, raw, from, stored)
             : static_cast<std::size_t>(
                   LZ4_decompress_safe(from, to, static_cast<int>(stored), static_cast<int>(raw)));
    if (produced != raw) {
      fail("a stream does not inflate to its size");
    }
  }

 private:
  const Codec& codec_;
  std::unique_ptr<LZ4_streamHC_t, int (*)(LZ4_streamHC_t*)> hc_;
  std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> compress_;
  std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> inflate_;
};

// The raw streams of a per-column record.
std::vector<Bytes> streams_of(const StoredRecord& record, const Codec& codec) {
  Worker worker(codec);
  const std::size_t banks = word(record.payload + 4);
  const std::size_t events = word(record.payload + 8);
  const std::size_t packed = word(record.payload + 12);
  Bytes directory(word(record.payload + 16));
  worker.inflate(false, record.payload + 20, packed, directory.data(), directory.size());
  std::size_t count = 0;
  for (std::size_t b = 0; b < banks; ++b) {
    std::uint16_t columns;
    std::memcpy(&columns, directory.data() + 4 * banks + 2 * b, sizeof columns);
    count += columns == 0 ? 1 : columns;
  }
  const std::size_t table =
      6 * banks + 4 * events + events * ((banks + 7) / 8) + 4 * banks * events;
  const bool zstd = record.tag == 8;
  const char* at = record.payload + 20 + packed;
  std::vector<Bytes> streams;
  for (std::size_t s = 0; s < count; ++s) {
    const std::size_t stored = word(directory.data() + table + 8 * s);
    Bytes& raw = streams.emplace_back(word(directory.data() + table + 8 * s + 4));
    if (!raw.empty()) {
      worker.inflate(zstd, at, stored, raw.data(), raw.size());
    }
    at += stored;
  }
  return streams;
}

struct Totals {
  std::uint64_t stored = 0;
  std::uint64_t raw = 0;
  std::uint64_t checksum = 0;
};

struct Options {
  Codec codec;
  unsigned threads = 1;
  bool verify = true;
};

Totals run_thread(const std::vector<StoredRecord>& input,
                  const std::vector<std::vector<Bytes>>& output, const Options& options,
                  unsigned thread) {
  Worker worker(options.codec);
  const bool zstd = options.codec.name == "zstd";
  Bytes inflated;
  Bytes packed;
  Totals totals;
  for (std::size_t i = thread; i < input.size(); i += options.threads) {
    if (inflated.size() < input[i].raw) {
      inflated.resize(input[i].raw);
    }
    worker.inflate(false, input[i].payload, input[i].stored, inflated.data(), input[i].raw);
    totals.checksum += static_cast<unsigned char>(inflated[input[i].raw - 1]);
  }
  for (std::size_t i = thread; i < output.size(); i += options.threads) {
    for (const Bytes& raw : output[i]) {
      if (raw.empty()) {
        continue;
      }
      const std::size_t stored = worker.compress(raw, packed);
      totals.stored += stored;
      totals.raw += raw.size();
      if (options.verify) {
        if (inflated.size() < raw.size()) {
          inflated.resize(raw.size());
        }
        worker.inflate(zstd, packed.data(), stored, inflated.data(), raw.size());
        if (std::memcmp(inflated.data(), raw.data(), raw.size()) != 0) {
          fail("a stream does not come back as it was");
        }
      }
    }
  }
  return totals;
}

Options parse_options(int count, char** words) {
  Options options;
  for (int i = 3; i < count; ++i) {
    const std::string option = words[i];
    if (option == "--no-verify") {
      options.verify = false;
    } else if (i + 1 == count) {
      fail(option + " needs a value");
    } else if (option == "--codec") {
      options.codec.name = words[++i];
    } else if (option == "--level") {
      options.codec.level = std::atoi(words[++i]);
    } else if (option == "--threads") {
      options.threads = static_cast<unsigned>(std::atoi(words[++i]));
    } else {
      fail("unknown option " + option);
    }
  }
  return options;
}

double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;  // of all threads
}

}  // namespace

int main(int count, char** words) {
  if (count < 3) {
    fail("usage: hipo-floor INPUT OUTPUT --codec C --level L --threads N [--no-verify]");
  }
  const Options options = parse_options(count, words);
  const Bytes input_file = read_file(words[1]);
  const Bytes output_file = read_file(words[2]);
  const std::vector<StoredRecord> input = records_of(input_file);
  std::vector<std::vector<Bytes>> output;
  for (const StoredRecord& record : records_of(output_file)) {
    output.push_back(streams_of(record, options.codec));
  }
  const double cpu_before = cpu_seconds();
  const auto start = std::chrono::steady_clock::now();
  std::vector<Totals> totals(options.threads);
  {
    std::vector<std::jthread> threads;
    for (unsigned t = 0; t < options.threads; ++t) {
      threads.emplace_back([&, t] { totals[t] = run_thread(input, output, options, t); });
    }
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  Totals all;
  for (const Totals& part : totals) {
    all.stored += part.stored;
    all.raw += part.raw;
    all.checksum += part.checksum;
  }
  std::printf("%.6f %.6f %llu %llu %llu\n", elapsed.count(), cpu_seconds() - cpu_before,
              static_cast<unsigned long long>(all.stored), static_cast<unsigned long long>(all.raw),
              static_cast<unsigned long long>(all.checksum));
  return 0;
}
