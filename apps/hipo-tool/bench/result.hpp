#pragma once
// What a benchmark found, before anybody chose how to show it: tables of rows; a row has facts,
// which are simply known, and measurements, which have samples.

#include "bench/environment.hpp"
#include "bench/reading.hpp"
#include "bench/sampling.hpp"
#include "report/table.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hipotool::app::bench {

// Which values of a column are the good ones.
enum class Better : std::uint8_t { neither, less, more };

struct Fact {
  std::string name{};
  Unit unit = Unit::none;
  Cell value{};
  Better better = Better::neither;
};

// How a measurement appears in the table for people; everything else about it is in the details.
enum class Shown : std::uint8_t {
  seconds,
  cpu_seconds,
  milliseconds,
  raw_rate,      // MB/s of uncompressed bytes
  cpu_raw_rate,  // the same over CPU time
  stored_rate,   // MB/s of compressed bytes
  nanoseconds_per_event,
  milliseconds_per_megabyte,  // of uncompressed bytes
  peak_memory,
};

struct ShownColumn {
  std::string work{};
  Shown what = Shown::milliseconds;
};

struct Measurement {
  std::string work{};  // "read all", "write"
  unsigned threads = 1;
  CellSamples samples{};
  bool proved = false;             // the checksum is over values read, and shared by the neighbours
  std::uint64_t raw_bytes = 0;     // what the work amounts to, uncompressed
  std::uint64_t stored_bytes = 0;  // and compressed; 0: does not apply
  std::uint64_t events = 0;        // 0: does not apply
  std::optional<ReadCounters> counters{};
  std::optional<std::uint64_t> file_bytes{};         // of which counters.bytes_read is a share
  std::optional<std::uint64_t> peak_memory_bytes{};  // of a process that did nothing else

  [[nodiscard]] std::optional<double> shown(Shown what) const;
  [[nodiscard]] Spread real() const { return spread_of(samples.real_seconds()); }
  [[nodiscard]] Spread cpu() const { return spread_of(samples.cpu_seconds()); }
};

struct Row {
  [[nodiscard]] const Measurement* find(std::string_view work) const noexcept;

  std::string name{};
  std::vector<Fact> facts{};
  std::vector<Measurement> measurements{};
  std::optional<bool> pareto{};  // no other row is better in one thing and as good in the rest
};

struct Table {
  std::string name{};      // "formats"
  std::string title{};     // on what, how often, under which conditions
  std::string row_name{};  // what a row is: "format"
  std::vector<ShownColumn> shown{};
  std::vector<Row> rows{};
  std::vector<std::string> notes{};
};

struct BenchResult {
  std::string input{};
  std::uint64_t input_bytes = 0;
  std::string input_storage{};
  bool synthetic = false;
  bool cold = false;
  bool isolated = false;
  std::string sample{};
  Environment environment{};
  std::vector<Table> tables{};
};

}  // namespace hipotool::app::bench
