#include "hipotool/tagging.hpp"

#include "hipotool/selection.hpp"

#include "support/error_of.hpp"
#include "support/tagged_files.hpp"
#include "support/temp_dir.hpp"

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace hipotool::test {
namespace {

const std::vector<std::uint32_t> kTags{0, 4, 8, 1, 4, 8, 0, 1, 8, 0};

class TaggingRewrite : public ::testing::TestWithParam<Compression> {
 protected:
  TaggingRewrite() {
    RewriteOptions options;
    options.compression = GetParam();
    options.record_events = 5;
    recook(open_bytes(numbered_file(kTags, 5).bytes()), in_, options);
  }

  RewriteSummary run(const std::filesystem::path& from, const std::filesystem::path& to,
                     const Tagging* tagging, const Selection* selection) {
    const FileReader reader(from);
    const FileReader* input = &reader;
    RewriteOptions options;
    options.keep_compression = true;
    options.record_bytes = 0;
    std::optional<EventTagger> tagger;
    std::optional<EventSelector> selector;
    if (tagging != nullptr) {
      options.tagger = &tagger.emplace(*tagging, std::span(&input, 1));
    }
    if (selection != nullptr) {
      options.selector = &selector.emplace(*selection, std::span(&input, 1));
    }
    return recook(reader, to, options);
  }

  TempDir folder_;
  std::filesystem::path in_ = folder_ / "in.hipo";
  std::filesystem::path out_ = folder_ / "out.hipo";
};

INSTANTIATE_TEST_SUITE_P(, TaggingRewrite,
                         ::testing::Values(compression_of(CodecId::none, LayoutId::per_chunk),
                                           compression_of(CodecId::lz4, LayoutId::per_chunk),
                                           compression_of(CodecId::gzip, LayoutId::per_bank),
                                           compression_of(CodecId::lz4hc, LayoutId::per_column),
                                           compression_of(CodecId::lz4, LayoutId::per_column,
                                                          Encodings::best)),
                         [](const auto& one) { return test_name(one.param); });

TEST_P(TaggingRewrite, ClearsBitsThenAppliesRulesThenSetsBits) {
  const std::vector<std::pair<Tagging, std::string>> cases{
      {{.set = 2}, "0:2 1:6 2:10 3:1 4:6 5:10 6:2 7:1 8:10 9:2"},
      {{.clear = 12}, "0:0 1:0 2:0 3:1 4:0 5:0 6:0 7:1 8:0 9:0"},
      {{.set = 2, .only = true}, "0:2 1:6 2:10 3:3 4:6 5:10 6:2 7:3 8:10 9:2"},
      {{.set = 2, .special = {0, 8}}, "0:0 1:6 2:8 3:3 4:6 5:8 6:0 7:3 8:8 9:0"},
      {{.rules = {{"N::n.i < 3", {}, 16}}}, "0:16 1:20 2:24 3:1 4:4 5:8 6:0 7:1 8:8 9:0"},
      {{.rules = {{"N::n.i < 3", 5, 0}}}, "0:5 1:5 2:5 3:1 4:4 5:8 6:0 7:1 8:8 9:0"},
      {{.clear = 8, .rules = {{"has(X::x)", 7, 0}, {"N::n.i > 5", {}, 8}}, .set = 32},
       "0:39 1:36 2:32 3:1 4:36 5:32 6:47 7:1 8:40 9:47"},
  };
  for (const auto& [tagging, expected] : cases) {
    run(in_, out_, &tagging, nullptr);
    EXPECT_EQ(numbers_and_tags(out_), expected);
  }
}

// What a selection finds does not depend on whether tags are written before or in the same run.
TEST_P(TaggingRewrite, ThatAlsoChoosesIsOneThatTagsAndThenOneThatChooses) {
  const std::vector<Tagging> taggings{
      {.rules = {{"has(X::x)", {}, 16}}},
      {.clear = 8, .rules = {{"N::n.i == 2", 1, 0}}},  // makes an event special
      {.set = 2, .only = true},
  };
  std::vector<Selection> selections(4);
  selections[0].tags = {{.any = 16}};
  selections[1].tags = {{.none = 8}};
  selections[1].where = "N::n.i > 4";
  selections[2].most = 3;
  selections[3].tags = {{.values = {{2, 10}}}};
  selections[3].any_clause = true;
  selections[3].where = "N::n.i == 7";
  for (const Tagging& tagging : taggings) {
    for (Selection selection : selections) {
      selection.only = tagging.only;
      run(in_, folder_ / "tagged.hipo", &tagging, nullptr);
      run(folder_ / "tagged.hipo", folder_ / "two_steps.hipo", nullptr, &selection);
      const RewriteSummary once = run(in_, out_, &tagging, &selection);
      EXPECT_EQ(numbers_and_tags(out_), numbers_and_tags(folder_ / "two_steps.hipo"));
      EXPECT_EQ(once.digest->ordered, content_digest(out_).ordered);
    }
  }
}

TEST_P(TaggingRewrite, CopiesRecordsInWhichNoTagChanges) {
  const Tagging tagging{.rules = {{"N::n.i == 0", {}, 64}}};
  const FileReader reader(in_);
  const FileReader* input = &reader;
  const EventTagger tagger(tagging, std::span(&input, 1));
  RewriteOptions options;
  options.keep_compression = true;
  options.record_bytes = 300;  // as large as the records are
  options.tagger = &tagger;
  for (const Verify verify : {Verify::record, Verify::none}) {
    options.verify = verify;
    const RewriteSummary summary = recook(reader, out_, options);
    EXPECT_EQ(summary.records_in, 2U);
    EXPECT_EQ(summary.records_copied, 1U);
    EXPECT_EQ(summary.events_retagged, 1U);
    EXPECT_EQ(numbers_and_tags(out_), "0:64 1:4 2:8 3:1 4:4 5:8 6:0 7:1 8:8 9:0");
  }
}

TEST_P(TaggingRewrite, CountsTheEventsWrittenAlone) {
  const Tagging tagging{.rules = {{"N::n.i < 5", 1, 0}}};
  Selection selection;
  selection.where = "N::n.i > 2";
  const RewriteSummary all = run(in_, out_, &tagging, nullptr);
  EXPECT_EQ(all.events_retagged, 4U);
  EXPECT_EQ(all.events_made_special, 4U);
  selection.only = true;
  const RewriteSummary some = run(in_, out_, &tagging, &selection);
  EXPECT_EQ(numbers_and_tags(out_), "3:1 4:1 5:8 6:0 7:1 8:8 9:0");
  EXPECT_EQ(some.events_retagged, 1U);
}

TEST(Tagging, LeavesEventsWithoutHeaderAlone) {
  FileImage file;
  file.schemas = {"{N::n/1/1}{i/I}"};
  EventImage headless;
  headless.raw = text_bytes("short");
  file.records = {whole_record({headless.bytes(), numbered_event(1, 4).bytes()})};
  const FileReader reader = open_bytes(file.bytes());
  const FileReader* input = &reader;
  const EventTagger tagger({.set = 2}, std::span(&input, 1));
  const TempDir folder;
  RewriteOptions options;
  options.compression = compression_of(CodecId::lz4, LayoutId::per_chunk);
  options.tagger = &tagger;
  const RewriteSummary summary = recook(reader, folder / "out.hipo", options);
  EXPECT_EQ(summary.events_by_tag.value().counts(),
            (std::map<std::uint32_t, std::uint64_t>{{0, 1}, {6, 1}}));
  EXPECT_EQ(summary.events_retagged, 1U);
}

TEST(Tagging, NamesTheFileWhoseDictionaryDoesNotBearARule) {
  const FileReader reader = open_bytes(numbered_file({0}, 1).bytes());
  const FileReader* input = &reader;
  EXPECT_EQ(
      error_of([&] {
        EventTagger({.rules = {{"N::m.i > 0", 1, 0}}}, std::span(&input, 1));
      }),
      "not_found: file.hipo: no bank N::m in the dictionary; the nearest names are N::n, X::x");
}

TEST(TagRegistry, TakesNewNamesAndRefusesContradictions) {
  std::vector<DictionaryEvent> dictionary{text_event({120, 2}, "{N::n/1/1}{i/I}")};
  const auto names = [&] { return Dictionary(dictionary).tag_names(); };
  const auto define = [&](std::vector<TagName> fresh) {
    return error_of([&] { define_tag_names(dictionary, fresh); });
  };
  EXPECT_EQ(define({}), "no error");
  EXPECT_EQ(dictionary.size(), 1U);
  EXPECT_EQ(define({{"dvcs", 2}}), "no error");
  EXPECT_EQ(define({{"dvcs", 2}, {"sidis", 3}}), "no error");
  EXPECT_EQ(names(), (std::vector<TagName>{{"dvcs", 2}, {"sidis", 3}}));
  EXPECT_EQ(dictionary.size(), 2U);
  EXPECT_EQ(define({{"dvcs", 4}}), "invalid_argument: the tag name dvcs=4 contradicts dvcs=2");
  EXPECT_EQ(define({{"other", 3}}), "invalid_argument: the tag name other=3 contradicts sidis=3");
  EXPECT_EQ(define({{"a", 5}, {"b", 5}}), "invalid_argument: the tag name b=5 contradicts a=5");
  EXPECT_EQ(define({{"new", 6}, {"a=b", 7}}).substr(0, 32), "invalid_argument: tag name \"a=b\"");
  EXPECT_EQ(names().size(), 2U);
}

}  // namespace
}  // namespace hipotool::test
