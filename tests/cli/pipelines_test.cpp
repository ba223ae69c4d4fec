#include "cli/tool_files.hpp"
#include "support/event_images.hpp"
#include "support/library.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace hipotool::test {
namespace {

namespace fs = std::filesystem;

// Twenty records of every kind: small ones that are decoded as one, split ones, one without events,
// ones alone among others of other words.
FileImage mixed_file() {
  FileImage file;
  file.schemas = {"{N::n/1/1}{i/I}"};
  const Dictionary dictionary = dictionary_of(file.schemas);
  std::int32_t number = 0;
  const auto some = [&](int events) {
    std::vector<Bytes> all;
    for (int event = 0; event < events; ++event, ++number) {
      all.push_back(EventImage{number % 7 == 3 ? 1U : 0U, {{{1, 1}, packed(number)}}}.bytes());
    }
    return all;
  };
  for (std::uint64_t i = 0; i < 4; ++i) {
    file.records.push_back(whole_record(some(5)));
    file.records.push_back(whole_record(some(3)));
    file.records.push_back(stored_record(some(40),
                                         compression_of(CodecId::lz4, LayoutId::per_column),
                                         dictionary, {.words = {i % 2, 0}}));
    file.records.push_back(whole_record({}));
    file.records.push_back(
        stored_record(some(20), compression_of(CodecId::gzip, LayoutId::per_bank), dictionary));
  }
  return file;
}

class Pipelines : public ::testing::Test {
 protected:
  void SetUp() override { write_bytes(in_, image_.bytes()); }

  // What a command makes of bytes on its stdin.
  ProgramResult from_stdin(std::string input, std::vector<std::string> words) {
    return run_tool(ProgramRun{.arguments = std::move(words), .input = std::move(input)});
  }
  [[nodiscard]] std::string input() const { return read_text(in_); }

  // Runs a command line, in which IN and OUT stand for files.
  std::string output_of(std::vector<std::string> words, const std::string& in,
                        std::string stdin_bytes = "") {
    std::replace(words.begin(), words.end(), std::string("IN"), in);
    std::replace(words.begin(), words.end(), std::string("OUT"), out_.string());
    words.emplace_back("-q");
    fs::remove(out_);
    const ProgramResult result = from_stdin(std::move(stdin_bytes), words);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.exit_code == 0 ? read_text(out_) : "";
  }

  FileImage image_ = mixed_file();
  TempDir folder_;
  fs::path in_ = folder_ / "in.hipo";
  fs::path out_ = folder_ / "out.hipo";
};

TEST_F(Pipelines, GiveTheBytesThatAFileGivesForAnyNumberOfThreads) {
  const std::vector<std::vector<std::string>> commands{
      {"recook", "IN", "OUT"},
      {"recook", "IN", "OUT", "--layout", "per-chunk", "--record-events", "7"},
      {"recook", "IN", "OUT", "--layout", "per-column", "--codec", "lz4", "--verify", "none"},
      {"recook", "IN", "OUT", "--salvage"},
      {"tag-filter", "IN", "OUT"},
      {"tag-filter", "IN", "OUT", "--events", "60:150"},
      {"tag-filter", "IN", "OUT", "--where", "N::n.i & 1 == 1", "--only", "-n", "20"},
      {"tag-filter", "IN", "OUT", "--sample", "0.3", "--by", "record", "--tag", "0"},
      {"recook", in_.string(), "IN", "-o", "OUT"},
      {"tag-filter", "IN", in_.string(), "-o", "OUT", "--events", "100:400"},
  };
  const fs::path copy = folder_ / "copy.hipo";
  fs::copy_file(in_, copy);
  for (std::vector<std::string> command : commands) {
    const std::string expected = output_of(command, copy.string());
    EXPECT_NE(expected, "");
    for (const char* threads : {"1", "2", "5"}) {
      std::vector<std::string> words = command;
      words.insert(words.end(), {"-j", threads});
      EXPECT_EQ(output_of(words, "-", input()), expected) << command[0] << ' ' << threads;
    }
  }
}

TEST_F(Pipelines, GiveTheBytesOfTheTwoStepsInOne) {
  const ProgramResult result =
      run_shell(R"("$TOOL" tag-filter "$1" - --tag 1 | "$TOOL" recook - "$2" --layout per-column)",
                {in_, out_});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const fs::path step = folder_ / "step.hipo";
  const fs::path second = folder_ / "second.hipo";
  ASSERT_EQ(run_tool({"tag-filter", in_, step, "--tag", "1", "-q"}).exit_code, 0);
  ASSERT_EQ(run_tool({"recook", step, second, "--layout", "per-column", "-q"}).exit_code, 0);
  EXPECT_EQ(read_text(out_), read_text(second));
  EXPECT_NE(digest_of(out_), digest_of(in_));
}

TEST_F(Pipelines, WriteAFileWhoseRecordsAndTrailerAreThoseOfAFile) {
  const ProgramResult piped = run_tool({"recook", in_, "-", "-q"});
  ASSERT_EQ(piped.exit_code, 0) << piped.err;
  ASSERT_EQ(run_tool({"recook", in_, out_, "-q"}).exit_code, 0);
  const std::string file = read_text(out_);
  ASSERT_EQ(piped.out.size(), file.size());
  // The flag of an index and the trailer's position cannot be written over in a pipe.
  const auto same_from = [&](std::size_t begin, std::size_t end) {
    return piped.out.substr(begin, end - begin) == file.substr(begin, end - begin);
  };
  EXPECT_TRUE(same_from(0, 20) && same_from(24, 40) && same_from(48, file.size()));
  EXPECT_EQ(piped.out.substr(40, 8), std::string(8, '\0'));

  const fs::path saved = folder_ / "saved.hipo";
  write_text(saved, piped.out);
  EXPECT_EQ(run_tool({"check", saved}).exit_code, 13);
  const fs::path again = folder_ / "again.hipo";
  const ProgramResult recooked = run_tool({"recook", saved, again, "-q"});
  EXPECT_EQ(recooked.exit_code, 0);
  EXPECT_NE(recooked.err.find("index absent (the trailer position is 0, as in a file that went "
                              "through a pipe; it ends with a trailer that agrees"),
            std::string::npos)
      << recooked.err;
  EXPECT_EQ(read_text(again), file);
}

TEST_F(Pipelines, ReportToStderrWhereBytesGoToStdout) {
  const ProgramResult result = run_tool({"recook", in_, "-", "--json"});
  ASSERT_EQ(result.exit_code, 0);
  const std::string report = lines_of(result.err).back();
  EXPECT_EQ(schema_errors("recook", report), "");
  EXPECT_EQ(json_at(report, "/output"), "\"standard output\"");
  EXPECT_EQ(json_at(report, "/bytes_out"), std::to_string(result.out.size()));

  const fs::path file = folder_ / "report.json";
  const ProgramResult filed = run_tool({"recook", in_, "-", "--json", "--report-file", file, "-q"});
  EXPECT_EQ(filed.out, result.out);
  EXPECT_EQ(filed.err, "");
  EXPECT_EQ(json_at(read_text(file), "/outcome"), "\"written\"");

  const ProgramResult read = from_stdin(input(), {"recook", "-", out_, "--json"});
  EXPECT_EQ(schema_errors("recook", read.out), "");
  EXPECT_EQ(json_at(read.out, "/inputs/0/path"), "\"standard input\"");
  EXPECT_EQ(json_at(read.out, "/inputs/0/bytes"), std::to_string(fs::file_size(in_)));
  EXPECT_EQ(json_at(read.out, "/inputs/0/index"), "\"valid\"");
  EXPECT_EQ(json_at(read.out, "/events_by_tag"), json_at(report, "/events_by_tag"));
}

// Where a killed upstream may have stopped: inside header, dictionary, records and trailer, and
// exactly between them.
std::vector<std::size_t> ten_cuts(const FileImage& image, std::size_t size) {
  std::vector<std::size_t> ends{56, image.first_record()};
  for (const Bytes& record : image.records) {
    ends.push_back(ends.back() + record.size());
  }
  const std::size_t records = ends.size();
  return {0,
          40,
          ends[0],
          ends[1] - 7,
          ends[1],
          ends[1] + 30,
          ends[4],
          ends[9] + 100,
          ends[records - 2],
          ends[records - 1],
          ends[records - 1] + 56,
          size - 1};
}

TEST_F(Pipelines, RefuseAStreamThatIsCutAtAnyPlace) {
  const std::string whole = input();
  for (const std::size_t cut : ten_cuts(image_, whole.size())) {
    const ProgramResult strict = from_stdin(whole.substr(0, cut), {"recook", "-", out_, "-q"});
    EXPECT_EQ(strict.exit_code, 1) << cut << ": " << strict.err;
    EXPECT_EQ(lines_of(strict.err).size(), 1U) << strict.err;
    EXPECT_FALSE(fs::exists(out_)) << cut;

    const ProgramResult salvaged =
        from_stdin(whole.substr(0, cut), {"recook", "-", out_, "-q", "--salvage", "--json"});
    const bool has_head = cut >= 112;  // a record header behind that of the file
    EXPECT_EQ(salvaged.exit_code, has_head ? 3 : 1) << cut << ": " << salvaged.err;
    EXPECT_EQ(fs::exists(out_), has_head);
    if (has_head) {
      EXPECT_EQ(schema_errors("recook", salvaged.out), "");
      EXPECT_EQ(json_at(salvaged.out, "/index"), "\"rebuilt\"");
      fs::remove(out_);
    }
  }
  EXPECT_EQ(folder_.names(), std::vector<std::string>{"in.hipo"});
}

// The events that were asked for came, but whether that is all of the file was not seen.
TEST_F(Pipelines, ReadToTheTrailerEvenWhereNoMoreEventsAreWanted) {
  const std::string whole = input();
  const std::vector<std::string> command{"tag-filter", "-", out_, "-q", "--only", "-n", "3"};
  EXPECT_EQ(from_stdin(whole.substr(0, whole.size() / 2), command).exit_code, 1);
  EXPECT_FALSE(fs::exists(out_));
  EXPECT_EQ(from_stdin(whole, command).exit_code, 0);
}

TEST_F(Pipelines, RefuseWhatAKilledProcessLeft) {
  fs::remove(in_);
  make_sample(in_, {"--events", "300", "--layout", "per-chunk", "--record-events", "20"});
  // What has come through by then is the beginning; what is in the pipe may follow.
  const std::string script =
      R"(("$TOOL" recook "$1" - -q --layout per-chunk --record-events 5 & echo $! >"$1.pid"; wait) |
         (head -c 100000; kill -KILL $(cat "$1.pid"); cat) |
         "$TOOL" recook - "$2" $3 -q)";
  const ProgramResult strict = run_shell(script, {in_, out_, ""});
  EXPECT_EQ(strict.exit_code, 1) << strict.err;
  EXPECT_FALSE(fs::exists(out_));
  const ProgramResult salvaged = run_shell(script, {in_, out_, "--salvage"});
  EXPECT_EQ(salvaged.exit_code, 3) << salvaged.err;
  EXPECT_EQ(run_tool({"check", out_}).exit_code, 0);
}

TEST_F(Pipelines, DoNotTakeASecondFileOrJunkForTheFirst) {
  const std::string whole = input();
  const std::vector<std::pair<std::string, std::string>> tails{
      {whole, "another file follows the trailer"},
      {"junk", "bytes follow the trailer"},
      {std::string(1, '\0'), "bytes follow the trailer"}};
  for (const auto& [tail, reason] : tails) {
    const ProgramResult strict = from_stdin(whole + tail, {"recook", "-", out_, "-q"});
    EXPECT_EQ(strict.exit_code, 1);
    EXPECT_NE(strict.err.find(reason), std::string::npos) << strict.err;
    EXPECT_FALSE(fs::exists(out_));
    const ProgramResult salvaged =
        from_stdin(whole + tail, {"recook", "-", out_, "-q", "--salvage", "--json"});
    EXPECT_EQ(salvaged.exit_code, 3);
    EXPECT_EQ(json_at(salvaged.out, "/bytes_lost"), std::to_string(tail.size()));
    EXPECT_EQ(digest_of(out_), digest_of(in_));
    fs::remove(out_);
  }
}

// Damage in the middle costs what is damaged, and the trailer says how much that was.
TEST_F(Pipelines, SalvagePassesOverDamage) {
  std::string damaged = input();
  std::size_t at = image_.first_record();
  for (std::size_t record = 0; record < 6; ++record) {
    at += image_.records[record].size();
  }
  damaged.replace(at + 28, 4, "\0\0\0\0", 4);
  EXPECT_EQ(from_stdin(damaged, {"recook", "-", out_, "-q"}).exit_code, 1);
  const ProgramResult stream =
      from_stdin(damaged, {"recook", "-", out_, "-q", "--salvage", "--json"});
  EXPECT_EQ(stream.exit_code, 3) << stream.err;
  EXPECT_EQ(json_at(stream.out, "/gaps/0/bytes"), std::to_string(image_.records[6].size()));
  EXPECT_EQ(json_at(stream.out, "/gaps/0/events"), "3");
  write_text(in_, damaged);
  const fs::path from_file = folder_ / "from_file.hipo";
  EXPECT_EQ(run_tool({"recook", in_, from_file, "-q", "--salvage"}).exit_code, 3);
  EXPECT_EQ(read_text(out_), read_text(from_file));
}

TEST_F(Pipelines, HoldNoMoreThanWhatCameForWhatIsClaimed) {
  const std::string head = input().substr(0, image_.first_record());
  std::mt19937 random(7);  // a seed that never changes
  std::string noise(200'000, '\0');
  std::generate(noise.begin(), noise.end(), [&] { return static_cast<char>(random()); });
  // A record of 2 GiB, and one of 512 MiB that does not come.
  std::string huge = input().substr(image_.first_record(), 200);
  huge.replace(0, 4, std::string("\xff\xff\xff\x1f", 4));
  std::string large = huge;
  large.replace(0, 4, std::string("\x00\x00\x00\x04", 4));
  const std::vector<std::string> streams{noise, head + noise, head + huge, head + large,
                                         head + large + noise};
  for (const std::string& stream : streams) {
    for (const char* salvage : {"-q", "--salvage"}) {
      const ProgramResult result =
          from_stdin(stream, {"recook", "-", out_, "-f", "-q", salvage, "--memory", "1200MiB",
                              "--record-size", "1MiB"});
      EXPECT_NE(result.exit_code, 0);
      EXPECT_EQ(result.signal, 0);
      EXPECT_LT(result.peak_memory_bytes, 200'000'000U);
    }
  }
}

TEST_F(Pipelines, StopWhileTheyWait) {
  // A pipe that its reader holds open for writing, too, never comes to an end.
  const ProgramResult result =
      run_program("sh", {.arguments = {"-c", R"(mkfifo "$2"; exec "$TOOL" recook - "$1" <>"$2")",
                                       "sh", out_, folder_ / "fifo"},
                         .environment = {{"TOOL", HIPO_TOOL_PATH}},
                         .kill_after_seconds = 0.3,
                         .kill_signal = SIGTERM});
  EXPECT_EQ(result.exit_code, 143) << result.err;
  EXPECT_FALSE(fs::exists(out_));
}

TEST_F(Pipelines, FailWhereNobodyReads) {
  const ProgramResult result =
      run_tool(ProgramRun{.arguments = {"recook", in_, "-", "-q"}, .closed_stdout = true});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.err, "hipo-tool: error: standard output: cannot write: Broken pipe\n");
  for (const char* nowhere : {">&-", ">/dev/full"}) {
    EXPECT_EQ(run_shell(std::string(R"("$TOOL" recook "$1" - -q )") + nowhere, {in_}).exit_code, 1)
        << nowhere;
  }
  EXPECT_EQ(run_shell(R"("$TOOL" recook - "$1" -q <&-)", {out_}).exit_code, 1);
  EXPECT_FALSE(fs::exists(out_));
}

TEST_F(Pipelines, RefuseWhatAStreamCannotDo) {
  const std::string in = in_.string();
  const std::string out = out_.string();
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{"recook", "-", "-", "-o", out},
       "'-' is given twice as an input; standard input comes once"},
      {{"recook", "-", "--dry-run"},
       "--dry-run needs to know the inputs, and '-' can be read but once"},
      {{"recook", in, "-", "--dry-run"}, "--dry-run writes nothing, so '-' as OUT has no meaning"},
      {{"recook", in, "-", "--verify", "file"},
       "--verify file: what was written to '-' cannot be read again"},
      {{"recook", in, "-", "-f"}, "--force and --skip-existing are for a file; '-' is none"},
      {{"recook", in, out, "--dict", "-"}, "--dict: a dictionary cannot be borrowed from '-'"},
      {{"recook", in, out, "--report-file", ""}, "--report-file: '' is not the name of a file"},
      {{"recook", in, out, "--report-file", "-"}, "--report-file: '-' is not the name of a file"},
      {{"generate", "-"},
       "'-': this writes a file; recook and tag-filter pass files on through pipes"},
  };
  for (const auto& [words, message] : cases) {
    const ProgramResult result = run_tool(words);
    EXPECT_EQ(result.exit_code, 2) << message;
    EXPECT_EQ(result.err, "hipo-tool: error: " + message + "\n");
    EXPECT_EQ(result.out, "");
  }
  const std::string anywhere =
      "hipo-tool: error: '-': this needs a file that can be read at any place; recook and "
      "tag-filter read from stdin and can write one (a file of that name: ./-)\n";
  const std::vector<std::vector<std::string>> readers{{"check", "-"},
                                                      {"dump", "-"},
                                                      {"stats", "-"},
                                                      {"diff", in, "-"},
                                                      {"tag-filter", "-", "--count"},
                                                      {"bench", "-"}};
  for (const std::vector<std::string>& words : readers) {
    const ProgramResult result = run_tool(words);
    EXPECT_EQ(result.exit_code, 2) << words[0];
    EXPECT_EQ(result.err, anywhere);
  }
}

TEST_F(Pipelines, NeverWriteToTheFileThatTheyRead) {
  const std::string before = input();
  for (const char* script :
       {R"("$TOOL" recook - "$1" -f <"$1")", R"("$TOOL" recook - - <"$1" >>"$1")",
        R"("$TOOL" recook "$1" - >>"$1")"}) {
    const ProgramResult result = run_shell(script, {in_});
    EXPECT_EQ(result.exit_code, 2) << script;
    EXPECT_NE(result.err.find("the same file"), std::string::npos) << result.err;
    EXPECT_EQ(input(), before);
  }
}

TEST_F(Pipelines, SayThatTheOutputIsThereWhereOnlyTheReportIsLost) {
  const ProgramResult result =
      run_shell(R"("$TOOL" recook "$1" "$2" -q --json >/dev/full)", {in_, out_});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(schema_errors("error", result.err), "");
  EXPECT_EQ(json_at(result.err, "/message"),
            "\"cannot write: No space left on device; only the report is lost, what was written is "
            "complete: " +
                out_.string() + "\"");
  EXPECT_EQ(run_tool({"check", out_}).exit_code, 0);
}

TEST(PipelinesMemory, StayBelowTheirMemoryWhateverComes) {
  const TempDir folder;
  FileImage image{.schemas = {"{N::n/1/1}{i/I}"}};
  image.records.assign(100, whole_record({EventImage{0, {{{1, 1}, Bytes(1'000'000)}}}.bytes()}));
  write_bytes(folder / "in.hipo", image.bytes());
  image = {};
  // The shell's own size counts, not that of this process.
  const ProgramResult result = run_shell(
      R"(cat "$1" | sh -c 'exec "$TOOL" recook - "$1" -q --record-size 2MiB --memory 64MiB -j 4 \
         --json' sh "$2")",
      {folder / "in.hipo", folder / "out.hipo"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_LT(std::stoull(json_at(result.out, "/peak_memory_bytes")), std::uint64_t{64} << 20U);
}

}  // namespace
}  // namespace hipotool::test
