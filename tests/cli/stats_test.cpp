#include "hipotool/compression.hpp"

#include "cli/tool_files.hpp"
#include "support/fixtures.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace hipotool::test {
namespace {

namespace fs = std::filesystem;

ProgramResult stats(std::vector<std::string> arguments, const fs::path& folder = {}) {
  arguments.insert(arguments.begin(), "stats");
  return run_tool(ProgramRun{.arguments = std::move(arguments), .working_folder = folder});
}

// The result of a run that must succeed without a word on stderr.
std::string stats_out(const std::vector<std::string>& arguments, const fs::path& folder = {}) {
  const ProgramResult result = stats(arguments, folder);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  return result.out;
}

// What depends on how events are stored, and not on the events.
const std::vector<std::string>& storage_keys() {
  static const std::vector<std::string> keys{"path",
                                             "bytes",
                                             "ratio",
                                             "storage",
                                             "record_sizes",
                                             "stored_bytes",
                                             "stored_share",
                                             "estimated",
                                             "readers",
                                             "directory_bytes",
                                             "bytes_read",
                                             "streams_inflated",
                                             "index",
                                             "index_reason",
                                             "warnings",
                                             "records",
                                             "tiny_records",
                                             "median_record_events",
                                             "dictionary_bytes"};
  return keys;
}

fs::path write_file(const TempDir& folder, const std::string& name, const FileImage& image) {
  write_bytes(folder / name, image.bytes());
  return folder / name;
}

// The rows of a JSON table that have `value` under `key`.
std::string row_with(const std::string& document, const std::string& table, const std::string& key,
                     const std::string& value) {
  for (std::size_t row = 0;; ++row) {
    const std::string at = fmt::format("/{}/{}", table, row);
    if (json_at(document, at) == "nothing") {
      return "nothing";
    }
    if (json_at(document, fmt::format("{}/{}", at, key)) == value) {
      return json_at(document, at);
    }
  }
}

// ---- as people and programs see it

TEST(StatsText, IsForPeople) {
  EXPECT_EQ(stats_out({"lz4_per_bank.hipo", "--per-bank"}, HIPO_TEST_DATA_DIR),
            R"text(path                   lz4_per_bank.hipo
bytes                  1.39 kB
raw bytes              1.15 kB
ratio                  0.826
index                  valid
events                 12
empty events           1
records                2
tiny records           2
median record events   4
directory bytes        264 B
dictionary bytes       288 B
schemas                2
configuration entries  1
events by tag
  tag  names   events
    0  -            9
    1  scaler       3
storage
  codec  layout    encodings  records  events  stored bytes  raw bytes
  lz4    per-bank  none             2      12         896 B    1.15 kB
record sizes
  of        min  median    max
  stored  400 B   400 B  496 B
  raw     439 B   439 B  708 B
readers
  reader     reads  since  reason
  C++ hipo4  no     -      lz4/per-bank records; dictionary events without schema text (configuration, tag names); array columns
  Java       no     -      lz4/per-bank records; schemas without JSON; array columns
  oxihipo    yes    0.9.0  -
banks
  bank       group  item  state   events  events without rows  rows  rows per event  raw bytes  raw share  stored bytes  stored share  ratio
  REC::Tiny    300     1  filled      11                    0    21           1.909      567 B      0.784         393 B         0.760  1.443
  REC::Cov     300     2  filled       6                    3     6           1.000       84 B      0.116          56 B         0.108  1.500
  310/1        310     1  filled       3                    0     -               -       57 B      0.079          51 B         0.099  1.118
  320/7        320     7  filled       3                    0     -               -       15 B      0.021          17 B         0.033  0.882
)text");
}

TEST(StatsText, HasATableOfValues) {
  const std::string text =
      stats_out({"lz4_per_column.hipo", "--values", "-b", "REC::*"}, HIPO_TEST_DATA_DIR);
  EXPECT_EQ(text.substr(text.find("columns\n")), R"text(columns
  Java       no     -      lz4/per-column records; schemas without JSON; array columns
  oxihipo    yes    0.9.0  -
columns
  bank       column  type  rows  raw bytes  raw share  stored bytes  stored share  ratio  values            min            max              mean  standard deviation  zeros  distinct  histogram
  REC::Tiny  pid     I       21       84 B      0.116          57 B         0.104  1.474      21             11            213           106.857             100.536      0         3  [@                        @]
  REC::Tiny  p       F       21       84 B      0.116          88 B         0.160  0.955      21            0.5            7.5           4.25893             2.29269      0        21  [- *  @ -  *    - *  @ -  * *-]
  REC::Tiny  status  S       21       42 B      0.058          39 B         0.071  1.077      21           2000           2002          2000.619            0.722179      0         3  [@*-]
  REC::Tiny  charge  B       21       21 B      0.029          23 B         0.042  0.913      21             -1              1         -0.333333            0.942809      0         2  [@ +]
  REC::Tiny  time    D       21      168 B      0.232         106 B         0.193  1.585      21            100            128           115.036             9.17076      0        21  [- *  @ -  *    - *  @ -  * *-]
  REC::Tiny  id      L       21      168 B      0.232         101 B         0.184  1.663      21  1099511627776  1099511627888  1099511627836.14             36.6831      0        21  [- *  @ -  *    - *  @ -  * *-]
  REC::Cov   cov     F#3      6       72 B      0.100          53 B         0.097  1.358      18              0              1          0.541667            0.365624      3         4  [+   +   @       @]
  REC::Cov   n       S        6       12 B      0.017          14 B         0.026  0.857       6              0              1               0.5                 0.5      3         2  [@@]
)text");
}

TEST(StatsText, HasTotalsBehindTheFiles) {
  const std::string one = stats_out({"lz4_per_bank.hipo"}, HIPO_TEST_DATA_DIR);
  const std::string all =
      stats_out({"lz4_per_bank.hipo", "lz4_per_bank.hipo", "--total"}, HIPO_TEST_DATA_DIR);
  EXPECT_TRUE(all.starts_with(one + "\n" + one + "\nfiles                 2\n")) << all;
}

TEST(StatsJson, IsOneObjectInOneLine) {
  EXPECT_EQ(
      stats_out({"lz4_per_chunk.hipo", "--json", "--per-bank", "-b", "REC::Tiny,320/7"},
                HIPO_TEST_DATA_DIR),
      R"text({"schema":"hipo-tool/stats/1","path":"lz4_per_chunk.hipo","files":1,"bytes":1352,"raw_bytes":1147,"ratio":0.8483727810650887,"index":"valid","index_reason":null,"events":12,"events_in_file":12,"special_events":null,"empty_events":1,"duplicate_events":null,"events_without_run":null,"events_of_other_tags":0,"events_of_other_runs":0,"records":2,"empty_records":0,"tiny_records":2,"median_record_events":4,"directory_bytes":0,"dictionary_bytes":288,"schemas":2,"configuration_entries":1,"streams_inflated":2,"bytes_read":860,"events_by_tag":[{"tag":0,"names":null,"events":9},{"tag":1,"names":"scaler","events":3}],"runs":null,"storage":[{"codec":"lz4","layout":"per-chunk","encodings":"none","records":2,"events":12,"stored_bytes":860,"raw_bytes":1147}],"record_sizes":[{"of":"stored","min":372,"median":372,"max":488},{"of":"raw","min":439,"median":439,"max":708}],"readers":[{"reader":"C++ hipo4","reads":false,"since":null,"reason":"dictionary events without schema text (configuration, tag names); array columns"},{"reader":"Java","reads":false,"since":null,"reason":"schemas without JSON; array columns"},{"reader":"oxihipo","reads":true,"since":"0.9.0","reason":null}],"banks":[{"bank":"REC::Tiny","group":300,"item":1,"state":"filled","events":11,"events_without_rows":0,"rows":21,"rows_per_event":1.9090909090909092,"raw_bytes":567,"raw_share":0.7842323651452282,"stored_bytes":null,"stored_share":null,"ratio":null,"estimated":false},{"bank":"320/7","group":320,"item":7,"state":"filled","events":3,"events_without_rows":0,"rows":null,"rows_per_event":null,"raw_bytes":15,"raw_share":0.02074688796680498,"stored_bytes":null,"stored_share":null,"ratio":null,"estimated":false}],"warnings":[]}
)text");
}

// ---- the same answers everywhere

fs::path fixture(const Compression& compression) {
  return fs::path(HIPO_TEST_DATA_DIR) / fixture_name(compression);
}

TEST(Stats, SayTheSameOfEveryLayoutAndCodec) {
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{},
        {"--per-bank", "--per-column", "--values", "--duplicates"},
        {"--per-tag", "--values", "--sort", "raw_bytes"},
        {"-b", "REC::C*,310/1", "--per-column"},
        {"--tag", "1-3,7", "--per-bank"},
        {"--where", "REC::Tiny.status == 2001", "--only", "--values"}}) {
    std::vector<std::string> plain{"--json",
                                   fixture({CodecId::none, LayoutId::per_chunk}).string()};
    plain.insert(plain.end(), options.begin(), options.end());
    const std::string expected = json_without(stats_out(plain), storage_keys());
    for (const Compression& compression : fixture_compressions()) {
      if (!codec_info(compression.codec).available) {
        continue;
      }
      std::vector<std::string> arguments = plain;
      arguments[1] = fixture(compression).string();
      const std::string document = stats_out(arguments);
      EXPECT_EQ(schema_errors("stats", document), "") << document;
      EXPECT_EQ(json_without(document, storage_keys()), expected) << arguments[1];
    }
  }
}

// Counted from the dump that another implementation made of the same file, by group and item. What
// is no table of whole rows (in Ragged::Bank) has no rows.
struct GoldenBank {
  std::string name;
  std::uint64_t events;
  std::string rows;
};
const std::vector<GoldenBank>& golden_banks() {
  static const std::vector<GoldenBank> banks{
      {"REC::Particle", 213, "634"}, {"REC::Event", 235, "235"},  {"REC::Calorimeter", 79, "158"},
      {"Test::All", 120, "540"},     {"Test::Arrays", 57, "114"}, {"Rare::Bank", 20, "20"},
      {"Zero::Rows", 24, "0"},       {"Never::Present", 0, "0"},  {"Ragged::Bank", 48, "78"},
      {"610/1", 12, "null"},         {"C::pad4", 27, "0"},        {"C::pad8", 27, "0"},
      {"900/7", 33, "null"},         {"RUN::config", 235, "235"}};
  return banks;
}

class StatsGolden : public GoldenFiles {};

TEST_F(StatsGolden, CountWhatTheReferenceHas) {
  const std::vector<std::string> options{"--json", "--per-bank", "--per-column", "--values",
                                         "--duplicates"};
  const auto document_of = [&](const std::string& name) {
    std::vector<std::string> arguments = options;
    arguments.push_back(golden(name + ".hipo").string());
    const ProgramResult result = stats(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.out;
  };
  const std::string first = document_of("none_chunk");
  EXPECT_EQ(schema_errors("stats", first), "");
  EXPECT_EQ(json_at(first, "/events"), "240");
  EXPECT_EQ(json_at(first, "/empty_events"), "5");
  EXPECT_EQ(json_at(first, "/events_without_run"), "5");
  EXPECT_EQ(json_at(first, "/runs"),
            R"([{"events":235,"highest_event":239,"lowest_event":0,"run":11014}])");
  EXPECT_EQ(row_with(first, "events_by_tag", "tag", "5"),
            R"({"events":30,"names":"dvcs|one_electron","tag":5})");
  for (std::size_t i = 0; i < golden_banks().size(); ++i) {
    const GoldenBank& bank = golden_banks()[i];
    const std::string row = json_at(first, fmt::format("/banks/{}", i));
    EXPECT_EQ(json_at(row, "/bank"), "\"" + bank.name + "\"");
    EXPECT_EQ(json_at(row, "/events"), std::to_string(bank.events)) << bank.name;
    EXPECT_EQ(json_at(row, "/rows"), bank.rows) << bank.name;
  }
  const std::string expected = json_without(first, storage_keys());
  for (const CodecInfo& codec : codecs()) {
    for (const char* layout : {"chunk", "bank", "column"}) {
      if (codec.available) {
        const std::string name = fmt::format("{}_{}", codec.name, layout);
        EXPECT_EQ(json_without(document_of(name), storage_keys()), expected) << name;
      }
    }
  }
  for (const std::string name : {"be_lz4_chunk", "v3_lz4_column"}) {
    EXPECT_EQ(json_without(document_of(name), storage_keys()), expected) << name;
  }
}

TEST_F(StatsGolden, ComputeWhatExactArithmeticGives) {
  const std::string document = stats({"--json", "--values", golden("lz4_column.hipo")}).out;
  const auto column = [&](const std::string& bank, const std::string& name) {
    for (std::size_t row = 0;; ++row) {
      std::string text = json_at(document, fmt::format("/columns/{}", row));
      if (text == "nothing" || (json_at(text, "/bank") == "\"" + bank + "\"" &&
                                json_at(text, "/column") == "\"" + name + "\"")) {
        return text;
      }
    }
  };
  const std::string px = column("REC::Particle", "px");
  EXPECT_EQ(json_at(px, "/values"), "634");
  EXPECT_EQ(json_at(px, "/min"), "-2.702283");
  EXPECT_EQ(json_at(px, "/max"), "3.215754");
  EXPECT_EQ(json_at(px, "/distinct"), "634");
  const std::string vt = column("REC::Particle", "vt");
  EXPECT_EQ(json_at(vt, "/min"), "-394.72099105928135");
  EXPECT_EQ(json_at(vt, "/mean"), "2.815945461311044");
  EXPECT_EQ(json_at(vt, "/standard_deviation"), "128.42752517663644");
  // 235 integers above -2^63: their squares have 126 bits, of which all but the last few cancel.
  const std::string category = column("REC::Event", "category");
  EXPECT_EQ(json_at(category, "/min"), "-9223372036854775808");
  EXPECT_EQ(json_at(category, "/mean"), "-9.223372036854776e+18");
  EXPECT_EQ(json_at(category, "/standard_deviation"), "69.24972033452656");
  EXPECT_EQ(json_at(column("Test::All", "b"), "/distinct"), "179");
  EXPECT_EQ(json_at(column("Test::All", "l"), "/distinct"), "321");
}

TEST_F(StatsGolden, ReadWhatOthersWrote) {
  for (const std::string name : {"cpp_lz4", "hipopy_test", "empty_events_bank", "oxihipo_sample",
                                 "zero_events_chunk", "cpp_golden_lz4"}) {
    const ProgramResult result =
        stats({"--json", "--per-bank", "--values", "--duplicates", golden(name + ".hipo")});
    EXPECT_EQ(result.exit_code, 0) << name << ": " << result.err;
    EXPECT_EQ(schema_errors("stats", result.out), "") << name;
  }
  const ProgramResult no_index = stats({"--json", golden("notrailer_chunk.hipo")});
  EXPECT_EQ(no_index.exit_code, 0);
  EXPECT_NE(no_index.err.find("index absent"), std::string::npos) << no_index.err;
  EXPECT_EQ(json_at(no_index.out, "/index"), "\"absent\"");
  EXPECT_EQ(json_at(no_index.out, "/events"), "240");
  const ProgramResult no_trailer = stats({"--json", golden("cuttrailer_bank.hipo")});
  EXPECT_EQ(no_trailer.exit_code, 0);
  EXPECT_NE(no_trailer.err.find("index cut"), std::string::npos) << no_trailer.err;
  EXPECT_EQ(json_at(no_trailer.out, "/index"), "\"cut\"");
  EXPECT_EQ(json_at(no_trailer.out, "/events"), "240");
  const ProgramResult cut = stats({"--json", golden("truncrec_column.hipo")});
  EXPECT_EQ(cut.exit_code, 0);
  EXPECT_EQ(json_at(cut.out, "/events"), "192");
  EXPECT_NE(cut.err.find("it ends inside record 3"), std::string::npos) << cut.err;
}

// ---- files and options

class StatsFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    write_fixture(compression_of(CodecId::lz4, LayoutId::per_column), folder_ / "a.hipo");
    write_fixture(compression_of(CodecId::lz4, LayoutId::per_chunk), folder_ / "b.hipo");
    write_text(folder_ / "text.hipo", "hello");
  }

  TempDir folder_;
};

TEST_F(StatsFiles, AreAllLookedAtWhateverHappensToOne) {
  const ProgramResult result =
      stats({"--json", "-j", "2", "--total", "a.hipo", "text.hipo", "missing.hipo", "b.hipo"},
            folder_.path());
  EXPECT_EQ(result.exit_code, 1);
  const std::vector<std::string> lines = lines_of(result.out);
  ASSERT_EQ(lines.size(), 3U) << result.out;
  EXPECT_EQ(json_at(lines[0], "/path"), "\"a.hipo\"");
  EXPECT_EQ(json_at(lines[1], "/path"), "\"b.hipo\"");
  EXPECT_EQ(json_at(lines[2], "/path"), "null");
  EXPECT_EQ(json_at(lines[2], "/files"), "2");
  EXPECT_EQ(json_at(lines[2], "/events"), "24");
  EXPECT_EQ(json_at(lines[2], "/warnings/0/message"),
            "\"2 files could not be read and are left out\"");
  for (const std::string& line : lines) {
    EXPECT_EQ(schema_errors("stats", line), "") << line;
  }
  std::vector<std::string> errors = lines_of(result.err);
  std::erase_if(errors, [](const std::string& line) { return !line.starts_with("{"); });
  ASSERT_EQ(errors.size(), 2U) << result.err;
  EXPECT_EQ(json_at(errors[0], "/code"), "\"bad_magic\"");
  EXPECT_EQ(json_at(errors[1], "/code"), "\"io\"");
}

TEST_F(StatsFiles, ThatCannotBeReadHaveALineOnStderr) {
  const ProgramResult result = stats({"text.hipo", "missing.hipo"}, folder_.path());
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.out, "");
  const std::vector<std::string> lines = lines_of(result.err);
  ASSERT_EQ(lines.size(), 2U) << result.err;
  EXPECT_TRUE(lines[0].starts_with("hipo-tool: error: text.hipo: ")) << lines[0];
  EXPECT_EQ(lines[1], "hipo-tool: error: missing.hipo: cannot open: No such file or directory");
}

TEST_F(StatsFiles, MayBeFoldersPatternsAndLists) {
  fs::remove(folder_ / "text.hipo");
  const std::string both = stats_out({"--json", "a.hipo", "b.hipo"}, folder_.path());
  EXPECT_EQ(stats_out({"--json", "?.hipo"}, folder_.path()), both);
  write_text(folder_ / "list", "# both\na.hipo\n\nb.hipo\n");
  EXPECT_EQ(stats_out({"--json", "-L", "list"}, folder_.path()), both);
  const std::string folder = stats_out({"--json", folder_.path().string()});
  EXPECT_EQ(lines_of(folder).size(), 2U);
}

TEST_F(StatsFiles, AddUpInTheTotal) {
  fs::remove(folder_ / "text.hipo");
  const std::vector<std::string> lines = lines_of(
      stats_out({"--json", "--total", "--duplicates", "--values", folder_.path().string()}));
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(json_at(lines[0], "/duplicate_events"), "0");
  EXPECT_EQ(json_at(lines[2], "/duplicate_events"), "12");
  EXPECT_EQ(json_at(lines[2], "/columns/0/values"),
            std::to_string(2 * std::stoi(json_at(lines[0], "/columns/0/values"))));
  EXPECT_EQ(json_at(lines[2], "/columns/0/mean"), json_at(lines[0], "/columns/0/mean"));
}

TEST_F(StatsFiles, MakeOneTableOfCsv) {
  const std::vector<std::string> lines =
      lines_of(stats_out({"--csv", "--per-bank", "a.hipo", "b.hipo"}, folder_.path()));
  ASSERT_EQ(lines.size(), 9U);
  EXPECT_EQ(lines[0],
            "path,bank,group,item,state,events,events_without_rows,rows,rows_per_event,raw_bytes,"
            "raw_share,stored_bytes,stored_share,ratio,estimated");
  EXPECT_TRUE(lines[1].starts_with("a.hipo,REC::Tiny,300,1,filled,11,0,")) << lines[1];
  EXPECT_TRUE(lines[5].starts_with("b.hipo,REC::Tiny,300,1,filled,11,0,")) << lines[5];
  EXPECT_TRUE(lines[5].ends_with(",,,,no")) << lines[5];
  const std::vector<std::string> summary =
      lines_of(stats_out({"--csv", "a.hipo", "b.hipo"}, folder_.path()));
  ASSERT_EQ(summary.size(), 3U);
  EXPECT_TRUE(summary[2].starts_with("b.hipo,1,")) << summary[2];
}

TEST_F(StatsFiles, SortTheirTables) {
  const auto names = [&](const std::string& key) {
    std::string text;
    for (const std::string& line :
         lines_of(stats_out({"--csv", "--sort", key, "a.hipo"}, folder_.path()))) {
      text += line.substr(0, line.find(',', 7)) + " ";
    }
    return text;
  };
  EXPECT_EQ(names("raw_bytes"),
            "path,bank a.hipo,REC::Tiny a.hipo,REC::Cov a.hipo,310/1 a.hipo,320/7 ");
  EXPECT_EQ(names("bank"), "path,bank a.hipo,310/1 a.hipo,320/7 a.hipo,REC::Cov a.hipo,REC::Tiny ");
  const ProgramResult unknown = stats({"--sort", "size", "a.hipo"}, folder_.path());
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_EQ(unknown.out, "");
  EXPECT_NE(unknown.err.find("--sort: 'size' is none of bank, group, item, state, events, "),
            std::string::npos)
      << unknown.err;
}

TEST_F(StatsFiles, RefuseWhatMakesNoSense) {
  const auto expect = [&](int exit_code, const std::vector<std::string>& options,
                          const std::string& message) {
    std::vector<std::string> arguments{"a.hipo"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const ProgramResult result = stats(arguments, folder_.path());
    EXPECT_EQ(result.exit_code, exit_code) << message;
    EXPECT_EQ(result.out, "") << message;
    EXPECT_NE(result.err.find(message), std::string::npos) << result.err;
  };
  expect(2, {"--csv", "--per-bank", "--values"}, "CSV holds one table");
  expect(2, {"--tag", "5-3"}, "--tag: the range '5-3' ends before it begins");
  expect(2, {"--tag", "x"}, "--tag: 'x' is not a whole number from 0 to 4294967295");
  expect(2, {"--only"}, "give --where");
  expect(2, {"--where", "1 +"}, "--where: ");
  expect(2, {"--nonsense"}, "--nonsense");
  expect(1, {"--where", "REC::Tiny.pdi == 11"}, "a.hipo: ");
  expect(1, {"-b", "REC::Tin"}, "the nearest names are REC::Tiny");
  expect(1, {"-b", "REC::X*"}, "no bank in the dictionary matches REC::X*");
  const ProgramResult none = stats({});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_NE(none.err.find("no file given"), std::string::npos) << none.err;
}

TEST_F(StatsFiles, GoToAReportFileWhenQuiet) {
  EXPECT_EQ(stats_out({"-q", "a.hipo"}, folder_.path()), "");
  EXPECT_EQ(stats_out({"-q", "--json", "--report-file", "out.json", "a.hipo"}, folder_.path()), "");
  EXPECT_EQ(schema_errors("stats", read_text(folder_ / "out.json")), "");
}

// ---- faults that users met (the numbers are those of their log)

class StatsFaults : public ::testing::Test {
 protected:
  static constexpr BankKey kConfig{10000, 11};
  static constexpr BankKey kTracks{300, 1};
  static constexpr BankKey kHits{300, 2};

  static FileImage file_of(const std::vector<EventImage>& events) {
    FileImage file;
    file.schemas = {"{RUN::config/10000/11}{run/I,event/I}", "{T::tracks/300/1}{p/F}",
                    "{T::hits/300/2}{id/I}", "{T::never/300/3}{x/I}"};
    file.records = {whole_record(images(events))};
    return file;
  }
  static EventImage config_event(std::int32_t run, std::int32_t number, std::uint32_t tag = 0) {
    return {tag, {{kConfig, packed(run, number)}}};
  }

  // The file in every layout, as JSON of `stats OPTIONS...`; they must agree but for sizes.
  std::string stats_of(const FileImage& image, const std::vector<std::string>& options) {
    const fs::path plain = write_file(folder_, "plain.hipo", image);
    std::string expected;
    for (const LayoutId layout : kLayouts) {
      const fs::path file = folder_ / std::string(to_string(layout));
      RewriteOptions how;
      how.compression = compression_of(CodecId::lz4, layout);
      recook(FileReader(plain), file, how);
      std::vector<std::string> arguments{"--json", file.string()};
      arguments.insert(arguments.end(), options.begin(), options.end());
      const ProgramResult result = stats(arguments);
      EXPECT_EQ(result.exit_code, 0) << result.err;
      warnings_ = result.err;
      const std::string content = json_without(result.out, storage_keys());
      expected = expected.empty() ? content : expected;
      EXPECT_EQ(content, expected) << file;
    }
    return expected;
  }

  TempDir folder_;
  std::string warnings_;
};

TEST_F(StatsFaults, C23EmptyEventsAndDuplicatesAreCounted) {
  const std::string document = stats_of(
      file_of({config_event(1, 1), {}, config_event(1, 1), config_event(1, 2)}), {"--duplicates"});
  EXPECT_EQ(json_at(document, "/empty_events"), "1");
  EXPECT_EQ(json_at(document, "/duplicate_events"), "1");
  EXPECT_EQ(json_at(document, "/duplicates/0/event"), "2");
  EXPECT_EQ(json_at(document, "/duplicates/0/equals"), "0");
}

TEST_F(StatsFaults, C24EventsOfDifferentTagsAreNoDuplicates) {
  const std::string document = stats_of(
      file_of({config_event(1, 7), config_event(1, 7, 1), config_event(1, 8)}), {"--duplicates"});
  EXPECT_EQ(json_at(document, "/duplicate_events"), "0");
}

TEST_F(StatsFaults, C25RunZeroAndMixedRunsAreNamed) {
  const std::string document =
      stats_of(file_of({config_event(0, 1), config_event(5038, 9), config_event(5038, 4)}), {});
  EXPECT_EQ(json_at(document, "/runs"),
            R"([{"events":1,"highest_event":1,"lowest_event":1,"run":0},)"
            R"({"events":2,"highest_event":9,"lowest_event":4,"run":5038}])");
  EXPECT_NE(warnings_.find("1 event has run number 0"), std::string::npos) << warnings_;
  EXPECT_NE(warnings_.find("events of 2 runs: 0, 5038"), std::string::npos) << warnings_;
  static_cast<void>(stats_of(file_of({config_event(5038, 1)}), {}));
  EXPECT_EQ(warnings_, "");
}

TEST_F(StatsFaults, C30PresentButEmptyIsNotAbsent) {
  const std::string document = stats_of(
      file_of({{0, {{kTracks, {}}, {kHits, packed(1)}}}, {0, {{kHits, {}}}}}), {"--per-bank"});
  const auto bank = [&](const std::string& name) {
    const std::string row = row_with(document, "banks", "bank", "\"" + name + "\"");
    return json_at(row, "/state") + " " + json_at(row, "/events") + " " +
           json_at(row, "/events_without_rows") + " " + json_at(row, "/rows");
  };
  EXPECT_EQ(bank("T::tracks"), "\"empty\" 1 1 0");
  EXPECT_EQ(bank("T::hits"), "\"filled\" 2 1 1");
  EXPECT_EQ(bank("T::never"), "\"absent\" 0 0 0");
}

TEST_F(StatsFaults, C38FilesOfOursAreReadInEveryLayout) {
  const fs::path source = folder_ / "source.hipo";
  make_sample(source, {"--profile", "tiny", "--events", "200"});
  for (const std::string layout : {"per-chunk", "per-bank", "per-column"}) {
    const fs::path made = folder_ / layout;
    ASSERT_EQ(run_tool({"recook", source, made, "--layout", layout, "-q"}).exit_code, 0);
    EXPECT_EQ(json_at(stats_out({"--json", "--per-bank", "--values", made}), "/events"), "200");
  }
}

TEST_F(StatsFaults, C39AFilterIsHonouredByValues) {
  std::vector<EventImage> events;
  for (std::uint32_t i = 0; i < 10; ++i) {
    events.push_back({i % 2, {{kTracks, packed(static_cast<float>(i))}}});
  }
  const FileImage file = file_of(events);
  const auto values = [&](const std::vector<std::string>& options) {
    std::vector<std::string> all{"--values", "-b", "T::tracks"};
    all.insert(all.end(), options.begin(), options.end());
    const std::string document = stats_of(file, all);
    return json_at(document, "/columns/0/values") + ": " + json_at(document, "/columns/0/min") +
           " to " + json_at(document, "/columns/0/max");
  };
  EXPECT_EQ(values({}), "10: 0.0 to 9.0");
  EXPECT_EQ(values({"--tag", "1"}), "5: 1.0 to 9.0");
  EXPECT_EQ(values({"--where", "T::tracks.p > 6", "--only"}), "3: 7.0 to 9.0");
  EXPECT_EQ(values({"--where", "T::tracks.p > 6", "--tag", "0"}), "1: 8.0 to 8.0");
  // Special events, here those of tag 1, pass.
  EXPECT_EQ(values({"--where", "T::tracks.p > 6"}), "6: 1.0 to 9.0");
  const auto special = [&](const std::vector<std::string>& options) {
    return json_at(stats_of(file, options), "/special_events");
  };
  EXPECT_EQ(special({}), "null");
  EXPECT_EQ(special({"--where", "T::tracks.p > 6"}), "5");
  EXPECT_EQ(special({"--where", "T::tracks.p > 6", "--tag", "0"}), "0");
  EXPECT_EQ(special({"--where", "T::tracks.p > 6", "--only"}), "0");
  EXPECT_EQ(values({"--where", "T::tracks.p > 6", "--special", "0"}), "7: 0.0 to 9.0");
}

TEST_F(StatsFaults, C40AllBanksAreListedForEveryCodec) {
  FileImage file;
  EventImage event;
  for (int bank = 0; bank < 71; ++bank) {
    file.schemas.push_back(fmt::format("{{B::b{0}/700/{0}}}{{x/I}}", bank));
    event.banks.push_back({{700, static_cast<std::uint8_t>(bank)}, packed(bank)});
  }
  const Dictionary dictionary = dictionary_of(file.schemas);
  for (const Compression& compression : all_compressions()) {
    file.records = {stored_record({event.bytes(), event.bytes()}, compression, dictionary)};
    const std::vector<std::string> lines =
        lines_of(stats_out({"--csv", "--per-bank", write_file(folder_, "banks.hipo", file)}));
    ASSERT_EQ(lines.size(), 72U) << to_string(compression);
    EXPECT_NE(lines[71].find(",B::b70,700,70,filled,2,0,2,"), std::string::npos) << lines[71];
  }
}

TEST_F(StatsFaults, C44TinyRecordsAreWarnedOf) {
  const fs::path tiny = folder_ / "tiny.hipo";
  make_sample(tiny, {"--profile", "tiny", "--events", "30", "--record-events", "1"});
  const ProgramResult result = stats({"--json", tiny});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_NE(result.err.find("30 of 30 records hold less than 64 KiB of events"), std::string::npos)
      << result.err;
  EXPECT_EQ(json_at(result.out, "/tiny_records"), "30");
  EXPECT_EQ(json_at(result.out, "/median_record_events"), "1");
  EXPECT_NE(json_at(result.out, "/warnings/0/message").find("recook would pack them"),
            std::string::npos);
}

}  // namespace
}  // namespace hipotool::test
