#include "generator.hpp"

#include "banks.hpp"

#include <array>

namespace hipotool::app::sample {
namespace {

constexpr std::array<std::string_view, 4> kProfileWords{"dst", "raw", "skim", "tiny"};

constexpr std::uint32_t kPhysicsTag = 0;
constexpr std::uint32_t kScalerTag = 1;

// What fired: the electron's sector, any sector, and the tagger.
Fixed trigger_bits(const Event& event) noexcept {
  const Fixed sector = Fixed{1} << event.particles.front().sector;
  return 1 | sector | (event.tagger.empty() ? 0 : Fixed{1} << 24);
}

void write_dst(EventWriter& out, const Event& event, Random& random) {
  write_run_banks(out, event);
  write_calorimeter_banks(out, event, random);
  write_cherenkov_banks(out, event);
  write_flight_banks(out, event, random);
  write_tracking_banks(out, event, random);
  write_tagger_banks(out, event);
  write_rich_banks(out, event, random);
  write_event_builder_banks(out, event, random);
}

Topology skim_topology(Random& random) noexcept {
  constexpr std::array<int, 3> kWeights{620, 300, 80};
  constexpr std::array kTopologies{Topology::pion_pair, Topology::proton_and_photons,
                                   Topology::single_pion};
  return kTopologies[random.pick(kWeights)];
}

}  // namespace

std::string_view to_string(Profile profile) noexcept {
  return kProfileWords[static_cast<std::size_t>(profile)];
}

std::optional<Profile> parse_profile(std::string_view word) noexcept {
  for (std::size_t i = 0; i < kProfileWords.size(); ++i) {
    if (kProfileWords[i] == word) {
      return static_cast<Profile>(i);
    }
  }
  return std::nullopt;
}

struct EventGenerator::State {
  explicit State(GeneratorOptions wanted) : options(wanted), run(wanted.seed) {}

  GeneratorOptions options;
  RunModel run;
  Event event{};
  std::uint64_t position = 0;

  void write_scaler_event(EventWriter& out);
  void write_physics_event(EventWriter& out);
};

EventGenerator::EventGenerator(GeneratorOptions options)
    : state_(std::make_unique<State>(options)) {}
EventGenerator::EventGenerator(EventGenerator&&) noexcept = default;
EventGenerator& EventGenerator::operator=(EventGenerator&&) noexcept = default;
EventGenerator::~EventGenerator() = default;

std::uint64_t EventGenerator::position() const noexcept {
  return state_->position;
}

void EventGenerator::seek(std::uint64_t event) noexcept {
  state_->position = event;
}

void EventGenerator::next(SampleEvent& event) {
  const std::uint64_t index = state_->position;
  state_->event.run = state_->run.state_at(index);
  const bool scaler = index == 0 || state_->run.is_scaler_event(index);
  EventWriter out(event.bytes);
  if (scaler) {
    state_->write_scaler_event(out);
  } else {
    state_->write_physics_event(out);
  }
  event.tag = scaler ? kScalerTag : kPhysicsTag;
  out.finish(event.tag);
  ++state_->position;
}

void EventGenerator::State::write_scaler_event(EventWriter& out) {
  write_run_config(out, event);
  if (options.profile == Profile::tiny) {
    write_run_scaler(out, event);
    return;
  }
  if (position == 0) {
    write_settings_bank(out);
  }
  write_scaler_banks(out, event, run);
}

void EventGenerator::State::write_physics_event(EventWriter& out) {
  Random random(options.seed, position);
  const Profile profile = options.profile;
  if (profile == Profile::tiny) {
    make_bare_event(event, Topology::single_pion, random);
  } else {
    make_event(event, profile == Profile::skim ? skim_topology(random) : Topology::any, random);
  }
  event.run.trigger_bits = trigger_bits(event);
  write_run_config(out, event);
  switch (profile) {
    case Profile::dst:
      write_dst(out, event, random);
      break;
    case Profile::raw:
      write_digitised_banks(out, event, random);
      break;
    case Profile::skim:
      write_run_banks(out, event);
      write_skim_banks(out, event, random);
      break;
    case Profile::tiny:
      // Some have nothing but their header bank.
      if (!random.chance(125)) {
        write_particle_banks(out, event, random);
      }
      break;
  }
}

}  // namespace hipotool::app::sample
