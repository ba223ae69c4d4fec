#include "bench/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace hipotool::app::bench {

namespace {

ComparedCell compared(const StoredCell& before, const StoredCell& after, const std::string& path) {
  return {.before = before,
          .after = after,
          .path = path,
          .ratio = before.measure.median > 0 ? after.measure.median / before.measure.median : 0,
          .noise_floor = std::max(before.measure.noise_floor, after.measure.noise_floor),
          .verdict = compare(before.measure, after.measure),
          .other_values = !before.checksum.empty() && !after.checksum.empty() &&
                          before.checksum != after.checksum};
}

void add_warnings(const StoredResult& before, const StoredResult& after, bool other_values,
                  Comparison& comparison) {
  if (before.cpu != after.cpu) {
    comparison.warnings.push_back(fmt::format("{}: measured on another CPU ({}) than {} ({})",
                                              after.path, after.cpu, before.path, before.cpu));
  }
  if (other_values) {
    comparison.warnings.push_back(
        fmt::format("{}: read other values than {}; the times say nothing about each other",
                    after.path, before.path));
  }
}

}  // namespace

Comparison compare_results(const StoredResult& before, std::span<const StoredResult> after) {
  std::map<std::string, const StoredCell*> known;
  for (const StoredCell& cell : before.cells) {
    known.emplace(cell.key(), &cell);
  }
  Comparison comparison;
  for (const StoredResult& result : after) {
    std::map<std::string, const StoredCell*> missing = known;
    bool other_values = false;
    for (const StoredCell& cell : result.cells) {
      const auto partner = known.find(cell.key());
      if (partner == known.end()) {
        comparison.only_after.push_back(result.path + ": " + cell.key());
        continue;
      }
      missing.erase(cell.key());
      comparison.cells.push_back(compared(*partner->second, cell, result.path));
      other_values = other_values || comparison.cells.back().other_values;
    }
    for (const auto& [key, cell] : missing) {
      comparison.only_before.push_back(result.path + ": " + key);
    }
    add_warnings(before, result, other_values, comparison);
  }
  return comparison;
}

bool any_slower(const Comparison& comparison, double percent) {
  return std::any_of(comparison.cells.begin(), comparison.cells.end(),
                     [&](const ComparedCell& cell) {
                       return cell.verdict == Verdict::slower && (cell.ratio - 1) * 100 > percent;
                     });
}

}  // namespace hipotool::app::bench
