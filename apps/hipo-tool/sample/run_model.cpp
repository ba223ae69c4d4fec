#include "run_model.hpp"

#include "random.hpp"

#include <array>

namespace hipotool::app::sample {
namespace {

constexpr std::uint64_t kEventsPerRun = 120000;
constexpr std::uint64_t kEventsPerMagnetReading = 20000;
constexpr std::uint64_t kEventsPerHelicityWindow = 400;
// 4 ns ticks between events on average: a trigger rate of 12 kHz.
constexpr std::uint64_t kTicksPerEvent = 20480;
constexpr std::uint64_t kTicksPerSecond = 250000000;
constexpr Fixed kFirstUnixTime = 1541030400;
constexpr int kFirstRun = 5032;

// Apart in mix(), so that quantities do not follow each other.
// Keeps what mix() gives to one quantity apart from what it gives to another.
enum class Quantity : std::uint64_t {
  event_number = 11,
  helicity,
  magnets,
  charge,
  live_time,
  scalers,
  scaler_place
};

std::uint64_t hash(std::uint64_t seed, Quantity quantity, std::uint64_t value) noexcept {
  return mix(seed ^ (static_cast<std::uint64_t>(quantity) << 56), value);
}

int helicity_of(std::uint64_t seed, std::uint64_t window) noexcept {
  constexpr std::array<int, 4> kQuartet{1, -1, -1, 1};
  const bool inverted = (hash(seed, Quantity::helicity, window / 4) & 1) != 0;
  return inverted ? -kQuartet[window % 4] : kQuartet[window % 4];
}

}  // namespace

RunState RunModel::state_at(std::uint64_t event) const noexcept {
  RunState state;
  state.index = event;
  state.run = kFirstRun + static_cast<int>(seed_ % 1000) + static_cast<int>(event / kEventsPerRun);
  // Events of other streams lie between those of this file: numbers rise with gaps.
  state.event_number = static_cast<Fixed>(3 * (event % kEventsPerRun) + 1 +
                                          hash(seed_, Quantity::event_number, event) % 3);
  const std::uint64_t ticks =
      event * kTicksPerEvent + hash(seed_, Quantity::event_number, event) / 7 % kTicksPerEvent;
  state.timestamp = static_cast<Fixed>(0x200000000000U + ticks);
  state.unix_time = kFirstUnixTime + static_cast<Fixed>(ticks / kTicksPerSecond);

  const std::uint64_t magnet = hash(seed_, Quantity::magnets, event / kEventsPerMagnetReading);
  state.torus = to_float<13>(static_cast<Fixed>(magnet % 3) - 8193);
  state.solenoid = to_float<13>(static_cast<Fixed>(magnet / 3 % 2) - 8192);

  const std::uint64_t window = event / kEventsPerHelicityWindow;
  state.helicity = helicity_of(seed_, window);
  state.helicity_raw = -state.helicity;  // the half-wave plate is in
  state.helicity_pattern = static_cast<int>(window % 4);
  state.helicity_flipped = window > 0 && event % kEventsPerHelicityWindow < kEventsPerReading &&
                           state.helicity != helicity_of(seed_, window - 1);

  state.reading = event / kEventsPerReading;
  state.charge_ungated =
      static_cast<Fixed>(state.reading % (kEventsPerRun / kEventsPerReading) * 940 +
                         hash(seed_, Quantity::charge, state.reading) % 300);
  state.live_time = 3810 + static_cast<Fixed>(hash(seed_, Quantity::live_time, state.reading) % 48);
  state.charge = state.charge_ungated * 3834 / 4096;

  // The raster draws the beam over a disc of 2 mm, slowly against the trigger rate.
  const auto phase = static_cast<Turn>(event * 104729);
  state.raster_x = times(cm(0.2), sine(phase));
  state.raster_y = times(cm(0.2), sine(phase / 7 + phase));
  return state;
}

bool RunModel::is_scaler_event(std::uint64_t event) const noexcept {
  return event % kEventsPerReading ==
         hash(seed_, Quantity::scaler_place, event / kEventsPerReading) % kEventsPerReading;
}

Fixed RunModel::scaler_value(std::uint64_t reading, std::uint64_t channel) const noexcept {
  const std::uint64_t rate = 200 + hash(seed_, Quantity::scalers, channel) % 60000;
  const std::uint64_t jitter =
      hash(seed_, Quantity::scalers, (channel << 40) + reading) % (rate / 8);
  return static_cast<Fixed>(reading * rate + jitter);
}

}  // namespace hipotool::app::sample
