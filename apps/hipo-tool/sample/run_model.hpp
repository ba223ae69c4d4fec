#pragma once
// What changes slowly: run number, clock, magnets, beam charge, live time, helicity. All of it
// follows from the event's number by a formula, so that nothing has to be carried from event to
// event.

#include "fixed_math.hpp"

#include <cstdint>

namespace hipotool::app::sample {

inline constexpr std::uint64_t kEventsPerReading = 200;  // between two scaler events

struct RunState {
  std::uint64_t index = 0;    // of the event in the sample
  std::uint64_t reading = 0;  // scaler readings so far
  int run = 0;
  Fixed event_number = 0;
  Fixed unix_time = 0;
  Fixed timestamp = 0;  // of 4 ns
  Fixed trigger_bits = 0;
  float torus = 0;
  float solenoid = 0;
  int helicity = 0;
  int helicity_raw = 0;
  int helicity_pattern = 0;  // place in its quartet, 0 to 3
  bool helicity_flipped = false;
  Fixed charge = 0;  // nC, 10 fractional bits, gated, since the run began
  Fixed charge_ungated = 0;
  Fixed live_time = 0;  // 12 fractional bits
  Fixed raster_x = 0;   // cm
  Fixed raster_y = 0;
};

class RunModel {
 public:
  explicit RunModel(std::uint64_t seed) noexcept : seed_(seed) {}

  [[nodiscard]] RunState state_at(std::uint64_t event) const noexcept;
  // One event of every 200, at no fixed place among them.
  [[nodiscard]] bool is_scaler_event(std::uint64_t event) const noexcept;
  // Counts of scaler channel `channel` at a reading: rising, at the channel's own rate.
  [[nodiscard]] Fixed scaler_value(std::uint64_t reading, std::uint64_t channel) const noexcept;

 private:
  std::uint64_t seed_;
};

}  // namespace hipotool::app::sample
