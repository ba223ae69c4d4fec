#include "cli/tool_files.hpp"
#include "support/event_images.hpp"
#include "support/library.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace hipotool::test {
namespace {

namespace fs = std::filesystem;

// Ten events, number i in bank N::n, tag 1 (scalers) for 3 and 7, else i % 3 * 4; record words 0
// and 4 by turns of five.
class TagFilter : public ::testing::Test {
 protected:
  void SetUp() override {
    FileImage file;
    file.schemas = {"{N::n/1/1}{i/I}", "{X::x/2/1}{v/F}"};
    file.dictionary = {tag_names_event(std::vector<TagName>{{"dvcs", 2}, {"sidis", 3}})};
    for (std::uint64_t record = 0; record < 2; ++record) {
      std::vector<Bytes> events;
      for (std::uint32_t i = 0; i < 5; ++i) {
        events.push_back(event(static_cast<std::uint32_t>(5 * record) + i).bytes());
      }
      file.records.push_back(whole_record(events, {.words = {4 * record, 0}}));
    }
    write_bytes(in_, file.bytes());
  }

  static EventImage event(std::uint32_t i) {
    EventImage image{i % 4 == 3 ? 1 : i % 3 * 4, {{{1, 1}, packed(static_cast<std::int32_t>(i))}}};
    if (i % 2 == 0) {
      image.banks.push_back({{2, 1}, packed(0.5F)});
    }
    return image;
  }

  // The numbers of the events that a run with these options keeps: "1 4 5".
  std::string kept(std::vector<std::string> options) {
    options.insert(options.begin(), {"tag-filter", in_.string(), out_.string(), "-f", "-q"});
    const ProgramResult result = run_tool(options);
    if (result.exit_code != 0) {
      return "exit code " + std::to_string(result.exit_code) + ": " + result.err;
    }
    std::string numbers;
    for (const std::string& line : lines_of(run_tool({"dump", out_, "--json"}).out)) {
      numbers += (numbers.empty() ? "" : " ") + json_at(line, "/banks/0/columns/i/0");
    }
    return numbers;
  }

  TempDir folder_;
  fs::path in_ = folder_ / "in.hipo";
  fs::path out_ = folder_ / "out.hipo";
};

TEST_F(TagFilter, KeepsWhatItsOptionsSay) {
  // Tags of events 0 to 9: 0 4 8 1 4 8 0 1 8 0.
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{}, "0 1 2 3 4 5 6 7 8 9"},
      {{"--tag", "1"}, "3 7"},
      {{"--tag", "0,4-7"}, "0 1 4 6 9"},
      {{"--any", "0x4"}, "1 4"},
      {{"--any", "dvcs,sidis"}, "1 2 4 5 8"},
      {{"--all", "8"}, "2 5 8"},
      {{"--none", "12"}, "0 3 6 7 9"},
      {{"--none", "dvcs", "--invert"}, "1 4"},
      {{"--tag", "4", "--by", "record"}, "5 6 7 8 9"},
      {{"--tag", "4", "--by", "either"}, "1 4 5 6 7 8 9"},
      {{"--where", "N::n.i > 7"}, "3 7 8 9"},
      {{"--where", "N::n.i > 7", "--only"}, "8 9"},
      {{"--require", "X::x"}, "0 2 3 4 6 7 8"},
      {{"--require", "X::x", "--invert"}, "1 3 5 7 9"},
      {{"--require", "2/1"}, "0 2 3 4 6 7 8"},
      {{"--require", "900/7"}, "3 7"},
      {{"--where", "!has(900/7) && has(2/1)", "--only"}, "0 2 4 6 8"},
      {{"--tag", "4", "--where", "N::n.i == 9", "--or", "--only"}, "1 4 9"},
      {{"--events", "1:3"}, "1 2 3 7"},
      {{"--events", "8:", "--only"}, "8 9"},
      {{"-n", "3"}, "0 1 2 3 7"},
      {{"-n", "3", "--only"}, "0 1 2"},
      {{"--every", "4", "--only"}, "0 4 8"},
      {{"-n", "0", "--special", "8,1"}, "2 3 5 7 8"},
      {{"-n", "1", "--special", ""}, "0"},
      {{"--sample", "0", "--only"}, ""},
      {{"--sample", "1", "--only"}, "0 1 2 3 4 5 6 7 8 9"},
  };
  for (const auto& [options, numbers] : cases) {
    EXPECT_EQ(kept(options), numbers) << (options.empty() ? "" : options[0] + " " + options[1]);
  }
}

// Not N + 1, and not N for each input.
TEST_F(TagFilter, CountsNOverAllInputs) {
  const fs::path second = folder_ / "second.hipo";
  fs::copy(in_, second);
  const ProgramResult result =
      run_tool({"tag-filter", in_, second, "-o", out_, "-n", "9", "--only", "--json"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(schema_errors("tag-filter", result.out), "") << result.out;
  EXPECT_EQ(json_at(result.out, "/events"), "9");
  EXPECT_EQ(json_at(result.out, "/events_in"), "20");
}

TEST_F(TagFilter, KeepsTheStorageUnlessToldOtherwise) {
  const fs::path zstd = folder_ / "column.hipo";
  ASSERT_EQ(
      run_tool({"recook", in_, zstd, "--codec", "gzip", "--layout", "per-bank", "-q"}).exit_code,
      0);
  const ProgramResult kept = run_tool({"tag-filter", zstd, out_, "--tag", "1", "--json"});
  EXPECT_EQ(kept.exit_code, 0) << kept.err;
  EXPECT_EQ(schema_errors("tag-filter", kept.out), "") << kept.out;
  EXPECT_EQ(json_at(kept.out, "/layout"), "null");
  EXPECT_NE(run_tool({"dump", out_}).out.find("gzip/per-bank\n"), std::string::npos);
  const ProgramResult changed =
      run_tool({"tag-filter", zstd, out_, "-f", "--tag", "1", "-c", "1", "--json"});
  EXPECT_EQ(json_at(changed.out, "/layout"), "\"per-chunk\"");
}

TEST_F(TagFilter, SaysHowManyTagsAreNotTheRecordWord) {
  const ProgramResult result = run_tool({"tag-filter", in_, out_});
  EXPECT_NE(result.err.find("hipo-tool: 9 of the events looked at have a tag that is not their "
                            "record's word"),
            std::string::npos)
      << result.err;
}

TEST_F(TagFilter, CountsTags) {
  const ProgramResult result = run_tool({"tag-filter", in_, "--count"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, "path                          " + in_.string() +
                            "\n"
                            "events                        10\n"
                            "records                       2\n"
                            "tag mismatches                9\n"
                            "index                         valid\n"
                            "events of other tags          0\n"
                            "events of other record words  0\n"
                            "tags\n"
                            "  tag  names  events\n"
                            "    0  -           3\n"
                            "    1  -           2\n"
                            "    4  dvcs        2\n"
                            "    8  sidis       3\n"
                            "record words\n"
                            "  record word  events\n"
                            "            0       5\n"
                            "            4       5\n");
  const ProgramResult json = run_tool({"tag-filter", in_, in_, "--count", "--json"});
  ASSERT_EQ(lines_of(json.out).size(), 2U);
  EXPECT_EQ(schema_errors("tag-filter", lines_of(json.out)[0]), "");
}

TEST_F(TagFilter, RefusesWrongUsageWithTwo) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{"--any", "dvc"}, "'dvc' is no number and no name in the tag registry (known: dvcs, sidis)"},
      {{"--invert"}, "--invert needs a clause"},
      {{"--tag", "5-4"}, "the range '5-4' ends before it begins"},
      {{"--tag", "x"}, "'x' is not a whole number"},
      {{"--by", "both"}, "'both' is none of event, record, either"},
      {{"--sample", "1.5"}, "'1.5' is not a number from 0 to 1"},
      {{"--every", "0"}, "'0' is not a whole number of 1 or more"},
  };
  for (const auto& [options, message] : cases) {
    std::vector<std::string> words{"tag-filter", in_.string(), out_.string()};
    words.insert(words.end(), options.begin(), options.end());
    const ProgramResult result = run_tool(words);
    EXPECT_EQ(result.exit_code, 2) << options[0];
    EXPECT_NE(result.err.find(message), std::string::npos) << result.err;
    EXPECT_FALSE(fs::exists(out_)) << options[0];
  }
  for (const std::vector<std::string>& extra :
       std::vector<std::vector<std::string>>{{"--tag", "1"},
                                             {"-n", "3"},
                                             {"--only"},
                                             {"--by", "record"},
                                             {"--codec", "lz4"},
                                             {"-f"}}) {
    std::vector<std::string> words{"tag-filter", in_.string(), "--count"};
    words.insert(words.end(), extra.begin(), extra.end());
    EXPECT_EQ(run_tool(words).exit_code, 2) << extra[0];
  }
  EXPECT_EQ(run_tool({"tag-filter", in_, out_, "--where", ""}).exit_code, 2);
  // What no file could make sense of, and what is right.
  const std::pair<std::vector<std::string>, std::string> conditions[] = {
      {{"--where", "N::n.i = 1"},
       "--where: expression, character 8 of \"N::n.i = 1\": nothing more "
       "was expected; \"is equal\" is written =="},
      {{"--where", "N::n.i == 1 and tag == 0"}, "\"and\" is written &&"},
      {{"--set-tag", "N::n.i = 1 => dvcs"}, "--set-tag: expression, character 8 "}};
  for (const auto& [words, message] : conditions) {
    for (const std::string verb : {"tag-filter", "recook"}) {
      if (verb == "recook" && words[0] == "--set-tag") {
        continue;
      }
      const ProgramResult result = run_tool({verb, in_, out_, words[0], words[1]});
      EXPECT_EQ(result.exit_code, 2);
      EXPECT_NE(result.err.find(message), std::string::npos) << result.err;
      EXPECT_FALSE(fs::exists(out_));
    }
  }
  // A bank that the file does not have is no usage but an answer.
  EXPECT_EQ(run_tool({"tag-filter", in_, out_, "--require", "X::y"}).exit_code, 1);
  EXPECT_FALSE(fs::exists(out_));
}

}  // namespace
}  // namespace hipotool::test
