#include "cli/tool_files.hpp"
#include "support/event_images.hpp"
#include "support/library.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace hipotool::test {
namespace {

namespace fs = std::filesystem;

class Diff : public ::testing::Test {
 protected:
  fs::path write(const std::string& name, const std::vector<EventImage>& events,
                 bool trailer = true) {
    FileImage file;
    file.schemas = {"{A::a/1/1}{i/I,x/F}"};
    file.records = {whole_record(images(events))};
    file.trailer = trailer;
    write_bytes(folder_ / name, file.bytes());
    return folder_ / name;
  }

  static EventImage event(std::int32_t i, float x) {
    return EventImage{0, {{{1, 1}, packed(i, x)}}};
  }

  TempDir folder_;
  fs::path one_ = write("one.hipo", {event(1, 0.5F), event(2, 0.5F)});
};

TEST_F(Diff, SaysSameWithZero) {
  const fs::path other = folder_ / "other.hipo";
  ASSERT_EQ(run_tool({"recook", one_, other, "-q"}).exit_code, 0);
  const ProgramResult result = run_tool({"diff", one_, other});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_NE(result.out.find("result                        same\n"), std::string::npos)
      << result.out;
  const ProgramResult quiet = run_tool({"diff", "-q", one_, other});
  EXPECT_EQ(quiet.exit_code, 0);
  EXPECT_EQ(quiet.out, "");
}

TEST_F(Diff, ListsDifferencesAndSaysDifferentWithOne) {
  const fs::path other = write("other.hipo", {event(1, 0.25F), event(3, 0.5F)});
  const ProgramResult result = run_tool({"diff", one_, other, "--csv"});
  EXPECT_EQ(result.exit_code, 1);
  const ProgramResult text = run_tool({"diff", one_, other});
  EXPECT_EQ(text.exit_code, 1);
  const std::size_t table = text.out.find("differences\n");
  ASSERT_NE(table, std::string::npos) << text.out;
  EXPECT_EQ(text.out.substr(table),
            "differences\n"
            "  kind   event a  event b  bank  column  row  element  a    b\n"
            "  value        0        0  A::a  x         0  -        0.5  0.25\n"
            "  value        1        1  A::a  i         0  -        2    3\n"
            "columns\n"
            "  bank  column  values different  largest difference\n"
            "  A::a  i                      1                   1\n"
            "  A::a  x                      1                0.25\n");
  EXPECT_EQ(run_tool({"diff", one_, other, "--ignore", "A::a"}).exit_code, 0);
  EXPECT_EQ(run_tool({"diff", one_, other, "--ignore", "A::a.i", "--tolerance", "0,0.6"}).exit_code,
            0);
}

TEST_F(Diff, GivesJson) {
  const fs::path other = write("other.hipo", {event(2, 0.5F), event(1, 0.5F)});
  for (const auto& [options, word] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"diff", one_, one_, "--json"}, "\"same\""},
           {{"diff", one_, other, "--json"}, "\"other-order\""},
           {{"diff", one_, write("less.hipo", {event(2, 0.5F)}), "--json", "--max", "1"},
            "\"different\""}}) {
    const ProgramResult result = run_tool(options);
    EXPECT_EQ(schema_errors("diff", result.out), "") << result.out;
    EXPECT_EQ(json_at(result.out, "/result"), word);
  }
}

TEST_F(Diff, SaysWithFourThatItCannotCompare) {
  const ProgramResult missing = run_tool({"diff", one_, folder_ / "missing.hipo"});
  EXPECT_EQ(missing.exit_code, 4);
  EXPECT_EQ(missing.out, "");
  EXPECT_EQ(missing.err, "hipo-tool: error: " + (folder_ / "missing.hipo").string() +
                             ": cannot open: No such file or directory\n");
  EXPECT_EQ(run_tool({"diff", one_, one_, "-b", "A::b"}).exit_code, 4);
  EXPECT_EQ(run_tool({"diff", one_}).exit_code, 2);
  EXPECT_EQ(run_tool({"diff", one_, one_, one_}).exit_code, 2);
  EXPECT_EQ(run_tool({"diff", one_, one_, "--tolerance", "nan"}).exit_code, 2);
  EXPECT_EQ(run_tool({"diff", one_, one_, "--tolerance", "1,2,3"}).exit_code, 2);
}

TEST_F(Diff, SaysWhichFileLacksABank) {
  FileImage other;
  other.schemas = {"{A::a/1/1}{i/I,x/F}", "{B::b/2/2}{i/I}"};
  other.records = {whole_record(images({event(1, 0.5F), event(2, 0.5F)}))};
  write_bytes(folder_ / "other.hipo", other.bytes());
  const auto run = [&](const std::string& bank) {
    return run_tool(
        {.arguments = {"diff", "one.hipo", "other.hipo", "--events-only", "-q", "-b", bank},
         .working_folder = folder_.path()});
  };
  const ProgramResult one = run("B::b");
  EXPECT_EQ(one.exit_code, 0) << one.err;
  EXPECT_NE(one.err.find("warning: one.hipo: no bank B::b in the dictionary"), std::string::npos)
      << one.err;
  EXPECT_EQ(one.err.find("other.hipo"), std::string::npos) << one.err;
  const ProgramResult neither = run("A::b");
  EXPECT_EQ(neither.exit_code, 4);
  EXPECT_EQ(neither.err,
            "hipo-tool: error: one.hipo: no bank A::b in the dictionary; the nearest name is A::a; "
            "other.hipo has none either\n");
}

TEST_F(Diff, WarnsOfAFileWithoutIndex) {
  const fs::path unfinished = write("unfinished.hipo", {event(1, 0.5F), event(2, 0.5F)}, false);
  const ProgramResult result = run_tool({"diff", "-q", one_, unfinished});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err,
            "hipo-tool: warning: " + unfinished.string() +
                ": index absent (the trailer position is 0: its writer did not finish); the 1 "
                "record found is compared\n");
}

}  // namespace
}  // namespace hipotool::test
