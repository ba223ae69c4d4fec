#include "rewrite/cutting.hpp"

#include "support/library.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace hipotool::test {
namespace {

using rewriting::Cutter;

// An event of exactly `bytes` with its index entry.
Bytes event_of(std::uint32_t bytes) {
  return EventImage{0, {{{1, 1}, Bytes(bytes - 28)}}}.bytes();
}

std::shared_ptr<const Record> record_of(const std::vector<std::uint32_t>& event_sizes,
                                        const RecordOptions& options = {}) {
  std::vector<Bytes> events;
  events.reserve(event_sizes.size());
  for (const std::uint32_t size : event_sizes) {
    events.push_back(event_of(size));
  }
  static const Dictionary none;
  return decoded(whole_record(events, options), none);
}

// The batches as text: "3 + 2", events in each.
std::string cut(rewriting::CutLimits limits,
                const std::vector<std::shared_ptr<const Record>>& records) {
  Cutter cutter(limits);
  std::vector<rewriting::CutBatch> done;
  for (const auto& record : records) {
    cutter.add({record, 0, record->event_count()}, {}, done);
  }
  cutter.close(done);
  std::string text;
  for (const auto& [batch, compression] : done) {
    text += (text.empty() ? "" : " + ") + std::to_string(batch.event_count());
    EXPECT_FALSE(batch.empty());
  }
  return text;
}

TEST(Cutter, ClosesARecordWhenTheNextEventWouldExceedTheLimit) {
  const auto five = record_of({100, 100, 100, 100, 100});
  EXPECT_EQ(cut({300, 99}, {five}), "3 + 2");
  EXPECT_EQ(cut({299, 99}, {five}), "2 + 2 + 1");
  EXPECT_EQ(cut({500, 99}, {five}), "5");
  EXPECT_EQ(cut({100, 99}, {five}), "1 + 1 + 1 + 1 + 1");
}

TEST(Cutter, ClosesARecordWhenItHasEnoughEvents) {
  const auto five = record_of({100, 100, 100, 100, 100});
  EXPECT_EQ(cut({10'000, 2}, {five}), "2 + 2 + 1");
  EXPECT_EQ(cut({10'000, 5}, {five, five}), "5 + 5");
  EXPECT_EQ(cut({10'000, 1}, {five}), "1 + 1 + 1 + 1 + 1");
}

TEST(Cutter, GivesAnEventLargerThanTheLimitARecordOfItsOwn) {
  EXPECT_EQ(cut({300, 99}, {record_of({100, 1000, 100, 100})}), "1 + 1 + 2");
  EXPECT_EQ(cut({300, 99}, {record_of({1000}), record_of({1000})}), "1 + 1");
}

TEST(Cutter, DoesNotLookAhead) {
  // Packing better would need the third event before the second.
  EXPECT_EQ(cut({300, 99}, {record_of({200, 150, 100, 50})}), "1 + 3");
}

TEST(Cutter, PacksSmallRecords) {
  const std::vector<std::shared_ptr<const Record>> small(100, record_of({100}));
  EXPECT_EQ(cut({10'000, 999}, small), "100");
  EXPECT_EQ(cut({2'500, 999}, small), "25 + 25 + 25 + 25");
}

TEST(Cutter, NeverMixesUserWords) {
  const auto a = record_of({100, 100}, {.words = {1, 0}});
  const auto b = record_of({100}, {.words = {1, 2}});
  EXPECT_EQ(cut({10'000, 99}, {a, a, b, b, a}), "4 + 2 + 2");
  Cutter cutter({10'000, 99});
  std::vector<rewriting::CutBatch> done;
  cutter.add({a, 0, 2}, {}, done);
  cutter.add({b, 0, 1}, {}, done);
  cutter.close(done);
  EXPECT_EQ(done[0].events.user_words, (UserWords{1, 0}));
  EXPECT_EQ(done[1].events.user_words, (UserWords{1, 2}));
}

TEST(Cutter, NeverMixesCompressions) {
  const auto two = record_of({100, 100});
  const Compression per_bank = compression_of(CodecId::none, LayoutId::per_bank);
  Cutter cutter({10'000, 99});
  std::vector<rewriting::CutBatch> done;
  cutter.add({two, 0, 2}, {}, done);
  cutter.add({two, 0, 1}, per_bank, done);
  cutter.add({two, 1, 1}, per_bank, done);
  cutter.close(done);
  ASSERT_EQ(done.size(), 2U);
  EXPECT_EQ(done[0].compression, Compression{});
  EXPECT_EQ(done[1].compression, per_bank);
  EXPECT_EQ(done[1].events.event_count(), 2U);
}

TEST(Cutter, TakesTheUsualSizeOfTheLayoutWhereNoneIsGiven) {
  const auto large =
      record_of({5U << 20, 5U << 20, 5U << 20, 5U << 20, 5U << 20, 5U << 20, 5U << 20});
  for (const auto& [layout, batches] :
       {std::pair(LayoutId::per_chunk, 7U), std::pair(LayoutId::per_column, 2U)}) {
    Cutter cutter({0, 99});
    std::vector<rewriting::CutBatch> done;
    cutter.add({large, 0, 7}, compression_of(CodecId::none, layout), done);
    cutter.close(done);
    EXPECT_EQ(done.size(), batches);
  }
}

TEST(Cutter, NeverMixesRecordUserHeaders) {
  const auto plain = record_of({100});
  const auto with_header = record_of({100}, {.user_header = packed(1)});
  const auto with_other = record_of({100}, {.user_header = packed(2)});
  EXPECT_EQ(cut({10'000, 99}, {plain, with_header, with_header, with_other, plain}),
            "1 + 2 + 1 + 1");
}

TEST(Cutter, HasNothingToCloseWithoutEvents) {
  EXPECT_EQ(cut({300, 99}, {}), "");
  EXPECT_EQ(cut({300, 99}, {record_of({})}), "");
  EXPECT_EQ(cut({300, 99}, {record_of({}, {.words = {9, 9}}), record_of({100})}), "1");
}

TEST(Cutter, IsAFoldOverEventsWhateverTheRecordsTheyComeFrom) {
  Random random(12);
  for (int round = 0; round < 50; ++round) {
    std::vector<std::uint32_t> sizes;
    sizes.reserve(40);
    for (int event = 0; event < 40; ++event) {
      sizes.push_back(28 + random.below(400));
    }
    const rewriting::CutLimits limits{100 + random.below(1000), 1 + random.below(10)};
    const std::string whole = cut(limits, {record_of(sizes)});
    std::vector<std::shared_ptr<const Record>> pieces;
    for (std::size_t first = 0; first < sizes.size();) {
      const std::size_t count = std::min<std::size_t>(1 + random.below(9), sizes.size() - first);
      const auto begin = sizes.begin() + static_cast<std::ptrdiff_t>(first);
      pieces.push_back(record_of({begin, begin + static_cast<std::ptrdiff_t>(count)}));
      first += count;
    }
    ASSERT_EQ(cut(limits, pieces), whole);
  }
}

}  // namespace
}  // namespace hipotool::test
