#include "bench/sampling.hpp"

#include "hipotool/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <map>
#include <numeric>

namespace hipotool::app::bench {

namespace {

double seconds_of(::clockid_t clock) {
  ::timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

double median_of(std::vector<double> values) {
  if (values.empty()) {
    return 0;
  }
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) {
    return *middle;
  }
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

// The checksums that were seen first, by cell and by group.
class Proof {
 public:
  explicit Proof(std::span<const TimedCell> cells) : cells_(cells), own_(cells.size()) {}

  void check(std::size_t index, std::uint64_t checksum) {
    const TimedCell& cell = cells_[index];
    if (cell.expected && *cell.expected != checksum) {
      fail(cell.name, checksum, "what is stored", *cell.expected);
    }
    if (!own_[index]) {
      own_[index] = checksum;
    } else if (*own_[index] != checksum) {
      fail(cell.name, checksum, "its own first run", *own_[index]);
    }
    if (cell.group.empty()) {
      return;
    }
    const auto [first, is_new] = groups_.try_emplace(cell.group, index);
    if (!is_new && *own_[first->second] != checksum) {
      fail(cell.name, checksum, cells_[first->second].name, *own_[first->second]);
    }
  }

 private:
  [[noreturn]] static void fail(const std::string& name, std::uint64_t checksum,
                                const std::string& other, std::uint64_t wanted) {
    throw Error(
        ErrorCode::checksum,
        fmt::format("{} read other values than {}: checksum {:016x} instead of {:016x}; the "
                    "measurement is void",
                    name, other, checksum, wanted));
  }

  std::span<const TimedCell> cells_;
  std::vector<std::optional<std::uint64_t>> own_;
  std::map<std::string, std::size_t> groups_;
};

bool settled(const CellSamples& cell, const SamplingRule& rule, bool in_haste) {
  const std::size_t taken = cell.samples.size();
  if (taken >= rule.most) {
    return true;
  }
  return taken >= rule.least &&
         (in_haste || spread_of(cell.real_seconds()).noise_floor <= kWantedNoiseFloor);
}

}  // namespace

Moment SystemClock::now() {
  return {.real_seconds = seconds_of(CLOCK_MONOTONIC),
          .cpu_seconds = seconds_of(CLOCK_PROCESS_CPUTIME_ID)};
}

void Stopwatch::stop() {
  const Moment end = clock_->now();
  add({end.real_seconds - begin_.real_seconds, end.cpu_seconds - begin_.cpu_seconds});
}

void Stopwatch::add(const Moment& elapsed) {
  elapsed_.real_seconds += elapsed.real_seconds;
  elapsed_.cpu_seconds += elapsed.cpu_seconds;
}

Spread spread_of(std::span<const double> samples) {
  Spread spread;
  spread.samples = samples.size();
  if (samples.empty()) {
    return spread;
  }
  spread.median = median_of({samples.begin(), samples.end()});
  const auto [least, most] = std::minmax_element(samples.begin(), samples.end());
  spread.least = *least;
  spread.most = *most;
  std::vector<double> deviations;
  deviations.reserve(samples.size());
  for (const double sample : samples) {
    deviations.push_back(std::abs(sample - spread.median));
  }
  spread.deviation = median_of(std::move(deviations));
  const auto count = static_cast<double>(samples.size());
  const double mean = std::accumulate(samples.begin(), samples.end(), 0.0) / count;
  if (samples.size() > 1 && mean > 0) {
    double squares = 0;
    for (const double sample : samples) {
      squares += (sample - mean) * (sample - mean);
    }
    spread.variation = std::sqrt(squares / (count - 1)) / mean;
  }
  spread.noise_floor = kNoiseFactor * spread.variation;
  return spread;
}

std::string_view to_string(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::faster:
      return "faster";
    case Verdict::slower:
      return "slower";
    default:
      return "no measurable difference";
  }
}

Verdict compare(const Measure& before, const Measure& after) {
  const double floor = std::max(before.noise_floor, after.noise_floor);
  const double difference = after.median - before.median;
  if (std::abs(difference) <= floor * before.median) {
    return Verdict::no_measurable_difference;
  }
  return difference < 0 ? Verdict::faster : Verdict::slower;
}

std::vector<double> CellSamples::real_seconds() const {
  std::vector<double> seconds;
  seconds.reserve(samples.size());
  for (const Moment& sample : samples) {
    seconds.push_back(sample.real_seconds);
  }
  return seconds;
}

std::vector<double> CellSamples::cpu_seconds() const {
  std::vector<double> seconds;
  seconds.reserve(samples.size());
  for (const Moment& sample : samples) {
    seconds.push_back(sample.cpu_seconds);
  }
  return seconds;
}

std::vector<CellSamples> measure(std::span<const TimedCell> cells, const Sampling& sampling) {
  std::vector<CellSamples> results(cells.size());
  Proof proof(cells);
  const double begin = sampling.clock->now().real_seconds;
  const auto run = [&](unsigned round, std::size_t index) {
    if (sampling.before_run) {
      sampling.before_run(round, index);
    }
    Stopwatch watch(*sampling.clock);
    results[index].checksum = cells[index].run(watch);
    proof.check(index, results[index].checksum);
    return watch.elapsed();
  };
  for (std::size_t index = 0; index < cells.size(); ++index) {
    for (unsigned i = 0; i < cells[index].rule.warm_ups; ++i) {
      static_cast<void>(run(0, index));
    }
  }
  bool open = !cells.empty();
  for (unsigned round = 1; open; ++round) {
    open = false;
    const bool in_haste = sampling.limit_seconds &&
                          sampling.clock->now().real_seconds - begin > *sampling.limit_seconds;
    for (std::size_t index = 0; index < cells.size(); ++index) {
      if (!settled(results[index], cells[index].rule, in_haste)) {
        results[index].samples.push_back(run(round, index));
        open = true;
      }
    }
  }
  return results;
}

}  // namespace hipotool::app::bench
