#include "cli/tool_files.hpp"
#include "support/event_images.hpp"
#include "support/library.hpp"
#include "support/oracle.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace hipotool::test {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kSchemas{
    "{RUN::config/10000/11}{run/I,event/I}", "{REC::Particle/300/31}{pid/I,px/F,py/F,pz/F,q/B}",
    "{REC::Track/300/36}{pindex/S,chi2/F}", "{RAW::scaler/20000/13}{channel/S,value/L}",
    "{RAW::adc/20000/11}{adc/I}"};

// Twelve events in three records. Numbers 3 and 7 are special: RUN::config and RAW::scaler. Number
// 5 holds nothing, number 8 RAW::adc alone.
EventImage event_image(std::int32_t number) {
  if (number == 5) {
    return {};
  }
  const StructureImage adc{{20000, 11}, packed(number, 7)};
  if (number == 8) {
    return {0, {adc}};
  }
  const StructureImage config{{10000, 11}, packed(5038, number)};
  if (number % 4 == 3 && number < 8) {
    return {1, {config, {{20000, 13}, packed(std::int16_t(number), std::int64_t{1} << 40)}}};
  }
  return {0,
          {config,
           {{300, 31},
            joined({packed(11, 2212), packed(0.5F, 1.5F), packed(0.25F, -1.0F),
                    packed(2.0F, float(number)), packed(std::int8_t{-1}, std::int8_t{1})})},
           {{300, 36}, packed(std::int16_t{1}, 0.125F)},
           adc}};
}

FileImage file_image(const std::vector<std::string>& schemas = kSchemas) {
  FileImage file;
  file.schemas = schemas;
  for (std::int32_t record = 0; record < 3; ++record) {
    std::vector<Bytes> events;
    for (std::int32_t i = 0; i < 4; ++i) {
      events.push_back(event_image(4 * record + i).bytes());
    }
    file.records.push_back(whole_record(events));
  }
  return file;
}

class BankOptions : public ::testing::Test {
 protected:
  void SetUp() override { write_bytes(in_, file_image().bytes()); }

  [[nodiscard]] ProgramResult run(const std::string& verb, std::vector<std::string> options) const {
    options.insert(options.begin(), {verb, in_.string(), "-o", out_.string(), "-f"});
    return run_tool(options);
  }

  // Event number, and names of the banks, of each event written: "0 RUN::config REC::Track".
  [[nodiscard]] std::vector<std::string> events() const {
    std::vector<std::string> found;
    for (const std::string& line : lines_of(run_tool({"dump", out_, "--json"}).out)) {
      std::string text = json_at(line, "/tag");
      for (int bank = 0; bank < 6; ++bank) {
        const std::string name = json_at(line, "/banks/" + std::to_string(bank) + "/name");
        if (name != "nothing") {
          text += " " + name.substr(1, name.size() - 2);
        }
      }
      found.push_back(text);
    }
    return found;
  }

  [[nodiscard]] std::vector<std::string> schemas() const {
    std::vector<std::string> texts;
    const FileReader file(out_);
    for (const Schema* schema : file.dictionary().schemas()) {
      texts.push_back(schema->text());
    }
    return texts;
  }

  TempDir folder_;
  fs::path in_ = folder_ / "in.hipo";
  fs::path out_ = folder_ / "out.hipo";
};

// What the independent decoder prints of a file, a line for each event.
std::vector<std::string> oracle_lines(const fs::path& oracle, const fs::path& file) {
  const ProgramResult result =
      run_program("python3", {.arguments = {(oracle / "hipo_ref.py").string(), file.string()}});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return lines_of(result.out);
}

TEST_F(BankOptions, C22SpecialEventsSurviveABankSelection) {
  const auto oracle = shared_folder("HIPO_ORACLE_DIR");
  for (const std::string layout : {"per-chunk", "per-bank", "per-column"}) {
    const ProgramResult result =
        run("recook", {"-b", "REC::*", "--layout", layout, "--unused-schemas", "drop", "--json"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(schema_errors("recook", result.out), "") << result.out;
    EXPECT_EQ(events()[3], "1 RUN::config RAW::scaler") << layout;
    EXPECT_EQ(events()[4], "0 REC::Particle REC::Track") << layout;
    EXPECT_EQ(events().size(), 12U);
    EXPECT_EQ(schemas(), (std::vector<std::string>(kSchemas.begin(), kSchemas.end() - 1)))
        << "RAW::adc is in no event any more, RAW::scaler is";
    if (oracle) {
      const std::vector<std::string> before = oracle_lines(*oracle, in_);
      const std::vector<std::string> after = oracle_lines(*oracle, out_);
      ASSERT_EQ(after.size(), before.size());
      EXPECT_EQ(after[3], before[3]);
      EXPECT_EQ(after[7], before[7]);
      EXPECT_NE(after[4], before[4]);
      EXPECT_EQ(oracle_digests(*oracle, {out_}).at(out_).substr(0, 32),
                json_at(result.out, "/digest").substr(1, 32));
    }
  }
  ASSERT_EQ(run("recook", {"-b", "REC::*", "--only", "-q"}).exit_code, 0);
  EXPECT_EQ(events()[3], "1");
}

TEST_F(BankOptions, C23EmptyEventsAreDroppedOnRequest) {
  const ProgramResult result = run("recook", {"--drop-empty", "--json"});
  EXPECT_EQ(schema_errors("recook", result.out), "") << result.out;
  EXPECT_EQ(json_at(result.out, "/events"), "11");
  EXPECT_EQ(json_at(result.out, "/events_without_banks"), "1");
  ASSERT_EQ(run("recook", {"--drop-empty", "--drop", "RAW::adc", "-q"}).exit_code, 0);
  EXPECT_EQ(events().size(), 10U);
  // Before -n, and a bank without rows is a bank (C30).
  ASSERT_EQ(run("recook", {"--drop-empty", "-n", "5", "--only", "--events", "4:", "-q"}).exit_code,
            0);
  EXPECT_EQ(events().size(), 5U);
  FileImage image;
  image.schemas = kSchemas;
  image.records = {whole_record(images({EventImage{0, {{{20000, 11}, {}}}}}))};
  write_bytes(in_, image.bytes());
  ASSERT_EQ(run("recook", {"--drop-empty", "-q"}).exit_code, 0);
  EXPECT_EQ(events(), (std::vector<std::string>{"0 RAW::adc"}));
}

TEST_F(BankOptions, C31DroppingAnAbsentBankChangesNothing) {
  const ProgramResult result = run("recook", {"--drop", "RAW::vtp,60000/9", "-q"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_NE(result.err.find("warning: no bank matches RAW::vtp"), std::string::npos) << result.err;
  EXPECT_EQ(digest_of(out_), digest_of(in_));
  EXPECT_EQ(run("recook", {"-b", "REC::*,MC::*", "-q"}).exit_code, 0) << "as a list for all files";
  EXPECT_EQ(run("recook", {"-b", "MC::*", "-q"}).exit_code, 1);
}

TEST_F(BankOptions, C32RangesFindEventsAtTheBordersOfRecords) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"3:4", "3"}, {"4:5", "4"}, {"7:8", "7"}, {"8:9", "-"}, {"3:5", "3 4"}, {"7:10", "7 - 9"}};
  for (const std::string layout : {"per-chunk", "per-column"}) {
    for (const auto& [range, numbers] : cases) {
      ASSERT_EQ(run("recook", {"--events", range, "--only", "--layout", layout, "-q"}).exit_code,
                0);
      std::string found;
      for (const std::string& line : lines_of(run_tool({"dump", out_, "--json"}).out)) {
        std::string number = "-";
        for (const std::string bank : {"0", "2"}) {
          const std::string value = json_at(line, "/banks/" + bank + "/columns/event/0");
          number = value == "nothing" ? number : value;
        }
        found += (found.empty() ? "" : " ") + number;
      }
      EXPECT_EQ(found, numbers) << range << " " << layout;
    }
  }
}

// C43 too: clauses of one run combine, and so do those of two.
TEST_F(BankOptions, EventsAndBanksAreChosenInOneRun) {
  for (const std::string verb : {"recook", "tag-filter"}) {
    const ProgramResult result =
        run(verb, {"--where", "REC::Particle.pz[1] > 5", "-b", "REC::Particle", "--columns",
                   "REC::Particle=pid,p?", "-n", "3", "--json"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(schema_errors(verb, result.out), "") << result.out;
    EXPECT_EQ(events(), (std::vector<std::string>{"1 RUN::config RAW::scaler", "0 REC::Particle",
                                                  "1 RUN::config RAW::scaler", "0 REC::Particle",
                                                  "0 REC::Particle"}))
        << verb;
    EXPECT_EQ(schemas()[1], "{REC::Particle/300/31}{pid/I,px/F,py/F,pz/F}");
    EXPECT_EQ(json_at(result.out, "/columns_dropped"),
              R"([{"bank":"REC::Particle","column":"q","events":3}])");
    EXPECT_EQ(json_at(result.out, "/banks_dropped/1/events"), "3");
    EXPECT_EQ(json_at(result.out, "/banks_dropped/1/name"), "\"RUN::config\"");
  }
}

TEST_F(BankOptions, C17TheUnionOfDictionariesDoesNotDependOnTheirOrder) {
  const fs::path other = folder_ / "other.hipo";
  std::vector<std::string> schemas(kSchemas.rbegin(), kSchemas.rend());
  schemas.push_back("{MC::Lund/40/3}{index/B}");
  write_bytes(other, file_image(schemas).bytes());
  const ProgramResult result = run_tool({"recook", in_, other, "-o", out_, "-q", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(json_at(result.out, "/events"), "24");
  std::vector<std::string> expected = kSchemas;
  expected.push_back(schemas.back());
  EXPECT_EQ(this->schemas(), expected);
}

TEST_F(BankOptions, C18AMergeKeepsEveryDictionaryAndFailsOnDamage) {
  const fs::path extra = folder_ / "extra.hipo";
  FileImage image;
  image.schemas = {"{X::x/7/7}{v/F}"};
  image.records = {whole_record(images({EventImage{0, {{{7, 7}, packed(0.5F)}}}}))};
  write_bytes(extra, image.bytes());
  ASSERT_EQ(run_tool({"recook", in_, extra, "-o", out_, "-q"}).exit_code, 0);
  EXPECT_EQ(events().back(), "0 X::x");
  const fs::path cut = folder_ / "cut.hipo";
  Bytes bytes = image.bytes();
  bytes.resize(bytes.size() - 40);
  write_bytes(cut, bytes);
  const ProgramResult refused = run_tool({"recook", in_, extra, cut, "-o", out_, "-f", "-q"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.err.find("--salvage"), std::string::npos) << refused.err;
}

TEST_F(BankOptions, NewerDefinitionsAddBanksAndColumns) {
  write_text(folder_ / "header.json",
             R"([{"name":"RUN::config","group":10000,"item":11,"info":"",
                  "entries":[{"name":"run","type":"I","info":""},
                             {"name":"unixtime","type":"L","info":""},
                             {"name":"event","type":"I","info":""}]},
                 {"name":"RUN::rf","group":10000,"item":12,
                  "entries":[{"name":"id","type":"S"}]}])");
  for (const std::string layout : {"per-chunk", "per-bank", "per-column"}) {
    ASSERT_EQ(run_tool({"recook", in_, folder_ / "stored.hipo", "--layout", layout, "-f", "-q"})
                  .exit_code,
              0);
    const ProgramResult result = run_tool({"recook", folder_ / "stored.hipo", out_, "-f",
                                           "--update-dict", folder_.path().string(), "--json"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const std::vector<std::string> lines = lines_of(run_tool({"dump", out_, "--json"}).out);
    EXPECT_EQ(json_at(lines[0], "/banks/2/columns"), R"({"event":[0],"run":[5038],"unixtime":[0]})")
        << lines[0];
    EXPECT_EQ(json_at(lines[7], "/banks/0/columns/event"), "[7]") << "special events too";
    EXPECT_EQ(schemas().back(), "{RUN::rf/10000/12}{id/S}");
  }
  write_text(folder_ / "worse.json", R"({"name":"REC::Track","group":300,"item":36,
                                         "entries":[{"name":"pindex","type":"I"}]})");
  const ProgramResult refused = run("recook", {"--update-dict", (folder_ / "worse.json").string()});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.err.find("REC::Track: the new definition {REC::Track/300/36}{pindex/I} does "
                             "not only add columns to {REC::Track/300/36}{pindex/S,chi2/F}"),
            std::string::npos)
      << refused.err;
}

TEST_F(BankOptions, RenamingSettlesConflictsOfAMerge) {
  const fs::path other = folder_ / "other.hipo";
  std::vector<std::string> schemas = kSchemas;
  schemas[4] = "{RAW::adc/20000/11}{adc/F}";
  write_bytes(other, file_image(schemas).bytes());
  const auto merge = [&](std::vector<std::string> options) {
    options.insert(options.begin(),
                   {"recook", in_.string(), other.string(), "-o", out_.string(), "-f", "-q"});
    return run_tool(options);
  };
  const ProgramResult refused = merge({});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.err.find("--rename RAW::adc=NEW:GROUP/ITEM"), std::string::npos) << refused.err;
  EXPECT_EQ(merge({"--rename", "RAW::adc=RAW::old"}).exit_code, 1) << "the id is the same still";
  ASSERT_EQ(merge({"--rename", "RAW::adc=RAW::old:20000/99"}).exit_code, 0);
  EXPECT_EQ(events()[8], "0 RAW::adc");
  EXPECT_EQ(events()[20], "0 RAW::old");
  EXPECT_EQ(this->schemas().back(), "{RAW::old/20000/99}{adc/F}");
  // One input, and nothing to settle.
  ASSERT_EQ(
      run("recook", {"--rename", "RAW::adc=RAW::x", "--rename", "REC::Track=REC::T:1/2", "-q"})
          .exit_code,
      0);
  EXPECT_EQ(events()[0], "0 REC::T REC::Particle RUN::config RAW::x");
}

TEST_F(BankOptions, WrongUsageIsRefused) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{"--columns", "REC::Particle"}, "is not BANK=COLUMN,COLUMN"},
      {{"--columns", "=pid"}, "is not BANK=COLUMN,COLUMN"},
      {{"--rename", "A::a"}, "is neither OLD=NEW nor OLD=NEW:GROUP/ITEM"},
      {{"--rename", "A::a=b/c"}, "cannot be the name of a bank"},
      {{"--unused-schemas", "no"}, "'no' is none of drop, keep"},
      {{"--only"}, "--special and --only need an option that chooses events or banks"},
      {{"--or", "--tag", "1"}, "--or joins clauses, and needs two at least"},
      {{"--by", "record"}, "--by needs a tag clause"},
      {{"--seed", "7"}, "--seed needs a --sample of less than 1"},
      {{"--invert"}, "--invert needs a clause"},
  };
  for (const auto& [options, message] : cases) {
    const ProgramResult result = run("recook", options);
    EXPECT_EQ(result.exit_code, 2) << options[0] << result.err;
    EXPECT_NE(result.err.find(message), std::string::npos) << result.err;
    EXPECT_FALSE(fs::exists(out_)) << options[0];
  }
  EXPECT_EQ(run_tool({"tag-filter", in_, "--count", "-b", "REC::*"}).exit_code, 2);
}

// The tag that an event came with says what it may lose, and empty events are told by it too.
TEST_F(BankOptions, NewTagsAndFewerBanksGoTogether) {
  for (const std::string layout : {"per-chunk", "per-bank", "per-column"}) {
    ASSERT_EQ(run_tool({"recook", in_, folder_ / "stored.hipo", "--layout", layout, "-f", "-q"})
                  .exit_code,
              0);
    const ProgramResult result =
        run_tool({"tag-filter", folder_ / "stored.hipo", out_, "-f", "--json", "--set-tag",
                  "REC::Particle.pz[1] > 8 => 1", "--set-tag", "has(RAW::adc) => +0x4", "--drop",
                  "REC::Particle,RAW::adc", "--drop-empty"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(json_at(result.out, "/events_retagged"), "8") << layout;
    EXPECT_EQ(json_at(result.out, "/events_without_banks"), "2");
    const std::vector<std::string> found = events();
    ASSERT_EQ(found.size(), 10U);
    EXPECT_EQ(found[0], "4 REC::Track RUN::config");
    EXPECT_EQ(found[3], "1 RUN::config RAW::scaler");
    EXPECT_EQ(found[9], "5 REC::Track RUN::config") << "tag 1 is new: it was not special";
  }
}

TEST_F(BankOptions, DryRunPredictsWhatIsLeft) {
  const ProgramResult all = run_tool({"recook", in_, "--dry-run", "--json"});
  const ProgramResult some = run_tool({"recook", in_, "--dry-run", "--json", "-b", "REC::Track",
                                       "--where", "has(REC::Track)", "--only"});
  EXPECT_EQ(schema_errors("recook", some.out), "");
  EXPECT_EQ(json_at(some.out, "/sampled_raw_bytes"), std::to_string(8 * (4 + 16 + 8 + 6)));
  EXPECT_NE(json_at(all.out, "/sampled_raw_bytes"), json_at(some.out, "/sampled_raw_bytes"));
}

TEST_F(BankOptions, C10BanksWithoutASchemaAreChosenByTheirId) {
  FileImage image = file_image({});
  write_bytes(in_, image.bytes());
  const ProgramResult result =
      run("tag-filter", {"--require", "300/36", "-b", "300/36,20000/11", "-q"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  std::vector<std::string> found = events();
  ASSERT_EQ(found.size(), 10U) << "eight events, two special ones";
  EXPECT_EQ(found[0], "0 300/36 20000/11");
  EXPECT_EQ(found[3], "1 10000/11 20000/13");
}

TEST_F(BankOptions, DamageNamesTheNextCommand) {
  Bytes bytes = file_image().bytes();
  for (std::size_t i = 0; i < 40; ++i) {
    bytes[bytes.size() - 300 + i] = std::byte{0xFF};
  }
  write_bytes(in_, bytes);
  for (const std::string verb : {"recook", "tag-filter"}) {
    const ProgramResult result = run(verb, {});
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_NE(result.err.find("\nhipo-tool: --salvage takes what can be read of it"),
              std::string::npos)
        << result.err;
  }
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"dump", in_, "-b", "*", "--format", "text"}, {"stats", in_}, {"diff", in_, in_}}) {
    const ProgramResult result = run_tool(words);
    EXPECT_NE(result.exit_code, 0);
    EXPECT_NE(result.err.find("hipo-tool recook FILE OUT --salvage"), std::string::npos)
        << words[0] << result.err;
  }
}

}  // namespace
}  // namespace hipotool::test
