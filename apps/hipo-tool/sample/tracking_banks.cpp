// Central tracking (silicon and micromegas crosses, seeds, fitted tracks) and the drift chambers'
// time-based crosses and tracks.

#include "banks.hpp"
#include "schema_texts.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <span>

namespace hipotool::app::sample {
namespace {

std::span<const Crossing> crossings_of(const Event& event, const Track& track) noexcept {
  return std::span(event.crossings).subspan(track.first_crossing, track.crossings);
}

bool is_silicon(const Crossing& crossing) noexcept {
  // Two layers back to back make a cross.
  return crossing.detector == kCvt && crossing.layer <= 6 && crossing.layer % 2 == 0;
}

bool is_micromegas(const Crossing& crossing) noexcept {
  return crossing.detector == kCvt && crossing.layer > 6;
}

bool is_drift_chamber(const Crossing& crossing) noexcept {
  return crossing.detector == kDc;
}

template <typename Accept>
std::size_t count_crossings(const Event& event, Accept accept) {
  std::size_t count = 0;
  for (const Crossing& crossing : event.crossings) {
    count += accept(crossing) ? 1U : 0U;
  }
  return count;
}

// Calls `write(id, track id, track, crossing)` for what `accept` takes.
template <typename Accept, typename Write>
void for_each_crossing(const Event& event, int detector, Accept accept, Write write) {
  int id = 0;
  int track_id = 0;
  for (const Track& track : event.tracks) {
    if (track.detector != detector) {
      continue;
    }
    ++track_id;
    for (const Crossing& crossing : crossings_of(event, track)) {
      if (accept(crossing)) {
        write(++id, track_id, crossing);
      }
    }
  }
}

int sector_of(const Crossing& crossing, int sectors) noexcept {
  const Turn place = angle_of(crossing.at.x, crossing.at.y);
  return static_cast<int>((std::uint64_t{place} * static_cast<std::uint64_t>(sectors)) >> 32) + 1;
}

void write_silicon_crosses(EventWriter& out, const Event& event) {
  constexpr std::array<int, 3> kSectors{10, 14, 18};
  auto rows = out.bank<kBstRecCrosses>(count_crossings(event, is_silicon));
  for_each_crossing(event, kCvt, is_silicon, [&](int id, int track_id, const Crossing& c) {
    const int region = c.layer / 2;
    const float x = length<8>(c.at.x);
    const float y = length<8>(c.at.y);
    const float z = length<13>(c.at.z);
    rows.add(id, sector_of(c, kSectors[static_cast<std::size_t>(region - 1)]), region, x, y, z,
             0.00390625F, 0.00390625F, 0.125F, x, y, length<13>(c.at.z + cm(0.05)), 0.0078125F,
             0.0078125F, 0.25F, cosine<20>(c.along.x), cosine<20>(c.along.y), cosine<20>(c.along.z),
             2 * id - 1, 2 * id, track_id);
  });
}

void write_micromegas_crosses(EventWriter& out, const Event& event) {
  auto rows = out.bank<kBmtRecCrosses>(count_crossings(event, is_micromegas));
  for_each_crossing(event, kCvt, is_micromegas, [&](int id, int track_id, const Crossing& c) {
    // A layer measures the azimuth or the position along the beam; the rest is not a number.
    constexpr float kNothing = std::numeric_limits<float>::quiet_NaN();
    const bool along_beam = c.layer == 7 || c.layer == 10 || c.layer == 12;
    const float x = along_beam ? kNothing : length<8>(c.at.x);
    const float y = along_beam ? kNothing : length<8>(c.at.y);
    const float z = along_beam ? length<8>(c.at.z) : kNothing;
    const float across_error = along_beam ? kNothing : 0.015625F;
    const float along_error = along_beam ? 0.015625F : kNothing;
    rows.add(id, sector_of(c, 3), (c.layer - 5) / 2, c.layer - 6, x, y, z, across_error,
             across_error, along_error, x, y, z, across_error, across_error, along_error,
             cosine<20>(c.along.x), cosine<20>(c.along.y), cosine<20>(c.along.z), id, 0, track_id);
  });
}

// What the seeds and the fitted tracks share, in the units of their banks.
struct Helix {
  float p;
  float transverse;
  float phi;
  float tan_dip;
  float z0;
  float d0;
};

Helix helix_of(const Track& track, const Particle& particle) {
  const auto phi = (static_cast<std::int64_t>(static_cast<std::int32_t>(track.phi)) *
                    fixed(6.283185307179586, 20)) >>
                   32;
  const Fixed tan_dip = (particle.momentum.z << kUnitBits) / (track.transverse + 1);
  return {gev<19>(particle.p),           gev<19>(track.transverse),
          on_grid<20, 18>(phi),          on_grid<kUnitBits, 15>(tan_dip),
          length<13>(particle.vertex.z), length<12>(particle.vertex.x)};
}

// Elements of the covariance matrix of a helix scatter around what the geometry gives.
using Covariance = std::array<float, 9>;

Covariance covariance_of_helix(Random& random) noexcept {
  constexpr std::array<Fixed, 9> kTypical{80000, -3500,   250,    2200, -80,
                                          10,    2800000, -80000, 4500};  // at 30 bits
  Covariance elements{};
  for (std::size_t i = 0; i < elements.size(); ++i) {
    elements[i] = to_float<30>(kTypical[i] + random.normal(kTypical[i] / 3));
  }
  return elements;
}

template <typename Rows>
void add_seed(Rows& rows, int id, const Track& track, const Particle& particle, Random& random) {
  const Helix h = helix_of(track, particle);
  const Covariance c = covariance_of_helix(random);
  const int first = 9 * id - 8;
  rows.add(id, 1, particle.charge, h.p, h.transverse, h.phi, h.tan_dip, h.z0, h.d0, c[0], c[1],
           c[2], c[3], c[4], c[5], c[6], c[7], c[8], to_float<10>(track.chi2 / 4),
           to_float<10>(track.chi2 / 5), to_float<10>(track.chi2), track.degrees_of_freedom, first,
           first + 1, first + 2, first + 3, first + 4, first + 5, 0, 0, 0, 0.0F, 0.0F, 0.0F, 0.0F);
}

template <typename Rows>
void add_central_track(Rows& rows, int id, const Event& event, const Track& track, Random& random) {
  const Particle& particle = event.particles[track.particle];
  const Helix h = helix_of(track, particle);
  const Covariance c = covariance_of_helix(random);
  const Crossing& last = crossings_of(event, track).back();
  const int first = 9 * id - 8;
  rows.add(id, 5, length<13>(last.at.x), length<13>(last.at.y), length<13>(last.at.z),
           cosine<20>(last.along.x), cosine<20>(last.along.y), cosine<20>(last.along.z),
           length<13>(last.path), particle.charge, h.p, h.transverse, h.phi, h.tan_dip, h.z0, h.d0,
           c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7], c[8], to_float<10>(track.chi2),
           track.degrees_of_freedom, particle.pid, first, first + 1, first + 2, first + 3,
           first + 4, first + 5, 0, 0, 0, id, 0.0F, 0.0F, 1000);
}

void write_central_tracks(EventWriter& out, const Event& event, Random& random) {
  const auto count =
      static_cast<std::size_t>(std::ranges::count(event.tracks, kCvt, &Track::detector));
  auto seeds = out.bank<kCvtRecSeeds>(count);
  int id = 0;
  for (const Track& track : event.tracks) {
    if (track.detector == kCvt) {
      add_seed(seeds, ++id, track, event.particles[track.particle], random);
    }
  }
  auto tracks = out.bank<kCvtRecTracks>(count);
  id = 0;
  for (const Track& track : event.tracks) {
    if (track.detector == kCvt) {
      add_central_track(tracks, ++id, event, track, random);
    }
  }
}

void write_drift_crosses(EventWriter& out, const Event& event) {
  auto rows = out.bank<kDcCrosses>(count_crossings(event, is_drift_chamber));
  for_each_crossing(event, kDc, is_drift_chamber, [&](int id, int track_id, const Crossing& c) {
    const Track& track = event.tracks[static_cast<std::size_t>(track_id - 1)];
    rows.add(id, 0, track.sector, c.layer == 6 ? 1 : c.layer / 18 + 1, length<13>(c.local.x),
             length<13>(c.local.y), length<12>(c.local.z), 0.03125F, 0.0625F, 0.0F,
             cosine<20>(c.along.x), cosine<20>(c.along.y), cosine<20>(c.along.z), 0.001953125F,
             0.00390625F, 0.0F, 2 * id - 1, 2 * id);
  });
}

template <typename Rows>
void add_drift_track(Rows& rows, int id, const Event& event, const Track& track) {
  const Particle& particle = event.particles[track.particle];
  const std::span<const Crossing> crossings = crossings_of(event, track);
  const Crossing& c1 = crossings[1];  // behind the HTCC
  const Crossing& c3 = crossings[3];
  const int cluster = 6 * id - 5;
  rows.add(id, 120, track.sector, length<13>(c1.local.x), length<13>(c1.local.y),
           length<12>(c1.local.z), cosine<20>(c1.along.x), cosine<20>(c1.along.y),
           cosine<20>(c1.along.z), length<13>(c3.local.x), length<13>(c3.local.y),
           length<12>(c3.local.z), cosine<20>(c3.along.x), cosine<20>(c3.along.y),
           cosine<20>(c3.along.z), length<13>(c1.at.x), length<13>(c1.at.y), length<13>(c1.at.z),
           gev<19>(times(particle.p, c1.along.x)), gev<19>(times(particle.p, c1.along.y)),
           gev<19>(times(particle.p, c1.along.z)), length<13>(particle.vertex.x),
           length<13>(particle.vertex.y), length<13>(particle.vertex.z),
           gev<19>(particle.momentum.x), gev<19>(particle.momentum.y), gev<19>(particle.momentum.z),
           3 * id - 2, 3 * id - 1, 3 * id, cluster, cluster + 1, cluster + 2, cluster + 3,
           cluster + 4, cluster + 5, particle.charge, length<13>(crossings.back().path),
           to_float<8>(track.chi2 / 4), track.degrees_of_freedom, track.degrees_of_freedom);
}

}  // namespace

void write_tracking_banks(EventWriter& out, const Event& event, Random& random) {
  write_silicon_crosses(out, event);
  write_micromegas_crosses(out, event);
  write_central_tracks(out, event, random);
  write_drift_crosses(out, event);
  auto rows = out.bank<kDcTracks>(
      static_cast<std::size_t>(std::ranges::count(event.tracks, kDc, &Track::detector)));
  int id = 0;
  for (const Track& track : event.tracks) {
    if (track.detector == kDc) {
      add_drift_track(rows, ++id, event, track);
    }
  }
}

}  // namespace hipotool::app::sample
