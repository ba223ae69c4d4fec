// What a rewrite of more than a gigabyte takes.

#include "cli/tool_files.hpp"
#include "support/run_tool.hpp"
#include "support/temp_dir.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace hipotool::test {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;

TEST(RecookMemory, StaysWithinTheBudgetHoweverLongTheFile) {
  const TempDir folder;
  const auto in = folder / "in.hipo";
  ASSERT_EQ(run_tool({"generate", in, "--raw-size", "1100MB", "--codec", "lz4", "-q"}).exit_code,
            0);
  for (const std::string layout : {"per-column", "per-chunk"}) {
    for (const std::uint64_t budget : {std::uint64_t{160}, std::uint64_t{320}}) {
      const ProgramResult result =
          run_tool({"recook", in, folder / "out.hipo", "-f", "-q", "--json", "--layout", layout,
                    "--codec", "lz4", "--memory", std::to_string(budget) + "MiB", "-j", "4"});
      ASSERT_EQ(result.exit_code, 0) << result.err;
      EXPECT_GT(std::stoull(json_at(result.out, "/raw_bytes")), 1'000'000'000U);
      EXPECT_LT(std::stoull(json_at(result.out, "/peak_memory_bytes")), (budget + 32) * kMiB)
          << layout;
    }
  }
}

}  // namespace
}  // namespace hipotool::test
