#include "bench/result.hpp"

#include <algorithm>

namespace hipotool::app::bench {

namespace {

constexpr double kMega = 1e6;

std::optional<double> quotient(double above, double below) {
  return above > 0 && below > 0 ? std::optional(above / below) : std::nullopt;
}

}  // namespace

std::optional<double> Measurement::shown(Shown what) const {
  const double seconds = real().median;
  const auto raw = static_cast<double>(raw_bytes);
  switch (what) {
    case Shown::seconds:
      return seconds;
    case Shown::cpu_seconds:
      return cpu().median;
    case Shown::milliseconds:
      return seconds * 1e3;
    case Shown::raw_rate:
      return quotient(raw / kMega, seconds);
    case Shown::cpu_raw_rate:
      return quotient(raw / kMega, cpu().median);
    case Shown::stored_rate:
      return quotient(static_cast<double>(stored_bytes) / kMega, seconds);
    case Shown::nanoseconds_per_event:
      return quotient(seconds * 1e9, static_cast<double>(events));
    case Shown::milliseconds_per_megabyte:
      return quotient(seconds * 1e3, raw / kMega);
    case Shown::peak_memory:
      return peak_memory_bytes ? std::optional(static_cast<double>(*peak_memory_bytes) / kMega)
                               : std::nullopt;
  }
  return std::nullopt;
}

const Measurement* Row::find(std::string_view work) const noexcept {
  const auto place = std::find_if(measurements.begin(), measurements.end(),
                                  [&](const Measurement& one) { return one.work == work; });
  return place == measurements.end() ? nullptr : &*place;
}

}  // namespace hipotool::app::bench
