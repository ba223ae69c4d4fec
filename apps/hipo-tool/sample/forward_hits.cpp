// What forward particles leave behind: drift chamber tracks, and hits in the Cherenkov counters,
// the time-of-flight wall, the calorimeters and the RICH. Each sector has its own frame, tilted by
// 25 degrees so that detector planes lie across its third axis.

#include "event_model.hpp"
#include "sector_frame.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace hipotool::app::sample {
namespace {

struct Plane {
  int detector;
  int layer;
  Fixed distance;  // from the target along the sector's third axis
};

enum PlaneId : std::size_t {
  at_htcc,
  at_region1,
  at_region2,
  at_region3,
  at_rich,
  at_ltcc,
  at_ftof_1b,
  at_ftof_1a,
  at_pcal,
  at_ecin,
  at_ecout
};
constexpr std::array<Plane, 11> kPlanes{{{kHtcc, 1, cm(175.0)},
                                         {kDc, 6, cm(228.2)},
                                         {kDc, 18, cm(346.5)},
                                         {kDc, 36, cm(493.9)},
                                         {kRich, 1, cm(572.0)},
                                         {kLtcc, 1, cm(585.0)},
                                         {kFtof, 2, cm(667.8)},
                                         {kFtof, 1, cm(690.8)},
                                         {kEcal, 1, cm(698.0)},
                                         {kEcal, 4, cm(713.9)},
                                         {kEcal, 7, cm(728.0)}}};

constexpr int kRichSector = 4;

// A particle's way through its sector. The torus bends it outwards or inwards between the first and
// the third region, with a slope that grows evenly there.
class Flight {
 public:
  Flight(const Particle& particle, float torus) noexcept
      : frame_(frame_of(particle.sector)),
        origin_(frame_.to_local(particle.vertex)),
        direction_(frame_.to_local(particle.direction)) {
    if (particle.charge != 0) {
      const Fixed slope = (gev_of(0.22) << kUnitBits) / particle.p;
      bend_ = (particle.charge > 0) == (torus > 0) ? -slope : slope;
      bend_ = std::clamp(bend_, unit(-0.3), unit(0.3));
    }
  }

  [[nodiscard]] Crossing at(const Plane& plane) const noexcept {
    constexpr Fixed kStart = cm(230.0);
    constexpr Fixed kSpan = cm(260.0);
    const Fixed t = ((plane.distance - origin_.z) << kUnitBits) / direction_.z;
    Vec3 local = origin_ + scaled(t, direction_);
    Vec3 along = direction_;
    if (bend_ != 0 && plane.distance > kStart) {
      const Fixed inside = std::min(plane.distance - kStart, kSpan);
      const Fixed beyond = plane.distance - kStart - inside;
      local.x += times(inside * inside / (2 * kSpan) + beyond, bend_);
      along.x += times(times((inside << kUnitBits) / kSpan, bend_), direction_.z);
      along.z = root((kOne - times(along.x, along.x) - times(along.y, along.y)) << 20) << 5;
    }
    Crossing crossing;
    crossing.detector = plane.detector;
    crossing.layer = plane.layer;
    crossing.at = frame_.to_lab(local);
    crossing.along = frame_.to_lab(along);
    crossing.path = t;
    crossing.local = local;
    crossing.height = local.x + times(plane.distance, unit(0.46630766));  // tan of the tilt
    crossing.edge = crossing.height / 2 - std::abs(local.y);
    return crossing;
  }

  [[nodiscard]] const Frame& frame() const noexcept { return frame_; }

 private:
  const Frame& frame_;
  Vec3 origin_;
  Vec3 direction_;
  Fixed bend_ = 0;
};

class Maker {
 public:
  Maker(Event& event, Random& random) noexcept : event_(event), random_(random) {}

  void make() {
    for (std::size_t i = 0; i < event_.particles.size(); ++i) {
      if (event_.particles[i].region == Region::forward) {
        make_for(i);
      }
    }
  }

 private:
  void make_for(std::size_t index) {
    Particle& particle = event_.particles[index];
    const Flight flight(particle, event_.run.torus);
    std::array<Crossing, kPlanes.size()> crossings{};
    for (std::size_t plane = 0; plane < kPlanes.size(); ++plane) {
      crossings[plane] = flight.at(kPlanes[plane]);
      if (particle.charge != 0) {
        scatter(crossings[plane]);
      }
    }
    if (particle.charge != 0) {
      add_track(index, crossings);
      add_cherenkov(index, crossings[at_htcc], crossings[at_ltcc]);
      add_paddle(index, flight, crossings[at_ftof_1b]);
      add_paddle(index, flight, crossings[at_ftof_1a]);
      add_rich(index, crossings[at_rich]);
    }
    add_showers(index, flight, crossings);
  }

  // Matter on the way and the fit's own resolution.
  void scatter(Crossing& crossing) {
    crossing.along.x += random_.normal(unit(0.0004));
    crossing.along.y += random_.normal(unit(0.0004));
    crossing.along.z += random_.normal(unit(0.0002));
    crossing.at.x += random_.normal(cm(0.03));
    crossing.at.y += random_.normal(cm(0.03));
    crossing.path += random_.normal(cm(0.02));
  }

  void add_track(std::size_t index, const std::array<Crossing, kPlanes.size()>& crossings) {
    Track track;
    track.particle = index;
    track.detector = kDc;
    track.sector = event_.particles[index].sector;
    track.degrees_of_freedom = static_cast<int>(random_.between(20, 30));
    track.chi2 = random_.exponential(Fixed{24} << 10) + (Fixed{6} << 10);
    track.first_crossing = event_.crossings.size();
    for (const Crossing& crossing : crossings) {
      if (crossing.detector != kRich || track.sector == kRichSector) {
        event_.crossings.push_back(crossing);
      }
    }
    track.crossings = event_.crossings.size() - track.first_crossing;
    event_.tracks.push_back(track);
  }

  void add_cherenkov(std::size_t index, const Crossing& htcc, const Crossing& ltcc) {
    Particle& particle = event_.particles[index];
    const bool pion = std::abs(particle.pid) == kPion;
    if (particle.pid == kElectron || (pion && particle.p > gev_of(4.7) && random_.chance(600))) {
      add_light(index, htcc, particle.pid == kElectron ? 14 : 6);
    }
    const bool ltcc_sector = particle.sector == 3 || particle.sector == 5;
    if (pion && ltcc_sector && particle.p > gev_of(2.7) && random_.chance(700)) {
      add_light(index, ltcc, 8);
    }
  }

  void add_light(std::size_t index, const Crossing& crossing, int photoelectrons) {
    Particle& particle = event_.particles[index];
    CherenkovHit hit;
    hit.particle = index;
    hit.detector = crossing.detector;
    hit.sector = particle.sector;
    hit.photoelectrons =
        std::max<Fixed>(256, (photoelectrons << 8) + random_.normal(Fixed{photoelectrons} << 6));
    hit.path = crossing.path;
    hit.time =
        event_.start_time + flight_time(crossing.path, particle.beta) + random_.normal(ns(0.6));
    hit.at = crossing.at;
    hit.theta_ring = static_cast<int>(std::min<Fixed>(3, crossing.height / cm(22.0) + 1));
    hit.theta_ring = std::max(0, hit.theta_ring);
    hit.phi_half = crossing.local.y > 0 ? 1 : 0;
    event_.cherenkovs.push_back(hit);
    ++particle.cherenkov_hits;
  }

  void add_paddle(std::size_t index, const Flight& flight, const Crossing& crossing) {
    constexpr Fixed kFirstEdge = cm(40.0);
    Particle& particle = event_.particles[index];
    const bool thin = crossing.layer == 2;  // panel 1B
    const Fixed paddle_width = thin ? cm(6.2) : cm(15.2);
    const Fixed component = (crossing.height - kFirstEdge) / paddle_width + 1;
    if (crossing.height < kFirstEdge || component > (thin ? 62 : 23) || random_.chance(40)) {
      return;
    }
    ScintillatorHit hit;
    hit.particle = index;
    hit.detector = kFtof;
    hit.sector = particle.sector;
    hit.layer = crossing.layer;
    hit.component = static_cast<int>(component);
    // Slow particles ionise more: about as 1 / beta^2.
    const Fixed inverse = (Fixed{1} << (2 * kBetaBits - 8)) / particle.beta;
    const Fixed minimum = fixed(thin ? 12.0 : 10.0, 16);
    hit.energy = energy_loss((((minimum * inverse) >> 16) * inverse) >> 16, random_);
    hit.path = crossing.path;
    hit.time = event_.start_time + flight_time(crossing.path, particle.beta) +
               random_.normal(thin ? ns(0.06) : ns(0.11));
    // The paddle gives one coordinate by its place and the other by the times at its ends.
    const Fixed below = crossing.height - crossing.local.x;
    const Vec3 local{kFirstEdge - below + (component - 1) * paddle_width + paddle_width / 2,
                     crossing.local.y + random_.normal(cm(1.2)), crossing.local.z};
    hit.at = flight.frame().to_lab(local);
    hit.matched = crossing.at;
    hit.size = random_.chance(220) ? 2 : 1;
    event_.scintillators.push_back(hit);
    ++particle.scintillator_hits;
  }

  void add_rich(std::size_t index, const Crossing& crossing) {
    const Particle& particle = event_.particles[index];
    if (particle.sector != kRichSector || particle.p < gev_of(1.2) || particle.pid == kElectron) {
      return;
    }
    const Fixed photons = random_.between(5, 19);
    const Fixed sharp = random_.normal(fixed(0.003, 20)) + fixed(0.306, 20);
    const auto middle = static_cast<int>(crossing.height / cm(5.2)) * 4;
    for (Fixed i = 0; i < photons; ++i) {
      RichHit hit;
      hit.particle = index;
      hit.hit = static_cast<int>(event_.rich.size());
      hit.pmt = std::clamp(middle + static_cast<int>(random_.normal(24)), 1, 378);
      hit.anode = static_cast<int>(random_.between(1, 64));
      hit.angle = sharp + random_.normal(fixed(0.005, 20));
      hit.time = event_.start_time + flight_time(crossing.path + cm(160.0), particle.beta) +
                 random_.normal(ns(0.8));
      event_.rich.push_back(hit);
    }
  }

  // Electrons and photons leave a quarter of their energy in the scintillator of three stacks,
  // others what any charged particle loses there, or nothing.
  void add_showers(std::size_t index, const Flight& flight,
                   const std::array<Crossing, kPlanes.size()>& crossings) {
    const Particle& particle = event_.particles[index];
    const bool shower = particle.pid == kElectron || particle.pid == kPhoton;
    if (!shower) {
      // A neutron is known by its clusters alone, so it has one.
      const bool neutral = particle.charge == 0;
      add_hit(index, flight, crossings[at_pcal], hadron_energy(neutral ? 300 : 850));
      add_hit(index, flight, crossings[at_ecin], hadron_energy(neutral ? 1000 : 760));
      add_hit(index, flight, crossings[at_ecout], hadron_energy(neutral ? 350 : 640));
      return;
    }
    const Fixed sampled = particle.energy / 4;
    // The resolution is about 9 % / sqrt(E / GeV) of the energy.
    const Fixed spread = (root(particle.energy << kEnergyBits) * 22) / 1000;
    const Fixed total = std::max(gev_of(0.010), sampled + random_.normal(spread));
    const Fixed first = random_.between(40000, 60000);  // of 65536
    const Fixed pcal = (total * first) >> 16;
    const Fixed ecout = (total - pcal) / random_.between(4, 12);
    add_hit(index, flight, crossings[at_pcal], pcal);
    add_hit(index, flight, crossings[at_ecin], total - pcal - ecout);
    add_hit(index, flight, crossings[at_ecout], ecout);
  }

  Fixed hadron_energy(int per_mille) {
    const Fixed lost = energy_loss(gev_of(0.030), random_);
    return random_.chance(per_mille) ? lost : 0;
  }

  void add_hit(std::size_t index, const Flight& flight, const Crossing& crossing, Fixed energy) {
    constexpr Fixed kThreshold = gev_of(0.005);
    Particle& particle = event_.particles[index];
    const bool pcal = crossing.layer == 1;
    const Fixed first_edge = pcal ? cm(52.0) : cm(58.0);
    if (energy < kThreshold || crossing.height < first_edge) {
      return;
    }
    CalorimeterHit hit;
    hit.particle = index;
    hit.sector = particle.sector;
    hit.layer = crossing.layer;
    hit.energy = energy;
    hit.path = crossing.path;
    hit.time =
        event_.start_time + flight_time(crossing.path, particle.beta) + random_.normal(ns(0.3));
    measure(hit, crossing, first_edge, flight.frame());
    event_.calorimeter.push_back(hit);
    ++particle.calorimeter_hits;
  }

  // Strips along three directions of a triangle whose tip points to the beam.
  void measure(CalorimeterHit& hit, const Crossing& crossing, Fixed first_edge,
               const Frame& frame) {
    const Fixed strip_width = hit.layer == 1 ? cm(5.9) : cm(11.2);
    const Fixed height = crossing.height - first_edge;
    hit.distance = {height, height / 2 - times(crossing.local.y, unit(0.8660254)),
                    height / 2 + times(crossing.local.y, unit(0.8660254))};
    bool narrow = true;
    for (std::size_t view = 0; view < 3; ++view) {
      hit.view_energy[view] = hit.energy / 3 + random_.normal(hit.energy / 40);
      hit.view_time[view] = hit.time + random_.normal(ns(0.35));
      const Fixed distance = std::max<Fixed>(0, hit.distance[view]);
      hit.strip[view] = static_cast<int>(distance / strip_width) + 1;
      hit.strips[view] =
          1 + static_cast<int>(random_.below(1 + std::min<Fixed>(4, hit.energy / gev_of(0.05))));
      narrow = narrow && hit.strips[view] == 1;
      hit.width[view] = strip_width;
      if (hit.strips[view] > 1) {
        hit.width[view] = strip_width * hit.strips[view] / 2 + random_.normal(cm(0.6));
        hit.moment1[view] = random_.normal(cm(0.8));
        hit.moment2[view] = cm(4.0) * hit.strips[view] + random_.normal(cm(2.0));
        hit.distance[view] = distance + random_.normal(cm(0.5));
      } else {
        hit.distance[view] = (hit.strip[view] - 1) * strip_width + strip_width / 2;
      }
      if (hit.strips[view] > 2) {
        hit.moment3[view] = random_.normal(cm(6.0));
      }
    }
    const Fixed below = crossing.height - crossing.local.x;
    const Fixed x = first_edge - below + hit.distance[0];
    const Fixed y = times(hit.distance[2] - hit.distance[1], unit(0.57735027));
    const Vec3 local{x, narrow ? y : crossing.local.y + random_.normal(cm(0.6)), crossing.local.z};
    hit.at = frame.to_lab(local);
    hit.matched = event_.particles[hit.particle].charge != 0 ? crossing.at : hit.at;
  }

  Event& event_;
  Random& random_;
};

}  // namespace

void make_forward_hits(Event& event, Random& random) {
  Maker(event, random).make();
}

}  // namespace hipotool::app::sample
