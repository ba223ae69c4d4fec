#pragma once
// What `check` shows of a file and of all files together: docs/cli.md lists the keys,
// docs/schema/check.json the types.

#include "hipotool/check.hpp"

#include "report/writer.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace hipotool::app {

struct CheckedFile {
  CheckReport report{};
  std::optional<std::string> expected_digest{};
};

// The sum of what was found.
struct CheckTotal {
  std::uint64_t files = 0;
  std::map<CheckVerdict, std::uint64_t> files_by_verdict{};
  std::uint64_t bytes = 0;
  std::uint64_t records = 0;
  std::uint64_t events = 0;
  std::uint64_t events_recoverable = 0;
  std::uint64_t bytes_lost = 0;
  std::uint64_t stored_bytes = 0;
  std::uint64_t checksummed_bytes = 0;
  EventCounts<std::uint32_t> events_by_tag{};

  void add(const CheckReport& report);
};

void report_file(ReportWriter& writer, const CheckedFile& file);
void report_total(ReportWriter& writer, const CheckTotal& total, CheckDepth depth);

// A bad file's line without its end: path, verdict, reason. With `digest` every file has one:
// digest, unordered digest, events, path, and verdict and reason of a bad one. Empty: no line.
// `raw` leaves names as they are.
[[nodiscard]] std::string line_of(const CheckReport& report, bool digest, bool raw);

}  // namespace hipotool::app
