#include "cli/tool_files.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace hipotool::test {
namespace {

namespace fs = std::filesystem;

// Where the file header says it (docs/format.md section 2).
constexpr std::size_t kFileHeaderBytes = 56;
constexpr std::size_t kDictionaryBytes = 24;
constexpr std::size_t kTrailerPosition = 40;
constexpr std::size_t kRecordMagic = 28;  // in a record

// Patched copies of a small good file.
class Check : public ::testing::Test {
 protected:
  void SetUp() override {
    make_sample(good_, {"--profile", "tiny", "--events", "200", "--record-size", "64KiB"});
    bytes_ = read_text(good_);
  }

  fs::path write(std::string_view name, const std::string& bytes) {
    write_text(folder_ / name, bytes);
    return folder_ / name;
  }

  // Puts a little-endian number in.
  static std::string patched(std::string bytes, std::size_t at, std::uint64_t value,
                             std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) {
      bytes.at(at + i) = static_cast<char>(value >> (8 * i));
    }
    return bytes;
  }

  [[nodiscard]] std::uint64_t number_at(std::size_t at, std::size_t size) const {
    std::uint64_t value = 0;
    for (std::size_t i = size; i-- > 0;) {
      value = value << 8U | static_cast<unsigned char>(bytes_.at(at + i));
    }
    return value;
  }

  [[nodiscard]] std::size_t trailer() const { return number_at(kTrailerPosition, 8); }
  [[nodiscard]] std::size_t first_record() const {
    return kFileHeaderBytes + number_at(kDictionaryBytes, 4);
  }

  TempDir folder_;
  fs::path good_ = folder_ / "good.hipo";
  std::string bytes_;
};

TEST_F(Check, IsSilentAboutGoodFiles) {
  const ProgramResult result = run_tool({"check", good_, good_});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err, "");
}

TEST_F(Check, GivesEveryKindOfFaultItsCodeAndItsLine) {
  struct Fault {
    fs::path path;
    int exit_code;
    std::string verdict_and_reason;
  };
  const std::string end = std::to_string(bytes_.size());
  const std::vector<Fault> faults{
      {folder_ / "missing.hipo", 10, "unreadable\tcannot open: No such file or directory"},
      {folder_.path(), 10, "unreadable\tis a directory"},
      {write("text.hipo", "hello"), 11, "not-hipo\t"},
      {write("long_text.hipo", std::string(5000, 'x')), 11, "not-hipo\t"},
      {write("nothing.hipo", ""), 12, "empty\tthe file has no bytes"},
      {write("header.hipo",
             patched(patched(bytes_.substr(0, kFileHeaderBytes), kTrailerPosition, 0, 8),
                     kDictionaryBytes, 0, 4)),
       12, "empty\tno events, and the trailer position is 0"},
      {write("no_index.hipo", patched(bytes_, kTrailerPosition, 0, 8)), 13,
       "no-index\tthe trailer position is 0"},
      {write("cut.hipo", bytes_.substr(0, trailer())), 14, "truncated\tthe trailer should be at "},
      {write("in_record.hipo", bytes_.substr(0, first_record() + 100)), 14,
       "truncated\trecord 0 at "},
      {write("no_magic.hipo", patched(bytes_, first_record() + kRecordMagic, 0, 4)), 15,
       "corrupt\trecord 0 at "},
      {write("index.hipo", patched(bytes_, kTrailerPosition, first_record(), 8)), 16,
       "index-disagrees\t"},
  };
  for (const Fault& fault : faults) {
    const ProgramResult result = run_tool({"check", good_, fault.path});
    EXPECT_EQ(result.exit_code, fault.exit_code) << fault.path;
    EXPECT_TRUE(result.out.starts_with(fault.path.string() + "\t" + fault.verdict_and_reason))
        << result.out;
    EXPECT_EQ(lines_of(result.out).size(), 1U) << result.out;
    EXPECT_EQ(result.err, "");
  }
}

TEST_F(Check, GoesOnAfterABadFileAndSaysSeveralKinds) {
  const fs::path text = write("text.hipo", "hello");
  const fs::path cut = write("cut.hipo", bytes_.substr(0, trailer()));
  const ProgramResult two = run_tool({"check", text, text, good_});
  EXPECT_EQ(two.exit_code, 11);
  EXPECT_EQ(lines_of(two.out).size(), 2U);
  const ProgramResult mixed = run_tool({"check", text, good_, cut, folder_ / "missing"});
  EXPECT_EQ(mixed.exit_code, 20);
  EXPECT_EQ(lines_of(mixed.out).size(), 3U) << mixed.out;
}

TEST_F(Check, DigestLinesHaveFourColumnsAndTwoMoreForBadFiles) {
  const fs::path no_index = write("no_index.hipo", patched(bytes_, kTrailerPosition, 0, 8));
  const fs::path text = write("text.hipo", "hello");
  const ProgramResult result = run_tool({"check", "--digest", good_, no_index, text});
  EXPECT_EQ(result.exit_code, 20);
  const std::vector<std::string> lines = lines_of(result.out);
  ASSERT_EQ(lines.size(), 3U);
  const std::string digests = lines[0].substr(0, lines[0].rfind('\t'));
  EXPECT_EQ(digests.size(), 32U + 1 + 32 + 1 + 3);
  EXPECT_TRUE(digests.ends_with("\t200"));
  EXPECT_EQ(lines[0], digests + "\t" + good_.string());
  EXPECT_TRUE(lines[1].starts_with(digests + "\t" + no_index.string() + "\tno-index\t"))
      << lines[1];
  EXPECT_TRUE(lines[2].starts_with("-\t-\t-\t" + text.string() + "\tnot-hipo\t")) << lines[2];
}

TEST_F(Check, SeesTheSameEventsInAnotherOrder) {
  const fs::path one = folder_ / "one.hipo";
  const fs::path other = folder_ / "other.hipo";
  const fs::path second = folder_ / "second.hipo";
  make_sample(second, {"--profile", "tiny", "--events", "50", "--seed", "9"});
  ASSERT_EQ(run_tool({"recook", good_, second, "-o", one, "-q"}).exit_code, 0);
  ASSERT_EQ(run_tool({"recook", second, good_, "-o", other, "-q", "-c", "3"}).exit_code, 0);
  const std::vector<std::string> lines = lines_of(run_tool({"check", "--digest", one, other}).out);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_NE(lines[0].substr(0, 32), lines[1].substr(0, 32));
  EXPECT_EQ(lines[0].substr(33, 32), lines[1].substr(33, 32));
}

TEST_F(Check, EscapesTabsAndNewlinesInNames) {
  const fs::path odd = write("a\tb\nc\\d.hipo", "hello");
  const ProgramResult result = run_tool({"check", odd});
  EXPECT_TRUE(
      result.out.starts_with((folder_.path() / "a\\tb\\nc\\\\d.hipo").string() + "\tnot-hipo\t"))
      << result.out;
  EXPECT_EQ(lines_of(result.out).size(), 1U);
}

TEST_F(Check, JsonHasOneValidObjectAFile) {
  const fs::path bad = write("bad.hipo", patched(bytes_, first_record() + kRecordMagic, 0, 4));
  const ProgramResult result = run_tool({"check", "--json", "--digest", good_, bad});
  EXPECT_EQ(result.exit_code, 15);
  const std::vector<std::string> lines = lines_of(result.out);
  ASSERT_EQ(lines.size(), 2U);
  for (const std::string& line : lines) {
    EXPECT_EQ(schema_errors("check", line), "") << line;
    EXPECT_TRUE(line.starts_with(R"({"schema":"hipo-tool/check/1")"));
  }
  EXPECT_EQ(json_at(lines[0], "/verdict"), "\"good\"");
  EXPECT_EQ(json_at(lines[0], "/events"), "200");
  EXPECT_EQ(json_at(lines[1], "/verdict"), "\"corrupt\"");
  EXPECT_EQ(json_at(lines[1], "/error_record"), "0");
  EXPECT_EQ(json_at(lines[1], "/error_record_offset"), std::to_string(first_record()));
}

TEST_F(Check, CsvHasOneLineAFileUnderOneHeader) {
  const fs::path text = write("text.hipo", "hello");
  const std::vector<std::string> lines =
      lines_of(run_tool({"check", "--csv", good_, text, good_}).out);
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_TRUE(lines[0].starts_with("path,verdict,reason,digest,")) << lines[0];
  EXPECT_TRUE(lines[2].starts_with(text.string() + ",not-hipo,")) << lines[2];
  EXPECT_EQ(lines[1], lines[3]);
}

class CheckGolden : public GoldenFiles {};

TEST_F(CheckGolden, PrintsTheKnownDigests) {
  std::vector<std::string> arguments{"check", "--digest"};
  std::string expected;
  for (const KnownDigest& known : known_digests()) {
    const std::string path = golden(known.file).string();
    arguments.push_back(path);
    expected += known.digest + "\t" + known.unordered + "\t" + known.events + "\t" + path;
    expected += known.file == "cuttrailer_bank.hipo"
                    ? "\ttruncated\tthe trailer should be at 50400, the file ends at 50400"
                : known.file == "notrailer_chunk.hipo"
                    ? "\tno-index\tthe trailer position is 0: its writer did not finish"
                    : "";
    expected += "\n";
  }
  const ProgramResult result = run_tool(arguments);
  EXPECT_EQ(result.out, expected);
  EXPECT_EQ(result.exit_code, 20);
}

TEST_F(CheckGolden, DoesNotCallAWholeFileWithoutEventsBad) {
  EXPECT_EQ(run_tool({"check", golden("zero_events_chunk.hipo")}).exit_code, 0);
}

}  // namespace
}  // namespace hipotool::test
