#include "hipotool/compression.hpp"

#include "cli/tool_files.hpp"
#include "support/library.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace hipotool::test {
namespace {

namespace fs = std::filesystem;

class Dump : public ::testing::Test {
 protected:
  void SetUp() override {
    make_sample(file_, {"--profile", "tiny", "--events", "1000", "--record-size", "64KiB"});
  }

  [[nodiscard]] std::vector<std::string> events(std::vector<std::string> more) const {
    more.insert(more.begin(), {"dump", "--json", file_.string()});
    const ProgramResult result = run_tool(more);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.err, "");
    return lines_of(result.out);
  }

  TempDir folder_;
  fs::path file_ = folder_ / "in.hipo";
};

TEST_F(Dump, WithoutOptionsShowsWhatTheFileIs) {
  const ProgramResult result = run_tool({"dump", file_});
  EXPECT_EQ(result.exit_code, 0);
  for (const std::string line : {"id                     HIPO\n", "index                  valid\n",
                                 "events                 1000\n", "lz4/per-chunk\n"}) {
    EXPECT_NE(result.out.find(line), std::string::npos) << line << " in\n" << result.out;
  }
}

using DumpThreads = Dump;

TEST_F(DumpThreads, LinesAreValidJsonInFileOrderFromAnyNumberOfThreads) {
  const std::vector<std::string> lines = events({"-j", "1"});
  ASSERT_EQ(lines.size(), 1000U);
  for (std::size_t i = 0; i < lines.size(); i += 97) {
    EXPECT_EQ(schema_errors("dump", lines[i]), "") << lines[i];
    EXPECT_TRUE(
        lines[i].starts_with(R"({"schema":"hipo-tool/dump/1","event":)" + std::to_string(i) + ","))
        << lines[i];
  }
  EXPECT_EQ(events({"-j", "3"}), lines);
}

TEST_F(Dump, IsTheSameForEveryLayout) {
  const std::vector<std::string> lines = events({});
  for (const std::string layout : {"per-bank", "per-column"}) {
    ASSERT_EQ(run_tool({"recook", file_, folder_ / layout, "--layout", layout, "-q"}).exit_code, 0);
    EXPECT_EQ(lines_of(run_tool({"dump", "--json", folder_ / layout}).out), lines) << layout;
  }
}

TEST_F(Dump, ShowsTheEventsAskedFor) {
  const std::vector<std::string> lines = events({});
  using Lines = std::vector<std::string>;
  const auto part = [&](std::size_t begin, std::size_t end) {
    return Lines(lines.begin() + static_cast<std::ptrdiff_t>(begin),
                 lines.begin() + static_cast<std::ptrdiff_t>(end));
  };
  EXPECT_EQ(events({"-n", "3"}), part(0, 4));
  EXPECT_EQ(events({"-n", "0"}), Lines{});
  EXPECT_EQ(events({"-n", "5000"}), lines);
  EXPECT_EQ(events({"--events", "400:403", "--only"}), part(400, 403));
  EXPECT_EQ(events({"--events", ":2", "--only"}), part(0, 2));
  EXPECT_EQ(events({"--events", "998:", "--only"}), part(998, 1000));
  EXPECT_EQ(events({"--events", "998:2000", "--only"}), part(998, 1000));
  EXPECT_EQ(events({"--events", "2000:", "--only"}), Lines{});
  EXPECT_EQ(events({"--events", "400:500", "--only", "-n", "2"}), part(400, 402));
  EXPECT_EQ(events({"--events", "400:500", "--only", "--tag", "0-9", "--tag", "10-4294967295"}),
            part(400, 500));
}

// A scaler event first, then others, and three more scaler events among them.
class DumpSpecial : public ::testing::Test {
 protected:
  void SetUp() override {
    FileImage file;
    file.schemas = {"{T::t/1/1}{x/I}"};
    const TagName names[] = {{"dvcs", 2}};
    file.dictionary = {tag_names_event(names)};
    std::int32_t x = 0;
    for (const std::vector<std::uint32_t>& tags :
         std::vector<std::vector<std::uint32_t>>{{1, 0, 0, 4}, {1, 1, 0, 2}, {5, 0, 1, 0}}) {
      std::vector<EventImage> events;
      for (const std::uint32_t tag : tags) {
        events.push_back({.tag = tag, .banks = {{{1, 1}, packed(x++)}}});
      }
      file.records.push_back(
          whole_record(images(events), {.number = static_cast<std::uint32_t>(x / 4)}));
    }
    write_bytes(folder_ / "in.hipo", file.bytes());
  }

  [[nodiscard]] ProgramResult run(const std::vector<std::string>& words) const {
    return run_tool(ProgramRun{.arguments = words, .working_folder = folder_.path()});
  }
  // The values of x that are shown of a file.
  [[nodiscard]] std::string shown(std::vector<std::string> words,
                                  const std::string& file = "in.hipo") const {
    words.insert(words.begin(), {"dump", file, "--tsv", "-b", "T::t"});
    const ProgramResult result = run(words);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    std::string values;
    for (const std::string& line : lines_of(result.out)) {
      const std::string value = line.substr(line.rfind('\t') + 1);
      if (value != "x") {
        values += (values.empty() ? "" : " ") + value;
      }
    }
    return values;
  }

  TempDir folder_;
};

TEST_F(DumpSpecial, EventsAreChosenByTheirTagsAlone) {
  EXPECT_EQ(shown({"--where", "T::t.x >= 8"}), "0 4 5 8 9 10 11");
  EXPECT_EQ(shown({"--where", "T::t.x >= 8", "--only"}), "8 9 10 11");
  // What lies outside of the range is not looked for.
  EXPECT_EQ(shown({"--events", "2:4"}), "2 3");
  EXPECT_EQ(shown({"--events", "3:7", "--where", "T::t.x >= 6"}), "4 5 6");
  EXPECT_EQ(shown({"--events", "3:7", "--where", "T::t.x >= 6", "--only"}), "6");
  EXPECT_EQ(shown({"--events", "3:", "-n", "2"}), "3 4 5 6");
  EXPECT_EQ(shown({"--tag", "2-5"}), "3 7 8");
  EXPECT_EQ(shown({"--tag", "0", "--where", "T::t.x >= 8"}), "9 11");
  EXPECT_EQ(shown({"--special", "2,4", "--where", "T::t.x >= 8"}), "3 7 8 9 10 11");
  EXPECT_EQ(shown({"--special", "", "--where", "T::t.x >= 8"}), "8 9 10 11");
}

TEST_F(DumpSpecial, TheFirstNAreThoseThatAreNotSpecial) {
  EXPECT_EQ(shown({"-n", "1"}), "0 1");
  EXPECT_EQ(shown({"-n", "4"}), "0 1 2 3 4 5 6");
  EXPECT_EQ(shown({"-n", "4", "--only"}), "0 1 2 3");
  EXPECT_EQ(shown({"-n", "0"}), "");
  EXPECT_EQ(shown({"-n", "1", "--special", "0"}), "0");
}

TEST_F(DumpSpecial, OptionsMeanWhatTheyDoWhereEventsAreWritten) {
  for (const std::vector<std::string>& options :
       std::vector<std::vector<std::string>>{{"--where", "T::t.x >= 8"},
                                             {"--any", "dvcs"},
                                             {"--all", "5", "--invert"},
                                             {"--none", "dvcs", "--only", "-n", "3"},
                                             {"--by", "record", "--tag", "0"},
                                             {"--require", "T::t", "--tag", "4", "--or"},
                                             {"--sample", "0.4", "--seed", "3"},
                                             {"--every", "2", "-n", "99"}}) {
    std::vector<std::string> filter{"tag-filter", "in.hipo", "out.hipo", "-q", "-f"};
    filter.insert(filter.end(), options.begin(), options.end());
    ASSERT_EQ(run(filter).exit_code, 0) << options.front();
    EXPECT_EQ(shown(options), shown({}, "out.hipo")) << options.front();
  }
}

TEST_F(DumpSpecial, AreToldWhereTheyWereNotAskedFor) {
  const std::string told = "4 special events are shown besides those that the options choose";
  for (const std::vector<std::string>& options : std::vector<std::vector<std::string>>{
           {"dump", "in.hipo", "--where", "T::t.x >= 8"}, {"dump", "in.hipo", "--every", "2"}}) {
    EXPECT_NE(run(options).err.find(told), std::string::npos) << options.back();
  }
  EXPECT_EQ(run({"dump", "in.hipo", "--where", "T::t.x >= 8", "--only"}).err, "");
  EXPECT_EQ(run({"dump", "in.hipo", "-n", "4"}).err, "");
  EXPECT_EQ(run({"dump", "in.hipo", "--events", ":"}).err, "");
}

TEST_F(DumpSpecial, NamesOfBitsThatAFileLacksAreAnErrorOfThatFile) {
  const ProgramResult result = run({"dump", "in.hipo", "--any", "sidis"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.err.find("in.hipo: "), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("dvcs"), std::string::npos) << result.err;
  EXPECT_EQ(run({"dump", "in.hipo", "--or", "--tag", "1"}).exit_code, 2);
  EXPECT_EQ(run({"dump", "in.hipo", "--only"}).exit_code, 2);
  EXPECT_EQ(run({"dump", "in.hipo", "--any", "dvcs", "--tags-from", "in.hipo"}).exit_code, 0);
}

TEST_F(Dump, FailsForAFileThatCannotBeRead) {
  const ProgramResult missing = run_tool({"dump", "--json", folder_ / "missing"});
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_EQ(missing.out, "");
  EXPECT_EQ(schema_errors("error", missing.err), "") << missing.err;
  EXPECT_EQ(json_at(missing.err, "/code"), "\"io\"");
  EXPECT_EQ(json_at(missing.err, "/path"), '"' + (folder_ / "missing").string() + '"');
}

TEST_F(Dump, ShowsWhatComesBeforeTheDamageAndFails) {
  // Codec none: a changed event length is damage of one record, here the second.
  const fs::path plain = folder_ / "plain.hipo";
  make_sample(plain,
              {"--profile", "tiny", "--events", "60", "--record-events", "20", "--codec", "none"});
  const ProgramResult good = run_tool({"dump", "--json", plain});
  std::string bytes = read_text(plain);
  std::size_t event = bytes.size();
  for (int back = 0; back < 30; ++back) {
    event = bytes.rfind("EVNT", event - 1);
  }
  bytes[event + 4] = static_cast<char>(bytes[event + 4] + 1);
  write_text(plain, bytes);
  const ProgramResult damaged = run_tool({"dump", "--json", plain});
  EXPECT_EQ(damaged.exit_code, 1);
  EXPECT_EQ(lines_of(damaged.out).size(), 20U);
  EXPECT_TRUE(good.out.starts_with(damaged.out));
  EXPECT_EQ(json_at(damaged.err, "/code"), "\"corrupt\"") << damaged.err;
  // Events before it can be shown without meeting it.
  EXPECT_EQ(run_tool({"dump", "--json", plain, "-n", "5"}).exit_code, 0);
}

TEST_F(Dump, OptionsThatNeedTheFileAreWrongUsageToo) {
  for (const auto& [option, message] :
       std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"--csv"}, "--csv and --tsv show one bank; choose it with -b or --columns BANK.column"},
           {{"--tsv", "-b", "REC::Event,RUN::config"},
            "--csv and --tsv show one bank; 2 are chosen"},
           {{"--where", "tag =="},
            "--where: expression, character 7 of \"tag ==\": it ends too early"}}) {
    std::vector<std::string> words{"dump", file_.string()};
    words.insert(words.end(), option.begin(), option.end());
    const ProgramResult result = run_tool(words);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.err, "hipo-tool: error: " + message + "\n");
  }
}

class DumpGolden : public GoldenFiles {};

TEST_F(DumpGolden, AgreesWithTheReferenceForEveryFileOfTheMatrix) {
  for (const CodecInfo& codec : codecs()) {
    for (const char* layout : {"chunk", "bank", "column"}) {
      const fs::path file = golden(fmt::format("{}_{}.hipo", codec.name, layout));
      const ProgramResult result = run_tool({"dump", "--json", file});
      if (!codec.available) {
        EXPECT_EQ(result.exit_code, 1);
        continue;
      }
      EXPECT_EQ(result.exit_code, 0) << result.err;
      const std::string difference = first_difference(result.out, golden("matrix_expected.json"));
      EXPECT_TRUE(difference.empty()) << file << ": " << difference;
    }
  }
  for (const std::string name :
       {"be_lz4_chunk", "plain_lz4_chunk", "v3_lz4_column", "notrailer_chunk"}) {
    const ProgramResult result = run_tool({"dump", "--json", golden(name + ".hipo")});
    const std::string difference = first_difference(result.out, golden("matrix_expected.json"));
    EXPECT_TRUE(difference.empty()) << name << ": " << difference;
  }
  EXPECT_EQ(first_difference(run_tool({"dump", "--json", golden("cpp_lz4.hipo")}).out,
                             golden("cpp_lz4_expected.json")),
            "");
}

TEST_F(DumpGolden, TablesAndConditionsAgreeForEveryFileOfTheMatrix) {
  const auto shown = [&](const std::string& name, std::vector<std::string> more) {
    more.insert(more.begin(), "dump");
    more.push_back(golden(name + ".hipo").string());
    return run_tool(more).out;
  };
  std::vector<std::string> names{"be_lz4_chunk", "plain_lz4_chunk", "v3_lz4_column",
                                 "notrailer_chunk"};
  for (const CodecInfo& codec : codecs()) {
    for (const char* layout : {"chunk", "bank", "column"}) {
      if (codec.available) {
        names.push_back(fmt::format("{}_{}", codec.name, layout));
      }
    }
  }
  const std::string tables = shown("none_chunk", {"--events", ":"});
  EXPECT_EQ(std::count(tables.begin(), tables.end(), '\n'), 4833);
  const std::string condition = "count(REC::Particle, charge < 0) > 1 && !has(Rare::Bank)";
  const std::string chosen = shown("none_chunk", {"--json", "--only", "--where", condition,
                                                  "--columns", "REC::Particle.charge"});
  EXPECT_EQ(lines_of(chosen).size(), 53U);
  for (const std::string& name : names) {
    EXPECT_TRUE(shown(name, {"--events", ":"}) == tables) << name;
    EXPECT_TRUE(shown(name, {"--json", "--only", "--where", condition, "--columns",
                             "REC::Particle.charge"}) == chosen)
        << name;
  }
}

TEST_F(DumpGolden, EveryLineFitsTheSchema) {
  for (const std::string name :
       {"zstd_column.hipo", "hipopy_test.hipo", "empty_events_bank.hipo"}) {
    for (const std::string& line : lines_of(run_tool({"dump", "--json", golden(name)}).out)) {
      ASSERT_EQ(schema_errors("dump", line), "") << line;
    }
  }
}

TEST_F(DumpGolden, Int64AsStringsAndBanksAsStored) {
  const fs::path file = golden("none_chunk.hipo");
  const auto first = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"dump", "--json", "-n", "1", file.string()});
    return run_tool(more).out;
  };
  EXPECT_EQ(json_at(first({}), "/banks/1/columns/category"), "[-9223372036854775808]");
  EXPECT_EQ(json_at(first({"--int64", "string"}), "/banks/1/columns/category"),
            "[\"-9223372036854775808\"]");
  EXPECT_EQ(json_at(first({"--int64", "string"}), "/banks/1/columns/helicity"), "[-1]");
  EXPECT_EQ(json_at(first({}), "/banks/0/name"), "\"REC::Particle\"");
  EXPECT_EQ(json_at(first({"--as-stored"}), "/banks/0/name"), "\"RUN::config\"");
}

}  // namespace
}  // namespace hipotool::test
