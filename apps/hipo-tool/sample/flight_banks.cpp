// FTOF, CTOF, CND: from the signals at both ends of a paddle to hits and clusters. BAND sees
// something in few events only.

#include "banks.hpp"
#include "schema_texts.hpp"

namespace hipotool::app::sample {
namespace {

constexpr Fixed kMegavolt = Fixed{1} << 16;  // energies of scintillators are in MeV at 16 bits

float mev(Fixed energy) noexcept {
  return on_grid<16, 12>(energy);
}

// Calls `write` for each hit of `detector` in the order of its bank.
template <typename Write>
void for_each_hit(const Event& event, int detector, Write write) {
  for (const std::size_t index : event.scintillator_order) {
    const ScintillatorHit& hit = event.scintillators[index];
    if (hit.detector == detector) {
      write(hit);
    }
  }
}

std::size_t count_of(const Event& event, int detector) noexcept {
  std::size_t count = 0;
  for_each_hit(event, detector, [&](const ScintillatorHit&) { ++count; });
  return count;
}

// The row of the particle's track in its tracking bank, from 1; -1 for neutral particles.
int track_id(const Event& event, const ScintillatorHit& hit) noexcept {
  int id = 0;
  for (const Track& track : event.tracks) {
    if ((track.detector == kDc) == (hit.detector == kFtof)) {
      ++id;
      if (track.particle == hit.particle) {
        return id;
      }
    }
  }
  return -1;
}

// How far light had to go to each end, as a time.
Fixed end_delay(const ScintillatorHit& hit) noexcept {
  return (hit.at.x + hit.at.y) / 32 + hit.component * ns(0.21);
}

template <const std::string_view& kText, typename Rows>
void add_hit(Rows& rows, const Event& event, const ScintillatorHit& hit) {
  const std::size_t first = 2 * hit.row;
  rows.add(hit.row + 1, 0, track_id(event, hit), hit.sector, hit.layer, hit.component,
           mev(hit.energy), time<13>(hit.time), mev(hit.energy / 16), 0.0625F, length<13>(hit.at.x),
           length<13>(hit.at.y), length<13>(hit.at.z), 4.5F, 1.25F, 2.5F, length<13>(hit.matched.x),
           length<13>(hit.matched.y), length<13>(hit.matched.z), first, first + 1, first, first + 1,
           hit.row + 1, length<13>(hit.path), length<13>(cm(5.08) + (hit.path >> 10)));
}

template <typename Rows>
void add_cluster(Rows& rows, const Event& event, const ScintillatorHit& hit) {
  rows.add(hit.row + 1, 0, track_id(event, hit), hit.size, hit.sector, hit.layer, hit.component,
           mev(hit.energy), time<13>(hit.time), mev(hit.energy / 16), 0.0625F, length<13>(hit.at.x),
           length<13>(hit.at.y), length<13>(hit.at.z), length<13>(cm(5.08) + (hit.path >> 10)));
}

void write_forward(EventWriter& out, const Event& event) {
  const std::size_t count = count_of(event, kFtof);
  auto raw = out.bank<kFtofRawhits>(count);
  for_each_hit(event, kFtof, [&](const ScintillatorHit& hit) {
    const Fixed delay = end_delay(hit);
    raw.add(hit.row + 1, 0, hit.sector, hit.layer, hit.component, mev(hit.energy + delay),
            mev(hit.energy - delay), time<13>(hit.time + delay), time<13>(hit.time - delay),
            mev(kMegavolt / 4), mev(kMegavolt / 4), 0.0625F, 0.0625F);
  });
  auto hits = out.bank<kFtofHits>(count);
  for_each_hit(event, kFtof,
               [&](const ScintillatorHit& hit) { add_hit<kFtofHits>(hits, event, hit); });
  auto clusters = out.bank<kFtofClusters>(count);
  for_each_hit(event, kFtof,
               [&](const ScintillatorHit& hit) { add_cluster(clusters, event, hit); });
}

void write_barrel(EventWriter& out, const Event& event) {
  const std::size_t count = count_of(event, kCtof);
  auto hits = out.bank<kCtofHits>(count);
  for_each_hit(event, kCtof,
               [&](const ScintillatorHit& hit) { add_hit<kCtofHits>(hits, event, hit); });
  auto clusters = out.bank<kCtofClusters>(count);
  for_each_hit(event, kCtof,
               [&](const ScintillatorHit& hit) { add_cluster(clusters, event, hit); });
}

void write_neutron_detector(EventWriter& out, const Event& event) {
  const std::size_t count = count_of(event, kCnd);
  auto hits = out.bank<kCndHits>(count);
  for_each_hit(event, kCnd, [&](const ScintillatorHit& hit) {
    const std::size_t first = 2 * hit.row;
    hits.add(hit.row + 1, 0, track_id(event, hit), hit.row + 1, hit.sector, hit.layer,
             hit.component, mev(hit.energy), time<13>(hit.time), mev(hit.energy / 16), 0.125F,
             length<13>(hit.at.x), length<13>(hit.at.y), length<13>(hit.at.z), 0.75F, 0.75F, 3.0F,
             length<13>(hit.matched.x), length<13>(hit.matched.y), length<13>(hit.matched.z),
             length<13>(cm(3.0) + (hit.path >> 9)), length<13>(hit.path), first, first + 1, first,
             first + 1);
  });
  auto clusters = out.bank<kCndClusters>(count);
  for_each_hit(event, kCnd, [&](const ScintillatorHit& hit) {
    clusters.add(hit.row + 1, hit.sector, hit.layer, hit.component, hit.size, mev(hit.energy),
                 length<13>(hit.at.x), length<13>(hit.at.y), length<13>(hit.at.z),
                 time<13>(hit.time), 0, 1, hit.layer == 1 ? 1 : 0, hit.layer == 2 ? 1 : 0,
                 hit.layer == 3 ? 1 : 0, length<13>(cm(3.0) + (hit.path >> 9)));
  });
}

void write_backward(EventWriter& out, const Event& event, Random& random) {
  const auto count = static_cast<std::size_t>(1 + random.below(3));
  auto rows = out.bank<kBandHits>(count);
  for (std::size_t row = 0; row < count; ++row) {
    const Fixed sector = random.between(1, 5);
    const Fixed layer = random.between(1, 5);
    const Fixed component = random.between(1, 7);
    const Fixed energy = random.exponential(12000);
    const Fixed x = random.normal(cm(60.0));
    const Fixed at = event.start_time + ns(9.0) + random.exponential(ns(12.0));
    const float flash = time<13>(at + random.normal(ns(0.6)));
    const float end_difference = time<13>(random.normal(ns(4.0)));
    rows.add(row + 1, sector, layer, component, to_float<4>(energy), time<13>(at), length<4>(x),
             length<4>(component * cm(7.2) - cm(30.0)), length<4>(-cm(302.0) - layer * cm(7.2)),
             2.5F, 7.1875F, 7.1875F, flash, end_difference, end_difference, 2 * row, 2 * row + 1,
             0);
  }
}

}  // namespace

void write_flight_banks(EventWriter& out, const Event& event, Random& random) {
  write_forward(out, event);
  write_barrel(out, event);
  write_neutron_detector(out, event);
  if (random.chance(25)) {
    write_backward(out, event, random);
  }
}

}  // namespace hipotool::app::sample
