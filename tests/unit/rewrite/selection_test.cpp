#include "hipotool/selection.hpp"

#include "support/counting_source.hpp"
#include "support/error_of.hpp"
#include "support/library.hpp"
#include "support/random.hpp"
#include "support/temp_dir.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace hipotool::test {
namespace {

constexpr std::uint32_t kEvents = 120;
constexpr std::uint32_t kEventsOfARecord = 10;
constexpr BankKey kNumber{1, 1};
constexpr BankKey kExtra{2, 1};

// What the tests know of event i, by themselves.
std::uint32_t tag_of(std::uint32_t i) {
  return i % 7 == 3 ? 1 : i / 20 % 3 == 1 ? 4 : i % 2 * 8;
}
std::uint64_t word_of(std::uint32_t i) {
  return i / 20 % 3;
}
bool has_extra(std::uint32_t i) {
  return i % 3 == 0;
}

// Event i holds its own number in N::n.i and, every third, a bank X::x of some size.
FileImage content() {
  FileImage file;
  file.schemas = {"{N::n/1/1}{i/I}", "{X::x/2/1}{v/D,w/F}"};
  Random random(5);
  for (std::uint32_t first = 0; first < kEvents; first += kEventsOfARecord) {
    std::vector<Bytes> events;
    for (std::uint32_t i = first; i < first + kEventsOfARecord; ++i) {
      EventImage event{tag_of(i), {{kNumber, packed(static_cast<std::int32_t>(i))}}};
      if (has_extra(i)) {
        event.banks.push_back({kExtra, random.bytes(12 * std::size_t{1000})});
      }
      events.push_back(event.bytes());
    }
    file.records.push_back(whole_record(events, {.words = {word_of(first), 0}}));
  }
  return file;
}

class Selecting : public ::testing::TestWithParam<Compression> {
 protected:
  static void SetUpTestSuite() { sample = content().bytes(); }

  Selecting() {
    RewriteOptions options;
    options.compression = GetParam();
    options.record_events = kEventsOfARecord;
    recook(open_bytes(sample), folder_ / "in.hipo", options);
    source_ = std::make_shared<CountingSource>(read_bytes(folder_ / "in.hipo"));
    reader_.emplace(source_);
  }

  RewriteSummary select(const Selection& selection, unsigned threads = 2) {
    const FileReader* input = &*reader_;
    const EventSelector selector(selection, std::span(&input, 1));
    RewriteOptions options;
    options.keep_compression = true;
    options.record_bytes = 0;
    options.selector = &selector;
    options.threads = threads;
    return recook(*reader_, folder_ / "out.hipo", options);
  }

  // The numbers of the events written.
  std::vector<std::uint32_t> written() const {
    const FileReader out(folder_ / "out.hipo");
    std::vector<std::uint32_t> numbers;
    CodecContext context;
    Record record;
    for (std::size_t index = 0; index < out.records().size(); ++index) {
      EXPECT_EQ(out.records()[index].header.layout, GetParam().layout);
      EXPECT_EQ(out.records()[index].header.codec, GetParam().codec);
      out.read_record(index, Projection::everything(), context, record);
      for (std::uint32_t event = 0; event < record.event_count(); ++event) {
        const auto bank = record.bank(event, kNumber);
        const auto number = static_cast<std::uint32_t>(bank.value().column<std::int32_t>(0)[0]);
        EXPECT_EQ(record.tag(event), tag_of(number));
        EXPECT_EQ(record.user_words.first, word_of(number));
        EXPECT_EQ(record.bank(event, kExtra).has_value(), has_extra(number));
        numbers.push_back(number);
      }
    }
    return numbers;
  }

  static std::vector<std::uint32_t> expected(const std::function<bool(std::uint32_t)>& wants) {
    std::vector<std::uint32_t> numbers;
    for (std::uint32_t i = 0; i < kEvents; ++i) {
      if (wants(i)) {
        numbers.push_back(i);
      }
    }
    return numbers;
  }

  static inline Bytes sample;
  TempDir folder_;
  std::shared_ptr<const CountingSource> source_;
  std::optional<FileReader> reader_;
};

TEST_P(Selecting, KeepsExactlyTheEventsAskedFor) {
  struct Wish {
    std::string name;
    Selection selection;
    std::function<bool(std::uint32_t)> wants;
  };
  const auto special = [](std::uint32_t i) { return tag_of(i) == 1; };
  const TagClause four_or_eight{.values = {{4, 4}, {8, 9}}};
  const TagClause bit_three{.any = 8};
  const std::vector<Wish> wishes{
      {"tags", {.tags = {four_or_eight}}, [](auto i) { return tag_of(i) >= 4; }},
      {"tag 1 alone", {.tags = {{.values = {{1, 1}}}}}, special},
      {"a bit", {.tags = {bit_three}}, [](auto i) { return (tag_of(i) & 8U) != 0; }},
      {"no such bit", {.tags = {{.none = 12}}}, [](auto i) { return (tag_of(i) & 12U) == 0; }},
      {"all bits", {.tags = {{.all = 0}}}, [](auto) { return true; }},
      {"turned round",
       {.tags = {bit_three}, .invert = true},
       [](auto i) { return (tag_of(i) & 8U) == 0; }},
      {"by record",
       {.tags = {{.values = {{1, 1}}}}, .by = TagSource::record},
       [](auto i) { return word_of(i) == 1; }},
      {"by either",
       {.tags = {{.values = {{1, 1}}}}, .by = TagSource::either},
       [&](auto i) { return word_of(i) == 1 || special(i); }},
      {"where",
       {.where = "N::n.i >= 30 && N::n.i < 50"},
       [&](auto i) { return special(i) || (i >= 30 && i < 50); }},
      {"where only",
       {.where = "N::n.i >= 30 && N::n.i < 50", .only = true},
       [](auto i) { return i >= 30 && i < 50; }},
      {"a bank", {.required = {"X::x"}}, [&](auto i) { return special(i) || has_extra(i); }},
      {"no bank",
       {.required = {"X::x"}, .invert = true, .only = true},
       [](auto i) { return !has_extra(i); }},
      {"tags and content",
       {.tags = {four_or_eight}, .required = {"X::x"}},
       [](auto i) { return tag_of(i) >= 4 && has_extra(i); }},
      {"tags or content",
       {.tags = {four_or_eight}, .required = {"X::x"}, .any_clause = true, .only = true},
       [](auto i) { return tag_of(i) >= 4 || has_extra(i); }},
      {"by record and content",
       {.tags = {{.values = {{2, 2}}}}, .by = TagSource::record, .required = {"X::x"}},
       [&](auto i) { return word_of(i) == 2 && (special(i) || has_extra(i)); }},
      {"positions",
       {.begin = 9, .end = 11},
       [&](auto i) { return special(i) || i == 9 || i == 10; }},
      {"positions only",
       {.begin = 9, .end = 21, .only = true},
       [](auto i) { return i >= 9 && i < 21; }},
      {"no special tags",
       {.begin = 9, .end = 11, .special = {}},
       [](auto i) { return i == 9 || i == 10; }},
      {"another special tag",
       {.begin = 0, .end = 0, .special = {4}},
       [](auto i) { return tag_of(i) == 4; }},
      {"the first ones", {.most = 3, .only = true}, [](auto i) { return i < 3; }},
      {"the first ordinary ones",
       {.most = 4},
       [&](auto i) { return special(i) || i < 3 || i == 4; }},
      {"every fourth", {.every = 4, .only = true}, [](auto i) { return i % 4 == 0; }},
      {"every fourth of some",
       {.begin = 2, .every = 4, .most = 2, .only = true},
       [](auto i) { return i == 2 || i == 6; }},
      {"nothing", {.share = 0, .only = true}, [](auto) { return false; }},
      {"everything", {}, [](auto) { return true; }},
  };
  for (const Wish& wish : wishes) {
    const RewriteSummary summary = select(wish.selection);
    const std::vector<std::uint32_t> wanted = expected(wish.wants);
    EXPECT_EQ(written(), wanted) << wish.name;
    EXPECT_EQ(summary.events, wanted.size()) << wish.name;
    EXPECT_EQ(summary.events_in, kEvents) << wish.name;
    EXPECT_EQ(summary.digest.value().ordered, content_digest(folder_ / "out.hipo").ordered)
        << wish.name;
    std::map<std::uint32_t, std::uint64_t> by_tag;
    for (const std::uint32_t i : wanted) {
      ++by_tag[tag_of(i)];
    }
    EXPECT_EQ(summary.events_by_tag.value().counts(), by_tag) << wish.name;
  }
}

TEST_P(Selecting, GivesAHalfAndItsRestExactlyAllEvents) {
  Random random(11);
  for (int round = 0; round < 10; ++round) {
    Selection selection;
    selection.only = true;
    selection.any_clause = random.below(2) == 0;
    selection.tags = {{.any = random.below(16)}};
    selection.where = fmt::format("N::n.i > {} || count(X::x) == 0", random.below(kEvents));
    select(selection);
    std::vector<std::uint32_t> both = written();
    selection.invert = true;
    select(selection);
    const std::vector<std::uint32_t> rest = written();
    both.insert(both.end(), rest.begin(), rest.end());
    std::sort(both.begin(), both.end());
    EXPECT_EQ(both, expected([](auto) { return true; }));
  }
}

TEST_P(Selecting, WritesTheSameBytesWhateverTheThreads) {
  const Selection selection{
      .where = "N::n.i < 90", .share = 0.5, .seed = 3, .every = 2, .most = 20};
  select(selection, 1);
  const Bytes one = read_bytes(folder_ / "out.hipo");
  select(selection, 4);
  EXPECT_EQ(read_bytes(folder_ / "out.hipo"), one);
}

// Records that have none of the events are not inflated, and nothing but their directory is read.
TEST_P(Selecting, LooksNoFurtherThanNeeded) {
  if (GetParam().layout == LayoutId::per_chunk) {
    // Only the record word is outside of what is compressed.
    const RewriteSummary by_word =
        select({.tags = {{.values = {{9, 9}}}}, .by = TagSource::record});
    EXPECT_EQ(by_word.streams_inflated, 0U);
    EXPECT_EQ(by_word.records_passed_over, reader_->records().size());
    return;
  }
  const RewriteSummary nothing = select({.tags = {{.values = {{77, 77}}}}});
  EXPECT_EQ(nothing.streams_inflated, 0U);
  EXPECT_EQ(nothing.records_passed_over, reader_->records().size());
  EXPECT_EQ(nothing.records_out, 0U);
  // One record's events by their content: one stream of every record, and all of that one.
  source_->reset();
  const RewriteSummary one = select({.where = "N::n.i >= 40 && N::n.i < 50", .only = true});
  const std::uint64_t records = reader_->records().size();
  EXPECT_EQ(one.records_passed_over, records - 1);
  EXPECT_LE(one.streams_inflated, records + 3);
  EXPECT_LE(source_->bytes(), records * 2 * 4096 + reader_->records()[4].header.record_bytes());
}

TEST_P(Selecting, CopiesRecordsWhoseEventsAllPass) {
  RewriteOptions options;
  options.compression = GetParam();
  options.record_bytes = 45'000;
  recook(open_bytes(sample), folder_ / "full.hipo", options);
  const FileReader full(folder_ / "full.hipo");
  const FileReader* input = &full;
  // Record words 0, 1, 2 by turns of 20 events.
  const EventSelector selector({.tags = {{.values = {{1, 2}}}}, .by = TagSource::record},
                               std::span(&input, 1));
  options.keep_compression = true;
  options.selector = &selector;
  const RewriteSummary summary = recook(full, folder_ / "copied.hipo", options);
  EXPECT_EQ(summary.events, 80U);
  EXPECT_GT(summary.records_copied, 0U);
}

TEST(Selection, CountsTagsThatAreNotTheRecordWord) {
  const FileReader reader = open_bytes(content().bytes());
  const FileReader* input = &reader;
  const EventSelector selector({}, std::span(&input, 1));
  RewriteOptions options;
  options.selector = &selector;
  TempDir folder;
  std::uint64_t mismatches = 0;
  for (std::uint32_t i = 0; i < kEvents; ++i) {
    mismatches += tag_of(i) != word_of(i) ? 1U : 0U;
  }
  EXPECT_EQ(recook(reader, folder / "out.hipo", options).tag_mismatches, mismatches);
}

TEST(Selection, SamplesAShareThatDependsOnTheSeedAlone) {
  const FileReader reader = open_bytes(content().bytes());
  const FileReader* input = &reader;
  const auto chosen = [&](double share, std::uint64_t seed) {
    const EventSelector selector({.share = share, .seed = seed, .only = true},
                                 std::span(&input, 1));
    std::uint64_t count = 0;
    for (std::uint64_t position = 0; position < 10'000; ++position) {
      count += selector.outlook(0, 0, position) == Outlook::yes ? 1U : 0U;
    }
    return count;
  };
  EXPECT_EQ(chosen(1, 1), 10'000U);
  EXPECT_NEAR(static_cast<double>(chosen(0.25, 1)), 2500, 150);
  EXPECT_NE(chosen(0.25, 1), chosen(0.25, 2));
}

// What a header claims is no reason to hold memory, or to count to four thousand million.
TEST(Selection, BelievesNoNumberOfEvents) {
  FileImage file;
  file.records = {whole_record({EventImage{}.bytes()})};
  store_le(file.records[0].data() + 12, std::uint32_t{0xFFFFFFFF});
  const FileReader reader = open_bytes(file.bytes());
  const FileReader* input = &reader;
  TempDir folder;
  RewriteOptions options;
  options.memory_bytes = std::uint64_t{1} << 40U;  // planning would refuse it otherwise
  for (const Selection& selection :
       {Selection{.begin = 1, .only = true},
        Selection{.tags = {{.values = {{9, 9}}}}, .by = TagSource::record}}) {
    const EventSelector selector(selection, std::span(&input, 1));
    options.selector = &selector;
    EXPECT_EQ(error_of([&] { recook(reader, folder / "out.hipo", options); }),
              "corrupt: file.hipo: record 0 at 0x70: 4294967295 events, but an index of 4 bytes");
  }
}

TEST(Selection, RefusesWhatAnInputCannotAnswer) {
  const FileReader reader = open_bytes(content().bytes());
  const auto refusal = [&](const Selection& selection) {
    const FileReader* inputs[] = {&reader};
    return error_of([&] { const EventSelector selector(selection, inputs); });
  };
  EXPECT_EQ(refusal({.required = {"X::y"}}).substr(0, 30), "not_found: file.hipo: no bank ");
  EXPECT_EQ(refusal({.where = "N::n.j == 1"}).substr(0, 21), "not_found: file.hipo:");
  EXPECT_EQ(refusal({.share = 1.5}).substr(0, 17), "invalid_argument:");
  EXPECT_EQ(refusal({.every = 0}).substr(0, 17), "invalid_argument:");
  const FileReader* twice[] = {&reader, &reader};
  EXPECT_EQ(error_of([&] { const EventSelector selector({}, twice); }),
            "invalid_argument: file.hipo: an input is given twice");
}

INSTANTIATE_TEST_SUITE_P(EveryCompression, Selecting, ::testing::ValuesIn(all_compressions()),
                         [](const auto& one) { return test_name(one.param); });

}  // namespace
}  // namespace hipotool::test
