// What users of other tools ran into when they looked into files, each with the smallest input that
// shows it, and what dump must do there. The numbers are those of the list that these come from.

#include "cli/dump_content.hpp"
#include "cli/tool_files.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace hipotool::test {
namespace {

namespace fs = std::filesystem;

struct Report {
  std::string number;
  std::string complaint;
  FileImage file;
  std::string file_name = "in.hipo";
  struct Run {
    std::vector<std::string> arguments;  // without the file
    std::string out;                     // all of it
    int exit_code = 0;
    std::string err{};
  };
  std::vector<Run> runs;
};

constexpr BankKey kBank{300, 31};
constexpr const char* kSchema = "{REC::Particle/300/31}{pid/I,px/F}";

std::string csv_of(std::initializer_list<const char*> lines) {
  std::string text = "event_number,row_number,pid,px\n";
  for (const char* line : lines) {
    text += std::string(line) + "\n";
  }
  return text;
}

StructureImage particle(std::int32_t pid) {
  return {kBank, packed(pid, 0.5F)};
}

FileImage file_of(std::vector<std::string> schemas,
                  const std::vector<std::vector<EventImage>>& records) {
  FileImage file;
  file.schemas = std::move(schemas);
  for (std::size_t i = 0; i < records.size(); ++i) {
    file.records.push_back(
        whole_record(images(records[i]), {.number = static_cast<std::uint32_t>(i + 1)}));
  }
  return file;
}

Report no_dictionary() {
  return {.number = "C10",
          .complaint = "a file without dictionary crashes the reader",
          .file = file_of({}, {{{.banks = {particle(11)}}}}),
          .runs = {{{"-b", "300/31"},
                    "event 0, tag 0\n  300/31, type 11, 8 bytes\n    0b000000 0000003f\n\n"},
                   {{"--json"},
                    R"({"schema":"hipo-tool/dump/1","event":0,"tag":0,"banks":[{"name":"300/31",)"
                    R"("group":300,"item":31,"type":11,"size":8,"format_length":0,)"
                    R"("hex":"0b0000000000003f"}]})"
                    "\n"},
                   {{"--csv", "-b", "REC::Particle", "--dict", "dictionary.hipo"},
                    csv_of({"0,0,11,0.5"})},
                   {{"--csv", "-b", "300/31"},
                    "",
                    1,
                    "hipo-tool: error: in.hipo: no columns of bank 300/31 are known, so it has no "
                    "rows to show; --json shows it\n"}}};
}

Report configuration() {
  FileImage file = file_of({kSchema}, {{{.banks = {particle(11)}}}});
  file.dictionary = {configuration_event({"cook", "v1"})};
  return {.number = "C11",
          .complaint = "a file with user configuration crashes the reader",
          .file = file,
          .runs = {{{"--config", "--csv"}, "path,key,value\nin.hipo,cook,v1\n"},
                   {{"--csv", "-b", "REC::*"}, csv_of({"0,0,11,0.5"})}}};
}

// Tags in event headers, in the words of a record that mixes them, and contradicting its words.
Report tags() {
  FileImage file = file_of({kSchema}, {{{.tag = 1, .banks = {particle(1)}},
                                        {.tag = 0, .banks = {particle(2)}},
                                        {.tag = 1, .banks = {particle(3)}}}});
  file.records.push_back(
      whole_record(images({{.tag = 0, .banks = {particle(4)}}, {.tag = 1, .banks = {particle(5)}}}),
                   {.words = {1, 0}, .number = 2}));
  return {
      .number = "C21",
      .complaint = "selecting a tag shows no event, or others",
      .file = file,
      .runs = {{{"--csv", "-b", "REC::Particle", "--tag", "1"},
                csv_of({"0,0,1,0.5", "2,0,3,0.5", "4,0,5,0.5"})},
               {{"--csv", "-b", "REC::Particle", "--tag", "0"}, csv_of({"1,0,2,0.5", "3,0,4,0.5"})},
               {{"--csv", "-b", "REC::Particle", "--tag", "2-9"}, csv_of({})}}};
}

Report empty_structures() {
  return {.number = "C30",
          .complaint = "banks without rows and absent banks look the same",
          .file = file_of({kSchema}, {{{.banks = {{kBank, {}}}}, {}}}),
          .runs = {{{"--events", ":"},
                    "event 0, tag 0\n  REC::Particle (300/31), no rows\n\nevent 1, tag 0\n\n"},
                   {{"--json", "--where", "has(REC::Particle)"},
                    R"({"schema":"hipo-tool/dump/1","event":0,"tag":0,"banks":[{"name":)"
                    R"("REC::Particle","group":300,"item":31,"type":11,"rows":0,"columns":)"
                    R"({"pid":[],"px":[]}}]})"
                    "\n"}}};
}

Report record_boundaries() {
  std::vector<std::vector<EventImage>> records(3);
  for (std::int32_t event = 0; event < 12; ++event) {
    records[static_cast<std::size_t>(event) / 4].push_back({.banks = {particle(event)}});
  }
  const auto one = [](std::uint32_t event) {
    return Report::Run{
        {"--csv", "-b", "REC::Particle", "--events", fmt::format("{}:{}", event, event + 1)},
        csv_of({fmt::format("{0},0,{0},0.5", event).c_str()})};
  };
  return {.number = "C32",
          .complaint = "off by one at record boundaries",
          .file = file_of({kSchema}, records),
          .runs = {one(3),
                   one(4),
                   one(7),
                   one(8),
                   one(11),
                   {{"--csv", "-b", "REC::Particle", "--events", "12:13"}, csv_of({})}}};
}

Report long_and_double() {
  return {
      .number = "C33",
      .complaint = "L and D columns are not printed, or rounded",
      .file = file_of(
          {"{T::all/1/1}{l/L,d/D}"},
          {{{.banks = {{{1, 1}, joined({packed((std::int64_t{1} << 53) + 1), packed(1e-300)})}}}}}),
      .runs = {{{"-n", "1"},
                "event 0, tag 0\n  T::all (1/1), 1 row\n"
                "    row                 l       d\n"
                "      0  9007199254740993  1e-300\n\n"},
               {{"--json"},
                R"({"schema":"hipo-tool/dump/1","event":0,"tag":0,"banks":[{"name":"T::all",)"
                R"("group":1,"item":1,"type":11,"rows":1,"columns":)"
                R"({"l":[9007199254740993],"d":[1e-300]}}]})"
                "\n"}}};
}

Report signed_bytes_and_nan() {
  return {.number = "C34",
          .complaint = "byte columns unsigned; what is no number slips",
          .file = file_of(
              {"{T::all/1/1}{b/B,f/F}"},
              {{{.banks = {{{1, 1}, joined({packed(std::int8_t{-1}), packed(std::nanf(""))})}}}}}),
          .runs = {{{"--csv", "-b", "T::all"}, "event_number,row_number,b,f\n0,0,-1,NaN\n"},
                   {{"--csv", "-b", "T::all", "--where", "T::all.f == T::all.f"},
                    "event_number,row_number,b,f\n"},
                   {{"--csv", "-b", "T::all", "--where", "T::all.b == -1"},
                    "event_number,row_number,b,f\n0,0,-1,NaN\n"}}};
}

Report integers_in_composites() {
  return {.number = "C35",
          .complaint = "integer fields of composites read as 0.0",
          .file = file_of(
              {}, {{{.banks = {{{5, 5}, joined({text_bytes("if"), packed(42, 0.5F)}), 10, 2}}}}}),
          .runs = {{{"-n", "1"},
                    "event 0, tag 0\n  5/5, composite \"if\", 1 row\n"
                    "    row  f0   f1\n"
                    "      0  42  0.5\n\n"}}};
}

Report filters_with_columns() {
  return {
      .number = "C39",
      .complaint = "values of columns come from events that the filter leaves out",
      .file = file_of({kSchema},
                      {{{.tag = 5, .banks = {particle(1)}}, {.tag = 0, .banks = {particle(2)}}},
                       {{.tag = 0, .banks = {particle(3)}}, {.tag = 5, .banks = {particle(4)}}}}),
      .runs = {{{"--csv", "--columns", "REC::Particle.pid", "--tag", "5"},
                "event_number,row_number,pid\n0,0,1\n3,0,4\n"},
               {{"--csv", "--columns", "REC::Particle.px", "--where", "REC::Particle.pid > 2"},
                "event_number,row_number,px\n2,0,0.5\n3,0,0.5\n"}}};
}

Report many_banks() {
  std::vector<std::string> schemas;
  EventImage event;
  std::string list = "path,bank,group,item,column,type,length\n";
  std::string text = "event 0, tag 0\n";
  for (std::uint8_t bank = 0; bank < 71; ++bank) {
    schemas.push_back(fmt::format("{{B::b{0}/7/{0}}}{{x/B}}", bank));
    event.banks.push_back({{7, bank}, packed(static_cast<std::int8_t>(bank))});
    list += fmt::format("in.hipo,B::b{0},7,{0},x,B,1\n", bank);
    text += fmt::format("  B::b{0} (7/{0}), 1 row\n    row  {1:>{2}}\n      0  {0}\n", bank, "x",
                        bank < 10 ? 1 : 2);
  }
  return {.number = "C40",
          .complaint = "only some of the banks are listed",
          .file = file_of(schemas, {{event}}),
          .runs = {{{"--schema", "--csv"}, list}, {{"-n", "1"}, text + "\n"}}};
}

Report missing_bank() {
  return {.number = "C46",
          .complaint = "exit code 0 although the bank does not exist",
          .file = file_of({kSchema}, {{{.banks = {particle(11)}}}}),
          .runs = {{{"-b", "REC::Particel"},
                    "",
                    1,
                    "hipo-tool: error: in.hipo: no bank REC::Particel in the dictionary; the "
                    "nearest name is REC::Particle\n"},
                   {{"--columns", "REC::Particle.py"},
                    "",
                    1,
                    "hipo-tool: error: in.hipo: bank REC::Particle has no column py; the nearest "
                    "name is px\n"},
                   {{"--schema", "-b", "300/32"},
                    "",
                    1,
                    "hipo-tool: error: in.hipo: no bank 300/32 in the dictionary\n"},
                   {{"--where", "REC::Event.x > 1"},
                    "",
                    1,
                    "hipo-tool: error: in.hipo: no bank REC::Event in the dictionary\n"}}};
}

Report path_with_blank() {
  return {.number = "C49",
          .complaint = "a path with a blank falls apart",
          .file = file_of({kSchema}, {{{.banks = {particle(11)}}}}),
          .file_name = "my file.hipo",
          .runs = {{{"--csv", "-b", "REC::Particle"}, csv_of({"0,0,11,0.5"})},
                   {{"--tags", "--csv"}, "path,name,bit,tag\n"},
                   {{"--schema", "--csv", "-b", "REC::*"},
                    "path,bank,group,item,column,type,length\n"
                    "my file.hipo,REC::Particle,300,31,pid,I,1\n"
                    "my file.hipo,REC::Particle,300,31,px,F,1\n"}}};
}

class DumpReports : public ::testing::TestWithParam<Report> {};

TEST_P(DumpReports, AreAnsweredForEveryLayout) {
  const Report& report = GetParam();
  for (const LayoutId layout : kLayouts) {
    const TempDir folder;
    write_as(report.file, compression_of(CodecId::lz4, layout), folder / report.file_name);
    FileImage dictionary = file_of({kSchema}, {});
    write_bytes(folder / "dictionary.hipo", dictionary.bytes());
    for (const Report::Run& run : report.runs) {
      std::vector<std::string> words{"dump"};
      words.insert(words.end(), run.arguments.begin(), run.arguments.end());
      words.push_back(report.file_name);
      const ProgramResult result =
          run_tool(ProgramRun{.arguments = words, .working_folder = folder.path()});
      const std::string what =
          fmt::format("{}: {}: {}", report.number, report.complaint, fmt::join(words, " "));
      EXPECT_EQ(result.out, run.out) << what;
      EXPECT_EQ(result.err, run.err) << what;
      EXPECT_EQ(result.exit_code, run.exit_code) << what;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryReport, DumpReports,
                         ::testing::Values(no_dictionary(), configuration(), tags(),
                                           empty_structures(), record_boundaries(),
                                           long_and_double(), signed_bytes_and_nan(),
                                           integers_in_composites(), filters_with_columns(),
                                           many_banks(), missing_bank(), path_with_blank()),
                         [](const auto& one) { return one.param.number; });

}  // namespace
}  // namespace hipotool::test
