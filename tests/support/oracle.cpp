#include "support/oracle.hpp"

#include "support/run_tool.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace hipotool::test {

std::map<std::filesystem::path, std::string> oracle_digests(
    const std::filesystem::path& oracle, const std::vector<std::filesystem::path>& files,
    Strictness strictness) {
  if (files.empty()) {
    return {};
  }
  ProgramRun run;
  run.arguments = {(oracle / "hipo_ref.py").string(), "--digest"};
  if (strictness == Strictness::lenient) {
    run.arguments.emplace_back("--lenient");
  }
  for (const std::filesystem::path& file : files) {
    run.arguments.push_back(file.string());
  }
  const ProgramResult result = run_program("python3", run);
  std::map<std::filesystem::path, std::string> digests;
  for (const std::vector<std::string>& line : tab_separated(result.out)) {
    if (line.size() == 5) {
      digests[line[4]] = line[1] + " " + line[2] + " " + line[3];
    }
  }
  for (const std::filesystem::path& file : files) {
    if (!digests.contains(file)) {
      digests[file] = "refused; the decoder ended with " + std::to_string(result.exit_code) +
                      " and said: " + result.err;
    }
  }
  return digests;
}

std::string digest_text(const Digest& digest) {
  return digest.ordered + " " + digest.unordered + " " + std::to_string(digest.events);
}

std::vector<std::vector<std::string>> tab_separated(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream cells(line);
    std::vector<std::string>& row = rows.emplace_back();
    for (std::string cell; std::getline(cells, cell, '\t');) {
      row.push_back(cell);
    }
  }
  return rows;
}

}  // namespace hipotool::test
