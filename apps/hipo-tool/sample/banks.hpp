#pragma once
// Turning an Event into banks. Each function writes the banks of one part of the experiment; called
// in the order of declaration they give an event as a cook leaves it. Banks that would have no rows
// are left out.

#include "event_model.hpp"
#include "event_writer.hpp"

#include <array>

namespace hipotool::app::sample {

// What two banks say alike about the three views of a cluster, in their units.
struct CalorimeterViews {
  float size = 0;
  std::array<int, 3> database{};
  std::array<float, 3> raw_energy{};
  std::array<float, 3> energy{};
  std::array<float, 3> tdc_time{};
  std::array<float, 3> adc_time{};
};
[[nodiscard]] CalorimeterViews views_of(const CalorimeterHit& hit) noexcept;

// RUN::config alone, as every event has it.
void write_run_config(EventWriter& out, const Event& event);
// RUN::rf, HEL::online, RASTER::position.
void write_run_banks(EventWriter& out, const Event& event);
// ECAL, HTCC and LTCC.
void write_calorimeter_banks(EventWriter& out, const Event& event, Random& random);
void write_cherenkov_banks(EventWriter& out, const Event& event);
// FTOF, CTOF, CND, and now and then BAND.
void write_flight_banks(EventWriter& out, const Event& event, Random& random);
// BSTRec, BMTRec, CVTRec, TimeBasedTrkg.
void write_tracking_banks(EventWriter& out, const Event& event, Random& random);
// FTCAL, FTHODO, FT, RICH.
void write_tagger_banks(EventWriter& out, const Event& event);
void write_rich_banks(EventWriter& out, const Event& event, Random& random);
// REC, and RECFT where the tagger saw an electron.
void write_event_builder_banks(EventWriter& out, const Event& event, Random& random);
// Those of REC that small skims keep: event, particles and their direct responses.
void write_skim_banks(EventWriter& out, const Event& event, Random& random);
// REC::Event and REC::Particle.
void write_particle_banks(EventWriter& out, const Event& event, Random& random);

// RUN::scaler: beam charge and live time at the last reading.
void write_run_scaler(EventWriter& out, const Event& event);
// The banks of an event with tag 1: scalers, beam charge, helicity flips, now and then slow
// controls.
void write_scaler_banks(EventWriter& out, const Event& event, const RunModel& model);
// Once a file, in its first event: with what settings it was cooked.
void write_settings_bank(EventWriter& out);

// ADC and TDC hits of all detectors, sorted by sector, layer, component and order, with noise.
void write_digitised_banks(EventWriter& out, const Event& event, Random& random);

}  // namespace hipotool::app::sample
