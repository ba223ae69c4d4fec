#include "cli/tool_files.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace hipotool::test {
namespace {

namespace fs = std::filesystem;

TEST(GenerateThreads, GivesTheSameBytesWithAnyNumberOfThreads) {
  const TempDir folder;
  for (const std::string profile : {"dst", "raw", "skim", "tiny"}) {
    std::string expected;
    for (const std::string threads : {"1", "2", "3", "8"}) {
      const fs::path path = folder / (profile + threads);
      make_sample(path, {"--profile", profile, "--events", "700", "--record-size", "256KiB", "-j",
                         threads});
      const std::string bytes = read_text(path);
      expected = expected.empty() ? bytes : expected;
      EXPECT_EQ(bytes, expected) << profile << " with " << threads << " threads";
    }
  }
}

TEST(Generate, GivesTheSameEventsOnLesserCpus) {
  const TempDir folder;
  for (const std::string profile : {"dst", "raw", "skim", "tiny"}) {
    const fs::path path = folder / profile;
    const ProgramRun lesser{
        .arguments = {"generate", path, "--profile", profile, "--events", "300", "--json"},
        .environment = {{"GLIBC_TUNABLES", "glibc.cpu.hwcaps=-AVX2,-FMA"}}};
    const ProgramResult here = run_tool(lesser.arguments);
    fs::remove(path);
    EXPECT_EQ(json_at(run_tool(lesser).out, "/digest"), json_at(here.out, "/digest")) << profile;
  }
}

TEST(Generate, ReportsWhatItWrote) {
  const TempDir folder;
  const fs::path path = folder / "out.hipo";
  const ProgramResult result = run_tool({"generate", path, "--events", "400", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(schema_errors("generate", result.out), "");
  EXPECT_EQ(json_at(result.out, "/events"), "400");
  EXPECT_EQ(json_at(result.out, "/bytes_out"), std::to_string(fs::file_size(path)));
  EXPECT_EQ(json_at(result.out, "/digest"), '"' + digest_of(path) + '"');
}

TEST(Generate, SeedsMakeDifferentEventsAndPrefixesAgree) {
  const TempDir folder;
  make_sample(folder / "a", {"--events", "20"});
  make_sample(folder / "b", {"--events", "20", "--seed", "2"});
  make_sample(folder / "c", {"--events", "600"});
  const auto first_events = [&](const char* name) {
    return run_tool({"dump", "--json", "--only", "-n", "20", folder / name}).out;
  };
  EXPECT_NE(first_events("a"), first_events("b"));
  EXPECT_EQ(first_events("a"), first_events("c"));
}

TEST(Generate, RawSizeIsReachedByTheLastEvent) {
  const TempDir folder;
  const ProgramResult result =
      run_tool({"generate", folder / "out", "--profile", "tiny", "--raw-size", "1MB", "--json"});
  const std::uint64_t raw = std::stoull(json_at(result.out, "/raw_bytes"));
  EXPECT_GE(raw, 1'000'000U);
  EXPECT_LT(raw, 1'010'000U);
}

TEST(Generate, WritesEveryLayoutAndAnEmptyFileWell) {
  const TempDir folder;
  for (const std::string layout : {"per-chunk", "per-bank", "per-column"}) {
    make_sample(folder / layout, {"--events", "50", "--layout", layout});
    EXPECT_NE(run_tool({"dump", folder / layout}).out.find("/" + layout), std::string::npos);
    EXPECT_EQ(digest_of(folder / layout), digest_of(folder / "per-chunk"));
  }
  make_sample(folder / "empty", {"--events", "0"});
  EXPECT_EQ(run_tool({"check", folder / "empty"}).exit_code, 0);
  EXPECT_EQ(digest_of(folder / "empty"), "99aa06d3014798d86001c324468d497f");
}

TEST(Generate, WritesWhatAReaderNeedsOrRefuses) {
  const TempDir folder;
  const auto reads = [&](const char* name, const char* reader) {
    const std::string report = run_tool({"stats", "--json", folder / name}).out;
    return json_at(report, std::string("/readers/") + reader + "/reads");
  };
  make_sample(folder / "any", {"--events", "20"});
  make_sample(folder / "cpp", {"--events", "20", "--readable-by", "cpp"});
  make_sample(folder / "java", {"--events", "20", "--readable-by", "java"});
  EXPECT_EQ(reads("any", "0"), "false");
  EXPECT_EQ(reads("cpp", "0"), "true");
  EXPECT_EQ(reads("java", "1"), "true");
  EXPECT_EQ(digest_of(folder / "cpp"), digest_of(folder / "any"));
  const ProgramResult refused =
      run_tool({"generate", folder / "out", "--readable-by", "cpp", "--layout", "per-column"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(refused.err,
            "hipo-tool: error: --readable-by: C++ hipo4 cannot read the file: lz4hc/per-column "
            "records\n");
  EXPECT_FALSE(fs::exists(folder / "out"));
}

TEST(Generate, DoesNotOverwriteUnlessForced) {
  const TempDir folder;
  write_text(folder / "out", "precious");
  EXPECT_EQ(run_tool({"generate", folder / "out", "--events", "1"}).exit_code, 1);
  EXPECT_EQ(read_text(folder / "out"), "precious");
  EXPECT_EQ(run_tool({"generate", folder / "out", "--events", "1", "-f"}).exit_code, 0);
}

}  // namespace
}  // namespace hipotool::test
