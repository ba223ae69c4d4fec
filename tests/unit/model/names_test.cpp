#include "hipotool/names.hpp"

#include "support/error_of.hpp"
#include "support/library.hpp"

#include <gtest/gtest.h>

namespace hipotool::test {
namespace {

Dictionary some_banks() {
  return dictionary_of({"{REC::Particle/300/31}{pid/I,px/F,py/F}", "{REC::Event/300/30}{evno/L}",
                        "{RUN::config/10000/11}{run/I,event/I}"});
}

std::vector<std::string> found(const std::vector<std::string>& patterns) {
  const Dictionary dictionary = some_banks();
  std::vector<std::string> names;
  for (const Schema* schema : find_schemas(dictionary, patterns)) {
    names.push_back(schema->name());
  }
  return names;
}

TEST(MatchesGlob, TakesStarForAnyRunAndQuestionMarkForOneCharacter) {
  EXPECT_TRUE(matches_glob("REC::*", "REC::Particle"));
  EXPECT_TRUE(matches_glob("*", ""));
  EXPECT_TRUE(matches_glob("*::*fig", "RUN::config"));
  EXPECT_TRUE(matches_glob("RE?::Event", "REC::Event"));
  EXPECT_TRUE(matches_glob("a*b*c", "a-b-b-c"));
  EXPECT_FALSE(matches_glob("REC::?", "REC::Event"));
  EXPECT_FALSE(matches_glob("a*b*c", "a-c-b"));
  EXPECT_FALSE(matches_glob("REC", "REC::Event"));
}

TEST(FindSchemas, GivesDictionaryOrderWhateverTheOrderOfPatterns) {
  EXPECT_EQ(found({"RUN::config", "REC::*"}),
            (std::vector<std::string>{"REC::Particle", "REC::Event", "RUN::config"}));
  EXPECT_EQ(found({"300/30"}), std::vector<std::string>{"REC::Event"});
  EXPECT_EQ(found({"NONE::*"}), std::vector<std::string>{});
}

TEST(FindSchemas, NamesTheNearestBanksForOneThatIsNotThere) {
  EXPECT_EQ(error_of([] { return found({"REC::Particl"}); }),
            "not_found: no bank REC::Particl in the dictionary; the nearest name is REC::Particle");
  EXPECT_EQ(error_of([] { return found({"rec::evnt"}); }),
            "not_found: no bank rec::evnt in the dictionary; the nearest name is REC::Event");
  EXPECT_EQ(error_of([] { return found({"XYZ"}); }), "not_found: no bank XYZ in the dictionary");
}

TEST(RequireColumn, NamesTheNearestColumns) {
  const Dictionary dictionary = some_banks();
  const Schema& particle = require_schema(dictionary, "REC::Particle");
  EXPECT_EQ(require_column(particle, "px"), 1U);
  EXPECT_EQ(error_of([&] { return require_column(particle, "pz"); }),
            "not_found: bank REC::Particle has no column pz; the nearest names are px, py");
}

}  // namespace
}  // namespace hipotool::test
