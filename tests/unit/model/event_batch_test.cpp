#include "hipotool/event_batch.hpp"

#include "support/error_of.hpp"
#include "support/library.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace hipotool::test {
namespace {

constexpr BankKey kTable{1, 1};
Dictionary two_schemas() {
  return dictionary_of({"{a/1/1}{n/I,b/B}", "{o/1/2}{n/I}"});
}

Bytes rows(std::int32_t first, std::uint32_t count) {
  Bytes numbers;
  Bytes letters;
  for (std::uint32_t i = 0; i < count; ++i) {
    append(numbers, packed(first + static_cast<std::int32_t>(i)));
    append(letters, packed(static_cast<std::int8_t>(i)));
  }
  return joined({numbers, letters});
}

EventImage plain(std::uint32_t tag = 0) {
  return {tag, {{kTable, rows(5, 2)}, {{3, 3}, text_bytes("opaque"), 6}}};
}

std::shared_ptr<const Record> record_of(const std::vector<EventImage>& events,
                                        LayoutId layout = LayoutId::per_chunk) {
  const Dictionary dictionary = two_schemas();
  static std::vector<Dictionary> kept;  // records point into their dictionaries
  kept.push_back(two_schemas());
  if (layout == LayoutId::per_chunk) {
    return decoded(whole_record(images(events)), kept.back());
  }
  return decoded(stored_record(images(events), compression_of(CodecId::lz4, layout), dictionary),
                 kept.back());
}

TEST(EventBatch, JoinsAdjoiningRunsOfOneRecord) {
  const auto a = record_of({plain(), plain(), plain(), plain()});
  const auto b = record_of({plain()});
  EventBatch batch;
  EXPECT_TRUE(batch.empty());
  batch.append(a, 0, 1);
  batch.append(a, 1, 2);
  EXPECT_EQ(batch.runs().size(), 1U);
  batch.append(b, 0, 1);
  batch.append(a, 3, 1);
  batch.append(a, 0, 1);  // does not adjoin
  batch.append(b, 0, 0);  // nothing
  ASSERT_EQ(batch.runs().size(), 4U);
  EXPECT_EQ(batch.runs()[0].count, 3U);
  EXPECT_EQ(batch.event_count(), 6U);
  EXPECT_EQ(batch.raw_bytes(), 6U * (4 + plain().bytes().size()));
  batch.clear();
  EXPECT_TRUE(batch.empty());
  EXPECT_EQ(batch.raw_bytes(), 0U);
  EXPECT_EQ(batch.event_count(), 0U);
}

// ---- partition_for_split

// The parts as text: "2 + 1 reserved-word, 1 type-byte + 3".
std::string parts_of(const EventBatch& batch) {
  std::string text;
  for (const BatchPart& part : partition_for_split(batch)) {
    text += text.empty() ? "" : " + ";
    text += std::to_string(part.batch.event_count());
    for (const Oddity kind : kOddities) {
      if ((part.kinds & static_cast<std::uint8_t>(kind)) != 0) {
        text += " " + std::string(to_string(kind));
      }
    }
    EXPECT_EQ(part.batch.user_words, batch.user_words);
  }
  return text;
}

std::string parts_of(const std::vector<EventImage>& events) {
  return parts_of(batch_of({record_of(events)}));
}

EventImage with(const std::function<void(EventImage&)>& change) {
  EventImage event = plain();
  change(event);
  return event;
}

EventImage reserved() {
  return with([](EventImage& event) { event.reserved = 1; });
}
EventImage repeated() {
  return with([](EventImage& event) { event.banks.push_back(event.banks.front()); });
}
EventImage trailing() {
  return with([](EventImage& event) { event.trailing = packed('x'); });
}
EventImage cut_short() {
  return with([](EventImage& event) { event.raw = packed(1, 2); });
}
EventImage other_type() {
  return with([](EventImage& event) { event.banks[0].type = 5; });
}
EventImage other_format() {
  return with([](EventImage& event) {
    event.banks[0].data = joined({text_bytes("i"), packed(1)});
    event.banks[0].format_length = 1;
  });
}

TEST(Partition, KeepsABatchWithoutOdditiesWhole) {
  EXPECT_EQ(parts_of({plain(), plain(1), {}}), "3");
  EXPECT_EQ(parts_of(std::vector<EventImage>{}), "");
}

TEST(Partition, CutsOutExactlyTheOddEvents) {
  EXPECT_EQ(parts_of({plain(), reserved(), plain(), plain()}), "1 + 1 reserved-word + 2");
  EXPECT_EQ(parts_of({repeated(), plain()}), "1 repeated-bank + 1");
  EXPECT_EQ(parts_of({plain(), trailing()}), "1 + 1 trailing-bytes");
  EXPECT_EQ(parts_of({cut_short()}), "1 short-event");
}

TEST(Partition, JoinsNeighbouringOddEvents) {
  EXPECT_EQ(parts_of({plain(), reserved(), trailing(), reserved(), plain(), cut_short()}),
            "1 + 3 reserved-word trailing-bytes + 1 + 1 short-event");
}

TEST(Partition, TakesTheFirstOccurrenceForTheRule) {
  EXPECT_EQ(parts_of({plain(), other_type(), plain()}), "1 + 1 type-byte + 1");
  EXPECT_EQ(parts_of({other_type(), other_type(), plain()}), "2 + 1 type-byte");
  EXPECT_EQ(parts_of({plain(), other_format()}), "1 + 1 format-length");
}

TEST(Partition, TakesNoRuleFromAnEventThatIsOddAnyway) {
  EventImage odd = other_type();
  odd.reserved = 3;
  EXPECT_EQ(parts_of({odd, plain(), plain()}), "1 reserved-word + 2");
}

TEST(Partition, ComparesOverAllRecordsOfTheBatch) {
  EventBatch batch =
      batch_of({record_of({plain()}), record_of({other_type()}), record_of({plain()})});
  batch.user_words = {1, 2};
  EXPECT_EQ(parts_of(batch), "1 + 1 type-byte + 1");
}

TEST(Partition, LooksOnlyAtTheEventsOfItsRuns) {
  const auto record = record_of({reserved(), plain(), trailing(), plain()});
  EventBatch batch;
  batch.append(record, 1, 1);
  batch.append(record, 3, 1);
  EXPECT_EQ(parts_of(batch), "2");
}

TEST(Partition, SetsRecordsWithAUserHeaderApart) {
  const Dictionary dictionary = two_schemas();
  const auto with_header =
      decoded(whole_record(images({plain()}), {.user_header = packed(1)}), dictionary);
  EXPECT_EQ(parts_of(batch_of({with_header, record_of({plain()})})), "1 record-user-header + 1");
}

TEST(Partition, GivesPartsThatCanBeStored) {
  const auto record =
      record_of({plain(), reserved(), repeated(), other_type(), plain(), other_format(), plain()});
  const Dictionary dictionary = two_schemas();
  for (const BatchPart& part : partition_for_split(batch_of({record}))) {
    for (const LayoutId layout : {LayoutId::per_bank, LayoutId::per_column}) {
      const std::string outcome = error_of([&] {
        static_cast<void>(encoded(part.batch, compression_of(CodecId::none, layout), dictionary));
      });
      // An event that only its neighbours make odd can be stored alone.
      const auto alone = static_cast<std::uint8_t>(Oddity::type_byte) |
                         static_cast<std::uint8_t>(Oddity::format_length);
      EXPECT_EQ(outcome == "no error", (part.kinds & ~alone) == 0) << outcome;
    }
  }
}

TEST(SplitEncoding, NamesWhatItCannotHold) {
  const Dictionary dictionary = two_schemas();
  const auto refusal = [&](const std::vector<EventImage>& events) {
    return error_of([&] {
      static_cast<void>(encoded(batch_of({record_of(events)}),
                                compression_of(CodecId::none, LayoutId::per_column), dictionary));
    });
  };
  const std::string cannot = "a split layout cannot hold this: ";
  EXPECT_TRUE(refusal({reserved()}).ends_with(cannot + "reserved-word")) << refusal({reserved()});
  EXPECT_TRUE(refusal({repeated()}).ends_with(cannot + "repeated-bank")) << refusal({repeated()});
  EXPECT_TRUE(refusal({trailing()}).ends_with(cannot + "trailing-bytes")) << refusal({trailing()});
  EXPECT_TRUE(refusal({cut_short()}).ends_with(cannot + "short-event")) << refusal({cut_short()});
  EXPECT_EQ(refusal({plain(), other_type()}), "not_representable: 1/1: " + cannot + "type-byte");
  EXPECT_EQ(refusal({plain(), other_format()}),
            "not_representable: 1/1: " + cannot + "format-length");
}

// ---- require_equal

struct Difference {
  std::string name;
  std::vector<EventImage> decoded;
};

// The source has two plain events; each of these is not that.
std::vector<Difference> differences() {
  const auto second = [](const std::function<void(EventImage&)>& change) {
    return std::vector<EventImage>{plain(), with(change)};
  };
  return {
      {"one event less", {plain()}},
      {"one event more", {plain(), plain(), plain()}},
      {"a tag", {plain(), plain(1)}},
      {"a bank less", second([](EventImage& event) { event.banks.pop_back(); })},
      {"a bank more", second([](EventImage& event) {
         event.banks.push_back({{7, 7}, {}});
       })},
      {"another bank", second([](EventImage& event) {
         event.banks[1].key = {3, 4};
       })},
      {"a bank in the other event",
       {{0, {{kTable, rows(5, 2)}}},
        {0, {{kTable, rows(5, 2)}, {{3, 3}, text_bytes("opaque"), 6}}}}},
      {"a type", second([](EventImage& event) { event.banks[1].type = 5; })},
      {"a format length", second([](EventImage& event) { event.banks[1].format_length = 2; })},
      {"a size", second([](EventImage& event) { event.banks[1].data.pop_back(); })},
      {"rows", second([](EventImage& event) { event.banks[0].data = rows(5, 3); })},
      {"a number", second([](EventImage& event) { event.banks[0].data[6] ^= std::byte{1}; })},
      {"the last byte", second([](EventImage& event) { event.banks[0].data[9] ^= std::byte{1}; })},
      {"an opaque byte", second([](EventImage& event) { event.banks[1].data[5] ^= std::byte{1}; })},
  };
}

TEST(RequireEqual, AcceptsTheSameEventsInAnyLayout) {
  for (const LayoutId from : kLayouts) {
    for (const LayoutId to : kLayouts) {
      const auto source = record_of({plain(), plain(4), {}}, from);
      const auto other = record_of({plain(), plain(4), {}}, to);
      EXPECT_EQ(error_of([&] { require_equal(batch_of({source}), *other); }), "no error");
    }
  }
}

TEST(RequireEqual, FindsEveryDifferenceInAnyLayout) {
  for (const LayoutId from : kLayouts) {
    for (const LayoutId to : kLayouts) {
      for (const Difference& difference : differences()) {
        const auto source = record_of({plain(), plain()}, from);
        const bool cannot_be_split =
            difference.name == "a type" || difference.name == "a format length";
        const auto other =
            record_of(difference.decoded, cannot_be_split ? LayoutId::per_chunk : to);
        const std::string outcome = error_of([&] { require_equal(batch_of({source}), *other); });
        EXPECT_TRUE(outcome.starts_with("corrupt: ")) << difference.name << ": " << outcome;
        EXPECT_NE(outcome.find("verification: "), std::string::npos) << outcome;
      }
    }
  }
}

TEST(RequireEqual, SeesReservedWordsAndTrailingBytesWhereBothSidesKeepThem) {
  const auto source = record_of({plain(), reserved(), trailing()});
  EXPECT_EQ(error_of([&] { require_equal(batch_of({source}), *source); }), "no error");
  EventImage other_word = reserved();
  other_word.reserved = 2;
  EXPECT_EQ(error_of([&] {
              require_equal(batch_of({source}), *record_of({plain(), other_word, trailing()}));
            }),
            "corrupt: event 1: verification: event differs from its source");
  EventImage other_bytes = trailing();
  other_bytes.trailing = packed('y');
  EXPECT_EQ(error_of([&] {
              require_equal(batch_of({source}), *record_of({plain(), reserved(), other_bytes}));
            }),
            "corrupt: event 2: verification: event differs from its source");
}

TEST(RequireEqual, OverlooksTheMagicThatIsNormalised) {
  const EventImage java = with([](EventImage& event) { event.magic = "EV5b"; });
  EXPECT_EQ(error_of([&] { require_equal(batch_of({record_of({java})}), *record_of({plain()})); }),
            "no error");
}

TEST(RequireEqual, NamesEventAndBank) {
  for (const LayoutId layout : {LayoutId::per_bank, LayoutId::per_column}) {
    const auto source = record_of({plain(), plain()});
    const auto other = record_of(
        {plain(), with([](EventImage& event) { event.banks[0].data[0] ^= std::byte{1}; })}, layout);
    EXPECT_EQ(error_of([&] { require_equal(batch_of({source}), *other); }),
              "corrupt: event 1: a: verification: content differs from its source");
  }
}

TEST(RequireEqual, ComparesRunsOfSeveralRecords) {
  const auto a = record_of({plain(1), plain(2), plain(3)}, LayoutId::per_column);
  const auto b = record_of({plain(4), plain(5)}, LayoutId::per_bank);
  EventBatch batch;
  batch.append(a, 1, 2);
  batch.append(b, 0, 1);
  batch.append(a, 0, 1);
  for (const LayoutId layout : kLayouts) {
    EXPECT_EQ(error_of([&] {
                require_equal(batch, *record_of({plain(2), plain(3), plain(4), plain(1)}, layout));
              }),
              "no error");
    EXPECT_EQ(error_of([&] {
                require_equal(batch, *record_of({plain(2), plain(3), plain(1), plain(4)}, layout));
              }),
              "corrupt: event 2: verification: event tag differs from its source");
  }
}

}  // namespace
}  // namespace hipotool::test
