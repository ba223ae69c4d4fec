#include "hipotool/compression.hpp"

#include "cli/tool_files.hpp"
#include "support/library.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <sys/stat.h>
#include <vector>

namespace hipotool::test {
namespace {

namespace fs = std::filesystem;

// Each test gets a small file to work on.
class Recook : public ::testing::Test {
 protected:
  void SetUp() override { make_sample(input_, {"--profile", "tiny", "--events", "500"}); }

  [[nodiscard]] ProgramResult recook(std::vector<std::string> more) const {
    more.insert(more.begin(), {"recook", input_.string()});
    return run_tool(more);
  }

  TempDir folder_;
  fs::path input_ = folder_ / "in.hipo";
  fs::path output_ = folder_ / "out.hipo";
};

mode_t mode_of(const fs::path& path) {
  struct ::stat status {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
  return status.st_mode & 07777U;
}

using RecookSmoke = Recook;

TEST_F(RecookSmoke, KeepsTheEventsInEveryPairOfCodecAndLayout) {
  const std::string digest = digest_of(input_);
  for (const LayoutId layout : kLayouts) {
    for (const CodecInfo& codec : codecs()) {
      const ProgramResult result =
          recook({output_, "--layout", std::string(to_string(layout)), "--codec",
                  std::string(codec.name), "--force", "--json"});
      if (!codec.available) {
        EXPECT_EQ(result.exit_code, 2);
        EXPECT_NE(result.err.find(fmt::format("this build has no {} ", codec.name)),
                  std::string::npos)
            << result.err;
        continue;
      }
      ASSERT_EQ(result.exit_code, 0) << result.err;
      EXPECT_EQ(json_at(result.out, "/digest"), '"' + digest + '"');
      EXPECT_EQ(digest_of(output_), digest);
      const std::string stored = fmt::format("{}/{}\n", codec.name, to_string(layout));
      EXPECT_NE(run_tool({"dump", output_}).out.find(stored), std::string::npos) << stored;
    }
  }
}

TEST_F(Recook, DefaultsToPerColumnLz4hc) {
  ASSERT_EQ(recook({output_}).exit_code, 0);
  EXPECT_NE(run_tool({"dump", output_}).out.find("lz4hc/per-column"), std::string::npos);
  ASSERT_EQ(recook({output_, "-f", "--layout", "per-chunk"}).exit_code, 0);
  EXPECT_NE(run_tool({"dump", output_}).out.find("lz4/per-chunk"), std::string::npos);
}

TEST_F(Recook, TakesCodecNumbersOfHipoUtilsAsPerChunk) {
  const std::vector<std::string> codecs{"none", "lz4", "lz4hc", "gzip"};
  for (std::size_t number = 0; number < codecs.size(); ++number) {
    ASSERT_EQ(recook({output_, "-f", "-c", std::to_string(number)}).exit_code, 0);
    EXPECT_NE(run_tool({"dump", output_}).out.find(codecs[number] + "/per-chunk"),
              std::string::npos);
  }
  ASSERT_EQ(recook({output_, "-f", "-c", "2", "--layout", "per-bank"}).exit_code, 0);
  EXPECT_NE(run_tool({"dump", output_}).out.find("lz4hc/per-bank"), std::string::npos);
}

using RecookThreads = Recook;

TEST_F(RecookThreads, WritesTheSameBytesWithAnyNumberOfThreads) {
  ASSERT_EQ(recook({output_, "-j", "1", "--record-size", "64KiB"}).exit_code, 0);
  const std::string expected = read_text(output_);
  for (const std::string threads : {"2", "3", "8"}) {
    ASSERT_EQ(recook({output_, "-f", "-j", threads, "--record-size", "64KiB"}).exit_code, 0);
    EXPECT_EQ(read_text(output_), expected) << threads << " threads";
  }
}

TEST_F(Recook, RefusesToOverwriteUnlessForced) {
  write_text(output_, "precious");
  const ProgramResult refused = recook({output_});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_EQ(refused.err,
            "hipo-tool: error: " + output_.string() + ": exists already; --force replaces it\n");
  EXPECT_EQ(read_text(output_), "precious");
  const ProgramResult forced = recook({output_, "--force"});
  EXPECT_EQ(forced.exit_code, 0) << forced.err;
  EXPECT_EQ(digest_of(output_), digest_of(input_));
  EXPECT_EQ(folder_.names(), (std::vector<std::string>{"in.hipo", "out.hipo"}));
}

TEST_F(Recook, ForceKeepsTheModeOfTheOldFile) {
  write_text(output_, "old");
  fs::permissions(output_, fs::perms{0640});
  ASSERT_EQ(recook({output_, "--force"}).exit_code, 0);
  EXPECT_EQ(mode_of(output_), 0640U);
}

TEST_F(Recook, NewFilesFollowTheUmask) {
  const ProgramResult result =
      run_shell("umask 027; exec \"$TOOL\" recook \"$1\" \"$2\" --quiet", {input_, output_});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(mode_of(output_), 0640U);
}

TEST_F(Recook, RefusesATargetThatIsAnInputThroughAnyLinkEvenWithForce) {
  const std::string before = read_text(input_);
  const fs::path symlink = folder_ / "symlink.hipo";
  const fs::path hardlink = folder_ / "hardlink.hipo";
  fs::create_symlink(input_, symlink);
  fs::create_hard_link(input_, hardlink);
  for (const fs::path& target : {input_, symlink, hardlink}) {
    const ProgramResult result = recook({target, "--force"});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.err, "hipo-tool: error: " + target.string() + " and " + input_.string() +
                              " are the same file; a file is never rewritten in place\n");
    EXPECT_EQ(read_text(input_), before);
  }
  const ProgramResult merge = run_tool({"recook", symlink, input_, "-o", hardlink, "-f"});
  EXPECT_EQ(merge.exit_code, 2) << merge.err;
  EXPECT_EQ(folder_.names(),
            (std::vector<std::string>{"hardlink.hipo", "in.hipo", "symlink.hipo"}));
}

TEST_F(Recook, FollowsASymbolicLinkToTheTarget) {
  const fs::path real = folder_ / "real.hipo";
  const fs::path link = folder_ / "link.hipo";
  write_text(real, "old");
  fs::create_symlink("real.hipo", link);
  ASSERT_EQ(recook({link, "--force"}).exit_code, 0);
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(digest_of(real), digest_of(input_));
}

TEST_F(Recook, SkipExistingLeavesTheFileAndEndsWell) {
  write_text(output_, "precious");
  const ProgramResult skipped = recook({output_, "--skip-existing"});
  EXPECT_EQ(skipped.exit_code, 0);
  EXPECT_EQ(skipped.err, "hipo-tool: " + output_.string() + ": exists already; skipped\n");
  EXPECT_EQ(skipped.out, "");
  EXPECT_EQ(read_text(output_), "precious");
  const ProgramResult json = recook({output_, "--skip-existing", "--json", "--quiet"});
  EXPECT_EQ(json.err, "");
  EXPECT_EQ(json_at(json.out, "/outcome"), "\"skipped\"");
  EXPECT_EQ(schema_errors("recook", json.out), "");
  fs::remove(output_);
  EXPECT_EQ(recook({output_, "--skip-existing"}).exit_code, 0);
  EXPECT_EQ(digest_of(output_), digest_of(input_));
}

TEST_F(Recook, RefusesTargetsThatAreNoRegularFiles) {
  for (const std::string& target : {folder_.path().string(), std::string("/dev/null")}) {
    const ProgramResult result = recook({target, "--force"});
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_TRUE(result.err.starts_with("hipo-tool: error: " + target + ": is ")) << result.err;
  }
}

TEST_F(Recook, DryRunWritesNothingAndPredictsSizeMemoryAndReaders) {
  const ProgramResult plan = recook({"--dry-run", "--json"});
  ASSERT_EQ(plan.exit_code, 0) << plan.err;
  EXPECT_EQ(schema_errors("recook", plan.out), "");
  EXPECT_EQ(json_at(plan.out, "/outcome"), "\"dry-run\"");
  EXPECT_EQ(json_at(plan.out, "/events"), "500");
  EXPECT_EQ(folder_.names(), std::vector<std::string>{"in.hipo"});
  const ProgramResult done = recook({output_, "--json"});
  const double predicted = std::stod(json_at(plan.out, "/predicted_bytes_out"));
  const double real = std::stod(json_at(done.out, "/bytes_out"));
  EXPECT_NEAR(predicted / real, 1.0, 0.1);
  EXPECT_EQ(json_at(plan.out, "/readers"), json_at(done.out, "/readers"));
  const ProgramResult refused = recook({output_, "--dry-run"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.err.find("exists already"), std::string::npos);
}

TEST_F(Recook, DryRunPredictsWhatIsLeftOfTheEvents) {
  const std::vector<std::vector<std::string>> cases{
      {"-n", "50"}, {"--every", "10"}, {"-b", "RUN::scaler", "--drop-empty"}};
  for (std::vector<std::string> options : cases) {
    options.insert(options.end(), {"--json", "--only"});
    std::vector<std::string> dry = options;
    dry.emplace_back("--dry-run");
    const ProgramResult plan = recook(dry);
    ASSERT_EQ(plan.exit_code, 0) << plan.err;
    options.insert(options.begin(), {output_.string(), "-f"});
    const ProgramResult done = recook(options);
    ASSERT_EQ(done.exit_code, 0) << done.err;
    // The sample is the whole file, so it differs by the headers and the index of the file alone.
    EXPECT_EQ(json_at(plan.out, "/sampled_raw_bytes"), json_at(done.out, "/raw_bytes"))
        << options[2];
    EXPECT_NEAR(std::stod(json_at(plan.out, "/predicted_bytes_out")),
                std::stod(json_at(done.out, "/bytes_out")), 600)
        << options[2];
  }
}

TEST_F(Recook, MergesInputsInTheirOrder) {
  const fs::path other = folder_ / "other.hipo";
  make_sample(other, {"--profile", "tiny", "--events", "70", "--seed", "2"});
  const ProgramResult merged =
      run_tool({"recook", input_, other, "-o", output_, "--json", "--quiet"});
  ASSERT_EQ(merged.exit_code, 0) << merged.err;
  EXPECT_EQ(json_at(merged.out, "/events"), "570");
  EXPECT_EQ(json_at(merged.out, "/inputs/1/events"), "70");
  const auto dump_of = [](const fs::path& path) { return run_tool({"dump", "--json", path}).out; };
  const std::vector<std::string> all = lines_of(dump_of(output_));
  const std::vector<std::string> tail = lines_of(dump_of(other));
  ASSERT_EQ(all.size(), 570U);
  EXPECT_EQ(json_at(all[500], "/banks"), json_at(tail[0], "/banks"));
  EXPECT_EQ(json_at(all[569], "/banks"), json_at(tail[69], "/banks"));
}

TEST_F(Recook, SaysWhoLosesTheFileEvenWhenQuiet) {
  const fs::path plain = folder_ / "plain.hipo";
  ASSERT_EQ(recook({plain, "--readable-by", "java", "--quiet"}).exit_code, 0);
  const ProgramResult lost = run_tool({"recook", plain, output_, "--quiet"});
  EXPECT_EQ(lost.exit_code, 0);
  EXPECT_TRUE(
      lost.err.starts_with("hipo-tool: the result can be read by oxihipo 0.9.0 and later; "
                           "not by "))
      << lost.err;
  EXPECT_EQ(lost.out, "");
  // Nobody loses anything, so nothing is said.
  const ProgramResult kept = run_tool({"recook", output_, folder_ / "again.hipo", "--quiet"});
  EXPECT_EQ(kept.err, "");
}

TEST_F(Recook, VerifyNoneGivesNoDigestAndVerifyFileOne) {
  EXPECT_EQ(json_at(recook({output_, "--verify", "none", "--json"}).out, "/digest"), "null");
  const ProgramResult file = recook({output_, "-f", "--verify", "file", "--json"});
  EXPECT_EQ(json_at(file.out, "/digest"), '"' + digest_of(input_) + '"');
}

TEST_F(Recook, CopiesWhatIsStoredAsWantedUnlessToldOtherwise) {
  const auto recooked = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"recook", input_, output_, "-f", "--json", "-c", "1"});
    return run_tool(more);
  };
  make_sample(input_, {"-f", "--profile", "tiny", "--events", "3000", "--record-size", "100K"});
  const ProgramResult copied = recooked({"--record-size", "100K"});
  EXPECT_EQ(json_at(copied.out, "/records_in"), json_at(copied.out, "/records_out"));
  EXPECT_NE(json_at(copied.out, "/records_copied"), "0") << copied.out;
  const ProgramResult encoded = recooked({"--record-size", "100K", "--reencode"});
  EXPECT_EQ(json_at(encoded.out, "/records_copied"), "0");
  EXPECT_EQ(json_at(encoded.out, "/digest"), json_at(copied.out, "/digest"));
}

TEST_F(Recook, RepacksOneEventRecords) {
  make_sample(input_, {"-f", "--profile", "tiny", "--events", "5000", "--record-events", "1"});
  const ProgramResult result = recook({output_, "--json", "-q"});
  EXPECT_EQ(json_at(result.out, "/records_in"), "5000");
  EXPECT_EQ(json_at(result.out, "/records_out"), "1");
  EXPECT_EQ(digest_of(output_), digest_of(input_));
}

TEST_F(Recook, TellsWhatMemoryWouldDo) {
  const ProgramResult refused =
      recook({output_, "--record-size", "512MiB", "--memory", "1MiB", "--quiet"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.err.find("--memory"), std::string::npos) << refused.err;
  make_sample(input_, {"-f", "--profile", "tiny", "--raw-size", "3MB", "--record-size", "256KiB"});
  const ProgramResult fewer =
      recook({output_, "--record-size", "1MiB", "--memory", "40MiB", "-j", "8", "--json"});
  EXPECT_EQ(fewer.exit_code, 0) << fewer.err;
  EXPECT_NE(fewer.err.find(" of 8 threads run, since more would not fit into 40 MiB of memory"),
            std::string::npos)
      << fewer.err;
}

// The fourth word of an event header, which split layouts have no place for.
TEST_F(Recook, KeepsReservedWordsByFallingBackOrDiscardsThemOnRequest) {
  make_sample(input_, {"-f", "--profile", "tiny", "--events", "40", "--codec", "none"});
  std::string bytes = read_text(input_);
  bytes[bytes.rfind("EVNT", bytes.rfind("EVNT") - 1) + 12] = 1;
  write_text(input_, bytes);
  const ProgramResult kept = recook({output_, "--json"});
  EXPECT_EQ(json_at(kept.out, "/events_fallen_back"), "1");
  EXPECT_EQ(json_at(kept.out, "/fallback_causes"), R"([{"cause":"reserved-word","events":1}])");
  EXPECT_NE(kept.err.find("warning: 2.5 % of the events (1 of 40) are in per-chunk records, since "
                          "per-column cannot hold them (reserved-word); --discard reserved-word "
                          "would leave that out, --strict-layout would refuse them\n"),
            std::string::npos)
      << kept.err;
  const ProgramResult discarded =
      recook({output_, "-f", "--json", "--discard", "reserved-word,trailing-bytes"});
  EXPECT_EQ(json_at(discarded.out, "/events_fallen_back"), "0");
  EXPECT_EQ(json_at(discarded.out, "/discarded"), R"([{"cause":"reserved-word","events":1}])");
}

class RecookGolden : public GoldenFiles {};

TEST_F(RecookGolden, KeepsTheDigestOfEveryFile) {
  const TempDir folder;
  for (const KnownDigest& known : known_digests()) {
    const fs::path output = folder / known.file;
    const ProgramResult result =
        run_tool({"recook", golden(known.file), output, "--layout", "per-column", "--json"});
    if (known.file == "cuttrailer_bank.hipo") {
      EXPECT_EQ(result.exit_code, 1);
      EXPECT_FALSE(fs::exists(output));
      continue;
    }
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(schema_errors("recook", result.out), "") << known.file;
    EXPECT_EQ(json_at(result.out, "/events"), known.events);
    EXPECT_EQ(json_at(result.out, "/digest"), '"' + known.digest + '"');
    EXPECT_EQ(run_tool({"check", "--digest", output}).out, known.digest + "\t" + known.unordered +
                                                               "\t" + known.events + "\t" +
                                                               output.string() + "\n");
  }
}

TEST_F(RecookGolden, CountsWhatFellBackAndWarnsWithCauseAndOption) {
  const TempDir folder;
  const ProgramResult result =
      run_tool({"recook", golden("hipopy_test.hipo"), folder / "out.hipo", "--json"});
  ASSERT_EQ(result.exit_code, 0);
  EXPECT_EQ(json_at(result.out, "/events_fallen_back"), "49");
  EXPECT_EQ(json_at(result.out, "/fallback_causes"), R"([{"cause":"repeated-bank","events":49}])");
  EXPECT_NE(result.err.find("warning: 98.0 % of the events (49 of 50) are in per-chunk records, "
                            "since per-column cannot hold them (repeated-bank); --strict-layout "
                            "would refuse them\n"),
            std::string::npos)
      << result.err;
  EXPECT_EQ(
      run_tool({"recook", golden("hipopy_test.hipo"), folder / "strict.hipo", "--strict-layout"})
          .exit_code,
      1);
  EXPECT_EQ(folder.names(), std::vector<std::string>{"out.hipo"});
}

TEST_F(RecookGolden, RebuildsAMissingIndexAndSaysSo) {
  const TempDir folder;
  const fs::path input = golden("notrailer_chunk.hipo");
  const ProgramResult result = run_tool({"recook", input, folder / "out.hipo", "--json"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(json_at(result.out, "/index"), "\"rebuilt\"");
  EXPECT_EQ(json_at(result.out, "/inputs/0/index"), "\"absent\"");
  EXPECT_NE(result.err.find("hipo-tool: warning: " + input.string() + ": index absent ("),
            std::string::npos)
      << result.err;
  EXPECT_EQ(run_tool({"check", folder / "out.hipo"}).exit_code, 0);
}

TEST_F(RecookGolden, CarriesConfigurationUnlessToldToDropIt) {
  const TempDir folder;
  const auto configuration_after = [&](std::vector<std::string> more) {
    more.insert(more.begin(),
                {"recook", golden("zstd_chunk.hipo"), folder / "out.hipo", "-f", "-q"});
    EXPECT_EQ(run_tool(more).exit_code, 0);
    const std::string header = run_tool({"dump", folder / "out.hipo"}).out;
    return header.substr(header.find("configuration entries"));
  };
  EXPECT_EQ(configuration_after({}), "configuration entries  2\ntag names              4\n");
  EXPECT_EQ(configuration_after({"--drop-config"}),
            "configuration entries  0\ntag names              0\n");
}

}  // namespace
}  // namespace hipotool::test
