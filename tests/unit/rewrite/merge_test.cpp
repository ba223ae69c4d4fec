#include "hipotool/merge.hpp"

#include "support/error_of.hpp"
#include "support/library.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace hipotool::test {
namespace {

constexpr const char* kA = "{a/1/1}{x/I}";
constexpr const char* kB = "{b/1/2}{y/F}";
constexpr const char* kC = "{c/1/3}{z/D}";

struct Input {
  std::vector<std::string> schemas{};
  std::vector<DictionaryEvent> further{};
};

FileReader open(const Input& input, const std::string& name) {
  FileImage file;
  file.schemas = input.schemas;
  file.dictionary = input.further;
  return open_bytes(file.bytes(), name);
}

// The merge of inputs named 1.hipo, 2.hipo, ...
MergedDictionary merged(const std::vector<Input>& inputs, const MergeOptions& options = {}) {
  std::vector<FileReader> readers;
  readers.reserve(inputs.size());
  for (const Input& input : inputs) {
    readers.push_back(open(input, std::to_string(readers.size() + 1) + ".hipo"));
  }
  std::vector<const FileReader*> pointers;
  pointers.reserve(readers.size());
  for (const FileReader& reader : readers) {
    pointers.push_back(&reader);
  }
  return merge_dictionaries(pointers, options);
}

std::string refusal(const std::vector<Input>& inputs, const MergeOptions& options = {}) {
  return error_of([&] { static_cast<void>(merged(inputs, options)); });
}

std::string schemas_of(const MergedDictionary& dictionary) {
  const Dictionary read(dictionary.events);
  std::string texts;
  for (const Schema* schema : read.schemas()) {
    texts += schema->text();
  }
  return texts;
}

TEST(Merge, IsAUnionInInputOrder) {
  EXPECT_EQ(schemas_of(merged({{{kB, kA}}, {{kC, kA}}})), std::string(kB) + kA + kC);
  EXPECT_EQ(schemas_of(merged({{{kA, kB, kC}}, {{kC, kB, kA}}})), std::string(kA) + kB + kC);
  EXPECT_EQ(merged({{{kA, kB}}, {{kB, kA}}}).events.size(), 2U);
  EXPECT_EQ(merged({{}, {}}).events.size(), 0U);
}

TEST(Merge, CarriesOneInputByteForByte) {
  Input odd{{kA, kA, kB},
            {text_event({9, 9}, "unknown"), text_event({120, 2}, "no schema"),
             text_event({9, 9}, "unknown"), configuration_event({"k", "1"}),
             configuration_event({"k", "2"})}};
  FileImage file;
  file.schemas = odd.schemas;
  file.dictionary = odd.further;
  EXPECT_EQ(merged({odd}).events, file.dictionary_events());
  // And once more is nothing new.
  EXPECT_EQ(merged({odd, odd}).events, file.dictionary_events());
}

TEST(Merge, TakesASchemaThatIsThereInAnotherForm) {
  const Input json{{}, {schema_event(Schema::parse_text(kA), true)}};
  EXPECT_EQ(merged({{{kA}}, json}).events, merged({{{kA}}}).events);
  EXPECT_EQ(merged({json, {{kA}}}).events, json.further);
}

TEST(Merge, RefusesOneNameWithTwoLayouts) {
  EXPECT_EQ(refusal({{{kB, kA}}, {{kC}}, {{"{a/1/1}{x/L}"}}}),
            "invalid_argument: cannot merge: 1.hipo has {a/1/1}{x/I}, 3.hipo has {a/1/1}{x/L}"
            "; --rename a=NEW:GROUP/ITEM gives one of them another name and id");
  EXPECT_EQ(refusal({{{kA}}, {{"{a/7/7}{x/I}"}}}),
            "invalid_argument: cannot merge: 1.hipo has {a/1/1}{x/I}, 2.hipo has {a/7/7}{x/I}"
            "; --rename a=NEW:GROUP/ITEM gives one of them another name and id");
}

TEST(Merge, RefusesOneKeyWithTwoNames) {
  EXPECT_EQ(refusal({{{kA}}, {{"{other/1/1}{x/I}"}}}),
            "invalid_argument: cannot merge: 1.hipo has {a/1/1}{x/I}, 2.hipo has {other/1/1}{x/I}"
            "; --rename other=NEW:GROUP/ITEM gives one of them another name and id");
}

TEST(Merge, CarriesConflictsInsideOneInput) {
  const Input conflicting{{kA, "{a/1/1}{x/L}", "{other/1/1}{x/B}"}};
  EXPECT_EQ(merged({conflicting}).events.size(), 3U);
  EXPECT_EQ(merged({{{kB}}, conflicting}).events.size(), 4U);
}

TEST(Merge, KeepsTheFirstConfigurationAndNotesOthers) {
  const Input first{{kA}, {configuration_event({"run", "1"}), configuration_event({"same", "x"})}};
  const Input second{{kA},
                     {configuration_event({"run", "2"}), configuration_event({"same", "x"}),
                      configuration_event({"more", "y"})}};
  const MergedDictionary result = merged({first, second});
  EXPECT_EQ(Dictionary(result.events).configuration(),
            (std::vector<ConfigurationEntry>{{"run", "1"}, {"same", "x"}, {"more", "y"}}));
  ASSERT_EQ(result.notes.size(), 1U);
  EXPECT_EQ(result.notes[0],
            "configuration \"run\" of 2.hipo differs from that of 1.hipo, which stays");
  EXPECT_EQ(refusal({first, second}, {.strict_configuration = true}),
            "invalid_argument: cannot merge: configuration \"run\" of 2.hipo differs from that of "
            "1.hipo");
}

TEST(Merge, DropsConfigurationAndTagNamesOnRequest) {
  const TagName names[] = {{"dvcs", 0}};
  const Input input{{kA}, {tag_names_event(names), configuration_event({"run", "1"})}};
  const MergedDictionary result = merged({input}, {.drop_configuration = true});
  EXPECT_EQ(result.events.size(), 1U);
  EXPECT_EQ(schemas_of(result), kA);
}

Input with_tag_names(const std::vector<TagName>& names) {
  return {{kA}, {tag_names_event(names)}};
}

TEST(Merge, JoinsTagNames) {
  const MergedDictionary result = merged({with_tag_names({{"dvcs", 0}, {"sidis", 1}}),
                                          with_tag_names({{"sidis", 1}, {"elastic", 2}})});
  EXPECT_EQ(Dictionary(result.events).tag_names(),
            (std::vector<TagName>{{"dvcs", 0}, {"sidis", 1}, {"elastic", 2}}));
  EXPECT_EQ(result.events.size(), 2U);
  // Nothing new: the bytes stay.
  EXPECT_EQ(merged({with_tag_names({{"dvcs", 0}}), with_tag_names({{"dvcs", 0}})}).events[1],
            with_tag_names({{"dvcs", 0}}).further[0]);
}

TEST(Merge, RefusesTagNamesThatContradict) {
  EXPECT_EQ(
      refusal({with_tag_names({{"dvcs", 0}}), with_tag_names({{"dvcs", 3}})}),
      "invalid_argument: cannot merge: the tag name dvcs=3 of 2.hipo contradicts dvcs=0 of an "
      "earlier input");
  EXPECT_EQ(
      refusal({with_tag_names({{"dvcs", 0}}), with_tag_names({{"other", 0}})}),
      "invalid_argument: cannot merge: the tag name other=0 of 2.hipo contradicts dvcs=0 of an "
      "earlier input");
}

TEST(Merge, OfADictionaryThatContradictsItselfWithTheSameOneIsThatDictionary) {
  // As it comes with every file of a run.
  const Input conflicting{{kA, "{a/1/1}{x/L}"}, with_tag_names({{"d", 0}, {"e", 0}}).further};
  EXPECT_EQ(merged({conflicting, conflicting}).events, merged({conflicting}).events);
}

TEST(Merge, RefusesADictionaryInWhichAnotherOfTwoSchemasWins) {
  // In the first file the second schema hides the first one, whose layout the other file's data
  // has.
  const Input hiding{{kA, "{a/1/1}{x/L}"}};
  EXPECT_EQ(refusal({hiding, {{kA}}}),
            "invalid_argument: cannot merge: 1.hipo has {a/1/1}{x/L}, 2.hipo has {a/1/1}{x/I}"
            "; --rename a=NEW:GROUP/ITEM gives one of them another name and id");
  EXPECT_EQ(refusal({hiding, {{"{a/1/1}{x/L}"}}}), "no error");
}

// ---- for readers with limits

TEST(MergeForPeers, RewritesSchemasWithJson) {
  for (const PeerReader peer : {PeerReader::cpp, PeerReader::java}) {
    const MergedDictionary result = merged({{{kA, kB}}}, {.readable_by = peer});
    ASSERT_EQ(result.events.size(), 2U);
    EXPECT_EQ(result.events[0], schema_event(Schema::parse_text(kA), true));
    EXPECT_EQ(schemas_of(result), std::string(kA) + kB);
  }
}

TEST(MergeForPeers, RefusesWhatHasNoForm) {
  const MergeOptions cpp{.readable_by = PeerReader::cpp};
  const MergeOptions java{.readable_by = PeerReader::java};
  EXPECT_EQ(refusal({{{"{a/1/1}{x/I#2}"}}}, cpp),
            "not_representable: no form for C++ hipo4: the array columns of {a/1/1}{x/I#2}");
  EXPECT_EQ(refusal({{{kA}, {configuration_event({"k", "v"})}}}, cpp),
            "not_representable: no form for C++ hipo4: configuration or tag registry, on which it "
            "crashes; drop them with --drop-config");
  EXPECT_EQ(refusal({{{"{a/1/128}{x/I}"}}}, java),
            "not_representable: no form for Java: the id of a, 1/128: groups above 32767 and items "
            "above 127 are lost");
  EXPECT_EQ(
      refusal({{{"{a/32768/1}{x/I}"}}}, java),
      "not_representable: no form for Java: the id of a, 32768/1: groups above 32767 and items "
      "above 127 are lost");
  EXPECT_EQ(refusal({{{kA}, {configuration_event({"k", "v"})}}}, java), "no error");
  EXPECT_EQ(refusal({{{}, {text_event({120, 2}, "no schema")}}}, java),
            "not_representable: no form for Java: a schema that does not parse");
}

TEST(MergeForPeers, HasOneSpelling) {
  EXPECT_EQ(parse_peer_reader("cpp"), PeerReader::cpp);
  EXPECT_EQ(parse_peer_reader("java"), PeerReader::java);
  EXPECT_EQ(parse_peer_reader("oxihipo"), std::nullopt);
}

}  // namespace
}  // namespace hipotool::test
