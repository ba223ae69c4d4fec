#include "cli/tool_files.hpp"

#include "support/library.hpp"

#include <sstream>

namespace hipotool::test {

namespace fs = std::filesystem;

void GoldenFiles::SetUp() {
  const auto folder = shared_folder("HIPO_GOLDEN_DIR");
  if (!folder) {
    GTEST_SKIP() << "HIPO_GOLDEN_DIR is not set";
  }
  folder_ = *folder;
}

std::vector<GoldenFiles::KnownDigest> GoldenFiles::known_digests() const {
  std::vector<KnownDigest> known;
  for (const std::string& line : lines_of(read_text(golden("digests.tsv")))) {
    std::istringstream fields(line);
    KnownDigest row;
    if (fields >> row.file >> row.events >> row.digest >> row.unordered && row.file != "file" &&
        row.events != "error:") {
      known.push_back(row);
    }
  }
  EXPECT_FALSE(known.empty());
  return known;
}

void make_sample(const fs::path& path, std::vector<std::string> options) {
  options.insert(options.begin(), {"generate", path.string(), "--quiet"});
  const ProgramResult made = run_tool(options);
  ASSERT_EQ(made.exit_code, 0) << made.err;
}

std::string digest_of(const fs::path& path) {
  const ProgramResult checked = run_tool({"check", "--digest", path.string()});
  return checked.out.substr(0, checked.out.find('\t'));
}

ProgramResult run_shell(const std::string& script, const std::vector<std::string>& arguments) {
  std::vector<std::string> words{"-c", script, "sh"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return run_program("sh", {.arguments = words, .environment = {{"TOOL", HIPO_TOOL_PATH}}});
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

}  // namespace hipotool::test
