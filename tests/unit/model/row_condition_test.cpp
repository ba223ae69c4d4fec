#include "hipotool/row_condition.hpp"

#include "support/error_of.hpp"
#include "support/library.hpp"

#include <gtest/gtest.h>

#include <string>

namespace hipotool::test {
namespace {

constexpr BankKey kHits{1, 1};
constexpr BankKey kOther{2, 2};

Dictionary some_banks() {
  return dictionary_of({"{H::hits/1/1}{n/I,c/F#2}", "{O::other/2/2}{m/I}"});
}

Bytes hits(std::initializer_list<std::int32_t> numbers, const Bytes& cells) {
  return joined({packed_as<std::int32_t>(numbers), cells});
}

// "0:1 0:2", event and row, for which the condition holds in all occurrences of the bank.
std::string rows_where(const std::string& text, const Record& record,
                       const Dictionary& dictionary) {
  const RowCondition condition = RowCondition::parse(text, dictionary, *dictionary.find(kHits));
  std::string found;
  for (std::uint32_t event = 0; event < record.event_count(); ++event) {
    bool any = false;
    for (const BankOccurrence& one : record.find(kHits)->in_events(event, 1)) {
      const BankView bank(*record.find(kHits), one);
      for (std::size_t row = 0; row < bank.rows(); ++row) {
        if (condition.holds(record, bank, row)) {
          any = true;
          found += (found.empty() ? "" : " ") + std::to_string(event) + ":" + std::to_string(row);
        }
      }
    }
    EXPECT_EQ(condition.holds_for_any(record, event), any) << text << ", event " << event;
  }
  return found;
}

TEST(RowCondition, HoldsForRowsByThemselves) {
  const Dictionary dictionary = some_banks();
  const std::vector<EventImage> events{
      {.tag = 3,
       .banks = {{kHits, hits({1, 2, 3}, packed(0.0F, 1.0F, 0.0F, 5.0F, 7.0F, 5.0F))},
                 {kOther, packed_as<std::int32_t>({2, 9})}}},
      {.banks = {{kHits, hits({2}, packed(5.0F, 0.0F))}}},
      {.banks = {{kHits, {}}}}};
  for (const LayoutId layout : kLayouts) {
    const auto record =
        decoded(stored_record(images(events), compression_of(CodecId::none, layout), dictionary),
                dictionary);
    const auto rows = [&](const std::string& text) {
      return rows_where(text, *record, dictionary);
    };
    EXPECT_EQ(rows("n == 2"), "0:1 1:0");
    EXPECT_EQ(rows("n > 1 && c == 5"), "0:1 0:2 1:0");
    EXPECT_EQ(rows("!(c == 5)"), "0:0");
    EXPECT_EQ(rows("tag == 3"), "0:0 0:1 0:2");
    EXPECT_EQ(rows("n == O::other.m"), "0:1");  // any of its values
    EXPECT_EQ(rows("n == H::hits.n[1]"), "0:1");
    EXPECT_EQ(rows("count(H::hits, n > 1) == 2 && n & 1"), "0:0 0:2");
    EXPECT_EQ(rows("n == 7"), "");
  }
}

TEST(RowCondition, LooksAtABankThatComesTwiceBothTimes) {
  const Dictionary dictionary = some_banks();
  const std::vector<EventImage> events{
      {.banks = {{kHits, hits({1}, packed(0.0F, 0.0F))}, {kHits, hits({4, 2}, Bytes(16))}}}};
  const auto record = decoded(
      stored_record(images(events), compression_of(CodecId::none, LayoutId::per_chunk), dictionary),
      dictionary);
  EXPECT_EQ(rows_where("n == 2", *record, dictionary), "0:1");
}

TEST(RowCondition, NeedsTheColumnsThatItNames) {
  const Dictionary dictionary = some_banks();
  const RowCondition condition =
      RowCondition::parse("n == 2 && has(O::other)", dictionary, *dictionary.find(kHits));
  EXPECT_TRUE(condition.projection().wants(kHits, 0));
  EXPECT_FALSE(condition.projection().wants(kHits, 1));
  EXPECT_TRUE(condition.projection().wants(kOther));
}

TEST(RowCondition, RefusesWhatWouldLookAtAllRows) {
  const Dictionary dictionary = some_banks();
  const auto refusal = [&](const std::string& text) {
    return error_of(
        [&] { static_cast<void>(RowCondition::parse(text, dictionary, *dictionary.find(kHits))); });
  };
  EXPECT_TRUE(refusal("H::hits.n == 2")
                  .ends_with("it would look at all rows; a column of the row is written without "
                             "its bank: n"))
      << refusal("H::hits.n == 2");
  EXPECT_TRUE(refusal("m == 2").starts_with("not_found: bank H::hits has no column m"));
  EXPECT_TRUE(refusal("n = 2").ends_with("\"is equal\" is written =="));
}

}  // namespace
}  // namespace hipotool::test
