#pragma once
// The one list of commands. A command is a file that defines add_<name>(), which describes its
// command line; it is added to the program by its line here.

#include "arguments.hpp"

#include <vector>

#define HIPO_TOOL_COMMANDS(command)                                                             \
  command(recook) command(tag_filter) command(check) command(diff) command(dump) command(stats) \
      command(generate) command(bench)

namespace hipotool::app {

#define HIPO_TOOL_DECLARE(name) void add_##name(std::vector<Verb>& verbs);
HIPO_TOOL_COMMANDS(HIPO_TOOL_DECLARE)
#undef HIPO_TOOL_DECLARE

[[nodiscard]] inline std::vector<Verb> all_commands() {
  std::vector<Verb> verbs;
#define HIPO_TOOL_ADD(name) add_##name(verbs);
  HIPO_TOOL_COMMANDS(HIPO_TOOL_ADD)
#undef HIPO_TOOL_ADD
  return verbs;
}

}  // namespace hipotool::app
