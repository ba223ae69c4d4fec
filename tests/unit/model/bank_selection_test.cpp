#include "hipotool/bank_selection.hpp"

#include "support/error_of.hpp"
#include "support/library.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

namespace hipotool::test {
namespace {

using Words = std::vector<std::string>;

Dictionary some_banks() {
  return dictionary_of({"{REC::Particle/300/31}{pid/I,px/F,py/F}", "{REC::Event/300/30}{evno/L}",
                        "{RUN::config/10000/11}{run/I,event/I,a.b/I}", "{X::none/1/1}{}"});
}

// "300/31:1,0 300/30": banks and, where some were chosen, their columns.
std::string chosen(const Words& banks, const Words& columns) {
  const Dictionary dictionary = some_banks();
  const BankSelection selection = BankSelection::choose(dictionary, banks, columns);
  if (selection.is_everything()) {
    return "everything";
  }
  std::string text;
  for (const BankKey key : selection.banks()) {
    EXPECT_TRUE(selection.shows(key));
    text += (text.empty() ? "" : " ") + to_string(key);
    if (const std::vector<std::size_t>* indexes = selection.columns_of(key)) {
      text += fmt::format(":{}", fmt::join(*indexes, ","));
      for (std::size_t column = 0; column < 3; ++column) {
        const bool wanted = std::find(indexes->begin(), indexes->end(), column) != indexes->end();
        EXPECT_EQ(selection.projection().wants(key, column), wanted);
      }
    }
  }
  return text;
}

std::string refusal(const Words& banks, const Words& columns) {
  return error_of([&] { static_cast<void>(chosen(banks, columns)); });
}

TEST(BankSelection, IsEverythingUnlessSomethingIsChosen) {
  EXPECT_EQ(chosen({}, {}), "everything");
  EXPECT_EQ(chosen({"*"}, {}), "everything");
  EXPECT_EQ(chosen({"REC::Event", "*"}, {}), "everything");
  EXPECT_TRUE(BankSelection().shows({65535, 255}));
  EXPECT_EQ(BankSelection().columns_of({300, 31}), nullptr);
}

TEST(BankSelection, TakesNamesPatternsAndKeys) {
  EXPECT_EQ(chosen({"REC::*"}, {}), "300/30 300/31");
  EXPECT_EQ(chosen({"RUN::config", "REC::Event"}, {}), "300/30 10000/11");
  EXPECT_EQ(chosen({"300/31"}, {}), "300/31");
  EXPECT_EQ(chosen({"*::?a*"}, {}), "300/31");
}

TEST(BankSelection, TakesKeysThatTheDictionaryDoesNotKnow) {
  EXPECT_EQ(chosen({"610/1", "REC::Event"}, {}), "300/30 610/1");
}

TEST(BankSelection, ColumnsKeepTheOrderInWhichTheyAreAskedFor) {
  EXPECT_EQ(chosen({"REC::Particle"}, {"py", "pid", "py"}), "300/31:2,0");
  EXPECT_EQ(chosen({}, {"REC::Particle.p?"}), "300/31:1,2");
  EXPECT_EQ(chosen({}, {"REC::Particle.py", "REC::Particle.*"}), "300/31:2,0,1");
}

TEST(BankSelection, ColumnsLeaveOutBanksWithoutThem) {
  EXPECT_EQ(chosen({}, {"pid", "event"}), "300/31:0 10000/11:1");
  EXPECT_EQ(chosen({"REC::*", "610/1"}, {"ev*"}), "300/30:0");
  EXPECT_EQ(chosen({"REC::*"}, {"REC::Event.evno", "px"}), "300/30:0 300/31:1");
  EXPECT_EQ(chosen({"*"}, {"R*.e*"}), "300/30:0 10000/11:1");
  EXPECT_EQ(chosen({}, {"300/31.pid"}), "300/31:0");
}

TEST(BankSelection, FindsColumnsWithAPointInTheirName) {
  EXPECT_EQ(chosen({}, {"a.b"}), "10000/11:2");
}

TEST(BankSelection, RefusesWhatMatchesNothing) {
  EXPECT_EQ(refusal({"REC::Particl"}, {}),
            "not_found: no bank REC::Particl in the dictionary; the nearest name is REC::Particle");
  EXPECT_EQ(refusal({"*", "MC::*"}, {}), "not_found: no bank matches MC::* in the dictionary");
  EXPECT_EQ(refusal({"REC::*"}, {"evnt"}),
            "not_found: none of the banks has a column evnt; the nearest name is evno");
  EXPECT_EQ(refusal({"REC::Particle"}, {"evno"}),
            "not_found: bank REC::Particle has no column evno");
  EXPECT_EQ(refusal({}, {"REC::Event.pid"}), "not_found: bank REC::Event has no column pid");
  EXPECT_EQ(refusal({"REC::Event"}, {"RUN::config.run"}),
            "not_found: bank RUN::config is not among the banks chosen");
  EXPECT_EQ(refusal({}, {"610/1.x"}), "not_found: bank 610/1 has no columns in the dictionary");
  EXPECT_EQ(refusal({}, {"REC::Evnt.evno"}),
            "not_found: no bank REC::Evnt in the dictionary; the nearest name is REC::Event");
}

}  // namespace
}  // namespace hipotool::test
