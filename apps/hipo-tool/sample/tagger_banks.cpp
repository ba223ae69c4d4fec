// Forward tagger: calorimeter and hodoscope clusters, and particles made of them. RICH: rings of
// photons.

#include "banks.hpp"
#include "schema_texts.hpp"

#include <algorithm>

namespace hipotool::app::sample {

void write_tagger_banks(EventWriter& out, const Event& event) {
  auto clusters = out.bank<kFtcalClusters>(event.tagger.size());
  std::size_t id = 0;
  for (const TaggerHit& hit : event.tagger) {
    clusters.add(hit.crystals, ++id, length<13>(hit.at.x), length<13>(hit.at.y),
                 length<13>(hit.at.z), length<13>(hit.radius / 2),
                 length<13>(hit.radius / 2 + hit.radius / 16), length<13>(hit.radius),
                 time<13>(hit.time), gev<12>(hit.energy), gev<12>(hit.energy / 2),
                 gev<12>(hit.energy + hit.energy / 24));
  }
  const auto charged =
      static_cast<std::size_t>(std::ranges::count(event.tagger, true, &TaggerHit::charged));
  auto tiles = out.bank<kFthodoClusters>(charged);
  id = 0;
  for (const TaggerHit& hit : event.tagger) {
    if (hit.charged) {
      // Tiles of 1.5 or 3 cm.
      const Fixed x = hit.at.x / cm(1.5) * cm(1.5);
      const Fixed y = hit.at.y / cm(1.5) * cm(1.5);
      tiles.add(2, ++id, length<4>(x), length<4>(y), length<4>(cm(178.0)), 0.75F, 0.75F, 1.0625F,
                time<13>(hit.time - ns(0.4)), to_float<6>(150 + hit.crystals * 7));
    }
  }
  auto particles = out.bank<kFtParticles>(event.tagger.size());
  id = 0;
  std::size_t hodoscope = 0;
  for (const TaggerHit& hit : event.tagger) {
    const Particle& particle = event.particles[hit.particle];
    ++id;
    particles.add(id, particle.charge, gev<12>(hit.energy), cosine<16>(particle.direction.x),
                  cosine<16>(particle.direction.y), cosine<16>(particle.direction.z), 0.0F, 0.0F,
                  -3.0F, time<13>(hit.time), id, hit.charged ? ++hodoscope : 0, 0, 0);
  }
}

namespace {

// Photons of one particle lie together.
std::size_t photons_from(const std::vector<RichHit>& hits, std::size_t first) {
  std::size_t count = 0;
  while (first + count < hits.size() && hits[first + count].particle == hits[first].particle) {
    ++count;
  }
  return count;
}

std::size_t count_rings(const std::vector<RichHit>& hits) {
  std::size_t rings = 0;
  for (std::size_t first = 0; first < hits.size(); first += photons_from(hits, first)) {
    ++rings;
  }
  return rings;
}

const Crossing& rich_crossing(const Event& event, std::size_t particle) {
  for (const Track& track : event.tracks) {
    if (track.particle == particle) {
      const auto first =
          event.crossings.begin() + static_cast<std::ptrdiff_t>(track.first_crossing);
      return *std::find_if(first, first + static_cast<std::ptrdiff_t>(track.crossings) - 1,
                           [](const Crossing& c) { return c.detector == kRich; });
    }
  }
  return event.crossings.front();
}

void write_hadrons(EventWriter& out, const Event& event) {
  const std::vector<RichHit>& hits = event.rich;
  auto rows = out.bank<kRichHadron>(count_rings(hits));
  std::size_t id = 0;
  for (std::size_t first = 0; first < hits.size(); first += photons_from(hits, first)) {
    const RichHit& hit = hits[first];
    const Crossing& crossing = rich_crossing(event, hit.particle);
    rows.add(++id, hit.hit, hit.particle, 4, cosine<20>(crossing.along.z),
             cosine<20>(crossing.along.x), length<13>(crossing.at.x), length<13>(crossing.at.y),
             length<13>(crossing.at.z), time<13>(hit.time), length<13>(crossing.path), 0.0F, 1, 2,
             length<13>(crossing.at.x), length<13>(crossing.at.y), length<13>(crossing.at.z),
             on_grid<20, 14>(hit.angle), on_grid<20, 14>(hit.angle), 0.0F, 0.00390625F);
  }
}

void write_rings(EventWriter& out, const Event& event, Random& random) {
  auto rows = out.bank<kRichRing>(event.rich.size());
  std::size_t id = 0;
  for (const RichHit& hit : event.rich) {
    const bool direct = hit.anode % 3 != 0;
    const Fixed late = random.normal(ns(0.7));
    const Fixed probability = random.below(4096);
    rows.add(++id, hit.hit, hit.particle, 4, hit.pmt, hit.anode, direct ? 2110 : 2111,
             time<13>(late), on_grid<20, 14>(hit.angle), to_float<12>(probability), 1,
             on_grid<20, 14>(hit.angle - fixed(0.306, 20)), direct ? 0 : 11, direct ? 0 : 12);
  }
}

void write_identities(EventWriter& out, const Event& event, Random& random) {
  const std::vector<RichHit>& hits = event.rich;
  auto rows = out.bank<kRichParticle>(count_rings(hits));
  std::size_t id = 0;
  std::size_t count = 0;
  for (std::size_t first = 0; first < hits.size(); first += count) {
    count = photons_from(hits, first);
    const Fixed likelihood = static_cast<Fixed>(count) * 900 + random.normal(600);
    const Fixed quality = random.below(4096);
    const Fixed electron_quality = random.below(1024);
    const Fixed kaon = likelihood - random.below(900);
    const Fixed proton = likelihood - random.below(1800);
    const Fixed chi2 = random.exponential(400);
    rows.add(++id, hits[first].hit, hits[first].particle, 1, 2, 0, 0, 0.0F, 0.0F,
             event.particles[hits[first].particle].pid, to_float<12>(quality),
             to_float<12>(electron_quality), to_float<10>(likelihood - 800),
             to_float<10>(likelihood), to_float<10>(kaon), to_float<10>(proton),
             on_grid<20, 14>(hits[first].angle), to_float<8>(chi2), to_float<10>(likelihood),
             to_float<0>(static_cast<Fixed>(count)), 0.0F);
  }
}

}  // namespace

void write_rich_banks(EventWriter& out, const Event& event, Random& random) {
  write_hadrons(out, event);
  write_rings(out, event, random);
  write_identities(out, event, random);
}

}  // namespace hipotool::app::sample
