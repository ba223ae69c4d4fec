// The floor of a recook: the codec work alone, on the same bytes, with the bare libraries.
//
//   hipo-floor INPUT.hipo OUTPUT.hipo --codec lz4|lz4hc|gzip|zstd --level L --threads N
//   [--no-verify]
//
// INPUT is recooked to OUTPUT, whose streams are compressed anew with the codec given. Prints one
// line: real seconds, CPU seconds, compressed bytes, raw bytes.

#include "bare.hpp"

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

namespace {

struct Options {
  bare::Codec codec;
  unsigned threads = 1;
  bool verify = true;
};

Options parse_options(int count, char** words) {
  Options options;
  for (int i = 3; i < count; ++i) {
    const std::string option = words[i];
    if (option == "--no-verify") {
      options.verify = false;
    } else if (i + 1 == count) {
      bare::fail(option + " needs a value");
    } else if (option == "--codec") {
      options.codec.name = bare::parse_codec(words[++i]);
    } else if (option == "--level") {
      options.codec.level = std::atoi(words[++i]);
    } else if (option == "--threads") {
      options.threads = static_cast<unsigned>(std::atoi(words[++i]));
    } else {
      bare::fail("unknown option " + option);
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
    bare::fail("usage: hipo-floor INPUT OUTPUT --codec C --level L --threads N [--no-verify]");
  }
  const Options options = parse_options(count, words);
  const bare::File input(words[1]);
  const bare::File output(words[2]);
  const bare::RecookWork work(input, output);
  const double cpu_before = cpu_seconds();
  const bare::Sample sample = work.run(options.codec, options.verify, options.threads);
  std::printf("%.6f %.6f %llu %llu\n", sample.seconds, cpu_seconds() - cpu_before,
              static_cast<unsigned long long>(sample.bytes_read),
              static_cast<unsigned long long>(sample.raw_bytes));
  return 0;
}
