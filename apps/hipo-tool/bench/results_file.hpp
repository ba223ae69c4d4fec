#pragma once
// Reads what `bench --format json` wrote, as far as comparing needs it.

#include "bench/sampling.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace hipotool::app::bench {

// One measurement of a document: where it stands, and what it found.
struct StoredCell {
  std::string table{};
  std::string row{};
  std::string work{};
  std::uint64_t threads = 1;
  Measure measure{};
  std::string checksum{};  // empty where nothing was proved

  [[nodiscard]] std::string key() const;
};

struct StoredResult {
  std::string path{};
  std::string cpu{};
  std::string revision{};
  std::vector<StoredCell> cells{};
};

// Every document of the file, one a line. Error{io, corrupt, unsupported}, naming the path.
[[nodiscard]] std::vector<StoredResult> read_results(const std::filesystem::path& path);

}  // namespace hipotool::app::bench
