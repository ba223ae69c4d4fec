#pragma once
// What `stats` was told and what it found in a file, between the command and its report.

#include "hipotool/merge.hpp"
#include "hipotool/reader.hpp"
#include "hipotool/statistics.hpp"

#include "inputs.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace hipotool::app {

struct StatsOptions {
  InputOptions inputs{};
  bool per_bank = false;
  bool per_column = false;
  bool values = false;
  bool per_tag = false;
  bool estimate = false;
  bool duplicates = false;
  bool total = false;
  bool only = false;
  std::vector<std::string> banks{};
  std::optional<std::string> sort_key{};
  std::vector<TagRange> tags{};
  std::optional<std::string> condition{};
  std::optional<std::vector<TagRange>> special{};

  [[nodiscard]] bool filters() const { return !tags.empty() || condition; }
};

// What a file says besides its events; not there for several files together.
struct StatsFile {
  std::string path{};
  IndexState index = IndexState::valid;
  std::string index_reason{};
  std::uint64_t dictionary_bytes = 0;
  std::uint64_t schemas = 0;
  std::uint64_t configuration_entries = 0;
  std::vector<TagName> tag_names{};
  Readers readers{};
  std::string oxihipo_since{};
};

struct StatsResult {
  std::optional<StatsFile> file{};
  StatisticsSummary summary{};
  std::optional<std::set<BankKey>> wanted{};  // of `banks` those to show; none: all
  std::vector<BankStatistics> banks{};
  std::vector<ColumnStatistics> columns{};
  std::vector<std::string> warnings{};
};

}  // namespace hipotool::app
