// dump with several files, files that fail, and the forms that are exact only for one way of
// storing.

#include "cli/dump_content.hpp"
#include "cli/tool_files.hpp"
#include "cli/transcript.hpp"
#include "support/limits.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <string>
#include <vector>

namespace hipotool::test {
namespace {

namespace fs = std::filesystem;

// A sanitizer's shadow counts, too.
std::uint64_t most_memory() {
  return std::uint64_t{is_sanitized() ? 256U : 64U} << 20U;
}
using Runs = std::vector<std::vector<std::string>>;

class DumpFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto plain = compression_of(CodecId::none, LayoutId::per_chunk);
    write_as(dump_content(), plain, folder_ / "in.hipo");
    FileImage other = dump_content();
    other.records.erase(other.records.begin(), other.records.begin() + 1);
    other.schemas.front() = "{REC::Particle/300/1}{pid/I,p/F,vt/D,charge/B,status/S}";
    write_as(other, plain, folder_ / "other.hipo");
    fs::create_directory(folder_ / "more");
    write_as(dump_content(), plain, folder_ / "more" / "my file.hipo");
    write_text(folder_ / "no.hipo", "this is no HIPO file, though it is long enough to be one.");
    write_text(folder_ / "list.txt", "# two\nin.hipo\n\nother.hipo\n");
  }

  [[nodiscard]] ProgramResult run(std::vector<std::string> words) const {
    words.insert(words.begin(), "dump");
    return run_tool(ProgramRun{.arguments = words, .working_folder = folder_.path()});
  }

  TempDir folder_;
};

TEST_F(DumpFiles, TextForGoodBadAndMissingInput) {
  const std::vector<Bytes> one_event{EventImage{7}.bytes()};
  FileImage bare;  // neither dictionary nor index
  bare.trailer = false;
  bare.records = {whole_record(one_event)};
  write_bytes(folder_ / "bare.hipo", bare.bytes());
  FileImage empty;
  write_bytes(folder_ / "empty.hipo", empty.bytes());
  expect_transcript(
      "dump_files.txt",
      transcript(folder_.path(),
                 {{"dump", "in.hipo"},
                  {"dump", "in.hipo", "--format", "markdown"},
                  {"dump", "--header", "--json", "in.hipo"},
                  {"dump", "--records", "in.hipo"},
                  {"dump", "--records", "--json", "in.hipo"},
                  {"dump", "--records", "--format", "markdown", "in.hipo", "other.hipo"},
                  {"dump", "--records", "--csv", "in.hipo", "other.hipo"},
                  {"dump", "--streams", "2", "in.hipo"},
                  {"dump", "--streams", "3", "in.hipo"},
                  {"dump", "--header", "--csv", "in.hipo", "other.hipo"},
                  {"dump", "--tags", "-L", "list.txt"},
                  {"dump", "bare.hipo"},
                  {"dump", "--config", "bare.hipo"},
                  {"dump", "--json", "bare.hipo"},
                  {"dump", "--events", ":", "empty.hipo"},
                  {"dump", "--csv", "-b", "Ragged::Bank", "in.hipo"},
                  {"dump", "--csv", "-b", "900/7", "in.hipo"},
                  {"dump", "--dict", "bare.hipo", "in.hipo"},
                  {"dump", "--dict", "missing.hipo", "in.hipo"},
                  {"dump", "no.hipo"},
                  {"dump", "--events", ":", "missing.hipo"},
                  {"dump", "--json", "missing.hipo"},
                  {"dump", "--tags", "missing.hipo", "in.hipo", "no.hipo"}}));
}

TEST_F(DumpFiles, EventsOfSeveralFilesSayWhoseTheyAre) {
  expect_transcript(
      "dump_several.txt",
      transcript(folder_.path(),
                 {{"dump", "-b", "RUN::config", "--events", ":1", "in.hipo", "other.hipo"},
                  {"dump", "--json", "-b", "RUN::config", "--events", ":1", "in.hipo", "more"},
                  {"dump", "--csv", "-b", "RUN::config", "more/*.hipo", "in.hipo"},
                  {"dump", "--tsv", "-b", "REC::Particle", "in.hipo", "other.hipo"},
                  {"dump", "--json", "--columns", "px", "-n", "1", "other.hipo", "in.hipo"}}));
}

TEST_F(DumpFiles, CountsEventsOverAllOfThem) {
  const auto lines = [&](const std::string& n) {
    return lines_of(run({"--json", "--only", "-n", n, "in.hipo", "other.hipo"}).out);
  };
  EXPECT_EQ(lines("3").size(), 3U);
  EXPECT_EQ(lines("10").size(), 10U);
  ASSERT_EQ(lines("12").size(), 12U);
  EXPECT_EQ(json_at(lines("12")[11], "/path"), "\"other.hipo\"");
  EXPECT_EQ(json_at(lines("12")[11], "/event"), "1");
  EXPECT_EQ(lines("99").size(), 16U);
  // Files that are not needed any more are not even opened.
  EXPECT_EQ(run({"--json", "-n", "3", "in.hipo", "missing.hipo"}).exit_code, 0);
  EXPECT_EQ(run({"--json", "--only", "-n", "11", "in.hipo", "missing.hipo"}).exit_code, 1);
}

TEST_F(DumpFiles, OneFileAloneHasNoPathInItsEvents) {
  EXPECT_EQ(json_at(run({"--json", "-n", "1", "in.hipo"}).out, "/path"), "nothing");
  EXPECT_EQ(json_at(run({"--json", "-n", "1", "more"}).out, "/path"), "nothing");
}

TEST_F(DumpFiles, SomeThatFailDoNotHideTheOthers) {
  const ProgramResult result =
      run({"--json", "--only", "-n", "12", "missing.hipo", "in.hipo", "no.hipo", "other.hipo"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(lines_of(result.out).size(), 12U);
  const std::vector<std::string> errors = lines_of(result.err);
  ASSERT_EQ(errors.size(), 2U) << result.err;
  for (const std::string& error : errors) {
    EXPECT_EQ(schema_errors("error", error), "") << error;
  }
  EXPECT_EQ(json_at(errors[0], "/path"), "\"missing.hipo\"");
  EXPECT_EQ(json_at(errors[1], "/code"), "\"bad_magic\"");
}

TEST_F(DumpFiles, ADirectoryThatCannotBeReadLeavesNullsAndAnError) {
  const fs::path file = folder_ / "columns.hipo";
  write_as(dump_content(), compression_of(CodecId::none, LayoutId::per_column), file);
  const std::string offset =
      json_at(run({"--records", "--json", "columns.hipo"}).out, "/stored_records/1/offset");
  std::string bytes = read_text(file);
  bytes[std::stoul(offset) + 56] = 9;  // the version byte of the second record's section
  write_text(file, bytes);
  const ProgramResult result = run({"--records", "--json", "columns.hipo"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(schema_errors("dump_records", result.out), "");
  EXPECT_EQ(json_at(result.out, "/stored_records/0/version"), "1");
  EXPECT_EQ(json_at(result.out, "/stored_records/1/version"), "null");
  EXPECT_EQ(json_at(result.out, "/stored_records/1/raw_bytes"), "null");
  EXPECT_EQ(json_at(result.out, "/stored_records/2/version"), "1");
  EXPECT_EQ(json_at(result.err, "/record"), "1") << result.err;
  EXPECT_EQ(json_at(run({"--streams", "1", "--json", "columns.hipo"}).err, "/record"), "1");
}

TEST_F(DumpFiles, GoToAReportFileToo) {
  const ProgramResult result =
      run({"--csv", "-b", "RUN::config", "in.hipo", "--report-file", "events.csv"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(read_text(folder_ / "events.csv"), run({"--csv", "-b", "RUN::config", "in.hipo"}).out);
  EXPECT_EQ(run({"--records", "in.hipo", "--report-file", "in.hipo"}).exit_code, 2);
}

TEST_F(DumpFiles, AFullDiskEndsTheCommand) {
  const ProgramResult result =
      run({"--json", "in.hipo", "other.hipo", "--report-file", "/dev/full"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(lines_of(result.err).size(), 1U) << result.err;
  EXPECT_EQ(json_at(result.err, "/code"), "\"no_space\"") << result.err;
}

TEST_F(DumpFiles, AReaderThatHasGoneEndsItQuietly) {
  const ProgramResult result = run_tool(ProgramRun{.arguments = {"dump", "--json", "in.hipo"},
                                                   .working_folder = folder_.path(),
                                                   .closed_stdout = true});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
}

// 20,000 empty banks whose column has a name of 500,000 bytes: 10 GB of text from a small file.
TEST_F(DumpFiles, LongNamesDoNotTakeTheMemoryOfTheirText) {
  FileImage file;
  file.schemas = {"{B::b/1/1}{" + std::string(500'000, 'x') + "/I}"};
  file.records = {whole_record(images(std::vector<EventImage>(20'000, {.banks = {{{1, 1}, {}}}})))};
  write_bytes(folder_ / "names.hipo", file.bytes());
  const ProgramResult result =
      run({"--json", "--where", "has(B::b)", "-n", "7", "names.hipo", "-j", "2"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const std::vector<std::string> lines = lines_of(result.out);
  ASSERT_EQ(lines.size(), 7U);
  EXPECT_EQ(json_at(lines[6], "/event"), "6");
  EXPECT_GT(lines[6].size(), 500'000U);
  EXPECT_LT(result.peak_memory_bytes, most_memory());
  EXPECT_EQ(lines_of(run({"-n", "3", "names.hipo"}).out).size(), 3U * 3U);
}

TEST_F(DumpFiles, LongNamesOfBanksAreNotRepeatedWithoutEnd) {
  std::string schema = "{" + std::string(1'000'000, 'N') + "/1/1}{c0/B";
  for (int column = 1; column < 5'000; ++column) {
    schema += ",c" + std::to_string(column) + "/B";
  }
  FileImage file;
  file.schemas = {schema + "}", "{B::b/2/2}{x/I}"};
  const EventImage event{.banks = {{{1, 1}, Bytes(5'000)}, {{2, 2}, packed(1)}}};
  file.records = {stored_record(images({event}), compression_of(CodecId::lz4, LayoutId::per_column),
                                Dictionary(file.dictionary_events()))};
  write_bytes(folder_ / "names.hipo", file.bytes());
  for (const std::vector<std::string>& view :
       std::vector<std::vector<std::string>>{{"--schema"}, {"--streams", "0"}}) {
    std::vector<std::string> words = view;
    words.emplace_back("names.hipo");
    const ProgramResult result = run(words);
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.err,
              "hipo-tool: error: names.hipo: names of banks are too long to be listed with each "
              "column\n");
    EXPECT_LT(result.peak_memory_bytes, most_memory());
  }
  EXPECT_EQ(run({"--schema", "-b", "B::b", "names.hipo"}).exit_code, 0);
}

// Wide cells do not widen the lines of others: 1 MB and 5,000 lines are not 5 GB.
TEST_F(DumpFiles, LongValuesDoNotPadOthers) {
  FileImage file;
  file.dictionary.push_back(configuration_event({"long", std::string(1'000'000, 'v')}));
  file.dictionary.push_back(configuration_event({std::string(1'000'000, 'k'), "short"}));
  for (int entry = 0; entry < 5'000; ++entry) {
    file.dictionary.push_back(configuration_event({std::to_string(entry), "v"}));
  }
  write_bytes(folder_ / "values.hipo", file.bytes());
  const ProgramResult result = run({"--config", "values.hipo"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(lines_of(result.out).size(), 3U + 5'002U);
  EXPECT_LT(result.out.size(), 5'000'000U);
}

// More text than is kept from finding the widths of columns.
TEST_F(DumpFiles, TablesOfLargeBanksHaveAllCells) {
  constexpr std::int32_t kRows = 150'000;
  std::vector<std::int32_t> values(std::size_t{2} * kRows);
  std::iota(values.begin(), values.begin() + kRows, 1'000'000);
  std::iota(values.begin() + kRows, values.end(), 0);
  Bytes data(values.size() * sizeof(std::int32_t));
  std::memcpy(data.data(), values.data(), data.size());
  FileImage file;
  file.schemas = {"{L::l/1/1}{a/I,b/I}"};
  file.records = {whole_record(images({{.banks = {{{1, 1}, data}}}}))};
  write_bytes(folder_ / "large.hipo", file.bytes());
  const std::vector<std::string> lines = lines_of(run({"-n", "1", "large.hipo"}).out);
  ASSERT_EQ(lines.size(), 3U + kRows + 1U);
  for (std::int32_t row = 0; row < kRows; ++row) {
    ASSERT_EQ(lines[3 + static_cast<std::size_t>(row)],
              fmt::format("    {:>6}  {:>7}  {:>6}", row, 1'000'000 + row, row));
  }
}

TEST_F(DumpFiles, CountTheEventsOfFilesThatFailLater) {
  std::string bytes = read_text(folder_ / "in.hipo");
  const std::string offset =
      json_at(run({"--records", "--json", "in.hipo"}).out, "/stored_records/2/offset");
  bytes[std::stoul(offset) + 56] = 1;  // the length of an event
  write_text(folder_ / "damaged.hipo", bytes);
  const ProgramResult result = run({"--json", "--only", "-n", "12", "damaged.hipo", "in.hipo"});
  EXPECT_EQ(result.exit_code, 1);
  const std::vector<std::string> lines = lines_of(result.out);
  ASSERT_EQ(lines.size(), 12U);
  EXPECT_EQ(json_at(lines[7], "/path"), "\"damaged.hipo\"");
  EXPECT_EQ(json_at(lines[8], "/path"), "\"in.hipo\"");
  EXPECT_EQ(json_at(result.err, "/code"), "\"corrupt\"") << result.err;
}

TEST_F(DumpFiles, BanksComeAsStoredWhereAsked) {
  FileImage file;
  file.schemas = {"{B::late/9/1}{x/I}", "{B::early/1/1}{x/I}"};
  file.records = {whole_record(
      images({{.banks = {{{9, 1}, packed(1)}, {{1, 1}, packed(2)}, {{9, 1}, packed(3)}}}}))};
  write_bytes(folder_ / "order.hipo", file.bytes());
  expect_transcript("dump_order.txt",
                    transcript(folder_.path(), {{"dump", "--events", ":", "order.hipo"},
                                                {"dump", "-n", "1", "--as-stored", "order.hipo"},
                                                {"dump", "--csv", "-b", "9/1", "order.hipo"}}));
}

TEST(DumpMemory, DoesNotGrowWithTheFile) {
  const TempDir folder;
  const auto peak = [&](const std::string& raw_size) {
    make_sample(folder / raw_size, {"--raw-size", raw_size, "--record-size", "256KiB"});
    const ProgramResult result = run_tool({"dump", "--json", (folder / raw_size).string(), "-j",
                                           "2", "--memory", "4MiB", "--report-file", "/dev/null"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.peak_memory_bytes;
  };
  EXPECT_LT(peak("16M"), peak("4M") + (std::uint64_t{4} << 20U));
}

}  // namespace
}  // namespace hipotool::test
