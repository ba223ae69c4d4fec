#include "cli/tool_files.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace hipotool::test {
namespace {

namespace fs = std::filesystem;

ProgramResult bench(std::vector<std::string> arguments, const TempDir& folder) {
  arguments.insert(arguments.begin(), "bench");
  arguments.insert(arguments.end(), {"--work-folder", folder.path().string()});
  return run_tool(std::move(arguments));
}

ProgramResult compare(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"bench", "compare"});
  return run_tool(std::move(arguments));
}

std::string compare_out(std::vector<std::string> arguments) {
  const ProgramResult result = compare(std::move(arguments));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return result.out;
}

// The output of a run that must succeed.
std::string bench_out(std::vector<std::string> arguments, const TempDir& folder) {
  const ProgramResult result = bench(std::move(arguments), folder);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  return result.out;
}

std::string sample_in(const TempDir& folder, const std::string& profile = "dst",
                      const std::string& events = "30") {
  const fs::path path = folder / (profile + ".hipo");
  make_sample(path, {"--profile", profile, "--events", events, "--record-size", "64KiB"});
  return path.string();
}

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

std::string string_at(const std::string& document, const std::string& pointer) {
  const std::string text = json_at(document, pointer);
  return text.size() >= 2 && text.front() == '"' ? text.substr(1, text.size() - 2) : text;
}

double number_at(const std::string& document, const std::string& pointer) {
  return std::strtod(json_at(document, pointer).c_str(), nullptr);
}

TEST(Bench, JsonOfTheDefaultTableIsComplete) {
  const TempDir folder;
  const std::string input = sample_in(folder, "dst", "12");
  const std::string document = bench_out({input, "--json"}, folder);
  EXPECT_EQ(schema_errors("bench", document), "");
  EXPECT_EQ(json_at(document, "/synthetic"), "true");
  EXPECT_EQ(string_at(document, "/tables/0/name"), "formats");
  EXPECT_EQ(json_at(document, "/tables/1"), "nothing");
  EXPECT_NE(json_at(document, "/command_line").find(" bench " + input), std::string::npos);
  EXPECT_TRUE(string_at(document, "/tables/0/title").starts_with("synthetic, directional only"));
  // 12 formats; write and six scopes each, whose checksums agree from format to format.
  std::size_t rows = 0;
  for (; json_at(document, fmt::format("/tables/0/rows/{}", rows)) != "nothing"; ++rows) {
    const std::string row = fmt::format("/tables/0/rows/{}", rows);
    EXPECT_EQ(json_at(document, row + "/measurements/0/samples"), "3");
    EXPECT_EQ(json_at(document, row + "/measurements/7"), "nothing");
    for (int scope = 1; scope < 7; ++scope) {
      const std::string cell = fmt::format("{}/measurements/{}", row, scope);
      EXPECT_GE(number_at(document, cell + "/samples"), 7);
      EXPECT_EQ(json_at(document, cell + "/peak_memory_bytes"), "null");
      EXPECT_EQ(json_at(document, cell + "/checksum"),
                json_at(document, fmt::format("/tables/0/rows/0/measurements/{}/checksum", scope)));
    }
    // One column of a split file takes a part of it only.
    const double column = number_at(document, row + "/measurements/3/counters/bytes_read");
    const double all = number_at(document, row + "/measurements/6/counters/bytes_read");
    EXPECT_GT(column, 0);
    EXPECT_LE(column, all);
  }
#ifdef HIPO_HAVE_ZSTD
  EXPECT_EQ(rows, 12U);
#endif
  // What was written is gone.
  EXPECT_EQ(files_in(folder.path()), 1U);
}

TEST(Bench, EveryOtherTableIsValidToo) {
  const TempDir folder;
  const std::string input = sample_in(folder, "dst", "12");
  const std::vector<std::vector<std::string>> tables{
      {"threads"},
      {"record-size", "--record-size", "64KiB,128KiB"},
      {"memory", "--budgets", "64M,1G"},
      {"tiers"},
      {"tag-filter"},
      {"levels", "--codecs", "lz4,lz4hc:4,gzip:1"}};
  for (const std::vector<std::string>& table : tables) {
    std::vector<std::string> words{input, "--json", "--sample", "40K", "--table"};
    words.insert(words.end(), table.begin(), table.end());
    const std::string document = bench_out(words, folder);
    EXPECT_EQ(schema_errors("bench", document), "") << table.front();
    EXPECT_EQ(string_at(document, "/tables/0/name"), table.front());
    EXPECT_NE(json_at(document, "/tables/0/rows/1"), "nothing") << table.front();
  }
}

TEST(Bench, ThreadsReadTheSameValues) {
  const TempDir folder;
  const std::string input = sample_in(folder);
  const std::string document =
      bench_out({input, "--json", "--table", "threads", "--threads", "1,2,3"}, folder);
  EXPECT_EQ(json_at(document, "/tables/0/rows/2/measurements/0/threads"), "3");
  EXPECT_EQ(json_at(document, "/tables/0/rows/2/measurements/0/checksum"),
            json_at(document, "/tables/0/rows/0/measurements/0/checksum"));
}

TEST(Bench, IsolatedCellsKnowTheirPeakMemory) {
  const TempDir folder;
  const std::string input = sample_in(folder, "tiny", "20");
  const std::string document =
      bench_out({input, "--json", "--isolate", "--codecs", "lz4", "--layouts", "per-bank"}, folder);
  EXPECT_EQ(json_at(document, "/isolated"), "true");
  EXPECT_GT(number_at(document, "/tables/0/rows/0/measurements/0/peak_memory_bytes"), 1e6);
  EXPECT_GT(number_at(document, "/tables/0/rows/0/measurements/6/peak_memory_bytes"), 1e6);
  EXPECT_EQ(schema_errors("bench", document), "");
}

TEST(Bench, OtherFormsHoldTheSameTable) {
  const TempDir folder;
  const std::string input = sample_in(folder, "tiny", "20");
  const std::vector<std::string> few{input, "--codecs", "lz4,zstd:3", "--layouts",
                                     "per-bank,per-column+split"};
  const auto with = [&](const std::string& format) {
    std::vector<std::string> words = few;
    words.insert(words.end(), {"--format", format});
    return bench_out(words, folder);
  };
  const std::string text = with("text");
  EXPECT_NE(text.find("\nformats: synthetic, directional only; "), std::string::npos) << text;
  EXPECT_NE(text.find("read column, ms"), std::string::npos) << text;
  EXPECT_NE(text.find("zstd:3/per-column+split"), std::string::npos) << text;
  EXPECT_NE(text.find("* best of its column"), std::string::npos);
  const std::string markdown = with("markdown");
  EXPECT_NE(markdown.find("\n### formats\n"), std::string::npos);
  EXPECT_NE(markdown.find("| lz4/per-bank"), std::string::npos);
  const std::vector<std::string> lines = lines_of(with("csv"));
  EXPECT_TRUE(lines.front().starts_with("table,row,work,value,threads,samples,median_seconds,"));
  const auto commas = [](const std::string& line) {
    return std::count(line.begin(), line.end(), ',');
  };
  for (const std::string& line : lines) {
    EXPECT_EQ(commas(line), commas(lines.front())) << line;
  }
  // Four facts and seven measurements for each of four formats.
  EXPECT_EQ(lines.size(), 1U + 4 * (4 + 7));
}

// Records that follow store columns as their leader does, so files are as large as recook's.
TEST(Bench, LevelsChosenByColumnAreAFormat) {
  const TempDir folder;
  const std::string input = sample_in(folder, "dst", "60");
  const std::string document =
      bench_out({input, "--json", "--codecs", "lz4hc:auto", "--record-size", "128KiB"}, folder);
  EXPECT_EQ(schema_errors("bench", document), "");
  EXPECT_EQ(string_at(document, "/tables/0/rows/0/name"), "lz4hc:6/per-bank+auto");
  EXPECT_EQ(string_at(document, "/tables/0/rows/1/name"), "lz4hc:6/per-column+auto");
  EXPECT_EQ(json_at(document, "/tables/0/rows/2"), "nothing");
  const fs::path output = folder / "recooked.hipo";
  ASSERT_EQ(run_tool({"recook", input, output.string(), "--codec", "lz4hc", "--effort", "auto",
                      "--record-size", "128KiB", "-q"})
                .exit_code,
            0);
  EXPECT_EQ(json_at(document, "/tables/0/rows/1/facts/file_bytes"),
            std::to_string(fs::file_size(output)));
}

TEST(Bench, RefusesWhatMakesNoSense) {
  const TempDir folder;
  const std::string input = sample_in(folder, "tiny", "5");
  EXPECT_EQ(compare({input}).exit_code, 1);  // no result
  EXPECT_EQ(compare({}).exit_code, 2);
  const std::vector<std::vector<std::string>> cases{
      {},
      {input, input},
      {input, "--table", "nonsense"},
      {input, "--codecs", "lz4:3"},
      {input, "--codecs", "zstd:20"},
      {input, "--codecs", "gzip:auto"},
      {input, "--codecs", "lz4:auto"},
      {input, "--codecs", "lz4hc:auto", "--layouts", "per-chunk"},
      {input, "--codecs", "lz4hc:auto", "--table", "levels"},
      {input, "--layouts", "per-bank+split"},
      {input, "--for", "size"},
      {input, "--fail-if-slower", "3"},
      {"advise", input},
      {"advise", input, "--for", "speed"},
      {"compare"},
      {"compare", input, input},  // --work-folder
      {"advise", input, "--for", "size", "--cold"},
      {input, "--threads", "1,2"},
      {input, "--record-size", "1M,2M"},
      {input, "--budgets", "1G"},
      {input, "--threads", "0"}};
  for (const auto& words : cases) {
    EXPECT_EQ(bench(words, folder).exit_code, 2) << fmt::format("{}", fmt::join(words, " "));
  }
  EXPECT_EQ(bench({input, "--banks", "NO::Such"}, folder).exit_code, 1);
  EXPECT_EQ(bench({(folder / "absent.hipo").string()}, folder).exit_code, 1);
}

TEST(Bench, AFileWithoutEventsIsAnError) {
  const TempDir folder;
  const std::string input = sample_in(folder, "tiny", "0");
  const ProgramResult result = bench({input}, folder);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.err.find("no events to measure with"), std::string::npos) << result.err;
}

TEST(Bench, RefusesToEvictWhatLiesInMemory) {
  if (!fs::exists("/dev/shm")) {
    GTEST_SKIP() << "no /dev/shm";
  }
  const TempDir folder;
  const fs::path copy =
      fs::path("/dev/shm") / fmt::format("hipo-tool-bench-test-{}.hipo", ::getpid());
  fs::copy_file(sample_in(folder, "tiny", "5"), copy);
  const ProgramResult result = bench({copy.string(), "--cold"}, folder);
  fs::remove(copy);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.err.find("--cold: the file lies in memory (tmpfs)"), std::string::npos)
      << result.err;
}

TEST(BenchCompareCommand, HoldsResultsAgainstTheFirst) {
  const TempDir folder;
  const std::string input = sample_in(folder, "tiny", "20");
  const std::string document =
      bench_out({input, "--json", "--codecs", "lz4", "--layouts", "per-bank"}, folder);
  const std::string before = (folder / "before.json").string();
  const std::string after = (folder / "after.json").string();
  write_text(before, document);
  write_text(after, document);
  const std::string same = compare_out({before, after, "--json"});
  EXPECT_EQ(schema_errors("bench", same), "");
  EXPECT_EQ(json_at(same, "/cells/6/ratio"), "1.0");
  EXPECT_EQ(string_at(same, "/cells/6/verdict"), "no measurable difference");
  EXPECT_EQ(json_at(same, "/slower_than_allowed"), "null");
  EXPECT_EQ(compare({before, after, "--fail-if-slower", "0"}).exit_code, 0);
}

// A document of one cell.
std::string result_with(double median) {
  return fmt::format(
      R"({{"schema":"hipo-tool/bench/1","view":"results","environment":{{"cpu":"X","revision":"r"}},)"
      R"("tables":[{{"name":"formats","rows":[{{"name":"lz4/per-bank","measurements":[)"
      R"({{"work":"read all","threads":1,"checksum":null,"real":{{"median_seconds":{},"noise_floor":0.01}}}}]}}]}}]}})"
      "\n",
      median);
}

TEST(BenchCompareCommand, FailsWhereACellIsSlowerThanAllowed) {
  const TempDir folder;
  const std::string before = (folder / "before.json").string();
  const std::string after = (folder / "after.json").string();
  write_text(before, result_with(1.0));
  // A job that ran twice leaves two documents.
  write_text(after, result_with(1.0) + result_with(1.3));
  EXPECT_EQ(compare({before, after}).exit_code, 0);
  EXPECT_EQ(compare({before, after, "--fail-if-slower", "20"}).exit_code, 1);
  EXPECT_EQ(compare({before, after, "--fail-if-slower", "40"}).exit_code, 0);
  const std::string document = compare_out({before, after, "--json"});
  EXPECT_EQ(string_at(document, "/cells/0/verdict"), "no measurable difference");
  EXPECT_EQ(string_at(document, "/cells/1/verdict"), "slower");
}

TEST(BenchCompareCommand, RefusesWhatIsNoResult) {
  const TempDir folder;
  const std::string good = (folder / "good.json").string();
  const std::string bad = (folder / "bad.json").string();
  write_text(good, result_with(1.0));
  for (const std::string text : {"", "{", "[]", "3", "{\"schema\":\"hipo-tool/stats/1\"}",
                                 "{\"schema\":\"hipo-tool/bench/1\",\"view\":\"results\"}",
                                 "{\"schema\":3,\"view\":\"results\"}"}) {
    write_text(bad, text);
    const ProgramResult result = compare({good, bad});
    EXPECT_EQ(result.exit_code, 1) << text;
    EXPECT_NE(result.err.find("bad.json"), std::string::npos) << result.err;
  }
}

// Recooks to what a candidate says, and returns the size.
double recooked_bytes(const TempDir& folder, const std::string& input, const std::string& document,
                      const std::string& candidate) {
  const fs::path output = folder / "recooked.hipo";
  std::vector<std::string> words{"recook",        input,
                                 output.string(), "--force",
                                 "--quiet",       "--reencode",
                                 "--layout",      string_at(document, candidate + "/layout"),
                                 "--codec",       string_at(document, candidate + "/codec"),
                                 "--encodings",   string_at(document, candidate + "/encodings"),
                                 "--effort",      string_at(document, candidate + "/effort"),
                                 "--record-size", json_at(document, candidate + "/record_bytes")};
  if (json_at(document, candidate + "/level") != "0") {
    words.insert(words.end(), {"--level", json_at(document, candidate + "/level")});
  }
  const ProgramResult result = run_tool(words);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return static_cast<double>(fs::file_size(output));
}

TEST(BenchAdvise, PredictsSizesWithinItsErrorBars) {
  const TempDir folder;
  const TempDir work;
  for (const auto& [profile, events] :
       {std::pair("dst", "80"), std::pair("raw", "80"), std::pair("skim", "200")}) {
    const std::string input = sample_in(folder, profile, events);
    const std::string document = bench_out({"advise", input, "--for", "full-read", "--json",
                                            "--record-size", "128KiB", "--sample", "400K"},
                                           work);
    EXPECT_EQ(schema_errors("bench", document), "");
    EXPECT_TRUE(string_at(document, "/sample").starts_with("a sample of "))
        << profile << ": " << json_at(document, "/sample");
    std::size_t candidates = 0;
    for (;; ++candidates) {
      const std::string candidate = fmt::format("/candidates/{}", candidates);
      if (json_at(document, candidate) == "nothing") {
        break;
      }
      const double predicted = number_at(document, candidate + "/file_bytes");
      const double error = number_at(document, candidate + "/file_bytes_error");
      EXPECT_LT(error, 0.2 * predicted);
      EXPECT_NEAR(recooked_bytes(folder, input, document, candidate), predicted, error)
          << profile << ": " << json_at(document, candidate);
    }
    EXPECT_GE(candidates, 9U);
  }
}

TEST(BenchAdvise, SaysWhatToTakeAndWhoCanReadIt) {
  const TempDir folder;
  const std::string input = sample_in(folder, "dst", "20");
  for (const std::string goal : {"size", "selective-read", "write"}) {
    const std::string document =
        bench_out({"advise", input, "--for", goal, "--json", "--record-size", "128KiB"}, folder);
    EXPECT_EQ(schema_errors("bench", document), "");
    EXPECT_EQ(string_at(document, "/for"), goal);
    EXPECT_NE(json_at(document, "/readable_by").find("hipo-tool"), std::string::npos);
    EXPECT_NE(json_at(document, "/command").find("hipo-tool recook"), std::string::npos);
  }
  const std::string text =
      bench_out({"advise", input, "--for", "write", "--record-size", "128KiB"}, folder);
  EXPECT_NE(text.find("the whole file"), std::string::npos) << text;
}

}  // namespace
}  // namespace hipotool::test
