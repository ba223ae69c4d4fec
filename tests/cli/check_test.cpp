#include "cli/tool_files.hpp"
#include "support/fixtures.hpp"
#include "support/library.hpp"
#include "support/three_records.hpp"

#include <fmt/format.h>
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
    fs::create_directories((folder_ / name).parent_path());
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
      {"/dev/null", 10, "unreadable\tis not a regular file"},
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
  EXPECT_EQ(json_at(lines[0], "/verdict"), "\"consistent\"");
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

TEST_F(Check, JsonTellsAllItKnows) {
  FileImage file = three_records();
  file.records.pop_back();
  write_bytes(folder_ / "two.hipo", file.bytes());
  const ProgramResult result = run_tool(
      {.arguments = {"check", "--json", "--digest", "two.hipo"}, .working_folder = folder_.path()});
  EXPECT_EQ(result.exit_code, 0);
  const std::string nulls =
      R"("error_code":null,"error_record":null,"error_record_offset":null,"error_offset":null,)"
      R"("error_event":null,"error_bank":null,"error_column":null,)";
  const Digest digest = content_digest(folder_ / "two.hipo");
  EXPECT_EQ(
      result.out,
      R"({"schema":"hipo-tool/check/1","path":"two.hipo","verdict":"consistent","reason":null,)"
      R"("digest":")" +
          digest.ordered + R"(","unordered_digest":")" + digest.unordered +
          R"(","expected_digest":null,"depth":"full","bytes":)" +
          std::to_string(file.bytes().size()) +
          R"(,"records":2,"empty_records":0,"events":8,"index":"valid","stray_bytes":0,)"
          R"("bad_records":0,"records_recoverable":2,"events_recoverable":8,"bytes_lost":0,)"
          R"("bytes_missing":null,"stored_bytes":256,"checksummed_bytes":0,"checksum_coverage":0.0,)"
          R"("mixed_records":2,"events_of_other_tags":0,)" +
          nulls +
          R"("findings":[],"gaps":[],)"
          R"("records_by_user_word":[{"word":0,"records":2,"events":8,"bytes":368}],)"
          R"("storage":[{"codec":"none","layout":"per-chunk","records":2,"events":8,"bytes":368}],)"
          R"("events_by_tag":[{"tag":0,"events":1},{"tag":1,"events":1},{"tag":2,"events":1},)"
          R"({"tag":3,"events":1},{"tag":4,"events":1},{"tag":5,"events":1},{"tag":6,"events":1},)"
          R"({"tag":7,"events":1}],"oddities":[]})"
          "\n");
}

TEST_F(Check, JsonOfABadFileHasItsFindingsAndGaps) {
  const FileImage file = three_records();
  Bytes bytes = with_zeros(file.bytes(), offset_of(file, 0), 56);
  bytes = with_zeros(bytes, offset_of(file, 2) + 56 + 16, 1);
  write_bytes(folder_ / "bad.hipo", bytes);
  const ProgramResult result = run_tool({"check", "--json", folder_ / "bad.hipo"});
  EXPECT_EQ(result.exit_code, 15);
  const std::string& line = result.out;
  EXPECT_EQ(schema_errors("check", line), "") << line;
  EXPECT_EQ(json_at(line, "/bad_records"), "1");
  EXPECT_EQ(json_at(line, "/bytes_lost"), "368");
  EXPECT_EQ(json_at(line, "/events_recoverable"), "4");
  EXPECT_EQ(json_at(line, "/index"), "\"damaged\"");
  EXPECT_EQ(json_at(line, "/digest"), "null");
  EXPECT_EQ(json_at(line, "/findings/0/record"), "0");
  EXPECT_EQ(json_at(line, "/findings/1/record"), "1");
  EXPECT_EQ(json_at(line, "/findings/1/event"), "0");
  EXPECT_EQ(json_at(line, "/gaps/0/offset"), std::to_string(offset_of(file, 0)));
  EXPECT_EQ(json_at(line, "/gaps/0/events"), "4");
}

TEST_F(Check, JsonOfAFileThatIsNotThere) {
  const ProgramResult result =
      run_tool({.arguments = {"check", "--json", "no.hipo"}, .working_folder = folder_.path()});
  EXPECT_EQ(result.exit_code, 10);
  EXPECT_EQ(
      result.out,
      R"({"schema":"hipo-tool/check/1","path":"no.hipo","verdict":"unreadable",)"
      R"("reason":"cannot open: No such file or directory","digest":null,"unordered_digest":null,)"
      R"("expected_digest":null,"depth":"full","bytes":null,"records":null,"empty_records":null,)"
      R"("events":null,"index":null,"stray_bytes":null,"bad_records":null,)"
      R"("records_recoverable":null,"events_recoverable":null,"bytes_lost":null,)"
      R"("bytes_missing":null,"stored_bytes":null,"checksummed_bytes":null,)"
      R"("checksum_coverage":null,"mixed_records":null,"events_of_other_tags":null,)"
      R"("error_code":"io","error_record":null,)"
      R"("error_record_offset":null,"error_offset":null,"error_event":null,"error_bank":null,)"
      R"("error_column":null,"findings":[{"verdict":"unreadable",)"
      R"("message":"cannot open: No such file or directory","code":"io","record":null,)"
      R"("record_offset":null,"offset":null,"event":null,"bank":null}],"gaps":[],)"
      R"("records_by_user_word":[],"storage":[],"events_by_tag":null,"oddities":null})"
      "\n");
}

TEST_F(Check, EveryWayOfStoringIsGoodAtEveryDepthAndHasTheSameDigest) {
  std::vector<std::string> files;
  for (const Compression& compression : fixture_compressions()) {
    if (codec_info(compression.codec).available) {
      files.push_back((fs::path(HIPO_TEST_DATA_DIR) / fixture_name(compression)).string());
    }
  }
  const std::string digest = digest_of(files.front());
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"--quick"}, {"--headers"}, {"--full", "--expect", digest}}) {
    std::vector<std::string> words{"check"};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), files.begin(), files.end());
    const ProgramResult result = run_tool(words);
    EXPECT_EQ(result.exit_code, 0) << result.out;
    EXPECT_EQ(result.out + result.err, "");
  }
}

TEST_F(Check, QuickNamesTwoBadFilesOfAThousand) {
  const std::string small = read_text(fs::path(HIPO_TEST_DATA_DIR) / "lz4_per_chunk.hipo");
  fs::create_directory(folder_ / "many");
  for (int i = 0; i < 1000; ++i) {
    write_text(folder_ / fmt::format("many/{:03}.hipo", i),
               i == 333   ? small.substr(0, small.size() - 10)
               : i == 777 ? patched(small, kTrailerPosition, 0, 8)
                          : small);
  }
  const ProgramResult result = run_tool({"check", "--quick", "-j", "2", folder_ / "many"});
  EXPECT_EQ(result.exit_code, 20);
  const std::vector<std::string> lines = lines_of(result.out);
  ASSERT_EQ(lines.size(), 2U) << result.out;
  EXPECT_TRUE(lines[0].starts_with((folder_ / "many/333.hipo").string() + "\ttruncated\t"));
  EXPECT_TRUE(lines[1].starts_with((folder_ / "many/777.hipo").string() + "\tno-index\t"));
}

TEST_F(Check, TotalSumsUpInEveryFormat) {
  const fs::path text = write("text.hipo", "hello");
  const ProgramResult json = run_tool({"check", "--json", "--total", good_, text, good_});
  const std::vector<std::string> lines = lines_of(json.out);
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(schema_errors("check", lines[3]), "") << lines[3];
  EXPECT_TRUE(lines[3].starts_with(R"({"schema":"hipo-tool/check/1","files":3,"good_files":2,)"));
  EXPECT_EQ(json_at(lines[3], "/events"), "400");
  EXPECT_EQ(json_at(lines[3], "/files_by_verdict/0"), R"({"files":2,"verdict":"consistent"})");
  EXPECT_EQ(json_at(lines[3], "/files_by_verdict/1"), R"({"files":1,"verdict":"not-hipo"})");
  const std::string shown = run_tool({"check", "--total", good_, text}).out;
  EXPECT_TRUE(shown.starts_with(text.string() + "\tnot-hipo\t")) << shown;
  EXPECT_NE(shown.find("\nfiles"), std::string::npos) << shown;
  const std::vector<std::string> csv =
      lines_of(run_tool({"check", "--csv", "--total", good_, text}).out);
  ASSERT_EQ(csv.size(), 5U);
  EXPECT_TRUE(csv[3].starts_with("files,good_files,bad_files,")) << csv[3];
}

TEST_F(Check, TakesFoldersPatternsAndLists) {
  write("run/a.hipo", "hello");
  write("run/b.hipo", bytes_);
  write("run/c.txt", "no file of ours");
  const fs::path list = write("list.txt", "# bad ones\n" + (folder_ / "run").string() + "/a*\n\n");
  const std::string line = (folder_ / "run/a.hipo").string() +
                           "\tnot-hipo\tnot a HIPO file: it does not begin with HIPO or HREC\n";
  EXPECT_EQ(run_tool({"check", folder_ / "run"}).out, line);
  EXPECT_EQ(run_tool({"check", (folder_ / "run/*.hipo").string()}).out, line);
  EXPECT_EQ(run_tool({"check", "-L", list}).out, line);
  EXPECT_EQ(run_tool({"check", "-L", list, "-L", list, good_}).out, line + line);
  EXPECT_EQ(run_tool({"check"}).exit_code, 2);
}

TEST_F(Check, GivesTheSameAnswersWithAnyNumberOfThreads) {
  std::vector<std::string> words{"check", "--digest", "-j", "1"};
  for (int i = 0; i < 20; ++i) {
    const std::string name = std::to_string(i) + ".hipo";
    words.push_back(
        write(name, i % 3 == 0 ? patched(bytes_, first_record() + kRecordMagic, 0, 4) : bytes_));
  }
  const ProgramResult one = run_tool(words);
  EXPECT_EQ(one.exit_code, 15);
  EXPECT_EQ(lines_of(one.out).size(), 20U);
  for (const char* threads : {"2", "7", "64"}) {
    words[3] = threads;
    const ProgramResult more = run_tool(words);
    EXPECT_EQ(more.out, one.out);
    EXPECT_EQ(more.exit_code, one.exit_code);
  }
}

TEST_F(Check, LinesEndWithNulWhereAsked) {
  const fs::path odd = write("a\tb\nc\\d.hipo", "hello");
  const ProgramResult result = run_tool({"check", "-0", odd, odd});
  const std::string line =
      odd.string() + "\tnot-hipo\tnot a HIPO file: it does not begin with HIPO or HREC" + '\0';
  EXPECT_EQ(result.out, line + line);
  EXPECT_EQ(run_tool({"check", "-0", "--json", odd}).exit_code, 2);
}

TEST_F(Check, DepthsExcludeEachOtherAndWhatNeedsEvents) {
  EXPECT_EQ(run_tool({"check", "--quick", "--full", good_}).exit_code, 2);
  const std::string digest(32, '0');
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{"--digest"}, {"--strict-tags"}, {"--expect", digest}}) {
    std::vector<std::string> words{"check", "--quick", good_};
    words.insert(words.end(), more.begin(), more.end());
    const ProgramResult result = run_tool(words);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_NE(result.err.find("--quick reads no events"), std::string::npos) << result.err;
  }
}

TEST_F(Check, StrictTagsHasACodeOfItsOwn) {
  FileImage file = three_records();
  write_bytes(folder_ / "mixed.hipo", file.bytes());
  EXPECT_EQ(run_tool({"check", folder_ / "mixed.hipo"}).exit_code, 0);
  const ProgramResult result = run_tool({"check", "--strict-tags", folder_ / "mixed.hipo"});
  EXPECT_EQ(result.exit_code, 17);
  EXPECT_EQ(
      result.out,
      (folder_ / "mixed.hipo").string() +
          fmt::format("\ttags-inconsistent\trecord 0 at {:#x}: 3 of its 4 events have another "
                      "tag than its user word, 0; 3 of 3 records are so\n",
                      file.first_record()));
}

class CheckExpect : public Check {
 protected:
  void SetUp() override {
    Check::SetUp();
    digest_ = digest_of(good_);
    ASSERT_EQ(digest_.size(), 32U);
  }

  [[nodiscard]] ProgramResult held_against(const std::string& lines,
                                           std::vector<std::string> files) {
    const fs::path list = write("sums.txt", lines);
    files.insert(files.begin(), {"check", "--json", "--expect-file", list});
    return run_tool(files);
  }
  [[nodiscard]] std::string line_for(const std::string& path, const std::string& digest) const {
    return digest + "\t" + digest + "\t200\t" + path + "\n";
  }

  std::string digest_;
  std::string other_ = std::string(32, '7');
};

TEST_F(CheckExpect, ADigestVerifies) {
  EXPECT_EQ(run_tool({"check", "--expect", digest_, good_}).exit_code, 0);
  const ProgramResult json = run_tool({"check", "--expect", digest_, good_, "--json"});
  EXPECT_EQ(json_at(json.out, "/verdict"), "\"verified\"");
  EXPECT_EQ(json_at(json.out, "/expected_digest"), '"' + digest_ + '"');
  const ProgramResult result = run_tool({"check", "--expect", other_, good_});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.out, good_.string() + "\tdiffers\tits events have the digest " + digest_ +
                            ", not " + other_ + "\n");
  EXPECT_EQ(run_tool({"check", "--expect", "abc", good_}).exit_code, 2);
}

TEST_F(CheckExpect, TheListThatDigestPrintsVerifiesWhateverTheNames) {
  const fs::path odd = write("a\tb\nc\\d.hipo", bytes_);
  for (const char* ending : {"-q", "-0"}) {
    const ProgramResult listed = run_tool({"check", "--digest", ending, odd, good_});
    const fs::path list = write("sums.txt", listed.out);
    const ProgramResult result =
        run_tool({"check", "--expect-file", list, good_, odd, "--json", "--total"});
    EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
    EXPECT_EQ(json_at(lines_of(result.out).back(), "/files_by_verdict"),
              R"([{"files":2,"verdict":"verified"}])");
    EXPECT_EQ(result.err, "");
  }
}

TEST_F(CheckExpect, TheListIsMatchedByPathThenByName) {
  const std::string lines =
      line_for(good_.string(), digest_) + line_for("/elsewhere/good.hipo", other_);
  EXPECT_EQ(json_at(held_against(lines, {good_}).out, "/verdict"), "\"verified\"");
  const fs::path copy = write("copy/good.hipo", bytes_);
  EXPECT_EQ(json_at(held_against(line_for("x/good.hipo", digest_), {copy}).out, "/verdict"),
            "\"verified\"");
  const ProgramResult two = held_against(lines, {copy});
  EXPECT_EQ(two.exit_code, 1);
  EXPECT_EQ(json_at(two.out, "/verdict"), "\"unlisted\"");
  EXPECT_EQ(json_at(two.out, "/reason"), "\"the list has several digests for it\"");
}

TEST_F(CheckExpect, AFileThatIsNotListedIsBad) {
  const ProgramResult result = held_against(line_for("other.hipo", digest_), {good_});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(schema_errors("check", result.out), "") << result.out;
  EXPECT_EQ(json_at(result.out, "/verdict"), "\"unlisted\"");
  EXPECT_EQ(result.err,
            "hipo-tool: warning: --expect-file: 1 digest belongs to none of the files\n");
  const ProgramResult bad_then =
      held_against("-\t-\t-\t" + good_.string() + "\tcorrupt\tsomething\n", {good_});
  EXPECT_EQ(json_at(bad_then.out, "/reason"),
            "\"the list has no digest for it, since it was bad then\"");
}

TEST_F(CheckExpect, ALineOfAnotherKindIsWrongUsage) {
  const ProgramResult result = held_against(line_for("a", digest_) + digest_ + "  b\n", {good_});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("sums.txt, line 2: no line of `check --digest`"), std::string::npos)
      << result.err;
  EXPECT_EQ(run_tool({"check", "--expect-file", folder_ / "missing", good_}).exit_code, 2);
}

class CheckGolden : public GoldenFiles {};

TEST_F(CheckGolden, GoodFilesAreGoodAtEveryDepth) {
  for (const char* depth : {"--quick", "--headers", "--full"}) {
    std::vector<std::string> words{"check", depth};
    for (const KnownDigest& known : known_digests()) {
      if (known.file != "cuttrailer_bank.hipo" && known.file != "notrailer_chunk.hipo") {
        words.push_back(golden(known.file));
      }
    }
    const ProgramResult result = run_tool(words);
    EXPECT_EQ(result.exit_code, 0) << result.out;
  }
}

TEST_F(CheckGolden, TheListOfAnotherImplementationVerifies) {
  std::string lines;
  std::vector<std::string> words{"check", "--expect-file", "", "--json", "--total"};
  const TempDir folder;
  for (const KnownDigest& known : known_digests()) {
    if (known.file != "cuttrailer_bank.hipo" && known.file != "notrailer_chunk.hipo") {
      lines +=
          known.digest + "\t" + known.unordered + "\t" + known.events + "\t" + known.file + "\n";
      words.push_back(golden(known.file));
    }
  }
  write_text(folder / "sums.txt", lines);
  words[2] = folder / "sums.txt";
  const ProgramResult result = run_tool(words);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(json_at(lines_of(result.out).back(), "/files_by_verdict/0/verdict"), "\"verified\"");
}

TEST_F(CheckGolden, PrintsTheKnownDigests) {
  std::vector<std::string> arguments{"check", "--digest"};
  std::string expected;
  for (const KnownDigest& known : known_digests()) {
    const std::string path = golden(known.file).string();
    arguments.push_back(path);
    expected += known.digest + "\t" + known.unordered + "\t" + known.events + "\t" + path;
    expected += known.file == "cuttrailer_bank.hipo"
                    ? "\ttruncated\tthe trailer should be at 50400, the file ends at 50400; 240 "
                      "events recoverable"
                : known.file == "notrailer_chunk.hipo"
                    ? "\tno-index\tthe trailer position is 0: its writer did not finish; no index, "
                      "240 events recoverable"
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
