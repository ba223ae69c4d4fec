// Runs each line of the table in docs/cli.md that says what replaces a call of other programs.

#include "cli/tool_files.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace hipotool::test {
namespace {

namespace fs = std::filesystem;

// What a command must do: its exit code, a pattern in what it prints, and a shell condition that
// holds afterwards.
struct Effect {
  int exit_code = 0;
  std::string out{};
  std::string then = "true";
};

constexpr const char* kSameEvents =
    R"SH(test "$($TOOL check --digest in.hipo | cut -f1)" = "$($TOOL check --digest out.hipo | cut -f1)")SH";
// Scaler events stay whole.
constexpr const char* kOnlyRunAndRec =
    R"SH($TOOL dump out.hipo --json --only --where 'tag != 1' | grep -o '"name":"[A-Za-z]*::' | sort -u |
         { ! grep -v -E 'RUN::|REC::|RECFT::|MC::|HEL::|RAW::' ; } &&
         $TOOL dump out.hipo --json --only --where 'has(REC::Particle)' -n 1 | grep -q .)SH";
constexpr const char* kTwiceTheEvents =
    R"SH($TOOL stats out.hipo --json | grep -q '"events":240,')SH";

const std::map<std::string, Effect>& effects() {
  static const std::map<std::string, Effect> all{
      {"hipo-utils -info in.hipo", {0, "events +120"}},
      {"hipo-utils -info in.hipo (schemas)", {0, "REC::Particle +300 +31 +pid"}},
      {"hipo-utils -info in.hipo (tags)", {0, "tag +names +events"}},
      {"hipo-utils -dump in.hipo", {0, "REC::Particle"}},
      {"hipo-utils -dump -b REC::Particle in.hipo", {0, "REC::Particle"}},
      {"hipo-utils -dump -tags 0:1 in.hipo", {0, "REC::Particle"}},
      {"hipo-utils -stats in.hipo", {0, "REC::Particle"}},
      {"hipo-utils -filter -e REC::Particle -o out.hipo in.hipo",
       {0, "",
        R"SH($TOOL dump out.hipo --json --only --where '!has(REC::Particle) && tag != 1' -n 1 |
                  { ! grep -q . ; } && $TOOL dump out.hipo --json -n 1 | grep -q .)SH"}},
      {"hipo-utils -filter -n 20 -o out.hipo in.hipo",
       {0, "", R"SH(test $($TOOL dump out.hipo --json --only --where 'tag != 1' | wc -l) = 20)SH"}},
      {"hipo-utils -filter -c 2 -o out.hipo in.hipo",
       {0, "",
        std::string(kSameEvents) +
            R"SH( && $TOOL dump --records --json out.hipo | grep -q '"lz4hc"')SH"}},
      {"hipo-utils -filter -merge -o out.hipo a.hipo b.hipo", {0, "", kTwiceTheEvents}},
      {R"SH(hipo-utils -reduce -ct "REC::Particle://pid==11[GT]0" -o out.hipo in.hipo)SH",
       {0, "",
        R"SH($TOOL dump out.hipo --json --only --where 'count(REC::Particle, pid == 11) == 0 &&
                  tag != 1' -n 1 | { ! grep -q . ; } &&
                  $TOOL dump out.hipo --json -n 1 | grep -q .)SH"}},
      {"hipo-utils -merge -o out.hipo a.hipo b.hipo", {0, "", kTwiceTheEvents}},
      {"hipo-utils -split -n 50 in.hipo",
       {0, "",
        "$TOOL check part_1.hipo part_2.hipo part_3.hipo && test ! -e part_4.hipo && "
        "$TOOL stats part_3.hipo --json | grep -q '\"events\":20,'"}},
      {"hipo-utils -filter -b 'RUN::*,REC::*' -o out.hipo in.hipo", {0, "", kOnlyRunAndRec}},
      {"hipo-utils -filter -r REC::Traj -o out.hipo in.hipo",
       {0, "",
        R"($TOOL dump out.hipo --json --only --where 'has(REC::Traj) && tag != 1' | { ! grep -q . ; } &&
           $TOOL dump out.hipo --json --only --where 'has(REC::Particle)' -n 1 | grep -q .)"}},
      {"hipo-utils -update -d bankdefs -o out.hipo in.hipo",
       {0, "", "$TOOL dump out.hipo --schema -b NEW::bank | grep -q value"}},
      {"dst-maker -o out.hipo a.hipo b.hipo", {0, "", kOnlyRunAndRec}},
      {"hipo-utils -test in.hipo", {0, "^$"}},
      {"hipo-utils -test broken.hipo", {13, "broken.hipo\tno-index"}},
      {"hipo-utils -doctor broken.hipo", {0, "", "$TOOL check out.hipo"}},
      {"hipo-diff a.hipo b.hipo", {1, "different"}},
      {"hipo-diff -b REC::Particle a.hipo b.hipo", {1, "different"}},
      {"hipo-diff -b REC::Particle -t 1e-5 a.hipo b.hipo", {1, "different"}},
  };
  return all;
}

struct Line {
  std::string elsewhere;
  std::string here;
};

// Rows "| `...` (remark) | `...` |" of the section.
std::vector<Line> table() {
  const std::string text = read_text(fs::path(HIPO_TEST_DATA_DIR) / "../../docs/cli.md");
  const std::size_t begin = text.find("## Coming from hipo-utils");
  EXPECT_NE(begin, std::string::npos);
  std::vector<Line> lines;
  const std::regex row(R"SH(\| `([^`]*)`( \([a-z ]*\))? \| `([^`]*)` \|)SH");
  for (const std::string& line : lines_of(text.substr(begin))) {
    std::smatch found;
    if (line.starts_with("| `")) {
      EXPECT_TRUE(std::regex_match(line, found, row)) << line;
      lines.push_back({found[1].str() + found[2].str(), found[3]});
    }
  }
  return lines;
}

TEST(Migration, EachLineOfTheTableWorks) {
  const TempDir folder;
  make_sample(folder / "in.hipo", {"--events", "120", "--layout", "per-chunk"});
  make_sample(folder / "b.hipo", {"--events", "120", "--layout", "per-chunk", "--seed", "2"});
  fs::copy_file(folder / "in.hipo", folder / "a.hipo");
  // Its writer was killed.
  std::string broken = read_text(folder / "in.hipo");
  broken.replace(40, 8, 8, '\0');
  write_text(folder / "broken.hipo", broken);

  fs::create_directory(folder / "bankdefs");
  write_text(folder / "bankdefs/new.json",
             R"([{"name":"NEW::bank","group":31999,"item":1,"info":"",
                  "entries":[{"name":"value","type":"F","info":""}]}])");

  std::set<std::string> seen;
  for (const Line& line : table()) {
    const auto effect = effects().find(line.elsewhere);
    ASSERT_NE(effect, effects().end()) << "no test for: " << line.elsewhere;
    seen.insert(line.elsewhere);
    fs::remove(folder / "out.hipo");
    const std::string begin = "cd " + folder.path().string() + " && ";
    const std::string program = "hipo-tool ";
    ASSERT_TRUE(line.here.starts_with(program)) << line.here;
    const ProgramResult result =
        run_shell(begin + "\"$TOOL\" " + line.here.substr(program.size()), {});
    EXPECT_EQ(result.exit_code, effect->second.exit_code) << line.here << '\n' << result.err;
    EXPECT_TRUE(std::regex_search(result.out, std::regex(effect->second.out)))
        << line.here << '\n'
        << result.out.substr(0, 2000);
    const ProgramResult after = run_shell(begin + effect->second.then, {});
    EXPECT_EQ(after.exit_code, 0) << line.here << '\n' << effect->second.then << after.err;
  }
  EXPECT_EQ(seen.size(), effects().size()) << "the table lacks a line that has a test";
}

}  // namespace
}  // namespace hipotool::test
