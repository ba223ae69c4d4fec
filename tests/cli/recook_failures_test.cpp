#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <future>
#include <string>
#include <vector>

#include "cli/tool_files.hpp"

namespace hipotool::test {
namespace {

namespace fs = std::filesystem;

// A run that fails must say why and where, keep what was there, and leave nothing else.
class RecookFailures : public GoldenFiles {
 protected:
  void SetUp() override {
    GoldenFiles::SetUp();
    if (IsSkipped() || HasFatalFailure()) {
      return;
    }
    write_text(output_, "precious");
  }

  void expect_failure(const fs::path& input, const std::string& cause,
                      std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"recook", input, output_, "--force"});
    const ProgramResult result = run_tool(more);
    EXPECT_EQ(result.exit_code, 1) << input << ": " << result.err;
    const std::vector<std::string> lines = lines_of(result.err);
    ASSERT_FALSE(lines.empty());
    EXPECT_EQ(lines.back(), "hipo-tool: error: " + input.string() + ": " + cause);
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(read_text(output_), "precious");
    for (const std::string& name : folder_.names()) {
      EXPECT_FALSE(name.ends_with(".part")) << name;
    }
  }

  // A copy with some bytes replaced.
  fs::path damaged(const std::string& source, const std::string& name, std::size_t at,
                   std::string_view bytes) {
    std::string content = read_text(golden(source));
    content.replace(at, bytes.size(), bytes);
    write_text(folder_ / name, content);
    return folder_ / name;
  }

  TempDir folder_;
  fs::path output_ = folder_ / "out.hipo";
};

TEST_F(RecookFailures, NamesFileRecordOffsetAndCauseOfDamage) {
  using namespace std::string_view_literals;
  expect_failure(golden("truncrec_column.hipo"),
                 "record 3 at 0x9d34: truncated: a record of 9804 bytes, of which 4902 are there");
  expect_failure(golden("cuttrailer_bank.hipo"),
                 "the file was longer once: the trailer should be at 50400, the file ends at 50400; "
                 "what is missing cannot be told, so nothing was written");
}

TEST_F(RecookFailures, MissingInput) {
  expect_failure(folder_ / "missing.hipo", "cannot open: No such file or directory");
}

class RecookStops : public ::testing::Test {
 protected:
  // Long enough to be caught at work: some seconds of zstd in one thread.
  void SetUp() override {
    make_sample(input_, {"--profile", "dst", "--raw-size", "24MB"});
    write_text(output_, "precious");
  }

  void expect_untouched() const {
    EXPECT_EQ(read_text(output_), "precious");
    EXPECT_EQ(folder_.names(), (std::vector<std::string>{"in.hipo", "out.hipo"}));
  }

  // The slow rewrite, started in the background of a script; `then` runs when it has begun to write.
  [[nodiscard]] ProgramResult run_until_it_writes(const std::string& then) const {
    return run_shell(
        "\"$TOOL\" recook \"$1\" \"$2\" -f -q --codec gzip --level 9 --record-size 1MiB -j 1 & "
        "pid=$!; "
        "while ! ls -A \"$(dirname \"$2\")\" | grep -q part; do kill -0 $pid || break; done; " +
            then + "; wait $pid",
        {input_, output_});
  }

  TempDir folder_;
  fs::path input_ = folder_ / "in.hipo";
  fs::path output_ = folder_ / "out.hipo";
};

TEST_F(RecookStops, OnTermAndInterruptWithTheirCodes) {
  const ProgramResult terminated = run_until_it_writes("kill -TERM $pid");
  EXPECT_EQ(terminated.exit_code, 143);
  EXPECT_EQ(terminated.err, "hipo-tool: error: interrupted by SIGTERM\n");
  expect_untouched();
  const ProgramResult hung_up = run_until_it_writes("kill -HUP $pid");
  EXPECT_EQ(hung_up.exit_code, 129);
  expect_untouched();
  // A shell starts background jobs with SIGINT ignored, so here the job is in the foreground.
  const ProgramResult interrupted = run_shell(
      "exec \"$TOOL\" recook \"$1\" \"$2\" -f -q --codec gzip --level 9 --record-size 1MiB -j 1 < "
      "/dev/null & :; exec sh -c '"
      "( while ! ls -A \"$(dirname \"$2\")\" | grep -q part; do :; done; kill -INT $$ ) & "
      "exec \"$TOOL\" recook \"$1\" \"$2\" -f -q --codec gzip --level 9 -j 1' sh \"$1\" \"$2\"",
      {input_, output_});
  EXPECT_EQ(interrupted.exit_code, 130);
}

TEST_F(RecookStops, AtOnceOnASecondSignal) {
  const ProgramResult result = run_until_it_writes("kill -TERM $pid; sleep 0.1; kill -TERM $pid");
  EXPECT_EQ(result.exit_code, 143);
  expect_untouched();
}

TEST_F(RecookStops, KilledLeavesTheTargetAloneAndTheNextRunNamesTheOrphan) {
  const ProgramResult killed = run_until_it_writes("kill -KILL $pid");
  EXPECT_EQ(killed.exit_code, 128 + SIGKILL);
  EXPECT_EQ(read_text(output_), "precious");
  const std::vector<std::string> names = folder_.names();
  ASSERT_EQ(names.size(), 3U);
  EXPECT_TRUE(names[0].starts_with(".out.hipo.")) << names[0];
  const ProgramResult next = run_tool({"recook", input_, output_, "-f", "-q"});
  EXPECT_EQ(next.exit_code, 0);
  EXPECT_EQ(next.err, "hipo-tool: warning: " + (folder_ / names[0]).string() +
                          ": left behind by a process that is gone; nobody needs it any more\n");
}

TEST_F(RecookStops, WhenTheDiskQuotaEnds) {
  // In blocks of 512 bytes.
  const ProgramResult result =
      run_shell("ulimit -f 200; exec \"$TOOL\" recook \"$1\" \"$2\" -f -q", {input_, output_});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.err, "hipo-tool: error: " + output_.string() + ": cannot write: File too large\n");
  expect_untouched();
}

TEST_F(RecookStops, WhenTheFileSystemIsFull) {
  const std::string mount = "mkdir \"$2.mnt\" && mount -t tmpfs -o size=1m none \"$2.mnt\"";
  const std::string in_own_mounts = "exec unshare -Urm sh -c '";
  const ProgramResult allowed = run_shell(in_own_mounts + mount + "' sh \"$1\" \"$2\"", {input_, output_});
  if (allowed.exit_code != 0) {
    GTEST_SKIP() << "file systems cannot be mounted here: " << allowed.err;
  }
  const ProgramResult result = run_shell(
      in_own_mounts + "mount -t tmpfs -o size=1m none \"$2.mnt\" && "
      "{ \"$TOOL\" recook \"$1\" \"$2.mnt/full.hipo\" -q; code=$?; ls -A \"$2.mnt\"; exit $code; }' "
      "sh \"$1\" \"$2\"",
      {input_, output_});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err, "hipo-tool: error: " + output_.string() +
                            ".mnt/full.hipo: cannot write: No space left on device\n");
}

TEST_F(RecookStops, WhenAnInputChanges) {
  const ProgramResult result = run_until_it_writes("printf x >> \"$1\"");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_TRUE(result.err.starts_with("hipo-tool: error: " + input_.string() + ": the file ")) << result.err;
  expect_untouched();
}

TEST(RecookRace, OneOfTwoJobsForOneTargetWins) {
  const TempDir folder;
  make_sample(folder / "a.hipo", {"--profile", "tiny", "--events", "20000", "--seed", "1"});
  make_sample(folder / "b.hipo", {"--profile", "tiny", "--events", "20000", "--seed", "2"});
  const auto job = [&](const char* input) {
    return std::async(std::launch::async, [&folder, input] {
      return run_tool({"recook", folder / input, folder / "out.hipo", "-q"});
    });
  };
  auto first = job("a.hipo");
  auto second = job("b.hipo");
  const ProgramResult a = first.get();
  const ProgramResult b = second.get();
  EXPECT_EQ(a.exit_code + b.exit_code, 1) << a.err << b.err;
  const ProgramResult& loser = a.exit_code == 0 ? b : a;
  EXPECT_TRUE(loser.err.starts_with("hipo-tool: error: " + (folder / "out.hipo").string() + ": "))
      << loser.err;
  EXPECT_EQ(digest_of(folder / "out.hipo"), digest_of(folder / (a.exit_code == 0 ? "a.hipo" : "b.hipo")));
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"a.hipo", "b.hipo", "out.hipo"}));
}

}  // namespace
}  // namespace hipotool::test
