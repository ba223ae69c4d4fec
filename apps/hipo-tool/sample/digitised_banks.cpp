// What the electronics deliver before any reconstruction: ADC and TDC hits of the event's
// particles, and noise. A channel has a fixed pedestal; hits come sorted by sector, layer,
// component and order.

#include "banks.hpp"
#include "schema_texts.hpp"

#include <algorithm>
#include <tuple>
#include <vector>

namespace hipotool::app::sample {
namespace {

// Where a hit was: packed, so that sorting by it sorts by sector, layer, component and order.
struct Channel {
  Fixed sector;
  Fixed layer;
  Fixed component;
  Fixed order;
};

struct Digit {
  std::uint32_t key;
  std::int32_t value;  // of the ADC or TDC
  std::int32_t time;

  Digit(const Channel& at, Fixed value_in, Fixed time_in = 0) noexcept
      : key(static_cast<std::uint32_t>(((at.sector * 256 + at.layer) * 1024 + at.component) * 8 +
                                       at.order)),
        value(static_cast<std::int32_t>(value_in)),
        time(static_cast<std::int32_t>(time_in)) {}

  [[nodiscard]] Channel channel() const noexcept {
    return {key >> 21, key >> 13 & 0xff, key >> 3 & 0x3ff, key & 7};
  }
};

// TDC counts of 24 ps after the trigger window opened.
Fixed tdc_of(Fixed time) noexcept {
  return time * 1000 / (24 * ns(1.0)) + 2000;
}

class Digitiser {
 public:
  Digitiser(EventWriter& out, const Event& event, Random& random) noexcept
      : out_(out), event_(event), random_(random) {}

  void write() {
    write_trigger();
    write_drift_chambers();
    write_calorimeter();
    write_scintillators<kFtofAdc, kFtofTdc>(kFtof,
                                            {{1, 1, 1, 0}, {6, 2, 62, 1}, 50, 400, ns(400.0)});
    write_scintillators<kCtofAdc, kCtofTdc>(kCtof,
                                            {{1, 1, 1, 0}, {1, 1, 48, 1}, 50, 400, ns(400.0)});
    write_scintillators<kCndAdc, kCndTdc>(kCnd, {{1, 1, 1, 0}, {24, 3, 2, 1}, 50, 400, ns(400.0)});
    write_cherenkovs();
    write_silicon();
    write_micromegas();
    write_tagger();
    write_rich();
    write_backward();
    write_beam();
  }

 private:
  void sort() {
    std::sort(digits_.begin(), digits_.end(), [](const Digit& a, const Digit& b) {
      return std::tie(a.key, a.value, a.time) < std::tie(b.key, b.value, b.time);
    });
    // A channel that was hit twice keeps the first.
    const auto same = [](const Digit& a, const Digit& b) { return a.key == b.key; };
    digits_.erase(std::unique(digits_.begin(), digits_.end(), same), digits_.end());
  }

  static Fixed pedestal_of(const Digit& digit) noexcept {
    return 120 + static_cast<Fixed>(mix(77, digit.key) % 96);
  }

  template <const std::string_view& kText>
  void flush_adc() {
    sort();
    auto rows = out_.bank<kText>(digits_.size());
    for (const Digit& d : digits_) {
      const Channel c = d.channel();
      rows.add(c.sector, c.layer, c.component, c.order, d.value, time<4>(d.time), pedestal_of(d));
    }
    digits_.clear();
  }

  template <const std::string_view& kText>
  void flush_tdc() {
    sort();
    auto rows = out_.bank<kText>(digits_.size());
    for (const Digit& d : digits_) {
      const Channel c = d.channel();
      rows.add(c.sector, c.layer, c.component, c.order, d.value);
    }
    digits_.clear();
  }

  void add(const Channel& at, Fixed value, Fixed hit_time = 0) {
    digits_.emplace_back(at, value, hit_time);
  }

  // Hits that belong to nothing, anywhere between two channels.
  struct Noise {
    Channel first;
    Channel last;
    Fixed least;
    Fixed values;
    Fixed window;
  };

  void add_noise(Fixed hits, const Noise& noise) {
    for (; hits > 0; --hits) {
      const Channel at{random_.between(noise.first.sector, noise.last.sector),
                       random_.between(noise.first.layer, noise.last.layer),
                       random_.between(noise.first.component, noise.last.component),
                       random_.between(noise.first.order, noise.last.order)};
      const Fixed value = noise.least + random_.below(noise.values);
      add(at, value, random_.below(noise.window));
    }
  }

  void write_trigger() {
    auto bits = out_.bank<kRunTrigger>(3);
    bits.add(100, event_.run.trigger_bits);
    bits.add(101, event_.run.trigger_bits & 0x7f);
    bits.add(102, event_.run.trigger_bits << 1);
    auto words = out_.bank<kRawVtp>(24 + event_.calorimeter.size());
    for (int crate = 1; crate <= 24; ++crate) {
      words.add(crate + 95, 0x10000000 + (event_.run.event_number & 0xfff));
    }
    for (const CalorimeterHit& hit : event_.calorimeter) {
      words.add(hit.sector + 100, 0x28000000 + hit.layer * Fixed{65536} + (hit.energy >> 10));
    }
  }

  void write_drift_chambers() {
    for (const Track& track : event_.tracks) {
      if (track.detector == kDc) {
        add_wires(track);
      }
    }
    add_noise(250 + random_.below(350), {{1, 1, 1, 2}, {6, 36, 112, 2}, 100, 1400, 1});
    flush_tdc<kDcTdc>();
  }

  // Twelve layers in each of three regions; the wire follows the track's slope within a region.
  void add_wires(const Track& track) {
    for (std::size_t region = 0; region < 3; ++region) {
      const Crossing& crossing = event_.crossings[track.first_crossing + 1 + region];
      const Fixed cell = cm(1.3) + static_cast<Fixed>(region) * cm(0.65);
      const Fixed slope = static_cast<Fixed>(region) * 20 + random_.normal(60);
      for (Fixed layer = 0; layer < 12; ++layer) {
        if (random_.chance(40)) {
          continue;
        }
        const Fixed wire = (crossing.height / cell * 1000 + layer * slope) / 1000 - 12;
        add({track.sector, static_cast<Fixed>(region) * 12 + layer + 1,
             std::clamp<Fixed>(wire, 1, 112), 2},
            150 + static_cast<Fixed>(region) * 120 + random_.below(420));
      }
    }
  }

  void write_calorimeter() {
    add_strips(false);
    flush_adc<kEcalAdc>();
    add_strips(true);
    flush_tdc<kEcalTdc>();
  }

  void add_strips(bool tdc) {
    for (const CalorimeterHit& hit : event_.calorimeter) {
      for (std::size_t view = 0; view < 3; ++view) {
        for (int s = 0; s < hit.strips[view]; ++s) {
          const int strip = std::max(1, hit.strip[view] + s - hit.strips[view] / 2);
          const Fixed share = hit.energy / 3 / hit.strips[view];
          const Fixed value = tdc ? tdc_of(hit.time) + strip % 9
                                  : (share * 10000 >> kEnergyBits) + random_.below(40);
          add({hit.sector, hit.layer + static_cast<Fixed>(view), strip, tdc ? 2 : 0}, value,
              hit.time - event_.start_time + ns(150.0));
        }
      }
    }
    const Fixed order = tdc ? 2 : 0;
    add_noise(20 + random_.below(60),
              {{1, 1, 1, order}, {6, 9, 36, order}, 40, tdc ? 6000 : 200, ns(400.0)});
  }

  template <const std::string_view& kAdc, const std::string_view& kTdc>
  void write_scintillators(int detector, Noise noise) {
    add_ends(detector, false);
    add_noise(random_.below(40), noise);
    flush_adc<kAdc>();
    add_ends(detector, true);
    noise.first.order += 2;
    noise.last.order += 2;
    noise.values = 6000;
    add_noise(random_.below(40), noise);
    flush_tdc<kTdc>();
  }

  // Both ends of a paddle, which see the light at different times.
  void add_ends(int detector, bool tdc) {
    for (const ScintillatorHit& hit : event_.scintillators) {
      if (hit.detector != detector) {
        continue;
      }
      const Fixed delay = (hit.at.x + hit.at.y) / 32;
      for (Fixed end = 0; end < 2; ++end) {
        const Fixed at = hit.time + (end == 0 ? delay : -delay);
        const Fixed value = tdc ? tdc_of(at) : (hit.energy * 110 >> 16) + random_.below(60);
        add({hit.sector, hit.layer, hit.component, end + (tdc ? 2 : 0)}, value,
            at - event_.start_time + ns(120.0));
      }
    }
  }

  void write_cherenkovs() {
    for (const int detector : {kHtcc, kLtcc}) {
      for (const CherenkovHit& hit : event_.cherenkovs) {
        if (hit.detector == detector) {
          const Fixed component =
              detector == kHtcc ? hit.theta_ring + 1 : hit.photoelectrons % 18 + 1;
          add({hit.sector, hit.phi_half + 1, component, 0}, hit.photoelectrons * 2,
              hit.time - event_.start_time + ns(100.0));
        }
      }
      add_noise(random_.below(4), {{1, 1, 1, 0}, {6, 2, 4, 0}, 60, 300, ns(300.0)});
      if (detector == kHtcc) {
        flush_adc<kHtccAdc>();
      } else {
        flush_adc<kLtccAdc>();
      }
    }
  }

  // Neighbouring strips of each layer that central tracks pass.
  void add_central_strips(int first_layer, int last_layer, Fixed strips, Fixed most_noise) {
    for (const Crossing& crossing : event_.crossings) {
      if (crossing.detector != kCvt || crossing.layer < first_layer ||
          crossing.layer > last_layer) {
        continue;
      }
      const Turn place = angle_of(crossing.at.x, crossing.at.y);
      const auto global =
          static_cast<Fixed>((std::uint64_t{place} * static_cast<std::uint64_t>(strips) * 3) >> 32);
      const Fixed size = random_.between(1, 4);
      for (Fixed s = 0; s < size; ++s) {
        const Fixed charge = random_.between(1, 7);
        const Fixed at = ns(40.0) + random_.below(ns(160.0));
        add({global / strips + 1, crossing.layer - first_layer + 1,
             std::min(strips, global % strips + 1 + s), 0},
            charge, at);
      }
    }
    add_noise(random_.below(most_noise), {{1, 1, 1, 0}, {3, 6, strips, 0}, 0, 4, ns(250.0)});
    sort();
  }

  void write_silicon() {
    add_central_strips(1, 6, 256, 200);
    auto rows = out_.bank<kBstAdc>(digits_.size());
    for (const Digit& d : digits_) {
      const Channel c = d.channel();
      rows.add(c.sector, c.layer, c.component, c.order, d.value, time<0>(d.time), 0,
               event_.run.timestamp);
    }
    digits_.clear();
  }

  void write_micromegas() {
    add_central_strips(7, 12, 896, 240);
    auto rows = out_.bank<kBmtAdc>(digits_.size());
    for (const Digit& d : digits_) {
      const Fixed charge = 90 + d.value * 170 + (d.time >> 14) % 90;
      const Channel c = d.channel();
      rows.add(c.sector, c.layer, c.component, c.order, charge, time<1>(d.time), pedestal_of(d),
               charge * 4, event_.run.timestamp);
    }
    digits_.clear();
  }

  void write_tagger() {
    for (const TaggerHit& hit : event_.tagger) {
      const Fixed x = hit.at.x / cm(1.5) + 11;
      const Fixed y = hit.at.y / cm(1.5) + 11;
      for (Fixed crystal = 0; crystal < hit.crystals; ++crystal) {
        const Fixed component = (y + crystal / 4 - 1) * 22 + x + crystal % 4;
        add({1, 1, std::clamp<Fixed>(component, 0, 483), 0}, (hit.energy >> 8) / (crystal + 2),
            hit.time - event_.start_time);
      }
    }
    add_noise(random_.below(10), {{1, 1, 0, 0}, {1, 1, 483, 0}, 30, 90, ns(300.0)});
    flush_adc<kFtcalAdc>();
    for (const TaggerHit& hit : event_.tagger) {
      for (Fixed layer = 1; hit.charged && layer <= 2; ++layer) {
        const Fixed tile = std::clamp<Fixed>(hit.at.x / cm(3.0) + 8, 1, 20);
        add({hit.at.y > 0 ? 2 : 6, layer, tile, 0}, 700 + random_.below(900),
            hit.time - event_.start_time);
      }
    }
    flush_adc<kFthodoAdc>();
  }

  // Leading and trailing edges.
  void write_rich() {
    for (const RichHit& hit : event_.rich) {
      const Fixed leading = (hit.time - event_.start_time) >> 16;
      add({4, hit.pmt / 3 + 1, hit.pmt % 3 * 64 + hit.anode, 0}, leading);
      add({4, hit.pmt / 3 + 1, hit.pmt % 3 * 64 + hit.anode, 1}, leading + 35 + random_.below(30));
    }
    add_noise(random_.below(60), {{4, 1, 1, 0}, {4, 120, 192, 0}, 0, 250, 1});
    flush_tdc<kRichTdc>();
  }

  void write_backward() {
    if (!random_.chance(30)) {
      return;
    }
    const Fixed sector = random_.between(1, 5);
    const Fixed layer = random_.between(1, 5);
    const Fixed component = random_.between(1, 7);
    const Fixed at = ns(40.0) + random_.below(ns(90.0));
    const Fixed late = random_.normal(ns(3.0));
    auto rows = out_.bank<kBandAdc>(2);
    for (Fixed end = 0; end < 2; ++end) {
      const Fixed charge = 900 + random_.below(9000);
      const Fixed amplitude = 300 + random_.below(900);
      rows.add(sector, layer, component, end, charge, amplitude, time<4>(at + end * late),
               160 + end);
    }
    auto times = out_.bank<kBandTdc>(2);
    times.add(sector, layer, component, 2, tdc_of(at));
    times.add(sector, layer, component, 3, tdc_of(at + late));
  }

  void write_beam() {
    for (Fixed bucket = 0; bucket < 8; ++bucket) {
      add({1, 1, 1 + bucket % 2, bucket}, tdc_of(event_.rf_time / 32) + bucket / 2 * 13360);
    }
    flush_tdc<kRfTdc>();
    const Fixed level = event_.run.helicity > 0 ? 3000 : 60;
    add({1, 1, 1, 0}, level + random_.below(8), ns(4.0));
    add({1, 1, 2, 0}, 3060 - level + random_.below(8), ns(4.0));
    add({1, 1, 3, 0}, event_.run.helicity_pattern == 0 ? 3000 : 60, ns(4.0));
    flush_adc<kHelAdc>();
    add({0, 0, 1, 0}, 2048 + (event_.run.raster_x >> 4));
    add({0, 0, 2, 0}, 2048 + (event_.run.raster_y >> 4));
    flush_adc<kRasterAdc>();
  }

  EventWriter& out_;
  const Event& event_;
  Random& random_;
  std::vector<Digit> digits_{};
};

}  // namespace

void write_digitised_banks(EventWriter& out, const Event& event, Random& random) {
  Digitiser(out, event, random).write();
}

}  // namespace hipotool::app::sample
