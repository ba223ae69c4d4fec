#include "hipotool/dictionary.hpp"

#include "support/error_of.hpp"
#include "support/event_images.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace hipotool::test {
namespace {

constexpr BankKey kJson{120, 1};
constexpr BankKey kText{120, 2};
constexpr BankKey kTagNames{120, 3};
constexpr BankKey kKey{32555, 1};
constexpr BankKey kValue{32555, 2};

DictionaryEvent event_of(const std::vector<std::pair<BankKey, std::string>>& texts) {
  EventImage event;
  for (const auto& [key, text] : texts) {
    event.banks.push_back({key, text_bytes(text)});
  }
  return event.bytes();
}

Dictionary dictionary_from(const std::vector<DictionaryEvent>& events) {
  return Dictionary(events);
}

std::vector<std::string> texts_of(const Dictionary& dictionary) {
  std::vector<std::string> texts;
  for (const Schema* schema : dictionary.schemas()) {
    texts.push_back(schema->text());
  }
  return texts;
}

constexpr const char* kSchemaA = "{a/1/1}{x/I}";
constexpr const char* kSchemaB = "{b/1/2}{y/F}";

TEST(DictionaryEvents, PreferTextToJsonInAnyOrder) {
  const std::string json = Schema::parse_text(kSchemaB).json_text();
  for (const auto& event : {event_of({{kText, kSchemaA}, {kJson, json}}),
                            event_of({{kJson, json}, {kText, kSchemaA}})}) {
    EXPECT_EQ(texts_of(dictionary_from({event})), std::vector<std::string>{kSchemaA});
  }
  EXPECT_EQ(texts_of(dictionary_from({event_of({{kJson, json}})})),
            std::vector<std::string>{kSchemaB});
}

TEST(DictionaryEvents, EndTheirTextsAtANul) {
  const std::string padded = std::string(kSchemaA) + std::string(3, '\0') + "rest";
  EXPECT_EQ(texts_of(dictionary_from({event_of({{kText, padded}})})),
            std::vector<std::string>{kSchemaA});
}

TEST(DictionaryEvents, ThatDoNotParseAreSkippedAndNoted) {
  Bytes damaged = event_of({{kText, kSchemaA}});
  damaged[20] = std::byte{0xFF};  // the structure runs past its event
  const Dictionary dictionary =
      dictionary_from({event_of({{kText, "{a/1}"}}), damaged, event_of({{kJson, "{"}}),
                       event_of({{kText, kSchemaB}})});
  EXPECT_EQ(texts_of(dictionary), std::vector<std::string>{kSchemaB});
  ASSERT_EQ(dictionary.notes().size(), 3U);
  EXPECT_EQ(dictionary.notes()[0], "dictionary event 0 skipped: schema: two {...} blocks expected");
  EXPECT_EQ(dictionary.notes()[1],
            "dictionary event 1 skipped: structure 120/2 of 255 bytes runs past its event");
  EXPECT_TRUE(dictionary.notes()[2].starts_with("dictionary event 2 skipped: schema JSON: "));
}

TEST(DictionaryEvents, OfUnknownContentAreIgnored) {
  const Dictionary dictionary = dictionary_from({event_of({{{9, 9}, "text"}}), event_of({})});
  EXPECT_TRUE(dictionary.schemas().empty());
  EXPECT_TRUE(dictionary.notes().empty());
}

TEST(DictionaryLookup, TakesTheLastOfARepeatedName) {
  const Dictionary dictionary =
      dictionary_from({event_of({{kText, kSchemaA}}), event_of({{kText, kSchemaB}}),
                       event_of({{kText, "{a/1/1}{z/D}"}})});
  EXPECT_EQ(texts_of(dictionary), (std::vector<std::string>{"{a/1/1}{z/D}", kSchemaB}));
  EXPECT_EQ(dictionary.find("a")->columns()[0].name, "z");
  EXPECT_EQ(dictionary.find(BankKey{1, 1})->columns()[0].name, "z");
}

TEST(DictionaryLookup, TakesTheLastOfARepeatedKey) {
  const Dictionary dictionary =
      dictionary_from({event_of({{kText, kSchemaA}}), event_of({{kText, "{other/1/1}{z/D}"}})});
  EXPECT_EQ(dictionary.find(BankKey{1, 1})->name(), "other");
  EXPECT_EQ(dictionary.find("a")->text(), kSchemaA);
  EXPECT_EQ(dictionary.bank_name({1, 1}), "other");
  EXPECT_EQ(dictionary.bank_name({7, 8}), "7/8");
  EXPECT_EQ(dictionary.find(BankKey{7, 8}), nullptr);
  EXPECT_EQ(dictionary.find("7/8"), nullptr);
}

TEST(DictionaryLookup, StaysValidWhenTheDictionaryMoves) {
  Dictionary first =
      dictionary_from({event_of({{kText, kSchemaA}}), event_of({{kText, kSchemaB}})});
  const Schema* schema = first.find("b");
  const Dictionary second = std::move(first);
  EXPECT_EQ(second.find("b"), schema);
  EXPECT_EQ(schema->text(), kSchemaB);
}

TEST(DictionaryConfiguration, TakesTheLastValueAtTheFirstPlace) {
  const Dictionary dictionary = dictionary_from(
      {event_of({{kKey, "a"}, {kValue, "1"}}), event_of({{kKey, "b"}, {kValue, "2"}}),
       event_of({{kKey, "a"}, {kValue, "3"}}), event_of({{kValue, "alone"}}),
       event_of({{kValue, "too"}}), event_of({{kKey, "no value"}})});
  EXPECT_EQ(dictionary.configuration(),
            (std::vector<ConfigurationEntry>{{"a", "3"}, {"b", "2"}, {"", "alone"}, {"", "too"}}));
}

TEST(DictionaryConfiguration, ComesBackFromTheEventThatHoldsIt) {
  const ConfigurationEntry entry{"key with = and \n", "{\"json\": [1, 2]}"};
  const DictionaryEvent event = configuration_event(entry);
  EXPECT_EQ(dictionary_from({event}).configuration(), std::vector<ConfigurationEntry>{entry});
  EXPECT_EQ(kind_of(event), DictionaryEventKind::configuration);
}

TEST(DictionaryTagNames, AreLinesOfNameAndBit) {
  const Dictionary dictionary = dictionary_from({event_of(
      {{kTagNames,
        "dvcs=0\n sidis = 1 \nno bit\n=5\nhigh=31\ntoo high=32\nodd=1x\nneg=-1\na=b=2\nlast=3"}})});
  EXPECT_EQ(dictionary.tag_names(),
            (std::vector<TagName>{{"dvcs", 0}, {"sidis", 1}, {"high", 31}, {"last", 3}}));
}

TEST(DictionaryTagNames, OfARepeatedNameTakeTheLastBit) {
  EXPECT_EQ(dictionary_from({event_of({{kTagNames, "a=1\nb=2\na=3\n"}})}).tag_names(),
            (std::vector<TagName>{{"a", 3}, {"b", 2}}));
}

TEST(DictionaryTagNames, ComeBackFromTheEventThatHoldsThem) {
  const std::vector<TagName> names = {{"deeply virtual", 0}, {"e\xCE\xB3", 31}, {"a", 0}};
  const DictionaryEvent event = tag_names_event(names);
  EXPECT_EQ(dictionary_from({event}).tag_names(), names);
  EXPECT_EQ(kind_of(event), DictionaryEventKind::tag_names);
}

TEST(DictionaryTagNames, ThatTheTextCannotHoldAreRefused) {
  for (const std::string name : {"", "a=b", "a\nb", "a\rb", " a", "a ", "\ta", "a\t", "\n"}) {
    const TagName names[] = {{"good", 1}, {name, 2}};
    const std::string error = error_of([&] { static_cast<void>(tag_names_event(names)); });
    EXPECT_EQ(error,
              "invalid_argument: tag name \"" + name +
                  "\" (bit 2) cannot be stored: names are not empty, hold no =, CR, LF or NUL "
                  "and no white space at an end; bits are 0 to 31");
  }
  const TagName nul[] = {{std::string("a\0b", 3), 0}};
  EXPECT_NE(error_of([&] { static_cast<void>(tag_names_event(nul)); }), "no error");
  const TagName high[] = {{"a", 32}};
  EXPECT_NE(error_of([&] { static_cast<void>(tag_names_event(high)); }), "no error");
}

TEST(DictionarySchemas, AreWrittenAsOthersReadThem) {
  const Schema schema = Schema::parse_text(kSchemaA);
  const DictionaryEvent alone = schema_event(schema, false);
  EXPECT_EQ(to_hex(alone), to_hex(EventImage{0, {{kText, text_bytes(kSchemaA), 11}}}.bytes()));
  const DictionaryEvent both = schema_event(schema, true);
  EXPECT_EQ(to_hex(both),
            to_hex(EventImage{
                0, {{kJson, text_bytes(schema.json_text()), 6}, {kText, text_bytes(kSchemaA), 6}}}
                       .bytes()));
  EXPECT_EQ(kind_of(alone), DictionaryEventKind::schema);
  EXPECT_EQ(kind_of(event_of({{{9, 9}, "x"}})), DictionaryEventKind::other);
  EXPECT_EQ(kind_of(Bytes(3)), DictionaryEventKind::other);
}

TEST(DictionarySchemas, OfAProgramMustSurviveTheirText) {
  const Schema sound[] = {Schema("a b", {1, 1}, {{"x", ColumnType::i32}})};
  EXPECT_EQ(Dictionary::from_schemas(sound).find("a b")->row_size(), 4U);
  for (const Schema& schema :
       {Schema("a/b", {1, 1}, {{"x", ColumnType::i32}}),
        Schema("a", {1, 1}, {{"x/y", ColumnType::i32}}),
        Schema("a", {1, 1}, {{"x,y", ColumnType::i32}}), Schema("a}", {1, 1}, {}),
        Schema(" a", {1, 1}, {}), Schema("a", {1, 1}, {{" x", ColumnType::i8}}),
        Schema("a", {1, 1}, {{"", ColumnType::i8, 0}})}) {
    EXPECT_NE(error_of([&] {
                static_cast<void>(Dictionary::from_schemas({&schema, 1}));
              }),
              "no error")
        << schema.text();
  }
}

}  // namespace
}  // namespace hipotool::test
