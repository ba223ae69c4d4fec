// ECAL: strips, peaks of strips in one view, clusters of three peaks. HTCC and LTCC.

#include "banks.hpp"
#include "schema_texts.hpp"
#include "sector_frame.hpp"

#include <algorithm>
#include <array>

namespace hipotool::app::sample {
namespace {

// How a peak's energy is shared out among its strips.
constexpr std::array<Fixed, 5> kStripShare{34, 14, 9, 4, 3};  // of 64

std::size_t count_strips(const Event& event) noexcept {
  std::size_t strips = 0;
  for (const CalorimeterHit& hit : event.calorimeter) {
    for (const int in_view : hit.strips) {
      strips += static_cast<std::size_t>(in_view);
    }
  }
  return strips;
}

void write_strips(EventWriter& out, const Event& event, Random& random) {
  auto rows = out.bank<kEcalHits>(count_strips(event));
  std::size_t id = 0;
  for (const std::size_t index : event.calorimeter_order) {
    const CalorimeterHit& hit = event.calorimeter[index];
    for (std::size_t view = 0; view < 3; ++view) {
      const auto count = static_cast<std::size_t>(hit.strips[view]);
      const std::size_t peak = hit.row * 3 + view + 1;
      for (std::size_t s = 0; s < count; ++s) {
        const Fixed share =
            count == 1 ? hit.view_energy[view] : (hit.view_energy[view] * kStripShare[s]) >> 6;
        const Fixed energy = share + random.normal(share / 16);
        // Strips on both sides of the peak's middle, ascending.
        const int strip = std::max(1, hit.strip[view] + static_cast<int>(s) - hit.strips[view] / 2);
        rows.add(++id, hit.row + 1, 0, hit.sector, hit.layer + static_cast<int>(view), strip, peak,
                 gev<19>(energy), time<13>(hit.view_time[view] + random.normal(ns(0.4))));
      }
    }
  }
}

struct StripEnds {
  Vec3 from;
  Vec3 to;
};

// A matter of geometry: the same strip has the same ends in every event.
StripEnds ends_of(const CalorimeterHit& hit, std::size_t view) noexcept {
  const Frame& frame = frame_of(hit.sector);
  const Fixed depth = cm(697.7) + (hit.layer - 1) * cm(4.9);
  const Fixed along = hit.strip[view] * (hit.layer == 1 ? cm(5.9) : cm(11.2));
  const Fixed half = along / 2 + cm(4.3);
  const Fixed base = cm(-270.0) + static_cast<Fixed>(view) * cm(0.37);
  const Fixed lean = view == 0 ? 0 : view == 1 ? along / 3 : -along / 3;
  return {frame.to_lab({base + along + lean, -half, depth}),
          frame.to_lab({base + along - lean, half, depth})};
}

void write_peaks(EventWriter& out, const Event& event) {
  auto rows = out.bank<kEcalPeaks>(event.calorimeter.size() * 3);
  std::size_t id = 0;
  for (const std::size_t index : event.calorimeter_order) {
    const CalorimeterHit& hit = event.calorimeter[index];
    for (std::size_t view = 0; view < 3; ++view) {
      const StripEnds ends = ends_of(hit, view);
      rows.add(++id, 0, hit.sector, hit.layer + static_cast<int>(view),
               gev<19>(hit.view_energy[view]), time<13>(hit.view_time[view]),
               length<12>(ends.from.x), length<12>(ends.from.y), length<12>(ends.from.z),
               length<12>(ends.to.x), length<12>(ends.to.y), length<12>(ends.to.z),
               length<12>(hit.width[view]));
    }
  }
}

void write_clusters(EventWriter& out, const Event& event) {
  auto clusters = out.bank<kEcalClusters>(event.calorimeter.size());
  for (const std::size_t index : event.calorimeter_order) {
    const CalorimeterHit& hit = event.calorimeter[index];
    const std::size_t peak = hit.row * 3;
    clusters.add(hit.row + 1, 0, hit.sector, hit.layer, length<13>(hit.at.x), length<13>(hit.at.y),
                 length<13>(hit.at.z), gev<19>(hit.energy), time<13>(hit.time),
                 length<12>(hit.width[0]), length<12>(hit.width[1]), length<12>(hit.width[2]),
                 peak + 1, peak + 2, peak + 3, hit.distance[0] >> 13, hit.distance[1] >> 13,
                 hit.distance[2] >> 13);
  }
}

void write_moments(EventWriter& out, const Event& event) {
  auto moments = out.bank<kEcalMoments>(event.calorimeter.size());
  for (const std::size_t index : event.calorimeter_order) {
    const CalorimeterHit& hit = event.calorimeter[index];
    moments.add(length<12>(hit.distance[0]), length<12>(hit.distance[1]),
                length<12>(hit.distance[2]), length<12>(hit.moment1[0]), length<12>(hit.moment1[1]),
                length<12>(hit.moment1[2]), length<12>(hit.moment2[0]), length<12>(hit.moment2[1]),
                length<12>(hit.moment2[2]), length<12>(hit.moment3[0]), length<12>(hit.moment3[1]),
                length<12>(hit.moment3[2]));
  }
}

void write_calibration(EventWriter& out, const Event& event) {
  auto rows = out.bank<kEcalCalib>(event.calorimeter.size());
  for (const std::size_t index : event.calorimeter_order) {
    const CalorimeterHit& hit = event.calorimeter[index];
    const CalorimeterViews v = views_of(hit);
    rows.add(hit.sector, hit.layer, v.size, v.database[0], v.database[1], v.database[2],
             v.raw_energy[0], v.raw_energy[1], v.raw_energy[2], v.energy[0], v.energy[1],
             v.energy[2], v.tdc_time[0], v.tdc_time[1], v.tdc_time[2], v.adc_time[0], v.adc_time[1],
             v.adc_time[2]);
  }
}

std::size_t count_of(const Event& event, int detector) noexcept {
  return static_cast<std::size_t>(
      std::ranges::count(event.cherenkovs, detector, &CherenkovHit::detector));
}

}  // namespace

CalorimeterViews views_of(const CalorimeterHit& hit) noexcept {
  CalorimeterViews views;
  views.size = to_float<0>(hit.strips[0] + hit.strips[1] + hit.strips[2]);
  for (std::size_t view = 0; view < 3; ++view) {
    views.database[view] = hit.strip[view] * 10;
    // Light is lost on its way along the strip.
    const Fixed kept = 65536 - std::clamp<Fixed>(hit.distance[view] >> 9, 0, 40000);
    views.raw_energy[view] = gev<19>((hit.view_energy[view] * kept) >> 16);
    views.energy[view] = gev<19>(hit.view_energy[view]);
    views.tdc_time[view] = time<13>(hit.view_time[view]);
    views.adc_time[view] = time<4>(hit.view_time[view] + ns(0.5));
  }
  return views;
}

void write_calorimeter_banks(EventWriter& out, const Event& event, Random& random) {
  write_strips(out, event, random);
  write_peaks(out, event);
  write_clusters(out, event);
  write_moments(out, event);
  write_calibration(out, event);
}

void write_cherenkov_banks(EventWriter& out, const Event& event) {
  // Mirrors are few, so angles are: four rings, twelve half sectors.
  auto mirrors = out.bank<kHtccRec>(count_of(event, kHtcc));
  auto segments = out.bank<kLtccClusters>(count_of(event, kLtcc));
  std::size_t htcc = 0;
  std::size_t ltcc = 0;
  for (const CherenkovHit& hit : event.cherenkovs) {
    const float x = length<4>(hit.at.x);
    const float y = length<4>(hit.at.y);
    const float z = length<4>(hit.at.z);
    const float light = to_float<8>(hit.photoelectrons);
    const int half = hit.sector * 2 - 1 + hit.phi_half;
    if (hit.detector == kHtcc) {
      const float theta = to_float<2>(35 + 30 * hit.theta_ring);
      const float phi = to_float<0>(30 * half - 45);
      mirrors.add(htcc++, 1, light, 1, 1, hit.theta_ring + 1, hit.theta_ring + 1, half, half,
                  time<13>(hit.time), theta, 3.75F, phi, 15.0F, x, y, z);
    } else {
      const Fixed segment = hit.photoelectrons % 18 + 1;
      segments.add(ltcc++, 1, hit.sector, segment, x, y, z, light, time<13>(hit.time), 1, 8.75F,
                   11.25F, to_float<0>(30 * half - 60), to_float<0>(30 * half - 30));
    }
  }
}

}  // namespace hipotool::app::sample
