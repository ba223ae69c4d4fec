#include "hipotool/expression.hpp"

#include "support/error_of.hpp"
#include "support/library.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace hipotool::test {
namespace {

constexpr BankKey kParticle{300, 31};
constexpr BankKey kConfig{10000, 11};
constexpr BankKey kArray{400, 2};

Dictionary some_banks() {
  return dictionary_of({"{REC::Particle/300/31}{pid/I,px/F,status/S}",
                        "{RUN::config/10000/11}{event/I,trigger/L,time/D}",
                        "{Test::Array/400/2}{cov/F#3}"});
}

// Event 0: three particles; event 1: no particle rows, tag 5; event 2: nothing.
std::shared_ptr<const Record> some_events(const Dictionary& dictionary, LayoutId layout) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<EventImage> events{
      {.tag = 1,
       .banks = {{kParticle,
                  joined({packed<std::int32_t, std::int32_t, std::int32_t>(11, 211, -211),
                          packed(0.1F, 2.5F, nan),
                          packed<std::int16_t, std::int16_t, std::int16_t>(-1, 2, 3)})},
                 {kArray, packed(1.0F, 2.0F, 3.0F)},
                 {kConfig, joined({packed<std::int32_t>(7), packed<std::int64_t>((1LL << 53) + 1),
                                   packed(0.1)})}}},
      {.tag = 5, .banks = {{kParticle, {}}}},
      {.tag = 0}};
  return decoded(stored_record(images(events), compression_of(CodecId::none, layout), dictionary),
                 dictionary);
}

// The events for which the expression holds, as digits.
std::string events_where(const std::string& text) {
  std::string last;
  for (const LayoutId layout : kLayouts) {
    const Dictionary dictionary = some_banks();
    const Expression expression = Expression::parse(text, dictionary);
    const auto record = some_events(dictionary, layout);
    std::string events;
    for (std::uint32_t event = 0; event < record->event_count(); ++event) {
      events += expression.holds(*record, event) ? std::to_string(event) : "";
    }
    EXPECT_TRUE(layout == kLayouts[0] || events == last) << text << " depends on the layout";
    last = events;
  }
  return last;
}

std::string refusal(const std::string& text) {
  const Dictionary dictionary = some_banks();
  return error_of([&] { return Expression::parse(text, dictionary).projection().is_everything(); });
}

TEST(Expression, ComparesAnyRowUnlessOneIsNamed) {
  EXPECT_EQ(events_where("REC::Particle.pid == 211"), "0");
  EXPECT_EQ(events_where("REC::Particle.pid[0] == 211"), "");
  EXPECT_EQ(events_where("REC::Particle.pid[1] == 211"), "0");
  EXPECT_EQ(events_where("REC::Particle.pid[9] == 211"), "");
  EXPECT_EQ(events_where("REC::Particle.pid < -200"), "0");
  EXPECT_EQ(events_where("Test::Array.cov == 3"), "0");
}

TEST(Expression, CountsRowsAllOrThoseThatMeetACondition) {
  EXPECT_EQ(events_where("count(REC::Particle) > 2"), "0");
  EXPECT_EQ(events_where("count(REC::Particle) == 0"), "12");
  EXPECT_EQ(events_where("count(REC::Particle, status > 0 && pid != 11) == 2"), "0");
  EXPECT_EQ(events_where("count(REC::Particle, status > 0 && pid == 11) == 1"), "");
}

TEST(Expression, TellsAnEmptyBankFromAnAbsentOne) {
  EXPECT_EQ(events_where("has(REC::Particle)"), "01");
  EXPECT_EQ(events_where("!has(REC::Particle)"), "2");
  EXPECT_EQ(events_where("has(300/31) && count(REC::Particle) == 0"), "1");
}

TEST(Expression, KnowsTagsBitsAndPrecedence) {
  EXPECT_EQ(events_where("tag == 5"), "1");
  EXPECT_EQ(events_where("tag & 0x4"), "1");
  EXPECT_EQ(events_where("tag & 1 == 1"), "01");
  EXPECT_EQ(events_where("tag == 0 || tag == 1 && has(RUN::config)"), "02");
  EXPECT_EQ(events_where("(tag == 0 || tag == 1) && has(RUN::config)"), "0");
  EXPECT_EQ(events_where("!(tag == 0) && !(tag==5)"), "0");
}

TEST(Expression, ComparesNumbersAsWhatTheyAre) {
  EXPECT_EQ(events_where("REC::Particle.px == 0.1"), "0");  // the float nearest to 0.1
  EXPECT_EQ(events_where("RUN::config.time == 0.1"), "0");
  EXPECT_EQ(events_where("REC::Particle.px[0] == RUN::config.time"), "");  // 0.1F is not 0.1
  EXPECT_EQ(events_where("RUN::config.trigger == 9007199254740993"), "0");
  EXPECT_EQ(events_where("RUN::config.trigger == 9007199254740992"), "");
  EXPECT_EQ(events_where("REC::Particle.px[2] == REC::Particle.px[2]"), "");  // NaN
  EXPECT_EQ(events_where("REC::Particle.px[2] != 0"), "0");
}

TEST(Expression, AsksOnlyForTheColumnsItNames) {
  const Dictionary dictionary = some_banks();
  const Expression expression =
      Expression::parse("REC::Particle.pid==11 && count(RUN::config)>0", dictionary);
  EXPECT_TRUE(expression.projection().wants(kParticle, 0));
  EXPECT_FALSE(expression.projection().wants(kParticle, 1));
  EXPECT_TRUE(expression.projection().wants(kConfig));
  EXPECT_FALSE(expression.projection().wants(kConfig, 0));
  EXPECT_FALSE(expression.projection().wants(kArray));
}

TEST(Expression, SaysWhereTheTextStopsMakingSense) {
  EXPECT_EQ(refusal("tag =="),
            "invalid_argument: expression, character 7 of \"tag ==\": it ends too "
            "early");
  EXPECT_EQ(refusal("tag 5"),
            "invalid_argument: expression, character 5 of \"tag 5\": nothing more "
            "was expected");
  EXPECT_EQ(refusal("pid == 1"),
            "invalid_argument: expression, character 1 of \"pid == 1\": a column is written "
            "BANK.column (REC::Particle.pid); count(BANK) and has(BANK) take a bank");
  EXPECT_NE(refusal("pdi == 1").find("BANK.column; count(BANK)"), std::string::npos);
  EXPECT_EQ(refusal("REC::Particl.pid"),
            "not_found: no bank REC::Particl in the dictionary; the nearest name is REC::Particle");
  EXPECT_EQ(refusal("REC::Particle.pidd > 1"),
            "not_found: bank REC::Particle has no column pidd; the nearest name is pid");
  EXPECT_EQ(refusal("REC::Particle.px & 1"),
            "invalid_argument: expression, character 19 of "
            "\"REC::Particle.px & 1\": & works on integers only");
  EXPECT_NE(refusal(std::string(200, '(')).find("more than 100 levels"), std::string::npos);
  EXPECT_NE(refusal(std::string(200, '!')).find("more than 100 levels"), std::string::npos);
  EXPECT_NE(refusal("tag == 99999999999999999999").find("out of range"), std::string::npos);
}

TEST(Expression, AsksForBanksWithoutASchemaByNumber) {
  EXPECT_EQ(events_where("has(900/7)"), "");
  EXPECT_NE(refusal("count(900/7) > 0").find("no bank 900/7"), std::string::npos);
}

TEST(Expression, TellsHowOperatorsAreWrittenHere) {
  const std::pair<const char*, const char*> cases[] = {
      {"tag = 1", "nothing more was expected; \"is equal\" is written =="},
      {"(tag = 1)", "')' was expected; \"is equal\" is written =="},
      {"tag == 1 and tag > 0", "nothing more was expected; \"and\" is written &&"},
      {"tag == 1 OR tag == 2", "nothing more was expected; \"or\" is written ||"},
      {"not tag == 1", "take a bank; \"not\" is written !"},
      {"count(REC::Particle, not pid) > 1", "take a bank; \"not\" is written !"},
      {"tag == 1 organic", "nothing more was expected"},
      {"tag => 1", "nothing more was expected; \"is not less\" is written >="},
      {"tag =< 1", "nothing more was expected; \"is not greater\" is written <="},
      {"tag === 1", "a number or a name was expected; \"is equal\" is written =="},
      {"tag <> 1", "\"is unequal\" is written !="},
      {"tag == 1 | tag == 2", "nothing more was expected; \"or\" is written ||"},
      {"tag == 1 & tag == 2", "& takes the bits of an integer; \"and\" is written &&"},
      {"0 < tag < 5", "one comparison ends here; others are joined to it by &&"},
      {"tag * 2 == 4", "nothing more was expected; there is no arithmetic"},
      {"tag - 1 == 4", "nothing more was expected; there is no arithmetic"},
      {"REC::Particle.pid[0 || tag", "']' was expected"},
      {"== 5", "a number or a name was expected"},
  };
  for (const auto& [text, end] : cases) {
    const std::string found = refusal(text);
    EXPECT_TRUE(found.ends_with(end)) << found;
  }
}

}  // namespace
}  // namespace hipotool::test
