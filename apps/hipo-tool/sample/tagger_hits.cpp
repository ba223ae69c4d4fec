// The forward tagger: a small ring of crystals around the beam, with a hodoscope that tells
// electrons from photons.

#include "event_model.hpp"

#include <algorithm>

namespace hipotool::app::sample {

void make_tagger_hits(Event& event, Random& random) {
  constexpr Fixed kDistance = cm(190.0);
  for (std::size_t i = 0; i < event.particles.size(); ++i) {
    Particle& particle = event.particles[i];
    if (particle.region != Region::tagger) {
      continue;
    }
    TaggerHit hit;
    hit.particle = i;
    hit.charged = particle.charge != 0;
    hit.path = (kDistance << kUnitBits) / particle.direction.z;
    hit.at = particle.vertex + scaled(hit.path, particle.direction);
    hit.energy = particle.energy + random.normal(particle.energy / 40);
    hit.time = event.start_time + flight_time(hit.path, particle.beta) + random.normal(ns(0.2));
    hit.crystals =
        static_cast<int>(std::clamp<Fixed>(4 + hit.energy / gev_of(0.4) + random.normal(2), 3, 20));
    hit.radius = cm(1.4) + random.exponential(cm(0.3));
    event.tagger.push_back(hit);
    particle.calorimeter_hits = 1;
    particle.scintillator_hits = hit.charged ? 1 : 0;
  }
}

}  // namespace hipotool::app::sample
