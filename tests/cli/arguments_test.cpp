#include "cli/tool_files.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace hipotool::test {
namespace {

struct WrongUsage {
  std::vector<std::string> arguments;
  std::string message;
};

// Every wrong command line ends with 2, one line on stderr and nothing on stdout.
TEST(CommandLine, RefusesWrongUsageWithTwoAndTheReason) {
  const std::vector<WrongUsage> cases{
      {{}, "no command given (see: hipo-tool --help)"},
      {{"frobnicate"}, "there is no command 'frobnicate' (see: hipo-tool --help)"},
      {{"recook", "--frobnicate", "a", "b"},
       "The following argument was not expected: --frobnicate (see: hipo-tool recook --help)"},
      {{"recook"}, "no input file given"},
      {{"recook", "a"}, "no output file given; -o OUT names it, --dry-run writes none"},
      {{"recook", "a", "b", "c"},
       "several inputs need -o OUT to name the output, --dry-run writes none"},
      {{"tag-filter", "a"}, "no output file given; -o OUT names it, --count only counts"},
      {{"tag-filter", "a", "b", "c"},
       "several inputs need -o OUT to name the output, --count only counts"},
      {{"recook", "-o", "out"}, "no input file given"},
      {{"recook", "a", "b", "--layout", "per-row"},
       "--layout: 'per-row' is none of per-chunk, per-bank, per-column"},
      {{"recook", "a", "b", "--codec", "brotli"},
       "--codec: 'brotli' is none of none, lz4, lz4hc, gzip, zstd"},
      {{"recook", "a", "b", "-c", "4"}, "-c: '4' is not a whole number from 0 to 3"},
      {{"recook", "a", "b", "-c", "1", "--codec", "lz4"}, "-c and --codec exclude each other"},
      {{"recook", "a", "b", "--codec", "lz4", "--level", "3"},
       "lz4 has no levels, so level 3 means nothing"},
      {{"recook", "a", "b", "--codec", "lz4hc", "--level", "2"}, "lz4hc has levels 3 to 12, not 2"},
      {{"recook", "a", "b", "--codec", "gzip", "--level", "10"}, "gzip has levels 1 to 9, not 10"},
      {{"recook", "a", "b", "--layout", "per-bank", "--encodings", "best"},
       "encodings best needs layout per-column, not per-bank"},
      {{"recook", "a", "b", "--encodings", "some"},
       "--encodings: 'some' is none of none, best, auto"},
      {{"recook", "a", "b", "--verify", "twice"},
       "--verify: 'twice' is none of none, record, file"},
      {{"recook", "a", "b", "--discard", "reserved-word,repeated-bank"},
       "--discard: 'repeated-bank' is none of reserved-word, trailing-bytes, short-event, "
       "record-user-header"},
      {{"recook", "a", "b", "--readable-by", "python"},
       "--readable-by: 'python' is none of cpp, java"},
      {{"recook", "a", "b", "--readable-by", "cpp", "--codec", "gzip"},
       "C++ hipo4 cannot read gzip:6/per-chunk records, so --readable-by contradicts them"},
      {{"recook", "a", "b", "--force", "--skip-existing"},
       "--force and --skip-existing exclude each other"},
      {{"recook", "a", "b", "-j", "0"}, "--threads: '0' is not a whole number from 1 to 1024"},
      {{"recook", "a", "b", "--memory", "1K"}, "--memory: '1K' is not between 1MiB and 1024GiB"},
      {{"recook", "a", "b", "--json", "--csv"}, "--csv: another output format was given before"},
      {{"recook", "a", "b", "--format", "xml"},
       "--format: 'xml' is none of text, json, csv or markdown"},
      {{"check"}, "no file given"},
      {{"dump"}, "no file given"},
      {{"dump", "a", "-j", "3"},
       "--int64, --as-stored, -j and --memory are about events; --json or --events : shows them"},
      {{"dump", "a", "--as-stored"},
       "--int64, --as-stored, -j and --memory are about events; --json or --events : shows them"},
      {{"dump", "a", "--records", "--tags"}, "one view at a time"},
      {{"dump", "a", "--records", "-n", "3"},
       "a view of the file shows no events, so options that choose them, -b, --columns, --rows, "
       "--tsv, --int64, --as-stored, -j and --memory mean nothing with it (but -b with "
       "--schema)"},
      {{"dump", "a", "--records", "-b", "REC::*"},
       "a view of the file shows no events, so options that choose them, -b, --columns, --rows, "
       "--tsv, --int64, --as-stored, -j and --memory mean nothing with it (but -b with "
       "--schema)"},
      {{"dump", "a", "--streams", "x"}, "--streams: 'x' is not a whole number of 0 or more"},
      {{"dump", "a", "--schema-form", "compact"}, "--schema-form is about --schema"},
      {{"dump", "a", "--schema", "--schema-form", "xml"},
       "--schema-form: 'xml' is none of table, compact, json"},
      {{"dump", "a", "--schema", "--schema-form", "json", "--json"},
       "--schema-form compact and json are forms by themselves, without --format"},
      {{"dump", "a", "--format", "markdown", "-n", "1"},
       "events have no form in markdown; --format text, json, csv or --tsv"},
      {{"dump", "a", "--json", "--tsv"}, "--tsv: another output format was given before"},
      {{"dump", "a", "-n", "1", "--int64", "string"}, "--int64 is about JSON; add --json"},
      {{"dump", "a", "--csv", "--as-stored"},
       "--as-stored is about the order of banks, and CSV and TSV show one bank"},
      {{"dump", "a", "--tag", "1,x"}, "--tag: 'x' is not a whole number of 0 or more"},
      {{"dump", "a", "--tag", "5-3"}, "--tag: the range '5-3' ends before it begins"},
      {{"stats", "a", "--tag", "4294967296"},
       "--tag: '4294967296' is not a whole number from 0 to 4294967295"},
      {{"dump", "a", "-b", "REC::*,"}, "--banks: a name is empty"},
      {{"dump", "a", "--json", "--events", "5"}, "--events: '5' is not a range A:B"},
      {{"dump", "a", "--json", "--events", "5:3"},
       "--events: the range '5:3' ends before it begins"},
      {{"dump", "a", "--json", "--int64", "hex"}, "--int64: 'hex' is none of number, string"},
      {{"stats", "--banks", "a.hipo"},
       "no file given; --banks takes a LIST of banks, and the table of all banks is --per-bank"},
      {{"stats", "a", "--columns"},
       "The following argument was not expected: --columns; the nearest: --per-column "
       "(see: hipo-tool stats --help)"},
      {{"stats", "a", "--banks"}, "--banks: 1 required LIST missing (see: hipo-tool stats --help)"},
      {{"generate"}, "no output file given: generate OUT"},
      {{"generate", "a", "--profile", "all"}, "--profile: 'all' is none of dst, raw, skim, tiny"},
      {{"generate", "a", "--events", "3", "--raw-size", "3M"},
       "--events and --raw-size exclude each other"},
  };
  const TempDir folder;
  for (const WrongUsage& wrong : cases) {
    const ProgramResult result =
        run_tool(ProgramRun{.arguments = wrong.arguments, .working_folder = folder.path()});
    EXPECT_EQ(result.exit_code, 2) << wrong.message;
    EXPECT_EQ(result.err, "hipo-tool: error: " + wrong.message + "\n");
    EXPECT_EQ(result.out, "");
  }
  EXPECT_EQ(folder.names(), std::vector<std::string>{});
}

TEST(CommandLine, ParserErrorsEndWithTwoToo) {
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"recook", "a", "b", "-o"},
           {"recook", "a", "b", "--layout", "per-bank", "--layout", "per-bank"},
           {"--no-such"}}) {
    const ProgramResult result = run_tool(arguments);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_EQ(lines_of(result.err).size(), 1U) << result.err;
    EXPECT_NE(result.err.find("--help)"), std::string::npos) << result.err;
  }
}

TEST(CommandLineSmoke, HelpListsEveryCommandByPurpose) {
  const ProgramResult help = run_tool({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_EQ(help.err, "");
  std::size_t at = 0;
  for (const char* word : {"\nRewrite\n", "  recook ", "\nInspect\n", "  check ", "  dump ",
                           "\nMake\n", "  generate ", "\nOptions\n", "Exit codes"}) {
    at = help.out.find(word, at);
    ASSERT_NE(at, std::string::npos) << word << " in\n" << help.out;
  }
}

TEST(CommandLineSmoke, EveryCommandHasHelpWithUsageOptionsAndExamples) {
  for (const std::string verb : {"recook", "check", "dump", "generate"}) {
    const ProgramResult help = run_tool({verb, "--help"});
    EXPECT_EQ(help.exit_code, 0);
    EXPECT_TRUE(help.out.starts_with("usage: hipo-tool " + verb + " ")) << help.out;
    EXPECT_NE(help.out.find("\nExamples\n  hipo-tool " + verb), std::string::npos) << help.out;
    for (const std::string& line : lines_of(help.out)) {
      EXPECT_LE(line.size(), 100U) << line;
    }
  }
}

TEST(CommandLineSmoke, VersionNamesRevisionBuildCompilerAndLibraries) {
  const ProgramResult version = run_tool({"--version"});
  EXPECT_EQ(version.exit_code, 0);
  for (const char* word :
       {"hipo-tool ", "\nrevision   ", "\nbuild      ", "\ncompiler   ", "\nlibraries  lz4 ",
        "xxHash ", "CLI11 ", "fmt ", "spdlog ", "nlohmann_json ", "\nlacks      "}) {
    EXPECT_NE(version.out.find(word), std::string::npos) << word << " in\n" << version.out;
  }
}

TEST(CommandLine, SizesCountInPowersOf1000Or1024) {
  const TempDir folder;
  const auto raw_bytes_for = [&](const std::string& size) {
    const std::string path = folder / ("sized_" + size);
    const ProgramResult result = run_tool(
        {"generate", path, "--profile", "tiny", "--events", "1", "--record-size", size, "--json"});
    return result.exit_code == 0 ? json_at(result.out, "/record_bytes") : result.err;
  };
  EXPECT_EQ(raw_bytes_for("100000"), "100000");
  EXPECT_EQ(raw_bytes_for("100K"), "100000");
  EXPECT_EQ(raw_bytes_for("100KB"), "100000");
  EXPECT_EQ(raw_bytes_for("64KiB"), "65536");
  EXPECT_EQ(raw_bytes_for("1M"), "1000000");
  EXPECT_EQ(raw_bytes_for("1MiB"), "1048576");
  EXPECT_EQ(raw_bytes_for("512MiB"), "536870912");
  const std::string limits = "' is not between 64KiB and 512MiB\n";
  EXPECT_EQ(raw_bytes_for("65535"), "hipo-tool: error: --record-size: '65535" + limits);
  EXPECT_EQ(raw_bytes_for("1G"), "hipo-tool: error: --record-size: '1G" + limits);
  EXPECT_EQ(raw_bytes_for("18446744073709551615K"),
            "hipo-tool: error: --record-size: '18446744073709551615K' is too large\n");
  for (const char* wrong : {"", "M", "1.5M", "1k", "1 M", "-1", "1MiBB", "1TiB"}) {
    EXPECT_NE(raw_bytes_for(wrong).find("is not a size"), std::string::npos) << wrong;
  }
}

}  // namespace
}  // namespace hipotool::test
