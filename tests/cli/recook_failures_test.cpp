#include "cli/tool_files.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <future>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hipotool::test {
namespace {

namespace fs = std::filesystem;

// A run that fails must say why and where, keep what was there, and leave nothing else.
class RecookFailures : public GoldenFiles {
 protected:
  void SetUp() override {
    GoldenFiles::SetUp();
    if (IsSkipped() || HasFatalFailure()) {
      return;
    }
    write_text(output_, "precious");
  }

  void expect_failure(const fs::path& input, const std::string& cause,
                      std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"recook", input, output_, "--force"});
    const ProgramResult result = run_tool(more);
    EXPECT_EQ(result.exit_code, 1) << input << ": " << result.err;
    std::vector<std::string> lines = lines_of(result.err);
    std::erase_if(lines,
                  [](const std::string& line) { return !line.starts_with("hipo-tool: error: "); });
    EXPECT_EQ(lines, (std::vector{"hipo-tool: error: " + input.string() + ": " + cause}));
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(read_text(output_), "precious");
    for (const std::string& name : folder_.names()) {
      EXPECT_FALSE(name.ends_with(".part")) << name;
    }
  }

  // A copy with some bytes replaced.
  fs::path damaged(const std::string& source, const std::string& name, std::size_t at,
                   std::string_view bytes) {
    std::string content = read_text(golden(source));
    content.replace(at, bytes.size(), bytes);
    write_text(folder_ / name, content);
    return folder_ / name;
  }

  TempDir folder_;
  fs::path output_ = folder_ / "out.hipo";
};

TEST_F(RecookFailures, NamesRecordAndCauseOfACutFile) {
  expect_failure(golden("truncrec_column.hipo"),
                 "record 3 at 0x9d34: truncated: a record of 9804 bytes, of which 4902 are there");
  expect_failure(
      golden("cuttrailer_bank.hipo"),
      "the file was longer once: the trailer should be at 50400, the file ends at 50400; "
      "what is missing cannot be told, so nothing was written (--salvage takes what is there)");
}

TEST_F(RecookFailures, NamesFileRecordOffsetAndCauseOfDamage) {
  using namespace std::string_view_literals;
  struct Damage {
    std::string source;
    std::size_t at;
    std::string_view bytes;
    std::string cause;
  };
  const std::vector<Damage> damages{
      {"lz4_chunk", 0, "X"sv, "not a HIPO file: it does not begin with HIPO or HREC"},
      {"lz4_chunk", 20, "\7"sv, "format version 7; only version 6 is known"},
      {"lz4_chunk", 28, "\0\0\0\0"sv, "file header: its endian magic is wrong"},
      {"lz4_chunk", 84, "\0\0\0\0"sv,
       "at 0x38: dictionary: no record here: its endian magic is wrong"},
      {"lz4_chunk", 16000, "\0\0\0\0"sv,
       "record 1 at 0x3e80: record header of 14 words in a record of 0"},
      {"lz4_chunk", 16008, "\3"sv,
       "record 1 at 0x3e80: record header of 3 words in a record of 3367"},
      {"lz4_chunk", 16012, "\x40\x42\xf"sv,
       "record 1 at 0x3e80: 1000000 events, but an index of 256 bytes"},
      {"lz4_chunk", 16028, "\0\0\0\0"sv,
       "record 1 at 0x3e80: no record here: its endian magic is wrong"},
      {"lz4_chunk", 16039, "\xf0"sv, "record 1 at 0x3e80: compression tag 15 is not assigned"},
      {"lz4_chunk", 16056, "\xff"sv, "record 1 at 0x3eb8: lz4: corrupt block"},
      {"gzip_chunk", 24904, "\xff"sv, "record 2 at 0x5f8c: gzip: corrupt member"},
      {"none_chunk", 23212, "\xff\xff\xff\x7f"sv,
       "record 1 at 0x5a74: event 0: an event of 2147483647 bytes runs past its record's payload"},
      {"none_chunk", 44300, "\x2f"sv,
       "record 2 at 0xabd0: event 0: event header says 303 bytes, the record's index 302"},
      {"none_chunk", 23488, "\xff\xff\xff"sv,
       "record 1 at 0x5a74: event 0: structure 10000/11 of 16777215 bytes runs past its event"},
      {"lz4_bank", 15192, "\x9"sv,
       "record 1 at 0x3b20: per-bank format version 9; only 2 and 3 are known"},
      {"lz4_column", 14956, "\5"sv,
       "record 1 at 0x3a2c: split section says 5 events, the record header 64"},
      {"lz4_column", 14960, "\xff\xff\xff"sv,
       "record 1 at 0x3a2c: the directory runs past its record"},
      {"lz4_column", 14968, "\xff"sv, "record 1 at 0x3a78: directory: lz4: corrupt block"},
      {"v3_lz4_column", 25760, "\1"sv,
       "record 1 at 0x6496: RUN::config.type: stream checksum does not match"},
  };
  for (const Damage& damage : damages) {
    expect_failure(damaged(damage.source + ".hipo", "damaged.hipo", damage.at, damage.bytes),
                   damage.cause);
  }
}

TEST_F(RecookFailures, GivesTheSameFactsAsFieldsInJson) {
  const fs::path input = damaged("v3_lz4_column.hipo", "damaged.hipo", 25760, "\1");
  const ProgramResult result = run_tool({"recook", input, output_, "-f", "-q", "--json"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(schema_errors("error", result.err), "") << result.err;
  EXPECT_EQ(json_at(result.err, "/code"), "\"checksum\"");
  EXPECT_EQ(json_at(result.err, "/path"), '"' + input.string() + '"');
  EXPECT_EQ(json_at(result.err, "/record"), "1");
  EXPECT_EQ(json_at(result.err, "/record_offset"), std::to_string(14080));
  EXPECT_EQ(json_at(result.err, "/offset"), std::to_string(0x6496));
  EXPECT_EQ(json_at(result.err, "/bank"), "\"RUN::config\"");
  EXPECT_EQ(json_at(result.err, "/column"), "\"type\"");
}

TEST_F(RecookFailures, MissingInput) {
  expect_failure(folder_ / "missing.hipo", "cannot open: No such file or directory");
}

class RecookStops : public ::testing::Test {
 protected:
  // Long enough to be caught at work: some seconds of zstd in one thread.
  void SetUp() override {
    make_sample(input_, {"--profile", "dst", "--raw-size", "24MB"});
    write_text(output_, "precious");
  }

  void expect_untouched() const {
    EXPECT_EQ(read_text(output_), "precious");
    EXPECT_EQ(folder_.names(), (std::vector<std::string>{"in.hipo", "out.hipo"}));
  }

  // The slow rewrite, started in the background by a script; `then` runs when it has begun to
  // write. `start` starts it; a shell lets background jobs ignore SIGINT, hence the default.
  [[nodiscard]] ProgramResult run_until_it_writes(
      const std::string& then, const std::string& start = "env --default-signal=INT") const {
    return run_shell(start +
                         " \"$TOOL\" recook \"$1\" \"$2\" -f -q --codec gzip --level 9 "
                         "--record-size 1MiB -j 1 & pid=$!; "
                         "while ! ls -A \"$(dirname \"$2\")\" | grep -q part; do "
                         "kill -0 $pid || break; done; " +
                         then + "; wait $pid",
                     {input_, output_});
  }

  // The readers line stands before it.
  static std::string last_line(const ProgramResult& result) {
    const std::vector<std::string> lines = lines_of(result.err);
    return lines.empty() ? "" : lines.back();
  }

  TempDir folder_;
  fs::path input_ = folder_ / "in.hipo";
  fs::path output_ = folder_ / "out.hipo";
};

TEST_F(RecookStops, OnASignalWithItsCode) {
  for (const auto& [name, code] : {std::pair{"TERM", 143}, {"INT", 130}, {"HUP", 129}}) {
    const ProgramResult result = run_until_it_writes(std::string("kill -") + name + " $pid");
    EXPECT_EQ(result.exit_code, code) << result.err;
    EXPECT_EQ(last_line(result), std::string("hipo-tool: error: interrupted by SIG") + name);
    expect_untouched();
  }
}

TEST_F(RecookStops, NotOnASignalThatTheCallerIgnores) {
  const ProgramResult result = run_until_it_writes("kill -HUP $pid", "env --ignore-signal=HUP");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(digest_of(output_), digest_of(input_));
}

TEST_F(RecookStops, AtOnceOnASecondSignal) {
  const ProgramResult result = run_until_it_writes("kill -INT $pid; kill -TERM $pid");
  EXPECT_EQ(result.exit_code, 130);
  expect_untouched();
}

TEST_F(RecookStops, KilledLeavesTheTargetAloneAndTheNextRunNamesTheOrphan) {
  const ProgramResult killed = run_until_it_writes("kill -KILL $pid");
  EXPECT_EQ(killed.exit_code, 128 + SIGKILL);
  EXPECT_EQ(read_text(output_), "precious");
  const std::vector<std::string> names = folder_.names();
  ASSERT_EQ(names.size(), 3U);
  EXPECT_TRUE(names[0].starts_with(".out.hipo.")) << names[0];
  const ProgramResult next = run_tool({"recook", input_, output_, "-f", "-q"});
  EXPECT_EQ(next.exit_code, 0);
  EXPECT_EQ(lines_of(next.err).at(0),
            "hipo-tool: warning: " + (folder_ / names[0]).string() +
                ": left behind by a process that is gone; nobody needs it any more");
}

TEST_F(RecookStops, WhenTheDiskQuotaEnds) {
  // In blocks of 512 bytes.
  const ProgramResult result =
      run_shell("ulimit -f 200; exec \"$TOOL\" recook \"$1\" \"$2\" -f -q", {input_, output_});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(last_line(result),
            "hipo-tool: error: " + output_.string() + ": cannot write: File too large");
  expect_untouched();
}

TEST_F(RecookStops, WhenTheFileSystemIsFull) {
  const std::string mount = "mkdir \"$2.mnt\" && mount -t tmpfs -o size=1m none \"$2.mnt\"";
  const std::string in_own_mounts = "exec unshare -Urm sh -c '";
  const ProgramResult allowed =
      run_shell(in_own_mounts + mount + "' sh \"$1\" \"$2\"", {input_, output_});
  if (allowed.exit_code != 0) {
    GTEST_SKIP() << "file systems cannot be mounted here: " << allowed.err;
  }
  const ProgramResult result = run_shell(in_own_mounts +
                                             "mount -t tmpfs -o size=1m none \"$2.mnt\" && "
                                             "{ \"$TOOL\" recook \"$1\" \"$2.mnt/full.hipo\" -q; "
                                             "code=$?; ls -A \"$2.mnt\"; exit $code; }' "
                                             "sh \"$1\" \"$2\"",
                                         {input_, output_});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(last_line(result), "hipo-tool: error: " + output_.string() +
                                   ".mnt/full.hipo: cannot write: No space left on device");
}

TEST_F(RecookStops, WhenAnInputChanges) {
  const ProgramResult result = run_until_it_writes("printf x >> \"$1\"");
  EXPECT_EQ(result.exit_code, 1);
  const std::string size = std::to_string(fs::file_size(input_));
  EXPECT_TRUE(last_line(result).starts_with("hipo-tool: error: " + input_.string() +
                                            ": the file has " + size + " bytes now and had "))
      << result.err;
  expect_untouched();
}

TEST(RecookRace, OneOfTwoJobsForOneTargetWins) {
  const TempDir folder;
  make_sample(folder / "a.hipo", {"--profile", "tiny", "--events", "20000", "--seed", "1"});
  make_sample(folder / "b.hipo", {"--profile", "tiny", "--events", "20000", "--seed", "2"});
  const auto job = [&](const char* input) {
    return std::async(std::launch::async, [&folder, input] {
      return run_tool({"recook", folder / input, folder / "out.hipo", "-q"});
    });
  };
  auto first = job("a.hipo");
  auto second = job("b.hipo");
  const ProgramResult a = first.get();
  const ProgramResult b = second.get();
  EXPECT_EQ(a.exit_code + b.exit_code, 1) << a.err << b.err;
  const ProgramResult& loser = a.exit_code == 0 ? b : a;
  EXPECT_TRUE(lines_of(loser.err).back().starts_with(
      "hipo-tool: error: " + (folder / "out.hipo").string() + ": "))
      << loser.err;
  EXPECT_EQ(digest_of(folder / "out.hipo"),
            digest_of(folder / (a.exit_code == 0 ? "a.hipo" : "b.hipo")));
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"a.hipo", "b.hipo", "out.hipo"}));
}

}  // namespace
}  // namespace hipotool::test
