#include "cli/tool_files.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace hipotool::test {
namespace {

namespace fs = std::filesystem;

class Report : public ::testing::Test {
 protected:
  void SetUp() override { make_sample(input_, {"--profile", "tiny", "--events", "300"}); }

  [[nodiscard]] ProgramResult recook(std::vector<std::string> more) const {
    more.insert(more.begin(), {"recook", input_.string(), output_.string(), "-f"});
    return run_tool(more);
  }

  TempDir folder_;
  fs::path input_ = folder_ / "in.hipo";
  fs::path output_ = folder_ / "out.hipo";
};

TEST_F(Report, JsonIsOneLineThatFitsItsSchema) {
  const ProgramResult result = recook({"--json"});
  ASSERT_EQ(result.exit_code, 0);
  EXPECT_EQ(lines_of(result.out).size(), 1U);
  EXPECT_TRUE(result.out.starts_with(R"({"schema":"hipo-tool/recook/1")"));
  EXPECT_EQ(schema_errors("recook", result.out), "");
  EXPECT_EQ(recook({"--format", "json"}).exit_code, 0);
}

TEST_F(Report, TextNamesTheFactsAndScalesThem) {
  const ProgramResult result = recook({});
  for (const std::string text :
       {"\noutput                   ", "\nevents                   300\n", "\nraw bytes  ", " kB\n",
        "\ncodec                    lz4hc\n", "\nevents by tag\n", "\nreaders\n", "  C++ hipo4 "}) {
    EXPECT_NE(result.out.find(text), std::string::npos) << text << " in\n" << result.out;
  }
}

TEST_F(Report, CsvIsAHeaderAndALine) {
  const std::vector<std::string> lines = lines_of(recook({"--csv"}).out);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_TRUE(lines[0].starts_with("outcome,output,bytes_in,bytes_out,ratio,")) << lines[0];
  EXPECT_TRUE(lines[1].starts_with("written," + output_.string() + ",")) << lines[1];
}

TEST_F(Report, MarkdownHasTables) {
  const ProgramResult result = recook({"--format", "markdown"});
  EXPECT_TRUE(result.out.starts_with("## recook\n\n| | |\n|---|---|\n| outcome | written |\n"));
  EXPECT_NE(result.out.find("\n### events_by_tag\n\n| tag | events |\n|---:|---:|\n| 0 | "),
            std::string::npos)
      << result.out;
}

TEST_F(Report, QuietHasNoTextButKeepsWhatWasAskedFor) {
  EXPECT_EQ(recook({"--quiet"}).out, "");
  EXPECT_EQ(schema_errors("recook", recook({"--quiet", "--json"}).out), "");
}

TEST_F(Report, GoesToAFileInPlaceOfStdout) {
  const fs::path file = folder_ / "report.json";
  write_text(file, "an older report");
  const ProgramResult result = recook({"--json", "--report-file", file});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(schema_errors("recook", read_text(file)), "");
  EXPECT_EQ(recook({"--json", "--report-file", "/dev/stderr"}).err.substr(0, 10), "hipo-tool:");
  EXPECT_EQ(folder_.names(), (std::vector<std::string>{"in.hipo", "out.hipo", "report.json"}));
}

TEST_F(Report, RefusesToWriteTheReportOverAFileOfTheJob) {
  const std::string before = read_text(input_);
  for (const fs::path& path : {input_, output_, folder_.path() / "." / "out.hipo"}) {
    const ProgramResult result = recook({"--report-file", path});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.err, "hipo-tool: error: --report-file: " + path.string() +
                              " is a file that the command works on\n");
  }
  EXPECT_EQ(read_text(input_), before);
  EXPECT_EQ(folder_.names(), std::vector<std::string>{"in.hipo"});
}

TEST_F(Report, AReportFileThatCannotBeMadeEndsTheJobBeforeItBegins) {
  const ProgramResult result = recook({"--report-file", folder_ / "no/such/folder.txt"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_FALSE(fs::exists(output_));
}

TEST_F(Report, AClosedPipeEndsQuietlyWithTheStatusSoFar) {
  const ProgramResult dumped =
      run_tool(ProgramRun{.arguments = {"dump", "--json", input_}, .closed_stdout = true});
  EXPECT_EQ(dumped.exit_code, 0);
  EXPECT_EQ(dumped.signal, 0);
  EXPECT_EQ(dumped.err, "");
  const ProgramResult recooked = run_tool(
      ProgramRun{.arguments = {"recook", input_, output_, "--json", "-q"}, .closed_stdout = true});
  EXPECT_EQ(recooked.exit_code, 0);
  EXPECT_EQ(digest_of(output_), digest_of(input_));
  // Never 0 when something bad was found.
  write_text(folder_ / "bad", "hello");
  const ProgramResult checked =
      run_tool(ProgramRun{.arguments = {"check", folder_ / "bad", input_}, .closed_stdout = true});
  EXPECT_EQ(checked.exit_code, 11);
  EXPECT_EQ(checked.err, "");
}

TEST_F(Report, StdoutThatCannotBeWrittenIsAnError) {
  const ProgramResult full = run_shell("\"$TOOL\" dump --json \"$1\" > /dev/full", {input_});
  EXPECT_EQ(full.exit_code, 1);
  EXPECT_EQ(schema_errors("error", full.err), "") << full.err;
  EXPECT_EQ(json_at(full.err, "/code"), "\"no_space\"");
  const ProgramResult closed = run_shell("\"$TOOL\" dump \"$1\" >&-", {input_});
  EXPECT_EQ(closed.exit_code, 1);
  EXPECT_NE(closed.err.find("standard output: cannot write"), std::string::npos) << closed.err;
  const ProgramResult help = run_shell("\"$TOOL\" --help > /dev/full", {});
  EXPECT_EQ(help.exit_code, 1);
}

// With stdout closed the output file must not become file descriptor 1 and get the report's text.
TEST_F(Report, AClosedStdoutDoesNotSpoilTheOutput) {
  const ProgramResult result =
      run_shell("\"$TOOL\" recook \"$1\" \"$2\" >&- 2>&-", {input_, output_});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(digest_of(output_), digest_of(input_));
}

TEST_F(Report, ErrorsAreAnObjectOnStderrInJsonMode) {
  const fs::path missing = folder_ / "no\tsuch\xff.hipo";
  const ProgramResult text = run_tool({"recook", missing, output_});
  EXPECT_EQ(text.exit_code, 1);
  EXPECT_EQ(text.err, "hipo-tool: error: " + (folder_ / "no\\x09such\xff.hipo").string() +
                          ": cannot open: No such file or directory\n");
  const ProgramResult json = run_tool({"recook", missing, output_, "--json"});
  EXPECT_EQ(json.exit_code, 1);
  EXPECT_EQ(json.out, "");
  EXPECT_EQ(schema_errors("error", json.err), "") << json.err;
  EXPECT_TRUE(json.err.starts_with(R"({"schema":"hipo-tool/error/1","code":"io")")) << json.err;
  EXPECT_NE(json_at(json.err, "/path_bytes"), "nothing");
}

TEST_F(Report, StderrIsSilentWhereItIsNoTerminal) {
  EXPECT_EQ(recook({"--quiet"}).err.find('\r'), std::string::npos);
  const ProgramResult checked = run_tool({"check", input_});
  EXPECT_EQ(checked.err, "");
}

}  // namespace
}  // namespace hipotool::test
