// REC: the event builder's view, in which every response names its particle (pindex) and its row in
// the detector's own bank (index). RECFT: the same particles seen from an electron in the forward
// tagger.

#include "banks.hpp"
#include "schema_texts.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace hipotool::app::sample {
namespace {

constexpr float kNoQuality = 9999.0F;

// Thousands: where it went. Hundreds, tens, units: responses of scintillators, calorimeters,
// Cherenkov counters. Negative for the electron that made the trigger.
int status_of(const Event& event, std::size_t index) noexcept {
  const Particle& particle = event.particles[index];
  const int region = particle.region == Region::tagger    ? 1000
                     : particle.region == Region::forward ? 2000
                                                          : 4000;
  const int status = region + std::min(9, particle.scintillator_hits) * 100 +
                     std::min(9, particle.calorimeter_hits) * 10 +
                     std::min(9, particle.cherenkov_hits);
  return index == 0 ? -status : status;
}

Fixed vertex_time(const Event& event, const Particle& particle) noexcept {
  return event.start_time + (particle.vertex.z - cm(-3.0)) / 30;
}

float beta_of(const Particle& particle) noexcept {
  return on_grid<kBetaBits, 14>(particle.charge == 0 ? particle.beta : particle.measured_beta);
}

float quality_of(const Particle& particle) noexcept {
  return particle.charge == 0 || particle.region == Region::tagger
             ? kNoQuality
             : on_grid<12, 11>(particle.pid_quality);
}

void write_event(EventWriter& out, const Event& event, Random& random) {
  const RunState& run = event.run;
  out.bank<kRecEvent>(1).add(0, 0, to_float<10>(run.charge),
                             static_cast<double>(run.live_time) / 4096.0,
                             time<13>(event.start_time), time<13>(event.rf_time), run.helicity,
                             run.helicity_raw, to_float<12>(300 + random.exponential(500)));
}

void write_particles(EventWriter& out, const Event& event) {
  auto rows = out.bank<kRecParticle>(event.particles.size());
  for (std::size_t i = 0; i < event.particles.size(); ++i) {
    const Particle& p = event.particles[i];
    rows.add(p.pid, gev<19>(p.momentum.x), gev<19>(p.momentum.y), gev<19>(p.momentum.z),
             length<13>(p.vertex.x), length<13>(p.vertex.y), length<13>(p.vertex.z),
             time<13>(vertex_time(event, p)), p.charge, beta_of(p), quality_of(p),
             status_of(event, i));
  }
}

void write_calorimeter(EventWriter& out, const Event& event) {
  auto rows = out.bank<kRecCalorimeter>(event.calorimeter.size());
  for (const CalorimeterHit& hit : event.calorimeter) {
    const Fixed gap = std::abs(hit.at.x - hit.matched.x) + std::abs(hit.at.y - hit.matched.y);
    rows.add(hit.row, hit.particle, kEcal, hit.sector, hit.layer, gev<19>(hit.energy),
             time<13>(hit.time), length<13>(hit.path), length<13>(gap), length<13>(hit.at.x),
             length<13>(hit.at.y), length<13>(hit.at.z), length<13>(hit.matched.x),
             length<13>(hit.matched.y), length<13>(hit.matched.z), length<12>(hit.distance[0]),
             length<12>(hit.distance[1]), length<12>(hit.distance[2]), length<12>(hit.width[0]),
             length<12>(hit.width[1]), length<12>(hit.width[2]), length<12>(hit.moment2[0]),
             length<12>(hit.moment2[1]), length<12>(hit.moment2[2]), length<12>(hit.moment3[0]),
             length<12>(hit.moment3[1]), length<12>(hit.moment3[2]), 0);
  }
}

void write_cherenkov(EventWriter& out, const Event& event) {
  auto rows = out.bank<kRecCherenkov>(event.cherenkovs.size());
  int htcc = 0;
  int ltcc = 0;
  for (const CherenkovHit& hit : event.cherenkovs) {
    const bool high = hit.detector == kHtcc;
    rows.add(high ? htcc++ : ltcc++, hit.particle, hit.detector, hit.sector,
             to_float<8>(hit.photoelectrons), time<13>(hit.time), length<13>(hit.path), 0.0F,
             length<4>(hit.at.x), length<4>(hit.at.y), length<4>(hit.at.z), high ? 3.75F : 2.5F,
             high ? 15.0F : 10.0F, 0);
  }
}

void write_scintillator(EventWriter& out, const Event& event) {
  auto rows = out.bank<kRecScintillator>(event.scintillators.size());
  for (const ScintillatorHit& hit : event.scintillators) {
    const Fixed gap = std::abs(hit.at.x - hit.matched.x) + std::abs(hit.at.y - hit.matched.y);
    rows.add(hit.row, hit.particle, hit.detector, hit.sector, hit.layer, hit.component,
             on_grid<16, 12>(hit.energy), time<13>(hit.time), length<13>(hit.path), length<13>(gap),
             length<13>(hit.at.x), length<13>(hit.at.y), length<13>(hit.at.z),
             length<13>(hit.matched.x), length<13>(hit.matched.y), length<13>(hit.matched.z), 0);
  }
}

void write_extras(EventWriter& out, const Event& event) {
  auto scintillators = out.bank<kRecScintExtras>(event.scintillators.size());
  for (const ScintillatorHit& hit : event.scintillators) {
    scintillators.add(on_grid<16, 12>(hit.energy / 5), hit.size, hit.detector == kCnd ? 1 : 0);
  }
  auto calorimeter = out.bank<kRecCaloExtras>(event.calorimeter.size());
  for (const CalorimeterHit& hit : event.calorimeter) {
    const CalorimeterViews v = views_of(hit);
    calorimeter.add(v.database[0], v.database[1], v.database[2], v.raw_energy[0], v.raw_energy[1],
                    v.raw_energy[2], v.energy[0], v.energy[1], v.energy[2], v.tdc_time[0],
                    v.tdc_time[1], v.tdc_time[2], v.adc_time[0], v.adc_time[1], v.adc_time[2],
                    v.size);
  }
}

void write_tagger(EventWriter& out, const Event& event) {
  auto rows = out.bank<kRecForwardTagger>(event.tagger.size());
  int row = 0;
  for (const TaggerHit& hit : event.tagger) {
    rows.add(row++, hit.particle, kFtCal, 1, gev<12>(hit.energy), time<13>(hit.time),
             length<13>(hit.path), 0.0F, length<13>(hit.at.x), length<13>(hit.at.y),
             length<13>(hit.at.z), length<13>(hit.radius / 2),
             length<13>(hit.radius / 2 + hit.radius / 16), length<13>(hit.radius), hit.crystals, 0);
  }
}

// The row of each track in the bank of its own tracking.
int own_row(const Event& event, const Track& track) noexcept {
  int row = 0;
  for (const Track* other = event.tracks.data(); other != &track; ++other) {
    row += other->detector == track.detector ? 1 : 0;
  }
  return row;
}

void write_tracks(EventWriter& out, const Event& event) {
  auto rows = out.bank<kRecTrack>(event.tracks.size());
  for (const Track& track : event.tracks) {
    const int row = own_row(event, track);
    rows.add(row, track.particle, track.detector, track.sector, track.detector == kDc ? 120 : 1000,
             event.particles[track.particle].charge, to_float<8>(track.chi2 / 4),
             track.degrees_of_freedom, row);
  }
}

void write_unconstrained_tracks(EventWriter& out, const Event& event, Random& random) {
  auto rows = out.bank<kRecUTrack>(event.tracks.size());
  for (const Track& track : event.tracks) {
    const Particle& p = event.particles[track.particle];
    const int row = own_row(event, track);
    const Fixed shift = random.normal(gev_of(0.01));
    const Fixed worse = random.below(256);
    const Fixed z = p.vertex.z + random.normal(cm(0.3));
    rows.add(row, track.particle, track.detector, track.sector, track.detector == kDc ? 120 : 1000,
             p.charge, to_float<8>(track.chi2 / 4 + worse), track.degrees_of_freedom, row,
             gev<19>(p.momentum.x + times(shift, p.direction.x)),
             gev<19>(p.momentum.y + times(shift, p.direction.y)),
             gev<19>(p.momentum.z + times(shift, p.direction.z)), length<13>(p.vertex.x),
             length<13>(p.vertex.y), length<13>(z));
  }
}

void write_covariances(EventWriter& out, const Event& event, Random& random) {
  // Typical elements for 1 GeV, at 30 bits; they fall with momentum.
  constexpr std::array<Fixed, 15> kTypical{9000000, 120000, 60000, 900, 4000, 14000000, 700, 50000,
                                           2500,    30000,  60,    20,  9000, 40,       700};
  auto rows = out.bank<kRecCovMat>(event.tracks.size());
  for (const Track& track : event.tracks) {
    const Particle& p = event.particles[track.particle];
    std::array<float, 15> c{};
    for (std::size_t k = 0; k < c.size(); ++k) {
      const Fixed typical = (kTypical[k] << kEnergyBits) / (p.p + gev_of(0.3));
      c[k] = to_float<30>(typical + random.normal(typical / 4 + 1));
    }
    rows.add(own_row(event, track), track.particle, c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7],
             c[8], c[9], c[10], c[11], c[12], c[13], c[14]);
  }
}

// The first track paired with each of the others, where they come closest.
void write_vertices(EventWriter& out, const Event& event, Random& random) {
  const std::size_t pairs = event.tracks.size() < 2 ? 0 : event.tracks.size() - 1;
  auto rows = out.bank<kRecVertDoca>(pairs);
  for (std::size_t pair = 0; pair < pairs; ++pair) {
    const Particle& a = event.particles[event.tracks[0].particle];
    const Particle& b = event.particles[event.tracks[pair + 1].particle];
    const Fixed gap = random.exponential(cm(0.12));
    const Fixed z = (a.vertex.z + b.vertex.z) / 2;
    rows.add(0, pair + 1, length<13>((a.vertex.x + b.vertex.x) / 2),
             length<13>((a.vertex.y + b.vertex.y) / 2), length<13>(z), length<13>(a.vertex.x),
             length<13>(a.vertex.y), length<13>(z - gap / 2), cosine<20>(a.direction.x),
             cosine<20>(a.direction.y), cosine<20>(a.direction.z), length<13>(b.vertex.x),
             length<13>(b.vertex.y), length<13>(z + gap / 2), cosine<20>(b.direction.x),
             cosine<20>(b.direction.y), cosine<20>(b.direction.z), length<13>(gap));
  }
}

void write_trajectories(EventWriter& out, const Event& event) {
  auto rows = out.bank<kRecTraj>(event.crossings.size());
  for (const Track& track : event.tracks) {
    const int row = own_row(event, track);
    for (std::size_t i = 0; i < track.crossings; ++i) {
      const Crossing& c = event.crossings[track.first_crossing + i];
      rows.add(track.particle, row, c.detector, c.layer, length<13>(c.at.x), length<13>(c.at.y),
               length<13>(c.at.z), cosine<20>(c.along.x), cosine<20>(c.along.y),
               cosine<20>(c.along.z), length<13>(c.path), length<13>(c.edge));
    }
  }
}

void write_tagger_based(EventWriter& out, const Event& event) {
  if (!std::ranges::any_of(event.tagger, &TaggerHit::charged)) {
    return;
  }
  out.bank<kRecFtEvent>(1).add(0, time<13>(event.start_time - ns(0.25)));
  auto rows = out.bank<kRecFtParticle>(event.particles.size());
  for (std::size_t i = 0; i < event.particles.size(); ++i) {
    const Particle& p = event.particles[i];
    rows.add(p.pid, time<13>(vertex_time(event, p) - ns(0.25)), beta_of(p), quality_of(p),
             std::abs(status_of(event, i)), gev<19>(p.momentum.x), gev<19>(p.momentum.y),
             gev<19>(p.momentum.z));
  }
}

}  // namespace

void write_event_builder_banks(EventWriter& out, const Event& event, Random& random) {
  write_event(out, event, random);
  write_particles(out, event);
  write_calorimeter(out, event);
  write_cherenkov(out, event);
  write_tagger(out, event);
  write_scintillator(out, event);
  write_extras(out, event);
  write_tracks(out, event);
  write_unconstrained_tracks(out, event, random);
  write_covariances(out, event, random);
  write_vertices(out, event, random);
  write_trajectories(out, event);
  write_tagger_based(out, event);
}

void write_skim_banks(EventWriter& out, const Event& event, Random& random) {
  write_event(out, event, random);
  write_particles(out, event);
  write_calorimeter(out, event);
  write_cherenkov(out, event);
  write_scintillator(out, event);
  write_tracks(out, event);
  write_trajectories(out, event);
}

void write_particle_banks(EventWriter& out, const Event& event, Random& random) {
  write_event(out, event, random);
  write_particles(out, event);
}

}  // namespace hipotool::app::sample
