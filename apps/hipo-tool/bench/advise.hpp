#pragma once
// `bench advise IN --for GOAL`: measures the formats that come into question on a sample, and says
// which one to take and what the whole file would cost in it.

#include "hipotool/compression.hpp"

#include "bench/size_prediction.hpp"
#include "bench/workbench.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace hipotool::app::bench {

enum class Goal : std::uint8_t { size, selective_read, full_read, write };
[[nodiscard]] std::string_view to_string(Goal goal) noexcept;  // "selective-read"
[[nodiscard]] std::optional<Goal> parse_goal(std::string_view word) noexcept;

struct Candidate {
  Compression compression{};
  std::uint64_t record_bytes = 0;
  // Of the whole file.
  Prediction file_bytes{};
  Prediction write_seconds{};
  Prediction selective_read_seconds{};  // one column
  Prediction full_read_seconds{};
};

struct Advice {
  Goal goal = Goal::size;
  std::vector<Candidate> candidates{};
  std::size_t best = 0;
};

// Of those that are not measurably worse than the best one for the goal, the one with the smallest
// file.
[[nodiscard]] std::size_t best_of(std::span<const Candidate> candidates, Goal goal);

[[nodiscard]] Advice advise(Workbench& bench, Goal goal);
[[nodiscard]] int run_advise(Workbench& bench, Goal goal, Invocation& invocation);

}  // namespace hipotool::app::bench
