#pragma once
// Parts that the reports on written files have in common.

#include "hipotool/compression.hpp"

#include "report/writer.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace hipotool::app {

// Layout, codec, level and encodings (null where they are the input's), limits of a record,
// threads, and the library that makes gzip.
struct Storage {
  std::optional<Compression> compression{};  // none: each record as its input
  std::uint64_t record_bytes = 0;
  std::uint32_t record_events = 0;
  unsigned threads = 1;
};
void report_storage(ReportWriter& report, const Storage& storage);

// Where the time went; the final sync stands apart, since it says more of the disk than of the
// work.
struct Cost {
  double real_seconds = 0;  // without the sync
  double sync_seconds = 0;
  double cpu_seconds = 0;
  std::uint64_t peak_memory_bytes = 0;
};
void report_cost(ReportWriter& report, const Cost& cost);

void report_events_by_tag(ReportWriter& report,
                          const std::map<std::uint32_t, std::uint64_t>& events_by_tag);
void report_warnings(ReportWriter& report, const std::vector<std::string>& warnings);

// Null where there is nothing to divide by.
[[nodiscard]] Cell ratio(std::uint64_t bytes, std::uint64_t by);
[[nodiscard]] Cell rate(std::uint64_t bytes, double seconds);

}  // namespace hipotool::app
