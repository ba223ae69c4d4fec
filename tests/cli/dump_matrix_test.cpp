// Every view and option of dump gives the same text and JSON for one content, in whatever way it is
// stored, but for what says how it is stored. The text is checked in: tests/data/expected.

#include "cli/dump_content.hpp"
#include "cli/tool_files.hpp"
#include "cli/transcript.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace hipotool::test {
namespace {

namespace fs = std::filesystem;
using Runs = std::vector<std::vector<std::string>>;

// CSV without some columns, which are named in its first line. No cell that is kept has a comma.
std::string without_columns(const std::string& csv, const std::set<std::string>& names) {
  const auto fields_of = [](const std::string& line) {
    std::vector<std::string> fields(1);
    for (const char character : line) {
      if (character == ',') {
        fields.emplace_back();
      } else {
        fields.back() += character;
      }
    }
    return fields;
  };
  const std::vector<std::string> lines = lines_of(csv);
  const std::vector<std::string> header = fields_of(lines.at(0));
  std::string kept;
  for (const std::string& line : lines) {
    const std::vector<std::string> fields = fields_of(line);
    EXPECT_EQ(fields.size(), header.size()) << line;
    std::string separator;
    for (std::size_t i = 0; i < std::min(fields.size(), header.size()); ++i) {
      if (!names.contains(header[i])) {
        kept += separator + fields[i];
        separator = ",";
      }
    }
    kept += "\n";
  }
  return kept;
}

struct Stored {
  std::string name;
  Compression compression{};
  bool big_endian = false;
};

std::vector<Stored> every_way_of_storing() {
  std::vector<Stored> all;
  for (const Compression& compression : all_compressions()) {
    all.push_back({test_name(compression), compression});
  }
  all.push_back({"big_endian", {}, true});
  return all;
}

class DumpMatrix : public ::testing::TestWithParam<Stored> {
 protected:
  void SetUp() override {
    if (GetParam().big_endian) {
      write_bytes(folder_ / "in.hipo", big_endian_dump_content().bytes());
    } else {
      write_as(dump_content(), GetParam().compression, folder_ / "in.hipo");
    }
  }

  [[nodiscard]] std::string run(std::vector<std::string> words) const {
    words.insert(words.begin(), "dump");
    words.emplace_back("in.hipo");
    const ProgramResult result =
        run_tool(ProgramRun{.arguments = words, .working_folder = folder_.path()});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.out;
  }

  TempDir folder_;
};

TEST_P(DumpMatrix, EventsAreTheSame) {
  const Runs runs{
      {"dump", "--events", ":", "in.hipo"},
      {"dump", "--json", "in.hipo"},
      {"dump", "--csv", "-b", "REC::Particle", "in.hipo"},
      {"dump", "--tsv", "-b", "Test::Arrays", "in.hipo"},
      {"dump", "--csv", "--columns", "Test::Arrays.a?,Test::Arrays.n", "in.hipo"},
      {"dump", "--json", "-b", "RUN::*,610/1,Zero::Rows", "in.hipo"},
      {"dump", "-b", "*", "--columns", "trigger,Test::All.d,pid,Test::All.b", "in.hipo"},
      {"dump", "--json", "--columns", "REC::Particle.status,REC::Particle.p*", "in.hipo"},
      {"dump", "--json", "--columns", "Ragged::Bank.b", "--events", "5:7", "in.hipo"},
      {"dump", "--tag", "1,4", "in.hipo"},
      {"dump", "--tag", "5-4294967295", "--json", "--int64", "string", "in.hipo"},
      {"dump", "--where", "REC::Particle.pid == 211 || tag == 4", "in.hipo"},
      {"dump", "--json", "--where", "count(REC::Particle, charge < 0) > 0", "--columns",
       "RUN::config.event", "in.hipo"},
      {"dump", "--where", "RUN::config.trigger == 9007199254740993", "--tag", "1", "-b",
       "RUN::config", "in.hipo"},
      {"dump", "--events", "3:5", "in.hipo"},
      {"dump", "--events", "2:", "--where", "has(RUN::config)", "-n", "2", "in.hipo"},
      {"dump", "-n", "1", "-b", "RUN::config", "in.hipo"},
      {"dump", "--json", "-b", "REC::Particl", "in.hipo"},
      {"dump", "--columns", "REC::Particle.pidd", "in.hipo"},
      {"dump", "-b", "REK::*", "in.hipo"},
      {"dump", "--where", "RUN::confg.run == 1", "in.hipo"},
  };
  expect_transcript("dump_events.txt", transcript(folder_.path(), runs));
}

TEST_P(DumpMatrix, ViewsOfTheDictionaryAreTheSame) {
  Runs runs;
  for (const std::string view : {"--schema", "--config", "--tags"}) {
    for (const std::string format : {"text", "json", "csv", "markdown"}) {
      runs.push_back({"dump", view, "--format", format, "in.hipo"});
    }
  }
  runs.push_back({"dump", "--schema", "-b", "*::?a*", "--csv", "in.hipo"});
  runs.push_back({"dump", "--schema", "--schema-form", "compact", "in.hipo"});
  runs.push_back({"dump", "--schema", "--schema-form", "json", "-b", "Test::All", "in.hipo"});
  runs.push_back({"dump", "--schema", "-b", "Test::Al", "in.hipo"});
  runs.push_back({"dump", "--schema", "-b", "T*,None::*", "in.hipo"});
  expect_transcript("dump_dictionary.txt", transcript(folder_.path(), runs));
}

TEST_P(DumpMatrix, TheOtherViewsDifferOnlyInHowRecordsAreStored) {
  const std::set<std::string> about_storage{
      "bytes",     "byte_order", "trailer_position", "stored_as", "dictionary_bytes", "offset",
      "raw_ratio", "codec",      "layout",           "version",   "stored_bytes"};
  std::string text = without_columns(run({"--header", "--csv"}), about_storage);
  text += without_columns(run({"--records", "--csv"}), about_storage);
  expect_transcript("dump_records.txt", text);
}

TEST_P(DumpMatrix, EveryJsonLineFitsItsSchema) {
  for (const std::string& line : lines_of(run({"--json"}))) {
    EXPECT_EQ(schema_errors("dump", line), "") << line;
  }
  for (const std::string view : {"header", "records", "schema", "config", "tags"}) {
    const std::string line = run({"--" + view, "--json"});
    EXPECT_EQ(schema_errors("dump_" + view, line), "") << line;
  }
  for (const std::string record : {"0", "1", "2"}) {
    const std::string line = run({"--streams", record, "--json"});
    EXPECT_EQ(schema_errors("dump_streams", line), "") << line;
  }
}

// Streams say how a record is stored; what they hold together does not depend on it.
TEST_P(DumpMatrix, StreamsHoldTheBanksOfTheRecord) {
  const std::string csv = run({"--streams", "1", "--csv"});
  std::vector<std::string> lines = lines_of(csv);
  ASSERT_FALSE(lines.empty());
  EXPECT_EQ(lines.front(),
            "path,bank,group,item,column,type,holds,stored_bytes,raw_bytes,raw_ratio,codec,"
            "encoding,checksum");
  lines.erase(lines.begin());
  const auto count = [&](const std::string& text) {
    return std::count_if(lines.begin(), lines.end(), [&](const std::string& line) {
      return line.find(text) != std::string::npos;
    });
  };
  const LayoutId layout = GetParam().compression.layout;
  EXPECT_EQ(count(",record,"), layout == LayoutId::per_chunk ? 1 : 0);
  EXPECT_EQ(count(",directory,"), layout == LayoutId::per_chunk ? 0 : 1);
  // REC::Particle, Test::All, Zero::Rows, Ragged::Bank, 600/1, 701/6.
  EXPECT_EQ(count(",bank,"), layout == LayoutId::per_bank     ? 6
                             : layout == LayoutId::per_column ? 2
                                                              : 0);
  EXPECT_EQ(count(",column,"), layout == LayoutId::per_column ? 5 + 6 + 1 + 1 : 0);
  EXPECT_EQ(count("in.hipo,Ragged::Bank,500,9,,,bank,"), layout == LayoutId::per_chunk ? 0 : 1);
  EXPECT_EQ(count("in.hipo,REC::Particle,300,1,vt,D,column,"),
            layout == LayoutId::per_column ? 1 : 0);
  const bool version_3 = GetParam().compression.encodings == Encodings::best;
  EXPECT_EQ(count(",raw,yes") + count(",byte-split:8,yes") > 0, version_3) << csv;
}

INSTANTIATE_TEST_SUITE_P(EveryCompression, DumpMatrix, ::testing::ValuesIn(every_way_of_storing()),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace hipotool::test
