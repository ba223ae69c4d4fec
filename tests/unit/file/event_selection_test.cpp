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
#include <span>
#include <string>
#include <utility>
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

EventSelector selector_of(const FileReader& reader, const Selection& selection) {
  const FileReader* const input = &reader;
  return {selection, std::span(&input, 1)};
}

Selection of_tags(std::vector<TagRange> values, bool only = true) {
  return {.tags = {{.values = std::move(values)}}, .only = only};
}

// The values of x of the events that the selection yields.
std::string selected(const FileReader& reader, const Selection& selection, unsigned threads = 1,
                     const RowCondition* rows = nullptr) {
  const EventSelector selector = selector_of(reader, selection);
  std::vector<std::int32_t> values;
  scan_selected(
      reader, {.selector = selector, .banks = numbers(), .rows = rows}, {.threads = threads},
      [](const Record& record, const ChosenEvents& chosen) {
        std::vector<std::int32_t> found;
        for (const std::uint32_t event : chosen.events) {
          found.push_back(record.bank(event, kNumbers).value().column<std::int32_t>(0)[0]);
          EXPECT_EQ(static_cast<std::uint64_t>(found.back()), chosen.first_number + event);
        }
        return found;
      },
      [&](const std::vector<std::int32_t>& found, const TakenEvents& taken) {
        std::size_t special = 0;
        for (const std::size_t index : taken.indices) {
          values.push_back(found[index]);
          special += selector.is_special(static_cast<std::uint32_t>(found[index] % 3)) ? 1U : 0U;
        }
        EXPECT_EQ(taken.special, special);
      });
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
  const std::string large = "N::numbers.x >= 9";
  const std::string even = "!(N::numbers.x & 1) && has(N::noise)";
  const RowCondition rows =
      RowCondition::parse("x >= 17", reader_.dictionary(), *reader_.dictionary().find(kNumbers));
  const auto with = [](Selection selection, const std::string& where) {
    selection.where = where;
    return selection;
  };
  for (const unsigned threads : {1U, 4U}) {
    const auto yields = [&](Selection selection) {
      selection.only = true;
      return selected(reader_, selection, threads);
    };
    EXPECT_EQ(yields({}), "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19");
    EXPECT_EQ(yields({.begin = 4, .end = 6}), "4 5");
    EXPECT_EQ(yields({.begin = 18, .end = 99}), "18 19");
    EXPECT_EQ(yields({.begin = 20}), "");
    EXPECT_EQ(yields({.begin = 7, .end = 3}), "");
    EXPECT_EQ(yields({.begin = 4, .most = 3}), "4 5 6");
    EXPECT_EQ(yields({.most = 7}), "0 1 2 3 4 5 6");
    EXPECT_EQ(yields({.most = 0}), "");
    EXPECT_EQ(yields({.begin = UINT64_MAX, .most = UINT64_MAX}), "");
    EXPECT_EQ(yields({.every = 6}), "0 6 12 18");
    EXPECT_EQ(yields({.begin = 1, .every = 6, .most = 2}), "1 7");
    EXPECT_EQ(yields(of_tags({{2, 2}})), "2 5 8 11 14 17");
    EXPECT_EQ(yields(of_tags({{7, 9}})), "");
    EXPECT_EQ(yields({.tags = {{.values = {{2, 2}, {0, 0}}}}, .most = 4}), "0 2 3 5");
    EXPECT_EQ(yields(with({.most = 2}, large)), "9 10");
    EXPECT_EQ(yields(with({.tags = {{.values = {{0, 1}}}}, .begin = 3, .end = 13}, even)),
              "4 6 10 12");
    EXPECT_EQ(yields(with({.tags = {{.values = {{0, 0}}}}, .most = 99}, large)), "9 12 15 18");
    EXPECT_EQ(selected(reader_, {.only = true}, threads, &rows), "17 18 19");
  }
}

TEST_P(EventSelectionThreads, SpecialEventsAreChosenByTheirTagsAlone) {
  const RowCondition rows =
      RowCondition::parse("x >= 17", reader_.dictionary(), *reader_.dictionary().find(kNumbers));
  for (const unsigned threads : {1U, 4U}) {
    const auto yields = [&](const Selection& selection) {
      return selected(reader_, selection, threads);
    };
    EXPECT_EQ(yields({.where = "N::numbers.x >= 15"}), "1 4 7 10 13 15 16 17 18 19");
    EXPECT_EQ(yields({.begin = 2, .end = 5}), "2 3 4");
    EXPECT_EQ(yields({.every = 5}), "0 1 4 7 8 10 13 15 16 19");
    EXPECT_EQ(yields(of_tags({{2, 2}}, false)), "2 5 8 11 14 17");
    // The last of those that count is the last.
    EXPECT_EQ(yields({.most = 1}), "0");
    EXPECT_EQ(yields({.most = 6}), "0 1 2 3 4 5 6 7 8");
    EXPECT_EQ(yields({.most = 0}), "");
    EXPECT_EQ(yields({.where = "N::numbers.x >= 15", .most = 2}), "1 4 7 10 13 15 16 17");
    EXPECT_EQ(yields({.most = 2, .special = {0, 1}}), "0 1 2 3 4 5");
    EXPECT_EQ(yields({.most = 1, .special = {0, 1, 2}}),
              "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19");
    // Rows are what is shown: an event without any has nothing to come through with.
    EXPECT_EQ(selected(reader_, {.most = 1}, threads, &rows), "17");
  }
}

TEST_P(EventSelectionThreads, ReadsNoRecordOutsideTheRange) {
  source_->reset();
  EXPECT_EQ(selected(reader_, {.begin = 5, .end = 10, .only = true}), "5 6 7 8 9");
  const std::uint64_t one_record = reader_.records()[1].header.record_bytes();
  EXPECT_LE(source_->bytes(), one_record);
  EXPECT_GE(source_->calls(), 1U);
  source_->reset();
  EXPECT_EQ(selected(reader_, {.begin = 20, .only = true}), "");
  EXPECT_EQ(selected(reader_, {.most = 0}), "");
  EXPECT_EQ(source_->calls(), 0U);
}

TEST_P(EventSelectionThreads, ReadsNoRecordAheadOfTheLastEventThatCounts) {
  for (const unsigned threads : {1U, 4U}) {
    source_->reset();
    // Two of the first five events are special, so that the second record is needed.
    EXPECT_EQ(selected(reader_, {.most = 4}, threads), "0 1 2 3 4 5");
    EXPECT_LE(source_->bytes(), reader_.records()[0].header.record_bytes() +
                                    reader_.records()[1].header.record_bytes());
  }
}

TEST_P(EventSelectionThreads, ReadsOnlyWhatDecidesUntilAnEventIsChosen) {
  const std::string last = "N::numbers.x == 19";
  const auto scan_all = [&](const Selection& selection) {
    source_->reset();
    std::uint64_t events = 0;
    std::uint32_t streams = 0;
    const EventSelector selector = selector_of(reader_, selection);
    scan_selected(
        reader_, {.selector = selector}, {},
        [](const Record& record, const ChosenEvents&) { return record.streams_inflated; },
        [&](std::uint32_t inflated, const TakenEvents& taken) {
          events += taken.indices.size();
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
    EXPECT_EQ(scan_all({.where = last, .only = true}), std::pair(all_records, 1U));
    EXPECT_EQ(scan_all(of_tags({{9, 9}})).first, all_records);
  } else {
    const auto [bytes, streams] = scan_all({.where = last, .only = true});
    EXPECT_LE(bytes, reader_.records()[3].header.record_bytes() + 4 * first_read);
    EXPECT_EQ(streams, GetParam() == LayoutId::per_bank ? 2U : 3U);
    EXPECT_LE(scan_all(of_tags({{9, 9}})).first, 4 * first_read);
  }
}

TEST_P(EventSelectionThreads, WhatFailsAfterTheLastEventWantedIsOfNoInterest) {
  Bytes file = numbered(compression_of(CodecId::lz4, GetParam())).bytes();
  const RecordEntry third = reader_.records()[2];
  // The lengths of events, or the version and the sizes of the directory.
  std::fill_n(file.begin() + static_cast<std::ptrdiff_t>(third.offset + 56), 20, std::byte{0xFF});
  const FileReader damaged = open_bytes(file);
  const std::string any = "N::numbers.x >= 0";
  for (const unsigned threads : {1U, 4U}) {
    EXPECT_EQ(selected(damaged, {.where = any, .most = 10, .only = true}, threads),
              "0 1 2 3 4 5 6 7 8 9");
    EXPECT_EQ(selected(damaged, {.begin = 15, .only = true}, threads), "15 16 17 18 19");
    EXPECT_NE(
        error_of([&] {
          static_cast<void>(selected(damaged, {.where = any, .most = 11, .only = true}, threads));
        }).find("file.hipo: record 2 at"),
        std::string::npos);
  }
}

TEST_P(EventSelectionThreads, StopsWhenAsked) {
  std::stop_source stop;
  const EventSelector selector = selector_of(reader_, {.where = "N::numbers.x >= 0"});
  std::size_t sunk = 0;
  EXPECT_EQ(error_of([&] {
              scan_selected(
                  reader_, {.selector = selector}, {.threads = 2, .stop = stop.get_token()},
                  [](const Record&, const ChosenEvents&) { return 0; },
                  [&](int, const TakenEvents&) {
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
