// Small files that stand for more than any memory: what a command takes stays within --memory, and
// a record that does not fit is an error that names what would do.

#include "cli/tool_files.hpp"
#include "support/library.hpp"
#include "support/limits.hpp"
#include "support/run_tool.hpp"
#include "support/temp_dir.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <malloc.h>
#include <string>
#include <vector>

namespace hipotool::test {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::uint32_t kDataBytesAt = 32;  // in a record header
// Of the program itself.
constexpr std::uint64_t kBase = 24 * kMiB;

// `records` records of `events` events, each with a bank of `bank_bytes` zeros.
FileImage zeros(std::size_t records, std::size_t events, std::size_t bank_bytes, LayoutId layout) {
  FileImage file{.schemas = {"{T::n/1/2}{n/B}"}};
  const std::vector<EventImage> content(events, {.banks = {{{1, 2}, Bytes(bank_bytes)}}});
  const Bytes record = stored_record(images(content), compression_of(CodecId::lz4, layout),
                                     Dictionary(file.dictionary_events()));
  file.records.assign(records, record);
  return file;
}

class WithinMemory : public ::testing::Test {
 protected:
  [[nodiscard]] std::string write(const std::string& name, const FileImage& file) const {
    write_bytes(folder_ / name, file.bytes());
    return (folder_ / name).string();
  }

  // Runs the command with --memory 64MiB, and holds what it took against that.
  [[nodiscard]] ProgramResult run(std::vector<std::string> words) const {
    words.insert(words.end(), {"--memory", "64MiB", "-j", "4"});
    static_cast<void>(::malloc_trim(0));  // a child's peak begins with what its parent has
    const ProgramResult result =
        run_tool(ProgramRun{.arguments = words, .working_folder = folder_.path()});
    if (!is_sanitized()) {
      EXPECT_LT(result.peak_memory_bytes, 64 * kMiB + kBase) << words.front() << result.err;
    }
    return result;
  }

  void expect_refused(const std::string& file, const std::vector<std::vector<std::string>>& all,
                      int code) const {
    for (std::vector<std::string> words : all) {
      words.insert(words.begin() + 1, file);
      words.insert(words.end(), {"--json"});
      const ProgramResult result = run(words);
      EXPECT_EQ(result.exit_code, code) << words.front() << result.err;
      const std::string& text = words.front() == "check" ? result.out : result.err;
      EXPECT_NE(text.find("over_budget"), std::string::npos) << words.front() << text;
      EXPECT_NE(text.find("give --memory "), std::string::npos) << words.front() << text;
    }
    EXPECT_FALSE(fs::exists(folder_ / "out.hipo"));
  }

  TempDir folder_;
};

const std::vector<std::vector<std::string>> kDecoding{
    {"dump"},
    {"stats", "--values"},
    {"recook", "out.hipo"},
    {"tag-filter", "out.hipo", "--require", "T::n"},
    {"recook", "--dry-run"},
    {"bench"}};

TEST_F(WithinMemory, ARecordThatIsLargerThanItsHeaderSays) {
  FileImage file = zeros(1, 12, 15 * kMiB, LayoutId::per_column);
  store_le(file.records[0].data() + kDataBytesAt, std::uint32_t{12});
  const std::string path = write("in.hipo", file);
  expect_refused(path, kDecoding, 1);
  expect_refused(path, {{"check"}}, 10);
  expect_refused(path, {{"diff", path}}, 4);
  EXPECT_EQ(run({"stats", path}).exit_code, 0);  // counts without inflating
}

TEST_F(WithinMemory, ARecordThatIsLargeAndSaysSo) {
  for (const LayoutId layout : kLayouts) {
    const std::string path = write("in.hipo", zeros(1, 12, 15 * kMiB, layout));
    expect_refused(path, kDecoding, 1);
    expect_refused(path, {{"check"}}, 10);
  }
}

TEST_F(WithinMemory, BanksWithoutContent) {
  // Three million structures of eight bytes, each of which has a place to be noted.
  FileImage file{.schemas = {"{T::n/1/2}{n/B}"}};
  file.records = {stored_record(images({{.trailing = Bytes(24 * kMiB)}}),
                                compression_of(CodecId::lz4, LayoutId::per_chunk),
                                Dictionary(file.dictionary_events()))};
  const std::string path = write("in.hipo", file);
  expect_refused(path, {{"dump"}, {"recook", "out.hipo"}}, 1);
  expect_refused(path, {{"check"}}, 10);
}

TEST_F(WithinMemory, ADirectoryOfBanksThatOneEventHasEach) {
  // Ten thousand events and as many banks: 400 MB of sizes that are nearly all zero.
  std::vector<EventImage> events;
  for (std::uint16_t bank = 0; bank < 10'000; ++bank) {
    events.push_back({.banks = {{{bank, 1}, {}}}});
  }
  FileImage file{.schemas = {"{T::n/1/2}{n/B}"}};
  file.records = {whole_record(images(events))};
  const std::string path = write("in.hipo", file);
  expect_refused(path, {{"recook", "out.hipo"}, {"recook", "out.hipo", "--layout", "per-bank"}}, 1);
  EXPECT_EQ(run({"recook", path, "out.hipo", "-q", "--record-events", "500"}).exit_code, 0);
  EXPECT_EQ(digest_of(folder_ / "out.hipo"), digest_of(path));
}

TEST_F(WithinMemory, WhatIsNamedWouldDo) {
  FileImage file = zeros(1, 4, 15 * kMiB, LayoutId::per_column);
  store_le(file.records[0].data() + kDataBytesAt, std::uint32_t{4});
  const std::string path = write("in.hipo", file);
  for (std::vector<std::string> words : std::vector<std::vector<std::string>>{
           {"recook", path, "out.hipo", "-q"},
           {"dump", "--json", "-n", "1", path, "--report-file", "x"}}) {
    const ProgramResult refused = run(words);
    ASSERT_EQ(refused.exit_code, 1) << refused.err;
    const std::size_t at = refused.err.find("give --memory ") + 14;
    const std::string memory = refused.err.substr(at, refused.err.find("MiB", at) + 3 - at);
    words.insert(words.end(), {"--memory", memory});
    const ProgramResult done =
        run_tool(ProgramRun{.arguments = words, .working_folder = folder_.path()});
    EXPECT_EQ(done.exit_code, 0) << memory << done.err;
    if (!is_sanitized()) {
      EXPECT_LT(done.peak_memory_bytes, std::stoull(memory) * kMiB + kBase) << words.front();
    }
  }
  EXPECT_EQ(digest_of(folder_ / "out.hipo"), digest_of(path));
}

TEST_F(WithinMemory, ManyThatFitOneByOne) {
  // Four threads want 16 MiB each, and half of them lie.
  FileImage file = zeros(12, 1, 15 * kMiB, LayoutId::per_column);
  for (std::size_t record = 0; record < file.records.size(); record += 2) {
    store_le(file.records[record].data() + kDataBytesAt, std::uint32_t{4});
  }
  const std::string path = write("in.hipo", file);
  EXPECT_EQ(run({"check", path}).exit_code, 0);
  EXPECT_EQ(run({"stats", "--values", path}).exit_code, 0);
  EXPECT_EQ(run({"tag-filter", path, "--count"}).exit_code, 0);
  const ProgramResult shown =
      run({"dump", "--json", "-n", "2", path, "--report-file", "/dev/null"});
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  const std::vector<std::string> words{"recook",   path,     "out.hipo",      "-q",  "-j", "4",
                                       "--memory", "128MiB", "--record-size", "1MiB"};
  const ProgramResult written =
      run_tool(ProgramRun{.arguments = words, .working_folder = folder_.path()});
  EXPECT_EQ(written.exit_code, 0) << written.err;
  if (!is_sanitized()) {
    EXPECT_LT(written.peak_memory_bytes, 128 * kMiB + kBase);
  }
  EXPECT_EQ(digest_of(folder_ / "out.hipo"), digest_of(path));
  const ProgramResult streamed =
      run_shell("\"$TOOL\" recook - \"$2\" -q -j 4 --memory 128MiB --record-size 1MiB < \"$1\"",
                {path, folder_ / "streamed.hipo"});
  EXPECT_EQ(streamed.exit_code, 0) << streamed.err;
  EXPECT_EQ(read_bytes(folder_ / "streamed.hipo"), read_bytes(folder_ / "out.hipo"));
}

TEST_F(WithinMemory, AFileThatFitsAloneIsGoodAmongOthers) {
  const FileImage file = zeros(1, 3, 15 * kMiB, LayoutId::per_chunk);
  const std::vector<std::string> paths{write("a.hipo", file), write("b.hipo", file),
                                       write("c.hipo", file), write("d.hipo", file)};
  std::vector<std::string> check{"check"};
  check.insert(check.end(), paths.begin(), paths.end());
  const ProgramResult checked = run(check);
  EXPECT_EQ(checked.exit_code, 0) << checked.out;
  check.front() = "stats";
  EXPECT_EQ(run(check).exit_code, 0);
}

TEST_F(WithinMemory, TagsWithoutEnd) {
  std::vector<EventImage> events;
  for (std::uint32_t tag = 0; tag < 70'000; ++tag) {
    events.push_back({.tag = 70'000 - tag});
  }
  FileImage file{.schemas = {"{T::n/1/2}{n/B}"}};
  file.records = {whole_record(images(events)), whole_record(images(events))};
  const std::string input = write("in.hipo", file);
  const auto expect_so_many = [&](const std::vector<std::string>& words, const std::string& list) {
    const ProgramResult result = run(words);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(schema_errors(words.front(), result.out), "");
    EXPECT_EQ(json_at(result.out, "/events_of_other_tags"), std::to_string(2 * (70'000 - 65'536)));
    EXPECT_EQ(json_at(result.out, list + "/0/tag"), "1");
    EXPECT_EQ(json_at(result.out, list + "/65535/events"), "2");
    EXPECT_EQ(json_at(result.out, list + "/65536"), "nothing");
  };
  expect_so_many({"tag-filter", input, "--count", "--json"}, "/tags");
  expect_so_many({"recook", input, "-o", input + ".out", "--json"}, "/events_by_tag");
}

}  // namespace
}  // namespace hipotool::test
