#pragma once
// What this process may use of the machine, and what it has used.

#include <cstdint>
#include <filesystem>
#include <optional>

namespace hipotool::app {

// Limits that a batch system sets by control groups of version 1 or 2; the tightest of all levels.
struct GroupLimits {
  std::optional<double> cpus{};
  std::optional<std::uint64_t> memory_bytes{};
};

// `root` is "/", or a folder with a copy of proc and sys for a test.
[[nodiscard]] GroupLimits read_group_limits(const std::filesystem::path& root);

// CPUs by affinity and quota, at least 1.
[[nodiscard]] unsigned usable_cpus();

[[nodiscard]] std::uint64_t peak_memory_bytes();
// User and system time of all threads so far.
[[nodiscard]] double cpu_seconds();

}  // namespace hipotool::app
