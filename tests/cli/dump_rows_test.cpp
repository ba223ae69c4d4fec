// dump --rows: some rows of one bank.

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

class DumpRows : public ::testing::TestWithParam<LayoutId> {
 protected:
  void SetUp() override {
    FileImage file;
    file.schemas = {"{REC::Particle/300/31}{pid/I,px/F}", "{O::other/2/2}{m/I}"};
    const std::vector<EventImage> events{
        {0, {{{300, 31}, joined({packed(11, 211, 11), packed(0.5F, 1.5F, 2.5F)})}}},
        {0, {{{300, 31}, joined({packed(211), packed(3.5F)})}}},
        {0, {{{2, 2}, packed(1)}}},
        {1, {{{2, 2}, packed(1)}, {{300, 31}, joined({packed(22, 11), packed(4.5F, 5.5F)})}}}};
    const Dictionary dictionary = dictionary_of(file.schemas);
    file.records = {
        stored_record(images(events), compression_of(CodecId::lz4, GetParam()), dictionary)};
    write_bytes(folder_ / "in.hipo", file.bytes());
  }

  [[nodiscard]] ProgramResult dump(std::vector<std::string> options) const {
    options.insert(options.begin(), {"dump", "in.hipo"});
    return run_tool(ProgramRun{.arguments = options, .working_folder = folder_.path()});
  }

  TempDir folder_;
};

TEST_P(DumpRows, AreLinesOfCsv) {
  EXPECT_EQ(dump({"--csv", "-b", "REC::Particle", "--rows", "pid == 11"}).out,
            "event_number,row_number,pid,px\n0,0,11,0.5\n0,2,11,2.5\n3,1,11,5.5\n");
  // The column that is looked at need not be shown.
  EXPECT_EQ(dump({"--csv", "--columns", "REC::Particle.px", "--rows", "pid == 11 && px > 1"}).out,
            "event_number,row_number,px\n0,2,2.5\n3,1,5.5\n");
  EXPECT_EQ(dump({"--tsv", "-b", "300/31", "--rows", "pid == 11", "-n", "1"}).out,
            "event_number\trow_number\tpid\tpx\n0\t0\t11\t0.5\n0\t2\t11\t2.5\n");
  EXPECT_EQ(dump({"--csv", "-b", "REC::Particle", "--rows", "pid == 11", "--tag", "1"}).out,
            "event_number,row_number,pid,px\n3,1,11,5.5\n");
}

TEST_P(DumpRows, AreTablesOfTheEventsThatHaveSome) {
  EXPECT_EQ(dump({"-b", "REC::Particle", "--rows", "pid == 11"}).out,
            "event 0, tag 0\n"
            "  REC::Particle (300/31), 2 of 3 rows\n"
            "    row  pid   px\n"
            "      0   11  0.5\n"
            "      2   11  2.5\n"
            "\n"
            "event 3, tag 1\n"
            "  REC::Particle (300/31), 1 of 2 rows\n"
            "    row  pid   px\n"
            "      1   11  5.5\n"
            "\n");
  EXPECT_EQ(dump({"-b", "REC::Particle", "--rows", "pid == 13"}).out, "");
}

TEST_P(DumpRows, KeepTheirNumbersInJson) {
  const std::vector<std::string> lines =
      lines_of(dump({"--json", "-b", "REC::Particle", "--rows", "pid == 11"}).out);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(schema_errors("dump", lines[0]), "");
  EXPECT_EQ(json_at(lines[0], "/banks/0/rows"), "2");
  EXPECT_EQ(json_at(lines[0], "/banks/0/row_numbers"), "[0,2]");
  EXPECT_EQ(json_at(lines[0], "/banks/0/columns/px"), "[0.5,2.5]");
  EXPECT_EQ(json_at(lines[1], "/event"), "3");
  EXPECT_EQ(json_at(dump({"--json", "-n", "1"}).out, "/banks/0/row_numbers"), "nothing");
}

TEST_P(DumpRows, NeedOneBankAndItsColumns) {
  const auto refused = [&](std::vector<std::string> options, int code, const std::string& why) {
    const ProgramResult result = dump(std::move(options));
    EXPECT_EQ(result.exit_code, code);
    EXPECT_NE(result.err.find(why), std::string::npos) << result.err;
    EXPECT_EQ(result.out, "");
  };
  refused({"--rows", "pid == 11"}, 2, "--rows chooses among the rows of one bank; choose it with");
  refused({"-b", "*::*", "--rows", "pid == 11"}, 2, "one bank; 2 are chosen");
  refused({"-b", "REC::Particle", "--rows", "pid = 11"}, 2, "\"is equal\" is written ==");
  refused({"-b", "REC::Particle", "--rows", "REC::Particle.pid == 11"}, 2, "without its bank: pid");
  refused({"-b", "REC::Particle", "--rows", "pidd == 11"}, 1, "the nearest name is pid");
  refused({"--records", "--rows", "pid == 11"}, 2, "shows no events");
}

INSTANTIATE_TEST_SUITE_P(EveryLayout, DumpRows, ::testing::ValuesIn(kLayouts), [](const auto& one) {
  return test_name(compression_of(CodecId::lz4, one.param));
});

}  // namespace
}  // namespace hipotool::test
