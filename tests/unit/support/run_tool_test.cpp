#include "support/run_tool.hpp"

#include "support/temp_dir.hpp"

#include <gtest/gtest.h>

#include <system_error>

namespace hipotool::test {
namespace {

ProgramResult shell(const std::string& script, ProgramRun run = {}) {
  run.arguments = {"-c", script};
  return run_program("sh", run);
}

TEST(RunProgram, GivesBothOutputsAndTheExitCode) {
  const ProgramResult result = shell("echo out; echo err >&2; exit 3");
  EXPECT_EQ(result.out, "out\n");
  EXPECT_EQ(result.err, "err\n");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.signal, 0);
}

TEST(RunProgram, PassesArgumentsAsTheyAre) {
  const ProgramResult result = run_program("printf", {.arguments = {"%s|", "a b", "", "$c"}});
  EXPECT_EQ(result.out, "a b||$c|");
}

TEST(RunProgram, FeedsMoreThanAPipeHolds) {
  const std::string input(3'000'000, 'x');
  EXPECT_EQ(run_program("cat", {.input = input}).out, input);
}

TEST(RunProgram, SurvivesAProgramThatDoesNotReadItsInput) {
  EXPECT_EQ(run_program("true", {.input = std::string(3'000'000, 'x')}).exit_code, 0);
}

TEST(RunProgram, SetsEnvironmentAndFolder) {
  const TempDir dir;
  const ProgramResult result =
      shell("echo $NEW; pwd", {.environment = {{"NEW", "value"}}, .working_folder = dir.path()});
  EXPECT_EQ(result.out, "value\n" + dir.path().string() + "\n");
}

TEST(RunProgram, KillsAfterTheDelayWithTheSignalAskedFor) {
  const ProgramResult result = run_program(
      "sleep", {.arguments = {"60"}, .kill_after_seconds = 0.05, .kill_signal = SIGTERM});
  EXPECT_EQ(result.signal, SIGTERM);
  EXPECT_EQ(result.exit_code, -1);
  EXPECT_LT(result.elapsed_seconds, 30);
}

TEST(RunProgram, LetsTheProgramWriteToNobody) {
  const ProgramResult result = run_program("yes", {.closed_stdout = true});
  EXPECT_EQ(result.signal, SIGPIPE);
  EXPECT_EQ(result.out, "");
}

TEST(RunProgram, ThrowsWhereThereIsNoSuchProgram) {
  EXPECT_THROW((void)run_program("/no/such/program", {}), std::system_error);
}

}  // namespace
}  // namespace hipotool::test
