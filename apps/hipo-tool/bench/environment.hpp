#pragma once
// What numbers depend on besides the program's work; travels with every result.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hipotool::app::bench {

struct Environment {
  std::string version{};
  std::string revision{};
  std::string build{};                                           // "Release", sanitizers if any
  std::string compiler{};                                        // and its flags
  std::vector<std::pair<std::string, std::string>> libraries{};  // codec or name, and version
  std::string cpu{};
  unsigned usable_cpus = 1;
  std::optional<double> cpu_limit{};  // of the control group
  std::uint64_t memory_bytes = 0;
  std::optional<std::uint64_t> memory_limit_bytes{};  // of the control group
  std::string kernel{};
  std::string file_system{};       // of the input
  std::string work_file_system{};  // of the files that were written
  std::optional<double> load{};    // of the last minute, at the start
  std::string command_line{};
};

[[nodiscard]] Environment read_environment(const std::filesystem::path& input,
                                           const std::filesystem::path& work_folder);

// "ext4", or the kernel's number for one that has no name here.
[[nodiscard]] std::string file_system_of(const std::filesystem::path& path);
// Whether its pages cannot be evicted, since they are nowhere else.
[[nodiscard]] bool lives_in_memory(const std::filesystem::path& path);

// The words that this process was started with, quoted for a shell where that is needed.
[[nodiscard]] std::string command_line();

}  // namespace hipotool::app::bench
