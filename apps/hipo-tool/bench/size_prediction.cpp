#include "bench/size_prediction.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace hipotool::app::bench {

namespace {

constexpr double kLeastError = 0.01;
// Each record takes a row of the trailer's index (docs/format.md 6.5).
constexpr double kIndexRowBytes = 32;
// Of a ratio of few large records nothing is known but this.
constexpr double kErrorOfOne = 0.15;

// Two-sided 95 % points of Student's distribution for 1 to 10 degrees of freedom.
double student_factor(std::size_t degrees) {
  constexpr std::array kFactors{12.71, 4.303, 3.182, 2.776, 2.571,
                                2.447, 2.365, 2.306, 2.262, 2.228};
  return degrees == 0 ? 0 : degrees <= kFactors.size() ? kFactors[degrees - 1] : 2.2;
}

double part_not_sampled(const WholeFile& file) {
  if (file.raw_bytes == 0) {
    return 0;
  }
  return std::max(
      0.0, 1 - static_cast<double>(file.sampled_bytes) / static_cast<double>(file.raw_bytes));
}

// Standard error of the ratio stored / raw, relative to it, times Student's factor.
double relative_error(std::span<const EncodedSize> records, double ratio, double mean_raw) {
  if (records.size() < 2) {
    return kErrorOfOne;
  }
  double squares = 0;
  for (const EncodedSize& record : records) {
    const double rest =
        static_cast<double>(record.stored_bytes) - ratio * static_cast<double>(record.raw_bytes);
    squares += rest * rest;
  }
  const auto count = static_cast<double>(records.size());
  const double error = std::sqrt(squares / (count - 1) / count) / (ratio * mean_raw);
  // Two records say little about their own scatter, and Student's factor overdoes it.
  return std::min(student_factor(records.size() - 1) * error, kErrorOfOne);
}

}  // namespace

Prediction predict_file_bytes(std::span<const EncodedSize> records, const WholeFile& file) {
  double raw = 0;
  double stored = 0;
  for (const EncodedSize& record : records) {
    raw += static_cast<double>(record.raw_bytes);
    stored += static_cast<double>(record.stored_bytes);
  }
  if (raw <= 0 || stored <= 0) {
    return {static_cast<double>(file.fixed_bytes), 0};
  }
  const double ratio = stored / raw;
  const auto count = static_cast<double>(records.size());
  const auto whole_raw = static_cast<double>(file.raw_bytes);
  const double events = ratio * whole_raw;
  const double rows = kIndexRowBytes * std::ceil(count * whole_raw / raw);
  const double value = events + rows + static_cast<double>(file.fixed_bytes);
  const double scatter = relative_error(records, ratio, raw / count) * part_not_sampled(file);
  return {value, value * std::max(scatter, kLeastError)};
}

Prediction predict_seconds(double sample_seconds, double relative_error, const WholeFile& file) {
  const double value = file.sampled_bytes == 0
                           ? 0
                           : sample_seconds * static_cast<double>(file.raw_bytes) /
                                 static_cast<double>(file.sampled_bytes);
  return {value, value * relative_error};
}

}  // namespace hipotool::app::bench
