// Damage that people have met: what `check` says of it at each depth, and what `recook` makes of it
// with and without --salvage. Every input is built here.

#include "cli/tool_files.hpp"
#include "support/directory_images.hpp"
#include "support/library.hpp"
#include "support/three_records.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace hipotool::test {
namespace {

namespace fs = std::filesystem;

struct Damage {
  std::string name;
  Bytes file;
  std::string verdict_and_reason;  // of a full check; empty: good
  int full = 0;                    // exit codes
  int headers = 0;
  int quick = 0;
  int recook = 0;
  int salvage = 0;
  std::optional<unsigned> salvaged_events{};  // none: nothing is written

  friend std::ostream& operator<<(std::ostream& out, const Damage& damage) {
    return out << damage.name;
  }
};

std::string record_at(const FileImage& file, std::size_t record) {
  return fmt::format("record {} at {:#x}: ", record, offset_of(file, record));
}

Damage killed_writer() {
  FileImage file = three_records();
  file.trailer = false;
  return {"KilledWriter",
          file.bytes(),
          "no-index\tthe trailer position is 0: its writer did not finish; no index, 12 events "
          "recoverable",
          13,
          13,
          13,
          0,
          0,
          12};
}

Damage cut_in_the_last_record() {
  const FileImage file = three_records();
  Bytes bytes = file.bytes();
  bytes.resize(offset_of(file, 3) - 40);
  return {"CutInTheLastRecord",
          bytes,
          "truncated\t" + record_at(file, 2) +
              "truncated: a record of 184 bytes, of which 144 are there; 144 bytes lost, 8 events "
              "recoverable",
          14,
          14,
          14,
          1,
          3,
          8};
}

Damage cut_before_the_trailer() {
  const FileImage file = three_records();
  Bytes bytes = file.bytes();
  bytes.resize(offset_of(file, 3));
  return {"CutBeforeTheTrailer",
          bytes,
          fmt::format("truncated\tthe trailer should be at {0}, the file ends at {0}; 12 events "
                      "recoverable",
                      offset_of(file, 3)),
          14,
          14,
          14,
          1,
          3,
          12};
}

Damage lost_record_header() {
  const FileImage file = three_records();
  return {"LostRecordHeader",
          with_zeros(file.bytes(), offset_of(file, 1), 56),
          "corrupt\t" + record_at(file, 1) +
              "no record here: its endian magic is wrong; 184 bytes lost, 8 events recoverable",
          15,
          15,
          0,
          1,
          3,
          8};
}

// Repair tools give up where the first record is the bad one.
Damage lost_first_record_header() {
  const FileImage file = three_records();
  return {"LostFirstRecordHeader",
          with_zeros(file.bytes(), offset_of(file, 0), 56),
          "corrupt\t" + record_at(file, 0) +
              "no record here: its endian magic is wrong; 184 bytes lost, 8 events recoverable",
          15,
          15,
          0,
          1,
          3,
          8};
}

Damage lying_index() {
  FileImage file = three_records();
  file.index = with_number(index_bank(file.records, file.first_record()), 3 * 12 + 2 * 4,
                           std::uint32_t{400});
  return {"LyingIndex",
          file.bytes(),
          fmt::format("index-disagrees\ttrailer: its index contradicts the record at {} (length, "
                      "events or user words); 12 events recoverable",
                      offset_of(file, 2)),
          16,
          16,
          16,
          0,
          0,
          12};
}

// A trailer that the file header does not point to is no event.
Damage forgotten_trailer() {
  FileImage file = three_records();
  file.trailer_position = 0;
  return {
      "ForgottenTrailer",
      file.bytes(),
      "no-index\tthe trailer position is 0, as in a file that went through a pipe; it ends with "
      "a trailer that agrees with its records; no index, 12 events recoverable",
      13,
      13,
      13,
      0,
      0,
      12};
}

Damage bad_record_content() {
  const FileImage file = three_records();
  return {"BadRecordContent",
          with_zeros(file.bytes(), offset_of(file, 1) + 56 + 16 + 28, 4),
          "corrupt\t" + record_at(file, 1) +
              "event 1: event header: its magic does not begin with EV; 1 of 3 records bad, 184 "
              "bytes lost, 8 events recoverable",
          15,
          0,
          0,
          1,
          3,
          8};
}

Damage no_bytes() {
  return {"NoBytes", {}, "empty\tthe file has no bytes", 12, 12, 12, 1, 1, std::nullopt};
}

Damage header_only() {
  FileImage file;
  file.trailer = false;
  Bytes bytes = file.bytes();
  bytes.resize(56);
  return {"HeaderOnly",
          with_number(bytes, 24, std::uint32_t{0}),
          "empty\tno events, and the trailer position is 0: its writer did not finish",
          12,
          12,
          12,
          0,
          0,
          0};
}

Damage text() {
  return {"Text",
          text_bytes("hello"),
          "not-hipo\tnot a HIPO file: it does not begin with HIPO or HREC",
          11,
          11,
          11,
          1,
          1,
          std::nullopt};
}

Damage unknown_version() {
  FileImage file = three_records();
  DirectoryImage image{.layout = LayoutId::per_bank, .version = 9};
  image.encodings = {};
  file.records[1] = image.split().bytes();
  return {"UnknownVersion",
          file.bytes(),
          "unreadable\t" + record_at(file, 1) +
              "per-bank format version 9; only 2 and 3 are known; 1 of 3 records bad, " +
              std::to_string(file.records[1].size()) + " bytes lost, 8 events recoverable",
          10,
          0,
          0,
          1,
          3,
          8};
}

// A search by halves would miss banks in a directory that is out of order.
Damage swapped_directory() {
  FileImage file = three_records();
  DirectoryImage image{.layout = LayoutId::per_bank, .version = 2};
  image.keys = {{1, 3}, {1, 2}};
  image.types = {11, 11};
  image.presence = {std::byte{3}, std::byte{3}};
  image.sizes = {4, 8, 4, 8};
  image.stored = {12, 12};
  image.raw = {12, 12};
  image.formats = {0, 0};
  image.streams = packed(1, 2, 3, 4, 5, 6);
  file.records[1] = image.split().bytes();
  return {"SwappedDirectory",
          file.bytes(),
          "corrupt\t" + record_at(file, 1) +
              "directory: bank 1/2 does not come after 1/3; 1 of 3 records bad, " +
              std::to_string(file.records[1].size()) + " bytes lost, 8 events recoverable",
          15,
          0,
          0,
          1,
          3,
          8};
}

Damage no_dictionary() {
  const FileImage file = three_records();
  Bytes bytes = file.bytes();
  const auto dictionary_end = static_cast<std::ptrdiff_t>(file.first_record());
  bytes.erase(bytes.begin() + 56, bytes.begin() + dictionary_end);
  bytes = with_number(bytes, 24, std::uint32_t{0});
  const std::uint64_t trailer = 56 + 3 * file.records[0].size();
  bytes = with_number(bytes, 40, trailer);
  // The index lies behind the headers of record, event and structure, and the event's length.
  for (std::size_t row = 0; row < 3; ++row) {
    bytes = with_number(bytes, trailer + 56 + 4 + 16 + 8 + 8 * row,
                        std::uint64_t{56 + row * file.records[0].size()});
  }
  return {"NoDictionary", bytes, "", 0, 0, 0, 0, 0, 12};
}

std::vector<Damage> damages() {
  return {killed_writer(),
          cut_in_the_last_record(),
          cut_before_the_trailer(),
          lost_record_header(),
          lost_first_record_header(),
          lying_index(),
          forgotten_trailer(),
          bad_record_content(),
          no_bytes(),
          header_only(),
          text(),
          unknown_version(),
          swapped_directory(),
          no_dictionary()};
}

class DamagedFile : public ::testing::TestWithParam<Damage> {
 protected:
  void SetUp() override { write_bytes(file_, GetParam().file); }

  [[nodiscard]] ProgramResult check(const std::string& depth) const {
    return run_tool({"check", depth, file_.string()});
  }

  TempDir folder_;
  fs::path file_ = folder_ / "my file.hipo";
  fs::path output_ = folder_ / "out.hipo";
};

TEST_P(DamagedFile, HasItsVerdictAndItsCode) {
  const Damage& damage = GetParam();
  const ProgramResult full = check("--full");
  EXPECT_EQ(full.exit_code, damage.full);
  EXPECT_EQ(full.out, damage.verdict_and_reason.empty()
                          ? ""
                          : file_.string() + "\t" + damage.verdict_and_reason + "\n");
  EXPECT_EQ(full.err, "");
  EXPECT_EQ(check("--headers").exit_code, damage.headers);
  EXPECT_EQ(check("--quick").exit_code, damage.quick);
}

TEST_P(DamagedFile, HasValidJsonAtEveryDepth) {
  for (const char* depth : {"--quick", "--headers", "--full"}) {
    const ProgramResult result = run_tool({"check", "--json", "--total", depth, file_.string()});
    const std::vector<std::string> lines = lines_of(result.out);
    ASSERT_EQ(lines.size(), 2U) << result.err;
    for (const std::string& line : lines) {
      EXPECT_EQ(schema_errors("check", line), "") << line;
    }
    EXPECT_EQ(json_at(lines[0], "/path"), '"' + file_.string() + '"');
    EXPECT_EQ(json_at(lines[1], "/files"), "1");
  }
}

TEST_P(DamagedFile, IsRecookedOnlyIfNothingIsLostUnnoticed) {
  const ProgramResult result = run_tool({"recook", file_, output_, "-q"});
  EXPECT_EQ(result.exit_code, GetParam().recook) << result.err;
  EXPECT_EQ(fs::exists(output_), GetParam().recook == 0);
  if (GetParam().recook == 0) {
    EXPECT_EQ(run_tool({"check", output_}).exit_code, 0);
  }
}

TEST_P(DamagedFile, IsSalvagedAsFarAsItCanBeRead) {
  const Damage& damage = GetParam();
  const ProgramResult result = run_tool({"recook", file_, output_, "-q", "--json", "--salvage"});
  EXPECT_EQ(result.exit_code, damage.salvage) << result.err;
  EXPECT_EQ(fs::exists(output_), damage.salvaged_events.has_value());
  if (!damage.salvaged_events) {
    return;
  }
  EXPECT_EQ(schema_errors("recook", result.out), "") << result.out;
  EXPECT_EQ(json_at(result.out, "/events"), std::to_string(*damage.salvaged_events));
  const ProgramResult checked = run_tool({"check", "--json", output_});
  EXPECT_EQ(checked.exit_code, 0);
  EXPECT_EQ(json_at(checked.out, "/events"), std::to_string(*damage.salvaged_events));
  EXPECT_EQ(json_at(checked.out, "/index"), "\"valid\"");
}

INSTANTIATE_TEST_SUITE_P(Each, DamagedFile, ::testing::ValuesIn(damages()),
                         [](const auto& one) { return one.param.name; });

class Repair : public ::testing::Test {
 protected:
  fs::path write(std::string_view name, ByteSpan bytes) {
    write_bytes(folder_ / name, bytes);
    return folder_ / name;
  }

  TempDir folder_;
  fs::path output_ = folder_ / "out.hipo";
};

TEST_F(Repair, TellsEveryGapInTextAndJson) {
  const FileImage file = three_records();
  Bytes bytes = with_zeros(file.bytes(), offset_of(file, 0), 56);
  bytes = with_zeros(bytes, offset_of(file, 2) + 56 + 16, 1);
  const fs::path input = write("in.hipo", bytes);
  const ProgramResult result = run_tool({"recook", input, output_, "--salvage", "-q", "--json"});
  EXPECT_EQ(result.exit_code, 3);
  const std::vector<std::string> lines = lines_of(result.err);
  const std::string warning = "hipo-tool: warning: " + input.string() + ": ";
  ASSERT_GE(lines.size(), 2U) << result.err;
  EXPECT_EQ(
      lines[lines.size() - 2],
      warning + fmt::format("a gap: 184 bytes at {}, 1 record, 4 events: no sound record header",
                            offset_of(file, 0)));
  EXPECT_EQ(lines.back(),
            warning + fmt::format("record 1 left out: 184 bytes at {}, 4 events: event header: its "
                                  "magic does not begin with EV",
                                  offset_of(file, 2)));
  EXPECT_EQ(schema_errors("recook", result.out), "");
  EXPECT_EQ(json_at(result.out, "/events"), "4");
  EXPECT_EQ(json_at(result.out, "/bytes_lost"), "368");
  EXPECT_EQ(json_at(result.out, "/events_lost"), "8");
  EXPECT_EQ(json_at(result.out, "/index"), "\"rebuilt\"");
  EXPECT_EQ(json_at(result.out, "/gaps/0/offset"), std::to_string(offset_of(file, 0)));
  EXPECT_EQ(json_at(result.out, "/gaps/0/record"), "null");
  EXPECT_EQ(json_at(result.out, "/gaps/1/record"), "1");
  EXPECT_EQ(json_at(result.out, "/gaps/1/bytes"), "184");
}

TEST_F(Repair, SkipBadLeavesOutSingleRecords) {
  const FileImage file = three_records();
  const fs::path input =
      write("in.hipo", with_zeros(file.bytes(), offset_of(file, 1) + 56 + 16, 1));
  EXPECT_EQ(run_tool({"recook", input, output_, "-q"}).exit_code, 1);
  // Also where stored bytes are taken over and nothing is verified.
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{}, {"-c", "0", "--record-size", "64KiB", "--verify", "none"}}) {
    std::vector<std::string> words{"recook", input, output_, "-q", "-f", "--json", "--skip-bad"};
    words.insert(words.end(), more.begin(), more.end());
    const ProgramResult result = run_tool(words);
    EXPECT_EQ(result.exit_code, 3) << result.err;
    EXPECT_EQ(json_at(result.out, "/events"), "8");
    EXPECT_EQ(json_at(result.out, "/gaps/0/record"), "1");
    EXPECT_EQ(run_tool({"check", output_}).exit_code, 0);
  }
}

TEST_F(Repair, SkipBadIsContentWithASoundFile) {
  const fs::path input = write("in.hipo", three_records().bytes());
  const ProgramResult result = run_tool({"recook", input, output_, "-q", "--json", "--skip-bad"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(json_at(result.out, "/gaps"), "[]");
  EXPECT_EQ(json_at(result.out, "/events_lost"), "0");
}

TEST_F(Repair, SkipBadDropsNoRecordBecauseAnotherOneLiesAboutItsSize) {
  const FileImage file = three_records();
  // Four gigabytes, of which no memory would hold the decoded events.
  const fs::path input = write(
      "in.hipo", with_number(file.bytes(), offset_of(file, 1) + 32, std::uint32_t{0xFFFF0000}));
  const ProgramResult result = run_tool({"recook", input, output_, "-q", "--json", "--skip-bad"});
  EXPECT_EQ(result.exit_code, 3) << result.err;
  EXPECT_EQ(json_at(result.out, "/events"), "8");
}

TEST_F(Repair, DryRunTellsGapsAndWritesNothing) {
  const FileImage file = three_records();
  Bytes bytes = with_zeros(file.bytes(), offset_of(file, 1), 56);
  bytes = with_zeros(bytes, offset_of(file, 2) + 56 + 16, 1);
  const fs::path input = write("in.hipo", bytes);
  const ProgramResult result = run_tool({"recook", input, "--dry-run", "--salvage", "--json"});
  EXPECT_EQ(result.exit_code, 3) << result.err;
  EXPECT_EQ(schema_errors("recook", result.out), "") << result.out;
  EXPECT_EQ(json_at(result.out, "/gaps/0/bytes"), "184");
  EXPECT_EQ(folder_.names(), std::vector<std::string>{"in.hipo"});
}

TEST_F(Repair, BorrowsADictionary) {
  const FileImage file = three_records();
  const fs::path whole = write("whole.hipo", file.bytes());
  const fs::path damaged = write("damaged.hipo", with_zeros(file.bytes(), 56, 56));
  EXPECT_EQ(run_tool({"recook", damaged, output_, "-q", "--dict", whole}).exit_code, 1);
  const ProgramResult blind = run_tool({"recook", damaged, output_, "-q", "--salvage"});
  EXPECT_EQ(blind.exit_code, 3);
  EXPECT_NE(digest_of(output_), digest_of(whole));
  const ProgramResult result =
      run_tool({"recook", damaged, output_, "-q", "-f", "--salvage", "--dict", whole, "--json"});
  EXPECT_EQ(result.exit_code, 3) << result.err;
  EXPECT_EQ(json_at(result.out, "/inputs/0/borrowed_dictionary"), "true");
  EXPECT_EQ(digest_of(output_), digest_of(whole));
}

TEST_F(Repair, BorrowsADictionaryForAFileThatHasNone) {
  const fs::path whole = write("whole.hipo", three_records().bytes());
  const fs::path bare = write("bare.hipo", no_dictionary().file);
  const ProgramResult result = run_tool({"recook", bare, output_, "-q", "--dict", whole});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(digest_of(output_), digest_of(whole));
  // Opaque without it, and still every byte of every bank.
  ASSERT_EQ(run_tool({"recook", bare, output_, "-q", "-f"}).exit_code, 0);
  EXPECT_EQ(digest_of(output_), digest_of(bare));
}

TEST_F(Repair, SaysWhereABorrowedDictionaryIsNotNeededOrIsNone) {
  const fs::path whole = write("whole.hipo", three_records().bytes());
  const fs::path bare = write("bare.hipo", no_dictionary().file);
  const ProgramResult needless = run_tool({"recook", whole, output_, "-q", "--dict", whole});
  EXPECT_EQ(needless.exit_code, 0);
  EXPECT_NE(needless.err.find("was not needed"), std::string::npos) << needless.err;
  const ProgramResult none = run_tool({"recook", whole, output_, "-q", "-f", "--dict", bare});
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_NE(none.err.find("it has no schema to borrow"), std::string::npos) << none.err;
  // It is an input like the others.
  EXPECT_EQ(run_tool({"recook", bare, whole, "-q", "-f", "--dict", whole}).exit_code, 2);
  EXPECT_EQ(read_bytes(whole), three_records().bytes());
}

TEST_F(Repair, MergesWhatCanBeReadAndSaysWhatCannot) {
  FileImage more = three_records();
  more.schemas.push_back("{B::b/300/2}{y/F}");
  const FileImage third = three_records();
  Bytes cut = third.bytes();
  cut.resize(offset_of(third, 2) + 80);
  const fs::path a = write("a.hipo", three_records().bytes());
  const fs::path b = write("b.hipo", more.bytes());
  const fs::path c = write("c.hipo", cut);
  for (const std::vector<std::string>& options : {std::vector<std::string>{}, {"--skip-bad"}}) {
    std::vector<std::string> words{"recook", a, b, c, "-o", output_, "-q"};
    words.insert(words.end(), options.begin(), options.end());
    const ProgramResult refused = run_tool(words);
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_NE(refused.err.find(c.string() + ": record 2 at "), std::string::npos) << refused.err;
    EXPECT_FALSE(fs::exists(output_));
  }
  const ProgramResult result =
      run_tool({"recook", a, b, c, "-o", output_, "-q", "--salvage", "--json"});
  EXPECT_EQ(result.exit_code, 3) << result.err;
  EXPECT_EQ(json_at(result.out, "/events"), "32");
  EXPECT_EQ(json_at(result.out, "/events_lost"), "null");  // the end of c is gone, and its index
  EXPECT_EQ(json_at(result.out, "/gaps/0/path"), '"' + c.string() + '"');
  const FileReader merged(output_);
  EXPECT_NE(merged.dictionary().find("A::a"), nullptr);
  EXPECT_NE(merged.dictionary().find("B::b"), nullptr);
}

TEST_F(Repair, PassesOverATrailerThatTheHeaderForgot) {
  const fs::path input = write("in.hipo", forgotten_trailer().file);
  ASSERT_EQ(run_tool({"recook", input, output_, "-q", "--salvage"}).exit_code, 0);
  EXPECT_EQ(content_digest(output_).ordered,
            content_digest(open_bytes(three_records().bytes())).ordered);
}

TEST_F(Repair, ReadsBigEndianRecordsAndWritesLittleEndianOnes) {
  FileImage file = three_records();
  const Dictionary dictionary(file.dictionary_events());
  const Bytes sound = file.bytes();
  const auto record = decoded(file.records[1], dictionary);
  std::vector<Bytes> events;
  for (std::uint32_t event = 0; event < record->event_count(); ++event) {
    const ByteSpan image = record->image(event).value();
    events.emplace_back(image.begin(), image.end());
  }
  file.records[1] = big_endian_record(events, dictionary);
  const fs::path input = write("in.hipo", file.bytes());
  EXPECT_EQ(run_tool({"check", input}).exit_code, 0);
  EXPECT_EQ(run_tool({"check", "--quick", input}).exit_code, 0);
  ASSERT_EQ(run_tool({"recook", input, output_, "-q"}).exit_code, 0);
  EXPECT_EQ(digest_of(output_), content_digest(open_bytes(sound)).ordered);
  const FileReader written(output_);
  for (const RecordEntry& entry : written.records()) {
    EXPECT_FALSE(entry.header.big_endian);
  }
}

TEST_F(Repair, WarnsWhereCppCannotReadGzip) {
  FileImage file = three_records();
  const Dictionary dictionary(file.dictionary_events());
  for (Bytes& record : file.records) {
    record = encoded(batch_of({decoded(record, dictionary)}),
                     compression_of(CodecId::gzip, LayoutId::per_chunk), dictionary);
  }
  const fs::path gzip = write("gzip.hipo", file.bytes());
  const ProgramResult checked = run_tool({"check", "--json", gzip});
  EXPECT_EQ(checked.exit_code, 0);
  EXPECT_EQ(json_at(checked.out, "/checksum_coverage"), "1.0");
  const fs::path plain = write("plain.hipo", three_records().bytes());
  const ProgramResult written = run_tool({"recook", plain, output_, "-q", "-c", "3"});
  EXPECT_EQ(written.exit_code, 0);
  EXPECT_NE(written.err.find("not by C++ hipo4"), std::string::npos) << written.err;
}

class RepairGolden : public GoldenFiles {};

TEST_F(RepairGolden, AFileWithoutItsTrailerIsAllThere) {
  const TempDir folder;
  const fs::path output = folder / "out.hipo";
  const fs::path input = golden("cuttrailer_bank.hipo");
  EXPECT_EQ(run_tool({"recook", input, output, "-q"}).exit_code, 1);
  const ProgramResult result = run_tool({"recook", input, output, "-q", "--salvage", "--json"});
  EXPECT_EQ(result.exit_code, 3) << result.err;
  EXPECT_EQ(json_at(result.out, "/events"), "240");
  EXPECT_EQ(json_at(result.out, "/bytes_lost"), "0");
  EXPECT_EQ(json_at(result.out, "/events_lost"), "null");
  EXPECT_EQ(json_at(result.out, "/digest"), "\"d4410fb174dbe1329f546c3174db5d8d\"");
  EXPECT_EQ(digest_of(output), "d4410fb174dbe1329f546c3174db5d8d");
}

TEST_F(RepairGolden, ACutRecordCostsThatRecord) {
  const TempDir folder;
  const fs::path output = folder / "out.hipo";
  const fs::path input = golden("truncrec_column.hipo");
  const ProgramResult result = run_tool({"recook", input, output, "-q", "--salvage", "--json"});
  EXPECT_EQ(result.exit_code, 3) << result.err;
  EXPECT_EQ(json_at(result.out, "/gaps/0/offset"), std::to_string(0x9d34));
  EXPECT_EQ(json_at(result.out, "/gaps/0/bytes"), "4902");
  EXPECT_EQ(run_tool({"dump", output, "--json"}).exit_code, 0);
  const std::string dumped = run_tool({"dump", output, "--json"}).out;
  EXPECT_EQ(first_difference(dumped, golden("truncrec_column_expected.json")), "");
}

}  // namespace
}  // namespace hipotool::test
