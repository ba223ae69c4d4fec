#include "cli/transcript.hpp"

#include "cli/tool_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace hipotool::test {

namespace {

bool is_set(const char* variable, std::string_view value) {
  const char* found = std::getenv(variable);
  return found != nullptr && found == value;
}

std::string quoted(const std::string& word) {
  return word.find_first_of(" *?&|()<>!'`\n") == std::string::npos && !word.empty()
             ? word
             : "'" + word + "'";
}

// The first lines that differ.
std::string difference(const std::string& expected, const std::string& actual) {
  const std::vector<std::string> wanted = lines_of(expected);
  const std::vector<std::string> found = lines_of(actual);
  std::string command;
  for (std::size_t i = 0; i < std::max(wanted.size(), found.size()); ++i) {
    const std::string here = i < found.size() ? found[i] : "(nothing)";
    const std::string there = i < wanted.size() ? wanted[i] : "(nothing)";
    if (here.starts_with("$ ")) {
      command = here;
    }
    if (here != there) {
      return fmt::format("{}\nline {} is\n{}\nexpected\n{}", command, i + 1, here, there);
    }
  }
  return "the ends of lines";
}

}  // namespace

std::string transcript(const std::filesystem::path& folder,
                       const std::vector<std::vector<std::string>>& runs) {
  std::string text;
  for (const std::vector<std::string>& arguments : runs) {
    const ProgramResult result =
        run_tool(ProgramRun{.arguments = arguments, .working_folder = folder});
    text += "$ hipo-tool";
    for (const std::string& word : arguments) {
      text += " " + quoted(word);
    }
    text += "\n" + result.out;
    for (const std::string& line : lines_of(result.err)) {
      text += "! " + line + "\n";
    }
    text += result.exit_code == 0 ? "" : "= " + std::to_string(result.exit_code) + "\n";
  }
  return text;
}

void expect_transcript(const std::string& name, const std::string& actual) {
  const std::filesystem::path path = std::filesystem::path(HIPO_TEST_DATA_DIR) / "expected" / name;
  if (is_set("HIPO_REGENERATE", "1")) {
    EXPECT_FALSE(is_set("CI", "true")) << "HIPO_REGENERATE under CI";
    write_text(path, actual);
    return;
  }
  const std::string expected = read_text(path);
  EXPECT_TRUE(expected == actual) << path << ": " << difference(expected, actual);
}

}  // namespace hipotool::test
