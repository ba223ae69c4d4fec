// The particles of an event: the scattered electron from falling distributions of Q2 and of its
// energy loss, hadrons that share the energy it gave away, photons from neutral pions, and what the
// forward tagger sees. Acceptance is drawn with sharp edges: six sectors forward, a barrel, a ring
// at small angles.

#include "event_model.hpp"

#include <algorithm>
#include <array>

namespace hipotool::app::sample {
namespace {

constexpr Fixed kBeamEnergy = gev_of(10.6);

constexpr Fixed mass_of(int pid) noexcept {
  switch (pid) {
    case kElectron:
      return gev_of(0.000511);
    case kPion:
      return gev_of(0.13957);
    case kKaon:
      return gev_of(0.49368);
    case kProton:
      return gev_of(0.93827);
    case kNeutron:
      return gev_of(0.93957);
    default:
      return 0;
  }
}

// Q2 in GeV^2 from 1 to 9, falling as its inverse square.
constexpr Quantiles<17> kQ2{1048576, 1110257, 1179648, 1258291, 1348169, 1451874,
                            1572864, 1715852, 1887437, 2097152, 2359296, 2696338,
                            3145728, 3774874, 4718592, 6291456, 9437184};
// The electron's relative energy loss from 0.12 to 0.82, 16 fractional bits.
constexpr Quantiles<9> kEnergyLoss{7864, 11319, 14825, 18901, 23715, 29425, 36200, 44231, 53740};
// A hadron's share of the energy transfer: 0.07 to 0.8, falling exponentially, 16 fractional bits.
constexpr Quantiles<17> kShare{4588,  5491,  6455,  7486,  8597,  9799,  11109, 12549, 14147,
                               15942, 17990, 20374, 23227, 26777, 31482, 38475, 52429};
// Momentum of protons knocked out of the target: 0.35 to 2.6 GeV, most near 0.8.
constexpr Quantiles<17> kRecoil{368527,  511431,  578922,  636565,  690752,  744999,
                                799730,  855846,  915556,  980691,  1050803, 1130853,
                                1224516, 1340768, 1499214, 1748061, 2676843};
// Their angle to the beam: 12 to 82 degrees.
constexpr Quantiles<9> kRecoilAngle{143165577, 219584676, 312750176, 413493780, 519497366,
                                    629592293, 743061421, 859415620, 978298106};

// Cosines of 5, 5.5, 35 and 125 degrees, and the edge of the sectors: tan of 27.
constexpr Fixed kForwardInner = unit(0.99619);
constexpr Fixed kElectronInner = unit(0.99540);
constexpr Fixed kForwardOuter = unit(0.81915);
constexpr Fixed kCentralOuter = unit(-0.57358);
constexpr Fixed kSectorEdge = unit(0.50953);

// Of 1000 events, those with 0, 1, 2 ... hadrons or neutral pions.
constexpr std::array<int, 6> kHadronCount{20, 60, 160, 260, 290, 210};
constexpr std::array<int, 4> kNeutralPionCount{300, 380, 230, 90};
// pi+, pi-, p, K+, K-, knocked-out proton, neutron.
constexpr std::array<int, 7> kHadronKind{310, 250, 60, 55, 35, 220, 70};

class Maker {
 public:
  Maker(Event& event, Random& random) noexcept : event_(event), random_(random) {}

  void make(Topology topology) {
    make_vertex();
    make_electron();
    switch (topology) {
      case Topology::any:
        make_any();
        break;
      case Topology::pion_pair:
        make_recoil_proton();
        make_hadron(kPion, 1);
        make_hadron(kPion, -1);
        break;
      case Topology::proton_and_photons:
        make_recoil_proton();
        make_neutral_pion();
        break;
      case Topology::single_pion:
        make_hadron(kPion, 1);
        break;
    }
  }

 private:
  void make_any() {
    for (std::size_t count = random_.pick(kHadronCount); count > 0; --count) {
      make_hadron();
    }
    for (std::size_t count = random_.pick(kNeutralPionCount); count > 0; --count) {
      make_neutral_pion();
    }
    // Soft clusters without a track are in most events.
    for (Fixed count = random_.below(6); count > 0; --count) {
      const Vec3 direction = forward_direction();
      add_photon(scaled(gev_of(0.03) + random_.exponential(gev_of(0.12)), direction));
    }
    if (random_.chance(280)) {
      make_tagged(kElectron, -1);
    }
    if (random_.chance(220)) {
      make_tagged(kPhoton, 0);
    }
  }

  void make_vertex() {
    constexpr Fixed kTargetCentre = cm(-3.0);
    vertex_ = {event_.run.raster_x, event_.run.raster_y,
               kTargetCentre + random_.between(cm(-2.5), cm(2.5))};
  }

  // Any direction into the middle of a forward sector, between 7 and 32 degrees.
  Vec3 forward_direction() {
    const Turn theta = degrees(7) + static_cast<Turn>(random_.below(degrees(25)));
    return direction_of(theta, sector_phi());
  }

  Turn sector_phi() {
    const auto sector = static_cast<Turn>(random_.below(6));
    return sector * degrees(60) +
           static_cast<Turn>(random_.between(-degrees_fixed(25), degrees_fixed(25)));
  }

  static constexpr Fixed degrees_fixed(double value) { return fixed(value / 360, 32); }

  static Vec3 direction_of(Turn theta, Turn phi) {
    const Fixed across = sine(theta);
    return {times(across, cosine_of(phi)), times(across, sine(phi)), cosine_of(theta)};
  }

  void make_electron() {
    Fixed energy = gev_of(5.0);
    Fixed cos_theta = unit(0.97);
    for (int attempt = 0; attempt < 16; ++attempt) {
      const Fixed q2 = random_.draw(kQ2);
      const Fixed tried = kBeamEnergy - ((kBeamEnergy * random_.draw(kEnergyLoss)) >> 16);
      const Fixed tried_cos = kOne - (q2 << 29) / ((kBeamEnergy * tried) >> kEnergyBits);
      const Fixed lost = kBeamEnergy - tried;
      const Fixed w2 = gev_of(0.88035) + times(2 * lost, unit(0.93827)) - q2;
      if (w2 > gev_of(4.0) && tried_cos > kForwardOuter && tried_cos < kElectronInner) {
        energy = tried;
        cos_theta = tried_cos;
        break;
      }
    }
    const Fixed across = root((kOne - times(cos_theta, cos_theta)) << 20) << 5;
    const Turn phi = sector_phi();
    const Vec3 direction{times(across, cosine_of(phi)), times(across, sine(phi)), cos_theta};
    Particle electron = particle_of(kElectron, -1, scaled(energy, direction));
    transfer_ = {-electron.momentum.x, -electron.momentum.y, kBeamEnergy - electron.momentum.z};
    lost_energy_ = kBeamEnergy - energy;
    transfer_size_ =
        1 + root(transfer_.x * transfer_.x + transfer_.y * transfer_.y + transfer_.z * transfer_.z);
    place(electron);
  }

  void make_hadron() {
    switch (random_.pick(kHadronKind)) {
      case 0:
        return make_hadron(kPion, 1);
      case 1:
        return make_hadron(kPion, -1);
      case 2:
        return make_hadron(kProton, 1);
      case 3:
        return make_hadron(kKaon, 1);
      case 4:
        return make_hadron(kKaon, -1);
      case 5:
        return make_recoil_proton();
      default:
        return make_hadron(kNeutron, 0);
    }
  }

  // A momentum along the transfer for a share of its energy, with some transverse momentum.
  Vec3 fragment(Fixed mass) {
    const Fixed energy = mass + ((lost_energy_ * random_.draw(kShare)) >> 16);
    const Fixed p = root(energy * energy - mass * mass);
    constexpr Fixed kSigma = gev_of(0.28);
    return {transfer_.x * p / transfer_size_ + random_.normal(kSigma),
            transfer_.y * p / transfer_size_ + random_.normal(kSigma),
            transfer_.z * p / transfer_size_ + random_.normal(kSigma) / 4};
  }

  void make_hadron(int kind, int charge) {
    place(particle_of(kind, charge, fragment(mass_of(kind))));
  }

  void make_recoil_proton() {
    const auto theta = static_cast<Turn>(random_.draw(kRecoilAngle));
    const Vec3 direction = direction_of(theta, random_.turn());
    place(particle_of(kProton, 1, scaled(random_.draw(kRecoil), direction)));
  }

  // Two photons that share its momentum and part by half its mass on either side.
  void make_neutral_pion() {
    const Vec3 pion = fragment(gev_of(0.13498));
    const Fixed share = random_.between(6554, 58982);  // of 65536
    const Turn phi = random_.turn();
    const Vec3 kick{times(gev_of(0.06), cosine_of(phi)), times(gev_of(0.06), sine(phi)), 0};
    const Vec3 first{((pion.x * share) >> 16) + kick.x, ((pion.y * share) >> 16) + kick.y,
                     (pion.z * share) >> 16};
    add_photon(first);
    add_photon({pion.x - first.x, pion.y - first.y, pion.z - first.z});
  }

  void add_photon(const Vec3& momentum) { place(particle_of(kPhoton, 0, momentum)); }

  void make_tagged(int kind, int charge) {
    const Turn theta = degrees(2.6) + static_cast<Turn>(random_.below(degrees(1.8)));
    const Fixed energy = gev_of(0.5) + random_.exponential(gev_of(1.3));
    Particle tagged =
        particle_of(kind, charge, scaled(energy, direction_of(theta, random_.turn())));
    tagged.region = Region::tagger;
    insert(tagged);
  }

  Particle particle_of(int kind, int charge, const Vec3& momentum) {
    Particle particle;
    particle.charge = charge;
    const bool anti = charge < 0 && kind != kElectron;
    particle.pid = anti ? -kind : kind;
    particle.momentum = momentum;
    particle.p = root(momentum.x * momentum.x + momentum.y * momentum.y + momentum.z * momentum.z);
    const Fixed mass = mass_of(kind);
    particle.energy = std::max<Fixed>(1, root(particle.p * particle.p + mass * mass));
    if (particle.p > 0) {
      particle.direction = {(momentum.x << kUnitBits) / particle.p,
                            (momentum.y << kUnitBits) / particle.p,
                            (momentum.z << kUnitBits) / particle.p};
      particle.beta = (particle.p << kBetaBits) / particle.energy;
    }
    return particle;
  }

  // Keeps a particle if a detector would see it.
  void place(Particle particle) {
    const Fixed cos_theta = particle.direction.z;
    if (cos_theta < kCentralOuter || cos_theta > kForwardInner) {
      return;
    }
    if (cos_theta < kForwardOuter) {
      const Fixed least = particle.charge != 0 ? gev_of(0.3) : gev_of(0.25);
      if (particle.p < least || (particle.charge == 0 && random_.chance(600))) {
        return;
      }
      particle.region = Region::central;
    } else {
      if (particle.p < (particle.charge != 0 ? gev_of(0.45) : gev_of(0.03))) {
        return;
      }
      particle.region = Region::forward;
      if (!find_sector(particle)) {
        return;
      }
    }
    insert(particle);
  }

  // False where a coil is in the way.
  static bool find_sector(Particle& particle) {
    Fixed best = -1;
    Fixed aside = 0;
    for (int sector = 0; sector < 6; ++sector) {
      const Turn middle = static_cast<Turn>(sector) * degrees(60);
      const Fixed along = times(particle.direction.x, cosine_of(middle)) +
                          times(particle.direction.y, sine(middle));
      if (along > best) {
        best = along;
        aside = times(particle.direction.y, cosine_of(middle)) -
                times(particle.direction.x, sine(middle));
        particle.sector = sector + 1;
      }
    }
    return std::abs(aside) < times(best, kSectorEdge);
  }

  // The scattered electron first, then charged forward, charged central, neutral, tagged, as the
  // event builder lists them.
  void insert(Particle particle) {
    const Fixed spread = particle.charge != 0 ? cm(0.35) : 0;
    particle.vertex = {vertex_.x + random_.normal(spread) / 16,
                       vertex_.y + random_.normal(spread) / 16, vertex_.z + random_.normal(spread)};
    particle.measured_beta = particle.beta + random_.normal(fixed(0.006, kBetaBits));
    particle.pid_quality = random_.normal(fixed(1.1, 12));
    const auto rank = [](const Particle& p) {
      return p.region == Region::tagger    ? 3
             : p.charge == 0               ? 2
             : p.region == Region::central ? 1
                                           : 0;
    };
    std::vector<Particle>& all = event_.particles;
    const auto at =
        all.empty() ? all.end() : std::find_if(all.begin() + 1, all.end(), [&](const Particle& p) {
          return rank(p) > rank(particle);
        });
    all.insert(at, particle);
  }

  Event& event_;
  Random& random_;
  Vec3 vertex_{};
  Vec3 transfer_{};
  Fixed transfer_size_ = 0;
  Fixed lost_energy_ = 0;
};

}  // namespace

void make_particles(Event& event, Topology topology, Random& random) {
  Maker(event, random).make(topology);
}

}  // namespace hipotool::app::sample
