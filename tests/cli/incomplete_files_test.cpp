// Files that hold less than they should, or more: cut ones, and two one behind the other. No
// command passes over events without a word.

#include "cli/tool_files.hpp"
#include "support/library.hpp"
#include "support/run_tool.hpp"
#include "support/temp_dir.hpp"
#include "support/three_records.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace hipotool::test {
namespace {

namespace fs = std::filesystem;

class Incomplete : public ::testing::Test {
 protected:
  void write(const std::string& name, const Bytes& bytes) const {
    write_bytes(folder_ / name, bytes);
  }
  [[nodiscard]] ProgramResult run(const std::vector<std::string>& words) const {
    return run_tool(ProgramRun{.arguments = words, .working_folder = folder_.path()});
  }
  [[nodiscard]] static std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) {
      ++found;
    }
    return found;
  }

  TempDir folder_;
};

// ---- a file that was cut

class CutFile : public Incomplete {
 protected:
  void SetUp() override {
    const FileImage file = three_records();
    cut_at_ = offset_of(file, 2);
    Bytes bytes = file.bytes();
    write("whole.hipo", bytes);
    bytes.resize(cut_at_ + 100);
    write("cut.hipo", bytes);
    bytes.resize(cut_at_ + 20);
    write("cut_header.hipo", bytes);
    FileImage unfinished = file;
    unfinished.trailer = false;
    bytes = unfinished.bytes();
    bytes.resize(cut_at_ + 100);
    write("unfinished.hipo", bytes);
    bytes = file.bytes();
    bytes.resize(offset_of(file, 3) + 30);
    write("cut_trailer.hipo", bytes);
  }

  std::uint64_t cut_at_ = 0;
};

TEST_F(CutFile, ShowsTheRecordsThatAreWhole) {
  for (const std::string name : {"cut.hipo", "cut_header.hipo", "unfinished.hipo"}) {
    const ProgramResult dump = run({"dump", "--json", name});
    EXPECT_EQ(dump.exit_code, 0) << name << dump.err;
    EXPECT_EQ(lines_of(dump.out).size(), 8U) << name;
    const ProgramResult stats = run({"stats", "--json", name});
    EXPECT_EQ(stats.exit_code, 0) << name << stats.err;
    EXPECT_EQ(json_at(stats.out, "/events"), "8") << name;
    const ProgramResult count = run({"tag-filter", name, "--count", "--json"});
    EXPECT_EQ(count.exit_code, 0) << name << count.err;
    EXPECT_EQ(json_at(count.out, "/events"), "8") << name;
    const ProgramResult diff = run({"diff", name, "whole.hipo", "--json"});
    EXPECT_EQ(diff.exit_code, 1) << name << diff.err;
    EXPECT_EQ(json_at(diff.out, "/events_a"), "8") << name;
    for (const ProgramResult& result : {dump, stats, count, diff}) {
      EXPECT_NE(
          result.err.find(fmt::format("it ends inside record 2, which begins at {}", cut_at_)),
          std::string::npos)
          << result.err;
    }
  }
  const ProgramResult trailer = run({"dump", "--json", "cut_trailer.hipo"});
  EXPECT_EQ(trailer.exit_code, 0);
  EXPECT_EQ(lines_of(trailer.out).size(), 12U);
  EXPECT_NE(trailer.err.find("index cut"), std::string::npos) << trailer.err;
}

TEST_F(CutFile, NamesSalvageAsTheRemedy) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"dump", "cut.hipo"},
                                             {"stats", "cut.hipo"},
                                             {"diff", "cut.hipo", "whole.hipo"},
                                             {"recook", "cut.hipo", "out.hipo"},
                                             {"recook", "cut_trailer.hipo", "out.hipo"}}) {
    const ProgramResult result = run(words);
    EXPECT_NE(result.err.find("--salvage"), std::string::npos) << words.front() << result.err;
  }
  EXPECT_FALSE(fs::exists(folder_ / "out.hipo"));
  const ProgramResult json = run({"recook", "cut.hipo", "out.hipo", "--json"});
  EXPECT_EQ(json.exit_code, 1);
  EXPECT_EQ(schema_errors("error", json.err), "") << json.err;
  EXPECT_NE(json_at(json.err, "/advice").find("--salvage"), std::string::npos) << json.err;
}

TEST_F(CutFile, IsNotSalvagedByLookingAtIt) {
  EXPECT_EQ(run({"check", "cut.hipo"}).exit_code, 14);
  EXPECT_EQ(run({"recook", "cut.hipo", "out.hipo", "-q", "--salvage"}).exit_code, 3);
  EXPECT_EQ(lines_of(run({"dump", "--json", "out.hipo"}).out).size(), 8U);
}

// The second record claims more than the file has, and a third one comes.
class DamagedHeader : public CutFile {
 protected:
  void SetUp() override {
    CutFile::SetUp();
    const FileImage file = three_records();
    write("lie.hipo", with_number(file.bytes(), offset_of(file, 1), std::uint32_t{1} << 20));
  }
};

TEST_F(DamagedHeader, WhatLiesBeforeAndBehindIsShown) {
  const std::vector<std::string> whole = lines_of(run({"dump", "--json", "whole.hipo"}).out);
  const ProgramResult result = run({"dump", "--json", "lie.hipo"});
  EXPECT_EQ(result.exit_code, 1);
  const std::vector<std::string> lines = lines_of(result.out);
  ASSERT_EQ(lines.size(), 8U);
  for (std::size_t i = 0; i < 8; ++i) {
    const std::string banks = "\"tag\"";
    const std::string& original = whole[i < 4 ? i : i + 4];
    EXPECT_EQ(lines[i].substr(lines[i].find(banks)), original.substr(original.find(banks)));
  }
  const std::vector<std::string> told = lines_of(result.err);
  ASSERT_EQ(told.size(), 2U) << result.err;
  EXPECT_NE(told[0].find("the 2 records found are shown"), std::string::npos) << told[0];
  EXPECT_EQ(json_at(told[1], "/record"), "1") << told[1];
  EXPECT_NE(json_at(told[1], "/advice").find("--salvage"), std::string::npos) << told[1];
}

TEST_F(DamagedHeader, IsAnErrorInEveryView) {
  EXPECT_EQ(lines_of(run({"dump", "--records", "--csv", "lie.hipo"}).out).size(), 3U);
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"dump", "lie.hipo"},
                                             {"dump", "--records", "lie.hipo"},
                                             {"dump", "-n", "2", "lie.hipo", "whole.hipo"},
                                             {"dump", "-n", "9", "lie.hipo", "whole.hipo"}}) {
    const ProgramResult result = run(words);
    EXPECT_EQ(result.exit_code, 1) << words[1];
    EXPECT_NE(result.out, "") << words[1];
    EXPECT_EQ(count(result.err, "hipo-tool: error: "), 1U) << result.err;
    EXPECT_NE(result.err.find("lie.hipo: record 1 at"), std::string::npos) << result.err;
  }
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"stats", "lie.hipo"},
                                             {"tag-filter", "--count", "lie.hipo"},
                                             {"diff", "lie.hipo", "whole.hipo"},
                                             {"recook", "lie.hipo", "out.hipo"}}) {
    EXPECT_NE(run(words).exit_code, 0) << words[0];
  }
}

// ---- one behind the other

class TwoInOne : public Incomplete {
 protected:
  void SetUp() override {
    const Bytes first = three_records().bytes();
    FileImage other = three_records();
    other.records.pop_back();
    boundary_ = first.size();
    write("first.hipo", first);
    write("other.hipo", other.bytes());
    write("two.hipo", joined({first, other.bytes()}));
    write("three.hipo", joined({first, other.bytes(), other.bytes()}));
  }

  [[nodiscard]] std::string told(int records, int events) const {
    return fmt::format(
        "another HIPO file begins at byte {}: {} records with {} events, which no index lists",
        boundary_, records, events);
  }

  std::size_t boundary_ = 0;
};

TEST_F(TwoInOne, IsRefusedWhereEventsWouldBeLost) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"recook", "two.hipo", "out.hipo"},
                                             {"tag-filter", "two.hipo", "out.hipo"},
                                             {"recook", "first.hipo", "two.hipo", "-o", "out.hipo"},
                                             {"recook", "two.hipo", "--dry-run"}}) {
    const ProgramResult result = run(words);
    EXPECT_EQ(result.exit_code, 1) << result.err;
    EXPECT_NE(result.err.find(told(2, 8)), std::string::npos) << result.err;
    EXPECT_NE(result.err.find(fmt::format("tail -c +{}", boundary_ + 1)), std::string::npos)
        << result.err;
  }
  EXPECT_FALSE(fs::exists(folder_ / "out.hipo"));
}

TEST_F(TwoInOne, SalvageTakesFilesWithTheSameDictionary) {
  const ProgramResult result = run({"recook", "three.hipo", "out.hipo", "--salvage", "--json"});
  EXPECT_EQ(result.exit_code, 3) << result.err;
  EXPECT_EQ(json_at(result.out, "/events"), "28");
  EXPECT_EQ(json_at(result.out, "/events_lost"), "0");
  EXPECT_EQ(json_at(result.out, "/bytes_lost"), "0");
  EXPECT_EQ(json_at(result.out, "/inputs/0/index"), "\"damaged\"");
  EXPECT_EQ(schema_errors("recook", result.out), "");
  EXPECT_NE(result.err.find("where another HIPO file begins"), std::string::npos) << result.err;
  write("again.hipo", read_bytes(folder_ / "other.hipo"));
  ASSERT_EQ(
      run({"recook", "first.hipo", "other.hipo", "again.hipo", "-o", "merged.hipo"}).exit_code, 0);
  EXPECT_EQ(digest_of(folder_ / "out.hipo"), digest_of(folder_ / "merged.hipo"));
  EXPECT_EQ(json_at(run({"check", "--json", "three.hipo"}).out, "/events_recoverable"), "28");
}

TEST_F(TwoInOne, SalvageTellsWhatItCannotTakeAndWhy) {
  FileImage foreign = three_records();
  foreign.schemas.push_back("{X::x/9/9}{x/I}");
  Bytes broken = three_records().bytes();
  const std::size_t second = offset_of(three_records(), 1);
  std::fill_n(broken.begin() + static_cast<std::ptrdiff_t>(second), 56, std::byte{0});
  Bytes cut = three_records().bytes();
  cut.resize(offset_of(three_records(), 2) + 100);
  const Bytes first = three_records().bytes();
  write("foreign.hipo", joined({first, foreign.bytes()}));
  write("broken.hipo", joined({first, broken, first}));
  write("cut.hipo", joined({first, cut}));

  const ProgramResult other = run({"recook", "foreign.hipo", "a", "--salvage", "--json"});
  EXPECT_EQ(other.exit_code, 3) << other.err;
  EXPECT_EQ(json_at(other.out, "/events"), "12");
  EXPECT_EQ(json_at(other.out, "/events_lost"), "12");
  EXPECT_EQ(json_at(other.out, "/gaps/0/offset"), std::to_string(boundary_));
  EXPECT_NE(other.err.find("another HIPO file begins here (with another dictionary)"),
            std::string::npos)
      << other.err;
  const ProgramResult damaged = run({"recook", "broken.hipo", "b", "--salvage", "--json"});
  EXPECT_EQ(damaged.exit_code, 3) << damaged.err;
  EXPECT_EQ(json_at(damaged.out, "/events"), "32");
  EXPECT_EQ(json_at(damaged.out, "/events_lost"), "4");
  EXPECT_EQ(json_at(damaged.out, "/gaps/0/offset"), std::to_string(boundary_ + second));
  const ProgramResult ended = run({"recook", "cut.hipo", "c", "--salvage", "--json"});
  EXPECT_EQ(ended.exit_code, 3) << ended.err;
  EXPECT_EQ(json_at(ended.out, "/events"), "20");
  EXPECT_EQ(json_at(ended.out, "/inputs/0/index"), "\"cut\"") << ended.out;
}

// The dictionary record of the second holds no events, whatever it looks like.
TEST_F(TwoInOne, SalvageInventsNoEventsBehindACutFile) {
  Bytes cut = three_records().bytes();
  cut.resize(offset_of(three_records(), 2) + 100);
  const std::size_t begin = cut.size();
  const Bytes whole = three_records().bytes();
  FileImage foreign = three_records();
  foreign.schemas.push_back("{X::x/9/9}{x/I}");
  write("same.hipo", joined({cut, whole}));
  write("twice.hipo", joined({cut, cut, whole}));
  write("foreign.hipo", joined({cut, foreign.bytes()}));

  const ProgramResult same = run({"recook", "same.hipo", "a", "--salvage", "--json"});
  EXPECT_EQ(same.exit_code, 3) << same.err;
  EXPECT_EQ(json_at(same.out, "/events"), "20") << same.out;
  EXPECT_EQ(json_at(same.out, "/gaps/0/offset"), std::to_string(begin - 100));
  EXPECT_EQ(json_at(same.out, "/gaps/0/bytes"), "100");
  EXPECT_EQ(json_at(same.out, "/gaps/1"), "nothing");
  EXPECT_EQ(json_at(run({"check", "--json", "same.hipo"}).out, "/events_recoverable"), "20");
  const ProgramResult twice = run({"recook", "twice.hipo", "b", "--salvage", "--json"});
  EXPECT_EQ(json_at(twice.out, "/events"), "28") << twice.out;
  const ProgramResult other = run({"recook", "foreign.hipo", "c", "--salvage", "--json"});
  EXPECT_EQ(other.exit_code, 3) << other.err;
  EXPECT_EQ(json_at(other.out, "/events"), "8") << other.out;
  EXPECT_EQ(json_at(other.out, "/gaps/1/offset"), std::to_string(begin));
  EXPECT_NE(other.err.find("with another dictionary"), std::string::npos) << other.err;
}

TEST_F(TwoInOne, TheAdviceMakesTwoSoundFiles) {
  const std::string script = fmt::format(
      "head -c {} \"$1\" > \"$2/a\" && tail -c +{} \"$1\" > \"$2/b\"", boundary_, boundary_ + 1);
  ASSERT_EQ(run_shell(script, {folder_ / "two.hipo", folder_.path()}).exit_code, 0);
  EXPECT_EQ(run({"check", "a", "b"}).exit_code, 0);
  EXPECT_EQ(digest_of(folder_ / "b"), digest_of(folder_ / "other.hipo"));
}

TEST_F(TwoInOne, IsCorruptAtEveryDepth) {
  for (const std::string depth : {"--quick", "--headers", "--full"}) {
    const ProgramResult result = run({"check", depth, "two.hipo"});
    EXPECT_EQ(result.exit_code, 15) << depth;
    EXPECT_NE(result.out.find(told(2, 8)), std::string::npos) << result.out;
  }
  const ProgramResult json = run({"check", "--json", "--digest", "two.hipo"});
  EXPECT_EQ(schema_errors("check", json.out), "") << json.out;
  EXPECT_EQ(json_at(json.out, "/error_offset"), std::to_string(boundary_)) << json.out;
  EXPECT_EQ(json_at(json.out, "/digest"), "null");
}

TEST_F(TwoInOne, IsShownWithAWarning) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"dump", "two.hipo"},
                                             {"stats", "two.hipo"},
                                             {"tag-filter", "two.hipo", "--count"},
                                             {"diff", "two.hipo", "first.hipo"}}) {
    const ProgramResult result = run(words);
    EXPECT_EQ(result.exit_code, 0) << words.front() << result.err;
    EXPECT_EQ(count(result.err, told(2, 8)), 1U) << words.front() << result.err;
  }
}

TEST_F(TwoInOne, ComesThroughAPipeNoBetter) {
  const std::string script = "\"$TOOL\" recook - \"$2\" -q ${3:-} < \"$1\"";
  const std::string in = folder_ / "two.hipo";
  const std::string out = folder_ / "out.hipo";
  EXPECT_EQ(run_shell(script, {in, out}).exit_code, 1);
  const ProgramResult salvaged = run_shell(script, {in, out, "--salvage"});
  EXPECT_EQ(salvaged.exit_code, 3);
  EXPECT_NE(salvaged.err.find("another HIPO file begins here"), std::string::npos) << salvaged.err;
}

TEST_F(TwoInOne, BytesWithoutRecordsAreNothing) {
  const Bytes first = read_bytes(folder_ / "first.hipo");
  write("padded.hipo", joined({first, Bytes(5000)}));
  EXPECT_EQ(run({"check", "padded.hipo"}).exit_code, 0);
  EXPECT_EQ(run({"recook", "padded.hipo", "out.hipo", "-q"}).exit_code, 0);
}

// ---- names that stand for nothing

TEST_F(Incomplete, APatternWithoutAMatchIsAFileThatIsNotThere) {
  write("good.hipo", three_records().bytes());
  const ProgramResult check = run({"check", "gone[1].hipo", "good.hipo"});
  EXPECT_EQ(check.exit_code, 10);
  EXPECT_EQ(lines_of(check.out).size(), 1U) << check.out;
  EXPECT_TRUE(check.out.starts_with("gone[1].hipo\tunreadable\t")) << check.out;
  const ProgramResult dump = run({"dump", "--json", "gone*.hipo", "good.hipo"});
  EXPECT_EQ(dump.exit_code, 1);
  EXPECT_EQ(lines_of(dump.out).size(), 12U);
}

// ---- names that two columns have

TEST_F(Incomplete, KeysOfAnObjectDiffer) {
  FileImage file;
  file.schemas = {"{T::n/1/2}{x/I,x/I,x#2/I,y/I,x/I}", "{T::b/1/3}{\xff/I,\xfe/I}"};
  file.records = {
      whole_record(images({{.banks = {{{1, 2}, packed(1, 2, 3, 4, 5)}, {{1, 3}, packed(6, 7)}}}}))};
  write("names.hipo", file.bytes());
  const ProgramResult json = run({"dump", "--json", "names.hipo"});
  EXPECT_EQ(json.exit_code, 0) << json.err;
  EXPECT_NE(json.out.find(R"("columns":{"x":[1],"x#3":[2],"x#2":[3],"y":[4],"x#4":[5]})"),
            std::string::npos)
      << json.out;
  EXPECT_NE(json.out.find("\"columns\":{\"\xEF\xBF\xBD\":[6],\"\xEF\xBF\xBD#2\":[7]}"
                          ",\"column_names_bytes\":[\"/w==\",\"/g==\"]"),
            std::string::npos)
      << json.out;
  EXPECT_EQ(schema_errors("dump", json.out), "");
  const ProgramResult csv = run({"dump", "--csv", "-b", "T::n", "names.hipo"});
  EXPECT_EQ(csv.out, "event_number,row_number,x,x#3,x#2,y,x#4\n0,0,1,2,3,4,5\n");
}

}  // namespace
}  // namespace hipotool::test
