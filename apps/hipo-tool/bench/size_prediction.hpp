#pragma once
// From the records of a sample to the size of a whole file. Pure.

#include <cstdint>
#include <span>

namespace hipotool::app::bench {

struct EncodedSize {
  std::uint64_t raw_bytes = 0;
  std::uint64_t stored_bytes = 0;
};

struct Prediction {
  double value = 0;
  double error = 0;  // half the width of a 95 % interval; same unit

  [[nodiscard]] bool holds(double actual) const noexcept {
    return actual >= value - error && actual <= value + error;
  }
};

struct WholeFile {
  std::uint64_t raw_bytes = 0;
  std::uint64_t fixed_bytes = 0;    // header, dictionary, trailer without its rows
  std::uint64_t sampled_bytes = 0;  // raw bytes of the sample
};

// A ratio estimate; its error from the scatter between records (Student's factor for the few that
// there are), less what the sample holds of the file already, and never below 1 %: the last record
// of a file is a small one, which compresses otherwise.
[[nodiscard]] Prediction predict_file_bytes(std::span<const EncodedSize> records,
                                            const WholeFile& file);

// Times scale with raw bytes. Relative error `relative_error` at least.
[[nodiscard]] Prediction predict_seconds(double sample_seconds, double relative_error,
                                         const WholeFile& file);

}  // namespace hipotool::app::bench
