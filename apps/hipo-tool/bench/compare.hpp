#pragma once
// Holds results of the same cells against each other: the first is what the others are compared
// with.

#include "bench/results_file.hpp"
#include "bench/sampling.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace hipotool::app::bench {

struct ComparedCell {
  StoredCell before{};
  StoredCell after{};
  std::string path{};      // of the later result
  double ratio = 0;        // of medians, after / before; above 1 is slower
  double noise_floor = 0;  // the larger one
  Verdict verdict = Verdict::no_measurable_difference;
  bool other_values = false;  // both are proved, and not by the same checksum
};

struct Comparison {
  std::vector<ComparedCell> cells{};
  std::vector<std::string> only_before{};  // keys of cells without a partner, with the path
  std::vector<std::string> only_after{};
  std::vector<std::string> warnings{};  // other machines, other values
};

// Cells are partners where table, row, work and threads are the same.
[[nodiscard]] Comparison compare_results(const StoredResult& before,
                                         std::span<const StoredResult> after);

// Whether a cell is measurably slower, and by more than `percent`.
[[nodiscard]] bool any_slower(const Comparison& comparison, double percent);

}  // namespace hipotool::app::bench
