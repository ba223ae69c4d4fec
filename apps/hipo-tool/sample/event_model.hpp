#pragma once
// One event as the detectors and the reconstruction would see it, before it becomes banks:
// particles first, then the tracks, hits and clusters that belong to them. Fixed-point units as in
// fixed_math.hpp.

#include "fixed_math.hpp"
#include "random.hpp"
#include "run_model.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hipotool::app::sample {

// Numbers that the experiment gives its detectors.
inline constexpr int kCnd = 3;
inline constexpr int kCtof = 4;
inline constexpr int kCvt = 5;
inline constexpr int kDc = 6;
inline constexpr int kEcal = 7;
inline constexpr int kFtCal = 10;
inline constexpr int kFtHodo = 11;
inline constexpr int kFtof = 12;
inline constexpr int kHtcc = 15;
inline constexpr int kLtcc = 16;
inline constexpr int kRich = 18;

inline constexpr int kElectron = 11;
inline constexpr int kPhoton = 22;
inline constexpr int kPion = 211;
inline constexpr int kKaon = 321;
inline constexpr int kProton = 2212;
inline constexpr int kNeutron = 2112;

inline constexpr int kBetaBits = 24;

enum class Region : std::uint8_t { forward, central, tagger };

struct Particle {
  int pid = 0;
  int charge = 0;
  Region region = Region::forward;
  int sector = 0;  // 1 to 6 in the forward region
  Vec3 momentum{};
  Fixed p = 0;
  Fixed energy = 0;
  Vec3 direction{};
  Vec3 vertex{};
  Fixed beta = 0;           // at kBetaBits
  Fixed measured_beta = 0;  // at kBetaBits
  Fixed pid_quality = 0;    // 12 fractional bits
  // Responses that belong to it; they make the status word.
  int scintillator_hits = 0;
  int calorimeter_hits = 0;
  int cherenkov_hits = 0;
};

// Where a track passes a detector's surface.
struct Crossing {
  int detector = 0;
  int layer = 0;
  Vec3 at{};
  Vec3 along{};
  Fixed path = 0;
  Fixed edge = 0;
  Vec3 local{};      // in the sector's tilted frame; forward only
  Fixed height = 0;  // above the beam, within the plane; forward only
};

struct Track {
  std::size_t particle = 0;
  int detector = 0;  // kDc or kCvt
  int sector = 0;
  Fixed chi2 = 0;  // 10 fractional bits
  int degrees_of_freedom = 0;
  std::size_t first_crossing = 0;
  std::size_t crossings = 0;
  Turn phi = 0;          // of the momentum at the vertex
  Fixed transverse = 0;  // momentum across the beam
};

struct CalorimeterHit {
  std::size_t particle = 0;
  int sector = 0;
  int layer = 0;  // 1, 4, 7
  Fixed energy = 0;
  Fixed time = 0;
  Fixed path = 0;
  Vec3 at{};
  Vec3 matched{};
  std::array<Fixed, 3> distance{};  // along U, V, W
  std::array<Fixed, 3> view_energy{};
  std::array<Fixed, 3> view_time{};
  std::array<int, 3> strip{};
  std::array<int, 3> strips{};  // in the peak of each view
  std::array<Fixed, 3> width{};
  std::array<Fixed, 3> moment1{};
  std::array<Fixed, 3> moment2{};
  std::array<Fixed, 3> moment3{};
  std::size_t row = 0;  // in the bank of clusters
};

struct ScintillatorHit {
  std::size_t particle = 0;
  int detector = 0;
  int sector = 0;
  int layer = 0;
  int component = 0;
  Fixed energy = 0;  // MeV, 16 fractional bits
  Fixed time = 0;
  Fixed path = 0;
  Vec3 at{};
  Vec3 matched{};
  int size = 1;
  std::size_t row = 0;  // in its detector's own bank
};

struct CherenkovHit {
  std::size_t particle = 0;
  int detector = 0;
  int sector = 0;
  Fixed photoelectrons = 0;  // 8 fractional bits
  Fixed time = 0;
  Fixed path = 0;
  Vec3 at{};
  int theta_ring = 0;
  int phi_half = 0;
};

struct TaggerHit {
  std::size_t particle = 0;
  Fixed energy = 0;
  Fixed time = 0;
  Fixed path = 0;
  Vec3 at{};
  Fixed radius = 0;
  int crystals = 0;
  bool charged = false;
};

struct RichHit {
  std::size_t particle = 0;
  int hit = 0;
  int pmt = 0;
  int anode = 0;
  Fixed angle = 0;  // rad, 20 fractional bits
  Fixed time = 0;
};

struct Event {
  RunState run{};
  Fixed start_time = 0;
  Fixed rf_time = 0;
  std::vector<Particle> particles{};
  std::vector<Track> tracks{};
  std::vector<Crossing> crossings{};
  std::vector<CalorimeterHit> calorimeter{};
  std::vector<ScintillatorHit> scintillators{};
  std::vector<CherenkovHit> cherenkovs{};
  std::vector<TaggerHit> tagger{};
  std::vector<RichHit> rich{};
  // Rows of `calorimeter` and `scintillators` in the order of the detectors' own banks: by
  // detector, sector, layer and component. A hit's `row` is its place there among those of its
  // detector.
  std::vector<std::size_t> calorimeter_order{};
  std::vector<std::size_t> scintillator_order{};

  void clear() noexcept;
};

// Which reaction: anything, as the beam makes it, or one that a skim selects.
enum class Topology : std::uint8_t { any, pion_pair, proton_and_photons, single_pion };

// Fills all of `event` but its run state: particles, and everything that they leave behind.
// Particles that no detector would see are missing, but a selected reaction is tried until all of
// it is seen.
void make_event(Event& event, Topology topology, Random& random);
// Only the particles, at the first try. Their counts of responses, and with them their status
// words, stay zero.
void make_bare_event(Event& event, Topology topology, Random& random);

// The steps, each in its own file.
void make_particles(Event& event, Topology topology, Random& random);
void make_forward_hits(Event& event, Random& random);
void make_central_hits(Event& event, Random& random);
void make_tagger_hits(Event& event, Random& random);
void order_hits(Event& event);

// Time of flight over `path` at `beta`.
[[nodiscard]] Fixed flight_time(Fixed path, Fixed beta) noexcept;
// Energy loss in MeV at 16 bits: `most_probable` with the long upper tail of thin layers.
[[nodiscard]] Fixed energy_loss(Fixed most_probable, Random& random) noexcept;

}  // namespace hipotool::app::sample
