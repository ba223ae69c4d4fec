#include "hipotool/event_selection.hpp"

#include "support/counting_source.hpp"
#include "support/error_of.hpp"
#include "support/library.hpp"
#include "support/random.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace hipotool::test {
namespace {

constexpr BankKey kNumbers{1, 1};
constexpr BankKey kNoise{2, 2};
constexpr std::uint32_t kEvents = 20;
constexpr std::uint32_t kEventsInRecord = 5;
constexpr std::size_t kNoiseBytes = 20'000;

// Event e has tag e % 3 and one row: x = e, y = noise; and a bank of noise, which a codec cannot
// hide.
FileImage numbered(const Compression& compression) {
  FileImage file;
  file.schemas = {"{N::numbers/1/1}{x/I,y/I}", "{N::noise/2/2}{z/B}"};
  const Dictionary dictionary = dictionary_of(file.schemas);
  Random random(3);
  for (std::uint32_t first = 0; first < kEvents; first += kEventsInRecord) {
    std::vector<Bytes> events;
    for (std::uint32_t event = first; event < first + kEventsInRecord; ++event) {
      events.push_back(EventImage{
          event % 3,
          {{kNumbers, packed(event, random.below(1000))}, {kNoise, random.bytes(kNoiseBytes)}}}
                           .bytes());
    }
    file.records.push_back(stored_record(events, compression, dictionary));
  }
  return file;
}

Projection numbers() {
  return Projection::nothing().add(kNumbers, {std::size_t{0}});
}

// The values of x of the events that the selection yields.
std::string selected(const FileReader& reader, EventSelection selection, unsigned threads = 1) {
  selection.banks = numbers();
  std::vector<std::int32_t> values;
  const std::uint64_t count = scan_selected(
      reader, selection, {.threads = threads},
      [](const Record& record, const ChosenEvents& chosen) {
        std::vector<std::int32_t> found;
        for (const std::uint32_t event : chosen.events) {
          found.push_back(record.bank(event, kNumbers).value().column<std::int32_t>(0)[0]);
          EXPECT_EQ(static_cast<std::uint64_t>(found.back()), chosen.first_number + event);
        }
        return found;
      },
      [&](const std::vector<std::int32_t>& found, std::size_t events) {
        values.insert(values.end(), found.begin(),
                      found.begin() + static_cast<std::ptrdiff_t>(events));
      });
  EXPECT_EQ(count, values.size());
  return fmt::format("{}", fmt::join(values, " "));
}

class EventSelectionThreads : public ::testing::TestWithParam<LayoutId> {
 protected:
  EventSelectionThreads()
      : source_(std::make_shared<CountingSource>(
            numbered(compression_of(CodecId::lz4, GetParam())).bytes())),
        reader_(source_) {}

  std::shared_ptr<const CountingSource> source_;
  FileReader reader_;
};

TEST_P(EventSelectionThreads, YieldsTheEventsThatMeetEverything) {
  const Expression large = Expression::parse("N::numbers.x >= 9", reader_.dictionary());
  const Expression even =
      Expression::parse("!(N::numbers.x & 1) && has(N::noise)", reader_.dictionary());
  for (const unsigned threads : {1U, 4U}) {
    EXPECT_EQ(selected(reader_, {}, threads), "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19");
    EXPECT_EQ(selected(reader_, {.begin = 4, .end = 6}, threads), "4 5");
    EXPECT_EQ(selected(reader_, {.begin = 18, .end = 99}, threads), "18 19");
    EXPECT_EQ(selected(reader_, {.begin = 20}, threads), "");
    EXPECT_EQ(selected(reader_, {.begin = 7, .end = 3}, threads), "");
    EXPECT_EQ(selected(reader_, {.begin = 4, .count = 3}, threads), "4 5 6");
    EXPECT_EQ(selected(reader_, {.count = 0}, threads), "");
    EXPECT_EQ(selected(reader_, {.begin = UINT64_MAX, .count = UINT64_MAX}, threads), "");
    EXPECT_EQ(selected(reader_, {.tags = {{2, 2}}}, threads), "2 5 8 11 14 17");
    EXPECT_EQ(selected(reader_, {.tags = {{7, 9}}}, threads), "");
    EXPECT_EQ(selected(reader_, {.tags = {{2, 2}, {0, 0}}, .count = 4}, threads), "0 2 3 5");
    EXPECT_EQ(selected(reader_, {.where = &large, .count = 2}, threads), "9 10");
    EXPECT_EQ(selected(reader_, {.begin = 3, .end = 13, .tags = {{0, 1}}, .where = &even}, threads),
              "4 6 10 12");
    EXPECT_EQ(selected(reader_, {.tags = {{0, 0}}, .where = &large, .count = 99}, threads),
              "9 12 15 18");
  }
}

TEST_P(EventSelectionThreads, ReadsNoRecordOutsideTheRange) {
  source_->reset();
  EXPECT_EQ(selected(reader_, {.begin = 5, .end = 10}), "5 6 7 8 9");
  const std::uint64_t one_record = reader_.records()[1].header.record_bytes();
  EXPECT_LE(source_->bytes(), one_record);
  EXPECT_GE(source_->calls(), 1U);
  source_->reset();
  EXPECT_EQ(selected(reader_, {.begin = 20}), "");
  EXPECT_EQ(selected(reader_, {.count = 0}), "");
  EXPECT_EQ(source_->calls(), 0U);
}

TEST_P(EventSelectionThreads, ReadsOnlyWhatDecidesUntilAnEventIsChosen) {
  const Expression last = Expression::parse("N::numbers.x == 19", reader_.dictionary());
  const auto scan_all = [&](const EventSelection& selection) {
    source_->reset();
    std::uint64_t events = 0;
    std::uint32_t streams = 0;
    scan_selected(
        reader_, selection, {},
        [](const Record& record, const ChosenEvents&) { return record.streams_inflated; },
        [&](std::uint32_t inflated, std::size_t count) {
          events += count;
          streams += inflated;
        });
    EXPECT_LE(events, 1U);
    return std::pair(source_->bytes(), streams);
  };
  std::uint64_t all_records = 0;
  for (const RecordEntry& entry : reader_.records()) {
    all_records += entry.header.record_bytes();
  }
  const std::uint64_t first_read = 4096;
  if (GetParam() == LayoutId::per_chunk) {
    // A whole record tells nothing without being read, but it is read and inflated once.
    EXPECT_EQ(scan_all({.where = &last}), std::pair(all_records, 1U));
    EXPECT_EQ(scan_all({.tags = {{9, 9}}}).first, all_records);
  } else {
    const auto [bytes, streams] = scan_all({.where = &last});
    EXPECT_LE(bytes, reader_.records()[3].header.record_bytes() + 4 * first_read);
    EXPECT_EQ(streams, GetParam() == LayoutId::per_bank ? 2U : 3U);
    EXPECT_LE(scan_all({.tags = {{9, 9}}}).first, 4 * first_read);
  }
}

TEST_P(EventSelectionThreads, WhatFailsAfterTheLastEventWantedIsOfNoInterest) {
  Bytes file = numbered(compression_of(CodecId::lz4, GetParam())).bytes();
  const RecordEntry third = reader_.records()[2];
  // The lengths of events, or the version and the sizes of the directory.
  std::fill_n(file.begin() + static_cast<std::ptrdiff_t>(third.offset + 56), 20, std::byte{0xFF});
  const FileReader damaged = open_bytes(file);
  const Expression any = Expression::parse("N::numbers.x >= 0", damaged.dictionary());
  for (const unsigned threads : {1U, 4U}) {
    EXPECT_EQ(selected(damaged, {.where = &any, .count = 10}, threads), "0 1 2 3 4 5 6 7 8 9");
    EXPECT_EQ(selected(damaged, {.begin = 15}, threads), "15 16 17 18 19");
    EXPECT_NE(error_of([&] {
                static_cast<void>(selected(damaged, {.where = &any, .count = 11}, threads));
              }).find("file.hipo: record 2 at"),
              std::string::npos);
  }
}

TEST_P(EventSelectionThreads, StopsWhenAsked) {
  std::stop_source stop;
  const Expression any = Expression::parse("N::numbers.x >= 0", reader_.dictionary());
  std::size_t sunk = 0;
  EXPECT_EQ(error_of([&] {
              scan_selected(
                  reader_, {.where = &any}, {.threads = 2, .stop = stop.get_token()},
                  [](const Record&, const ChosenEvents&) { return 0; },
                  [&](int, std::size_t) {
                    ++sunk;
                    stop.request_stop();
                  });
            }),
            "cancelled: stopped on request");
  EXPECT_EQ(sunk, 1U);
}

INSTANTIATE_TEST_SUITE_P(EveryLayout, EventSelectionThreads, ::testing::ValuesIn(kLayouts),
                         [](const auto& one) {
                           return test_name(compression_of(CodecId::lz4, one.param));
                         });

}  // namespace
}  // namespace hipotool::test
