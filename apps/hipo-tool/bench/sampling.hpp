#pragma once
// How cells of a table are timed (docs/benchmarks.md): all cells round by round, so that drift does
// not land on the last one; one warm-up each, then samples until the spread is small enough. What
// each cell read is proved by a checksum that its neighbours must share. Pure: the clock is passed
// in, and what is timed is any function.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace hipotool::app::bench {

// Seconds of wall clock and of CPU, all threads together.
struct Moment {
  double real_seconds = 0;
  double cpu_seconds = 0;
};

class Clock {
 public:
  Clock() = default;
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;
  Clock(Clock&&) = delete;
  Clock& operator=(Clock&&) = delete;
  virtual ~Clock() = default;
  [[nodiscard]] virtual Moment now() = 0;
};

// The machine's: monotonic and process time.
class SystemClock final : public Clock {
 public:
  [[nodiscard]] Moment now() override;
};

// Adds up what lies between start() and stop(). The work itself says what is to be timed, so that
// opening and checking stay outside.
class Stopwatch {
 public:
  explicit Stopwatch(Clock& clock) : clock_(&clock) {}
  void start() { begin_ = clock_->now(); }
  void stop();
  // Time that was taken elsewhere.
  void add(const Moment& elapsed);
  [[nodiscard]] const Moment& elapsed() const noexcept { return elapsed_; }

 private:
  Clock* clock_;
  Moment begin_{};
  Moment elapsed_{};
};

struct SamplingRule {
  unsigned warm_ups = 1;
  unsigned least = 7;
  unsigned most = 31;
};
inline constexpr SamplingRule kReadRule{};
inline constexpr SamplingRule kWriteRule{.warm_ups = 0, .least = 3, .most = 3};

// The relative difference that two medians of 7 samples show by chance in 1 of 20 cases is 1.31
// times the coefficient of variation.
inline constexpr double kNoiseFactor = 1.31;
// Sampling goes on until the noise floor is at most this.
inline constexpr double kWantedNoiseFloor = 0.05;
// Above this coefficient of variation a cell says nothing that one should tune by.
inline constexpr double kTrustworthyVariation = 0.08;

struct Spread {
  std::size_t samples = 0;
  double median = 0;
  double least = 0;
  double most = 0;
  double deviation = 0;    // median of the absolute deviations from the median (MAD)
  double variation = 0;    // coefficient of variation: standard deviation / mean
  double noise_floor = 0;  // relative

  [[nodiscard]] bool trustworthy() const noexcept { return variation <= kTrustworthyVariation; }
};
[[nodiscard]] Spread spread_of(std::span<const double> samples);

enum class Verdict : std::uint8_t { faster, slower, no_measurable_difference };
[[nodiscard]] std::string_view to_string(Verdict verdict) noexcept;  // "no measurable difference"

struct Measure {
  double median = 0;
  double noise_floor = 0;
};
// Of times, so less is faster. Within the larger noise floor there is no difference.
[[nodiscard]] Verdict compare(const Measure& before, const Measure& after);

struct TimedCell {
  std::string name{};  // for messages and progress
  // Cells of one group read the same values, and so must their checksums be. Empty: alone.
  std::string group{};
  // What the checksum must be, where it is known beforehand.
  std::optional<std::uint64_t> expected{};
  SamplingRule rule{};
  // Does the work once and returns the checksum over what it read.
  std::function<std::uint64_t(Stopwatch&)> run{};
};

struct CellSamples {
  std::vector<Moment> samples{};
  std::uint64_t checksum = 0;

  [[nodiscard]] std::vector<double> real_seconds() const;
  [[nodiscard]] std::vector<double> cpu_seconds() const;
};

struct Sampling {
  Clock* clock = nullptr;
  // Beyond this many seconds of wall clock a cell with the least number of samples gets no more,
  // however much it scatters. None: no limit.
  std::optional<double> limit_seconds{};
  // Called before each run, with the round (0: warm-up) and the cell. May throw to stop. May be
  // empty.
  std::function<void(unsigned round, std::size_t cell)> before_run{};
};

// Throws Error{checksum}, naming the cells, where a checksum differs from the expected one, from
// that of the cell's own earlier run, or from that of another cell of the group.
[[nodiscard]] std::vector<CellSamples> measure(std::span<const TimedCell> cells,
                                               const Sampling& sampling);

}  // namespace hipotool::app::bench
