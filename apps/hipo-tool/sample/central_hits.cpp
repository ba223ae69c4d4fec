// What central particles leave behind: a curved track through silicon and micromegas, and hits in
// the two scintillator barrels.

#include "event_model.hpp"

#include <algorithm>
#include <array>

namespace hipotool::app::sample {
namespace {

struct Barrel {
  int detector;
  int layer;
  Fixed radius;
};

constexpr std::array<Barrel, 16> kBarrels{{{kCvt, 1, cm(6.5)},
                                           {kCvt, 2, cm(6.8)},
                                           {kCvt, 3, cm(9.3)},
                                           {kCvt, 4, cm(9.6)},
                                           {kCvt, 5, cm(12.0)},
                                           {kCvt, 6, cm(12.3)},
                                           {kCvt, 7, cm(14.6)},
                                           {kCvt, 8, cm(16.1)},
                                           {kCvt, 9, cm(17.7)},
                                           {kCvt, 10, cm(19.3)},
                                           {kCvt, 11, cm(20.9)},
                                           {kCvt, 12, cm(22.5)},
                                           {kCtof, 1, cm(25.1)},
                                           {kCnd, 1, cm(30.3)},
                                           {kCnd, 2, cm(33.6)},
                                           {kCnd, 3, cm(36.7)}}};

constexpr Fixed kHalfLength = cm(42.0);
constexpr Fixed kInverseCircle = unit(0.15915494);

class Maker {
 public:
  Maker(Event& event, Random& random) noexcept : event_(event), random_(random) {}

  void make() {
    for (std::size_t i = 0; i < event_.particles.size(); ++i) {
      const Particle& particle = event_.particles[i];
      if (particle.region != Region::central) {
        continue;
      }
      if (particle.charge != 0) {
        add_track(i);
      } else {
        add_neutral(i);
      }
    }
  }

 private:
  void add_track(std::size_t index) {
    Particle& particle = event_.particles[index];
    Track track;
    track.particle = index;
    track.detector = kCvt;
    track.transverse =
        root(particle.momentum.x * particle.momentum.x + particle.momentum.y * particle.momentum.y);
    track.phi = angle_of(particle.momentum.x, particle.momentum.y);
    track.degrees_of_freedom = static_cast<int>(random_.between(4, 9));
    track.chi2 = random_.exponential(Fixed{14} << 10) + (Fixed{1} << 10);
    track.first_crossing = event_.crossings.size();
    for (const Barrel& barrel : kBarrels) {
      Crossing crossing;
      if (!cross(track, barrel, crossing)) {
        break;
      }
      event_.crossings.push_back(crossing);
      if (barrel.detector != kCvt && random_.chance(910)) {
        add_bar(index, crossing);
      }
    }
    track.crossings = event_.crossings.size() - track.first_crossing;
    if (track.crossings > 0) {
      event_.tracks.push_back(track);
    }
  }

  // False where the track curls up before the barrel, or leaves it at an end.
  bool cross(const Track& track, const Barrel& barrel, Crossing& crossing) const {
    const Particle& particle = event_.particles[track.particle];
    // In a field of 5 T the radius in cm is 66.7 times the transverse momentum in GeV.
    const Fixed curvature = (track.transverse * cm(66.713)) >> kEnergyBits;
    const Fixed ratio = (barrel.radius << kUnitBits) / (2 * curvature + 1);
    if (ratio > unit(0.8)) {
      return false;
    }
    const Fixed square = times(ratio, ratio);
    const Fixed arc = ratio + times(times(ratio, square), unit(0.16666667)) +
                      times(times(ratio, times(square, square)), unit(0.1));
    const Fixed turned = times(arc, kInverseCircle) * 4;  // in turns at 32 bits
    const auto swing = static_cast<Turn>(particle.charge > 0 ? -turned : turned);
    const Fixed length_across = times(2 * curvature, arc);
    const Fixed tan_dip = (particle.momentum.z << kUnitBits) / (track.transverse + 1);
    const Fixed z = particle.vertex.z + times(length_across, tan_dip);
    if (z > kHalfLength || z < -kHalfLength) {
      return false;
    }
    crossing.detector = barrel.detector;
    crossing.layer = barrel.layer;
    const Turn place = track.phi + swing;
    crossing.at = {times(barrel.radius, cosine_of(place)), times(barrel.radius, sine(place)), z};
    const Turn heading = place + swing;
    const Fixed across = (track.transverse << kUnitBits) / particle.p;
    crossing.along = {times(across, cosine_of(heading)), times(across, sine(heading)),
                      particle.direction.z};
    crossing.path = (length_across << kUnitBits) / (across + 1);
    crossing.edge = (kHalfLength - std::abs(z)) / 4;
    return true;
  }

  void add_bar(std::size_t index, const Crossing& crossing) {
    Particle& particle = event_.particles[index];
    ScintillatorHit hit;
    hit.particle = index;
    hit.detector = crossing.detector;
    const Turn place = angle_of(crossing.at.x, crossing.at.y);
    locate(hit, crossing.layer, place);
    const Fixed inverse =
        (Fixed{1} << (2 * kBetaBits - 8)) / std::max<Fixed>(particle.beta, 1 << 22);
    const Fixed minimum = fixed(6.0, 16);
    hit.energy = energy_loss((((minimum * inverse) >> 16) * inverse) >> 16, random_);
    hit.path = crossing.path;
    hit.time = event_.start_time +
               flight_time(crossing.path, std::max<Fixed>(particle.beta, 1 << 21)) +
               random_.normal(ns(0.08));
    hit.matched = crossing.at;
    hit.at = {crossing.at.x + random_.normal(cm(0.4)), crossing.at.y + random_.normal(cm(0.4)),
              crossing.at.z + random_.normal(cm(1.5))};
    hit.size = random_.chance(150) ? 2 : 1;
    event_.scintillators.push_back(hit);
    ++particle.scintillator_hits;
  }

  static void locate(ScintillatorHit& hit, int layer, Turn place) {
    hit.layer = layer;
    if (hit.detector == kCtof) {
      hit.sector = 1;
      hit.component = static_cast<int>((std::uint64_t{place} * 48) >> 32) + 1;
    } else {
      const auto half = static_cast<int>((std::uint64_t{place} * 48) >> 32);
      hit.sector = half / 2 + 1;
      hit.component = half % 2 + 1;
    }
  }

  void add_neutral(std::size_t index) {
    const Particle& particle = event_.particles[index];
    const Barrel& barrel = kBarrels[13 + static_cast<std::size_t>(random_.below(3))];
    const Fixed across = root(kOne - times(particle.direction.z, particle.direction.z));
    Crossing crossing;
    crossing.detector = barrel.detector;
    crossing.layer = barrel.layer;
    crossing.path = (barrel.radius << (kUnitBits / 2)) / std::max<Fixed>(across, 1);
    crossing.at = particle.vertex + scaled(crossing.path, particle.direction);
    add_bar(index, crossing);
  }

  Event& event_;
  Random& random_;
};

}  // namespace

void make_central_hits(Event& event, Random& random) {
  Maker(event, random).make();
}

}  // namespace hipotool::app::sample
