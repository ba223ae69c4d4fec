// Banks about the run rather than the collision, and the events with tag 1 that consist of them.

#include "banks.hpp"
#include "schema_texts.hpp"

#include <string>
#include <string_view>

namespace hipotool::app::sample {
namespace {

constexpr std::uint64_t kScalerChannels = 32;
constexpr std::uint64_t kReadingsPerSlowControl = 10;

template <const std::string_view& kText>
void write_text(EventWriter& out, std::string_view text) {
  auto rows = out.bank<kText>(text.size());
  for (const char character : text) {
    rows.add(static_cast<int>(character));
  }
}

void write_scaler_counts(EventWriter& out, const RunState& run, const RunModel& model) {
  constexpr std::size_t kGates = 3;  // all, positive and negative helicity
  auto rows = out.bank<kRawScaler>(kScalerChannels * kGates);
  for (std::uint64_t channel = 0; channel < kScalerChannels; ++channel) {
    const Fixed all = model.scaler_value(run.reading, channel);
    const Fixed positive = all / 2 + model.scaler_value(run.reading, channel + 1000) % 50;
    rows.add(64, 1, channel, 0, run.helicity_pattern, all);
    rows.add(64, 1, channel, 1, run.helicity_pattern, positive);
    rows.add(64, 1, channel, -1, run.helicity_pattern, all - positive);
  }
}

// What the slow controls say: a flat JSON object of readings that hardly move.
void write_slow_controls(EventWriter& out, const RunState& run, const RunModel& model) {
  constexpr std::string_view kNames[] = {
      "IPM2C21A",         "IPM2C24A",      "IPM2H01",         "IPM2H01.XPOS",       "IPM2H01.YPOS",
      "beam_energy",      "HALLB:ENERGY",  "scaler_calc1b",   "B_DAQ:HEL:TIME",     "torus_current",
      "solenoid_current", "MBSY2C_energy", "target_pressure", "target_temperature", "RICH:humidity",
      "DC_HV:sector1",    "DC_HV:sector4", "SVT:chiller",     "FT:temperature"};
  std::string text =
      "{\"run\":" + std::to_string(run.run) + ",\"unixtime\":" + std::to_string(run.unix_time);
  std::uint64_t channel = 5000;
  for (const std::string_view name : kNames) {
    const Fixed base = model.scaler_value(1, channel) % 9000 + 1000;
    const Fixed moving = model.scaler_value(run.reading, channel) % 7;
    text += ",\"" + std::string(name) + "\":" + std::to_string(base / 10) + "." +
            std::to_string(base % 10) + std::to_string(moving);
    ++channel;
  }
  text += "}";
  write_text<kRawEpics>(out, text);
}

}  // namespace

void write_run_config(EventWriter& out, const Event& event) {
  const RunState& run = event.run;
  out.bank<kRunConfig>(1).add(run.run, run.event_number, run.unix_time, run.trigger_bits,
                              run.timestamp, 0, 0, run.torus, run.solenoid);
}

void write_run_banks(EventWriter& out, const Event& event) {
  auto rf = out.bank<kRunRf>(2);
  rf.add(1, time<13>(event.rf_time));
  rf.add(2, time<13>(event.rf_time + ns(1.25)));
  out.bank<kHelOnline>(1).add(event.run.helicity, event.run.helicity_raw);
  out.bank<kRasterPosition>(1).add(length<12>(event.run.raster_x), length<12>(event.run.raster_y));
}

void write_run_scaler(EventWriter& out, const Event& event) {
  const RunState& run = event.run;
  out.bank<kRunScaler>(1).add(to_float<10>(run.charge), to_float<10>(run.charge_ungated),
                              to_float<12>(run.live_time));
}

void write_scaler_banks(EventWriter& out, const Event& event, const RunModel& model) {
  const RunState& run = event.run;
  write_scaler_counts(out, run, model);
  write_run_scaler(out, event);
  out.bank<kHelScaler>(1).add(
      to_float<11>(run.charge % 1024), to_float<11>(run.charge_ungated % 1024),
      to_float<4>(run.charge % 4096), to_float<4>(run.charge_ungated % 4096),
      31250.0F - to_float<0>(run.charge % 64), 33333.0F, run.helicity, run.helicity_raw);
  if (run.helicity_flipped) {
    out.bank<kHelFlip>(1).add(run.run, run.event_number, run.timestamp, run.helicity,
                              run.helicity_raw, run.helicity_pattern / 2, run.helicity_pattern, 0);
  }
  if (run.reading % kReadingsPerSlowControl == 0) {
    write_slow_controls(out, run, model);
  }
}

void write_settings_bank(EventWriter& out) {
  write_text<kCoatConfig>(
      out,
      "{\"service\":\"event builder\",\"variation\":\"rga_fall2018\",\"timestamp\":\"none\","
      "\"dcGeometryVariation\":\"rga_fall2018\",\"schema\":\"dst\",\"torus\":\"inbending\","
      "\"synthetic\":true}");
}

}  // namespace hipotool::app::sample
