// Every way of storing a record into every other one, for random events. New codecs and layouts are
// found through the registries.

#include "support/library.hpp"
#include "support/random_file.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace hipotool::test {
namespace {

constexpr Compression kPlain{CodecId::none, LayoutId::per_chunk};

// What `batch` is per-chunk with codec none: equal bytes mean equal events, in order, bank by bank.
Bytes canonical(const EventBatch& batch, const Dictionary& dictionary) {
  return encoded(batch, kPlain, dictionary);
}

class Matrix : public ::testing::TestWithParam<Compression> {};

TEST_P(Matrix, TurnsIntoEveryOtherFormAndBack) {
  Random random(test_seed(1));
  for (int round = 0; round < 3; ++round) {
    const PlainContent content = plain_content(random, 1 + random.below(30));
    const Dictionary dictionary = dictionary_of(content.schemas);
    const auto source = decoded(stored_record(content.events, GetParam(), dictionary), dictionary);
    const Bytes expected =
        canonical(batch_of({decoded(whole_record(content.events), dictionary)}), dictionary);
    for (const Compression& target : all_compressions()) {
      const auto back = decoded(encoded(batch_of({source}), target, dictionary), dictionary);
      require_equal(batch_of({source}), *back);
      ASSERT_TRUE(canonical(batch_of({back}), dictionary) == expected) << to_string(target);
      ASSERT_EQ(back->event_sizes, source->event_sizes);
    }
  }
}

TEST_P(Matrix, TakesRunsFromRecordsOfAllForms) {
  Random random(test_seed(2));
  const std::vector<Compression> compressions = all_compressions();
  for (int round = 0; round < 20; ++round) {
    const PlainContent content = plain_content(random, 40);
    const Dictionary dictionary = dictionary_of(content.schemas);
    // One content stored in four ways; a batch of runs of them is known from their places alone.
    std::vector<std::shared_ptr<const Record>> records;
    for (int i = 0; i < 4; ++i) {
      const Compression& form =
          compressions[random.below(static_cast<std::uint32_t>(compressions.size()))];
      records.push_back(decoded(stored_record(content.events, form, dictionary), dictionary));
    }
    EventBatch batch;
    std::vector<Bytes> events;
    for (int run = 0; run < 6; ++run) {
      const std::uint32_t first = random.below(40);
      const std::uint32_t count = random.below(41 - first);
      batch.append(records[random.below(4)], first, count);
      const auto begin = content.events.begin() + first;
      events.insert(events.end(), begin, begin + count);
    }
    const auto back = decoded(encoded(batch, GetParam(), dictionary), dictionary);
    require_equal(batch, *back);
    ASSERT_TRUE(canonical(batch_of({back}), dictionary) == whole_record(events, {.number = 0}));
  }
}

TEST_P(Matrix, GivesTheSameBytesFromEverySource) {
  // Bytes are a function of the events alone, not of the arrangement they are found in.
  Random random(test_seed(3));
  const PlainContent content = plain_content(random, 25);
  const Dictionary dictionary = dictionary_of(content.schemas);
  const Bytes expected = stored_record(content.events, GetParam(), dictionary);
  for (const Compression& source : all_compressions()) {
    const auto record = decoded(stored_record(content.events, source, dictionary), dictionary);
    EventBatch halves;
    halves.append(record, 0, 12);
    halves.append(std::make_shared<Record>(), 0, 0);
    halves.append(record, 12, 13);
    ASSERT_TRUE(encoded(halves, GetParam(), dictionary) == expected) << to_string(source);
  }
}

TEST_P(Matrix, HasTheDigestOfItsEvents) {
  Random random(test_seed(4));
  const PlainContent content = plain_content(random, 30);
  const Dictionary dictionary = dictionary_of(content.schemas);
  const auto hashes_of = [](const Record& record) {
    std::vector<EventHash> hashes;
    Buffer scratch;
    hash_events(record, hashes, scratch);
    return hashes;
  };
  const auto stored = decoded(stored_record(content.events, GetParam(), dictionary), dictionary);
  EXPECT_EQ(hashes_of(*stored), hashes_of(*decoded(whole_record(content.events), dictionary)));
}

INSTANTIATE_TEST_SUITE_P(EveryCompression, Matrix, ::testing::ValuesIn(all_compressions()),
                         [](const auto& one) { return test_name(one.param); });

}  // namespace
}  // namespace hipotool::test
