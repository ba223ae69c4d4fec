#include "event_model.hpp"

#include <algorithm>
#include <numeric>

namespace hipotool::app::sample {
namespace {

int key_of(const CalorimeterHit& hit) noexcept {
  return hit.sector * 16 + hit.layer;
}

int key_of(const ScintillatorHit& hit) noexcept {
  return ((hit.detector * 64 + hit.sector) * 8 + hit.layer) * 128 + hit.component;
}

template <typename Hit>
void sort_rows(std::vector<std::size_t>& order, const std::vector<Hit>& hits) {
  order.resize(hits.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const int key_a = key_of(hits[a]);
    const int key_b = key_of(hits[b]);
    return key_a != key_b ? key_a < key_b : a < b;
  });
}

std::size_t particles_of(Topology topology) noexcept {
  switch (topology) {
    case Topology::pion_pair:
    case Topology::proton_and_photons:
      return 4;
    case Topology::single_pion:
      return 2;
    default:
      return 0;
  }
}

}  // namespace

void Event::clear() noexcept {
  particles.clear();
  tracks.clear();
  crossings.clear();
  calorimeter.clear();
  scintillators.clear();
  cherenkovs.clear();
  tagger.clear();
  rich.clear();
}

void make_bare_event(Event& event, Topology topology, Random& random) {
  constexpr Fixed kBeamPeriod = ns(4.00801);
  event.clear();
  event.rf_time = random.below(kBeamPeriod * 32);
  event.start_time = ns(92.0) + random.below(10) * kBeamPeriod;
  event.start_time += random.normal(ns(0.05));
  make_particles(event, topology, random);
}

void make_event(Event& event, Topology topology, Random& random) {
  // A skim keeps events in which everything was seen; a hopeless one is left as it is.
  constexpr int kAttempts = 16;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    make_bare_event(event, topology, random);
    if (event.particles.size() >= particles_of(topology)) {
      break;
    }
  }
  make_forward_hits(event, random);
  make_central_hits(event, random);
  make_tagger_hits(event, random);
  order_hits(event);
}

void order_hits(Event& event) {
  sort_rows(event.calorimeter_order, event.calorimeter);
  for (std::size_t row = 0; row < event.calorimeter_order.size(); ++row) {
    event.calorimeter[event.calorimeter_order[row]].row = row;
  }
  sort_rows(event.scintillator_order, event.scintillators);
  std::size_t row = 0;
  int detector = 0;
  for (const std::size_t index : event.scintillator_order) {
    ScintillatorHit& hit = event.scintillators[index];
    row = hit.detector == detector ? row + 1 : 0;
    detector = hit.detector;
    hit.row = row;
  }
}

Fixed flight_time(Fixed path, Fixed beta) noexcept {
  constexpr Fixed kLightSpeed = fixed(29.9792458, kLengthBits);
  const Fixed at_light_speed = (path << kTimeBits) / kLightSpeed;
  return (at_light_speed << kBetaBits) / (beta > 0 ? beta : 1);
}

Fixed energy_loss(Fixed most_probable, Random& random) noexcept {
  Fixed lost = most_probable + random.normal(most_probable / 12);
  lost += random.exponential(most_probable / 6);
  return lost > 0 ? lost : 0;
}

}  // namespace hipotool::app::sample
