#pragma once
// The embedded sample: events that look like those of a CLAS12 cook, made from a seed. What is
// modelled and what is not stands in docs/generate.md; nothing measured on it says more than a
// direction.
//
// An event is a pure function of (profile, seed, its number): no clock, no library sine, no
// std::*_distribution, only integer arithmetic and exact conversions to float, so that every CPU
// gives the same bytes. Generators share nothing; several threads may each have one and make
// different ranges of one sample with seek().

#include "hipotool/bytes.hpp"
#include "hipotool/schema.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hipotool::app::sample {

// dst: what a cook leaves for analysis, about 15 KB an event, with a scaler event (tag 1) every 200
// or so. raw: sorted ADC and TDC hits. skim: a dst of few topologies and fewer banks. tiny: some
// 200 bytes.
enum class Profile : std::uint8_t { dst, raw, skim, tiny };

[[nodiscard]] std::string_view to_string(Profile profile) noexcept;
[[nodiscard]] std::optional<Profile> parse_profile(std::string_view word) noexcept;

struct GeneratorOptions {
  Profile profile = Profile::dst;
  std::uint64_t seed = 1;
};

// The dictionary of a sample: every bank that its events can hold and, as in real files, some that
// they never do. In dictionary order. The reference stays valid for the whole run.
[[nodiscard]] const std::vector<Schema>& sample_schemas(Profile profile);

// Keys and values for the file's configuration. No two keys are equal.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> sample_configuration(
    Profile profile);

struct SampleEvent {
  std::uint32_t tag = 0;
  // A complete event in per-chunk form (docs/format.md sections 5.1 to 5.3): 16-byte header with
  // the same tag, then banks of type 11, column-major. Recycled: hand the same SampleEvent in
  // again.
  Buffer bytes;
};

class EventGenerator {
 public:
  explicit EventGenerator(GeneratorOptions options);
  EventGenerator(const EventGenerator&) = delete;
  EventGenerator& operator=(const EventGenerator&) = delete;
  EventGenerator(EventGenerator&&) noexcept;
  EventGenerator& operator=(EventGenerator&&) noexcept;
  ~EventGenerator();

  // Makes the next event, from number 0 on. There is no last one.
  void next(SampleEvent& event);
  // The number of the event that next() makes.
  [[nodiscard]] std::uint64_t position() const noexcept;
  // Makes next() continue at `event`; costs nothing.
  void seek(std::uint64_t event) noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace hipotool::app::sample
