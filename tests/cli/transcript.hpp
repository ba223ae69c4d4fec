#pragma once
// What commands print, written down once and compared from then on. A transcript is a text file:
//
//   $ hipo-tool dump --tags in.hipo
//   ...what it prints on stdout
//   ! ...what it prints on stderr
//   = 1                                   its exit code, unless 0

#include <filesystem>
#include <string>
#include <vector>

namespace hipotool::test {

// Runs the tool in `folder`, once for each list of arguments.
[[nodiscard]] std::string transcript(const std::filesystem::path& folder,
                                     const std::vector<std::vector<std::string>>& runs);

// Compares with tests/data/expected/<name>. With HIPO_REGENERATE=1 in the environment it is written
// instead, to be read as a difference in review; under CI that fails.
void expect_transcript(const std::string& name, const std::string& actual);

}  // namespace hipotool::test
