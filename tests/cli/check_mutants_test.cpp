// The built tool on files that are changed at random: every one gets a documented exit code, in
// time.

#include "cli/tool_files.hpp"
#include "support/fixtures.hpp"
#include "support/random.hpp"
#include "support/random_file.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace hipotool::test {
namespace {

namespace fs = std::filesystem;

constexpr int kMutants = 500;

// One to four bytes changed, or cut, or a piece taken out or put in twice.
Bytes mutant_of(Bytes file, Random& random) {
  const auto at = [&] {
    return static_cast<std::ptrdiff_t>(random.below(static_cast<std::uint32_t>(file.size())));
  };
  const std::uint32_t kind = random.below(8);
  if (kind == 0) {
    file.resize(static_cast<std::size_t>(at()));
  } else if (kind == 1) {
    const auto first = at();
    file.erase(file.begin() + first,
               file.begin() + std::min<std::ptrdiff_t>(first + 1 + at() / 16, std::ssize(file)));
  } else if (kind == 2) {
    const auto first = at();
    const Bytes piece(file.begin() + first,
                      file.begin() + std::min<std::ptrdiff_t>(first + 40, std::ssize(file)));
    file.insert(file.begin() + at(), piece.begin(), piece.end());
  } else if (kind == 3) {
    file[random.below(56)] ^= static_cast<std::byte>(1 + random.below(255));  // the file header
  } else {
    for (std::uint32_t changes = 1 + random.below(4); changes > 0; --changes) {
      file[static_cast<std::size_t>(at())] ^= static_cast<std::byte>(1 + random.below(255));
    }
  }
  return file;
}

// Whatever is written is good.
void expect_salvaged_or_refused(const fs::path& path) {
  const TempDir folder;
  const fs::path output = folder / "out.hipo";
  const ProgramResult result =
      run_tool(ProgramRun{.arguments = {"recook", path, output, "-q", "--salvage", "-j", "1"},
                          .kill_after_seconds = 10});
  EXPECT_TRUE(result.exit_code == 0 || result.exit_code == 1 || result.exit_code == 3)
      << path << ": " << result.exit_code << " " << result.err;
  EXPECT_EQ(fs::exists(output), result.exit_code != 1) << result.err;
  if (result.exit_code != 1) {
    EXPECT_EQ(run_tool({"check", output}).out, "");
  }
}

TEST(CheckMutants, OfTheBuiltToolGetADocumentedCodeInTime) {
  Random random(test_seed(20260730));
  const TempDir folder;
  std::vector<Bytes> fixtures;
  for (const Compression& compression : fixture_compressions()) {
    if (codec_info(compression.codec).available) {
      fixtures.push_back(read_bytes(fs::path(HIPO_TEST_DATA_DIR) / fixture_name(compression)));
    }
  }
  const auto count = static_cast<std::uint32_t>(fixtures.size());
  const std::string digest = content_digest(open_bytes(fixtures[1])).ordered;
  const std::set<int> documented{0, 1, 10, 11, 12, 14, 15, 16};
  std::map<int, unsigned> codes;
  std::string lines;
  for (int i = 0; i < kMutants; ++i) {
    const fs::path path = folder / fmt::format("{:03}.hipo", i);
    write_bytes(path, mutant_of(fixtures[random.below(count)], random));
    const ProgramResult result = run_tool(ProgramRun{
        .arguments = {"check", "-j", "1", "--expect", digest, path}, .kill_after_seconds = 10});
    EXPECT_EQ(result.signal, 0) << path;
    EXPECT_TRUE(documented.contains(result.exit_code)) << path << ": " << result.exit_code;
    EXPECT_EQ(lines_of(result.out).size(), result.exit_code == 0 ? 0U : 1U) << result.out;
    ++codes[result.exit_code];
    lines += result.out;
    if (i % 10 == 0) {
      expect_salvaged_or_refused(path);
    }
  }
  // All at once says the same, and the other depths end in time too.
  EXPECT_EQ(run_tool({"check", "-j", "4", "--expect", digest, folder.path()}).out, lines);
  for (const char* depth : {"--quick", "--headers"}) {
    const ProgramResult result = run_tool(
        ProgramRun{.arguments = {"check", depth, folder.path()}, .kill_after_seconds = 10});
    EXPECT_EQ(result.exit_code, 20);
  }
  std::cout << "mutants by exit code:";
  for (const auto& [code, files] : codes) {
    std::cout << fmt::format(" {}: {},", code, files);
  }
  std::cout << "\n";
  for (const int code : {0, 1, 10, 11, 14, 15, 16}) {
    EXPECT_GT(codes[code], 0U) << code;
  }
}

}  // namespace
}  // namespace hipotool::test
