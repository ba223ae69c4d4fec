#pragma once
// Runs a program as a user would, and says what came of it.

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hipotool::test {

struct ProgramRun {
  std::vector<std::string> arguments{};
  std::string input{};  // what the program finds on stdin
  // Added to the environment of the test, or put in place of what is there.
  std::vector<std::pair<std::string, std::string>> environment{};
  std::filesystem::path working_folder{};      // empty: that of the test
  std::optional<double> kill_after_seconds{};  // send `kill_signal` then, if it still runs
  int kill_signal = SIGKILL;
  // The reading end of stdout is closed before the program starts, as by `| head` gone early.
  bool closed_stdout = false;
};

struct ProgramResult {
  int exit_code = -1;  // -1 where a signal ended it
  int signal = 0;      // that signal, or 0
  std::string out{};
  std::string err{};
  double elapsed_seconds = 0;
  std::uint64_t peak_memory_bytes = 0;
};

// A program without a slash is looked up in PATH. Throws std::system_error if it cannot be started.
[[nodiscard]] ProgramResult run_program(const std::filesystem::path& program,
                                        const ProgramRun& run);

#ifdef HIPO_TOOL_PATH
// The hipo-tool of this build.
[[nodiscard]] inline ProgramResult run_tool(const ProgramRun& run) {
  return run_program(HIPO_TOOL_PATH, run);
}
[[nodiscard]] inline ProgramResult run_tool(std::vector<std::string> arguments) {
  return run_tool(ProgramRun{.arguments = std::move(arguments)});
}
#endif

}  // namespace hipotool::test
