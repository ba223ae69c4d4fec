#pragma once
// The tables, one function each; docs/cli.md says what their rows and columns are.

#include "bench/result.hpp"
#include "bench/workbench.hpp"

#include <span>
#include <string_view>
#include <vector>

namespace hipotool::app::bench {

[[nodiscard]] Table measure_formats(Workbench& bench);
[[nodiscard]] Table measure_levels(Workbench& bench);
[[nodiscard]] Table measure_threads(Workbench& bench);
[[nodiscard]] Table measure_record_sizes(Workbench& bench);
[[nodiscard]] Table measure_budgets(Workbench& bench);
[[nodiscard]] Table measure_tiers(Workbench& bench);
[[nodiscard]] Table measure_tag_filter(Workbench& bench);
[[nodiscard]] Table measure_input(Workbench& bench);

struct TableKind {
  std::string_view name;
  Table (*measure)(Workbench&);
};
// All, in the order of --full.
[[nodiscard]] std::span<const TableKind> table_kinds() noexcept;

// Marks the rows that no other row beats: no worse in file size and in each of the works, and
// better in one.
void mark_pareto(Table& table, std::string_view size_fact, std::span<const std::string_view> works);

// The four codecs of a default run, or all that --full asks for, in the three layouts.
[[nodiscard]] std::vector<Compression> default_formats(bool full);

// "read all"
[[nodiscard]] std::string work_of(Scope scope);

}  // namespace hipotool::app::bench
