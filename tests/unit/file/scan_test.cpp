#include "hipotool/scan.hpp"

#include "support/counting_source.hpp"
#include "support/error_of.hpp"
#include "support/library.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace hipotool::test {
namespace {

// Record r holds one event of tag r.
FileImage numbered(std::uint32_t records) {
  FileImage file;
  for (std::uint32_t record = 0; record < records; ++record) {
    file.records.push_back(whole_record({EventImage{record}.bytes()}));
  }
  return file;
}

TEST(ScanThreads, BringResultsBackInOrder) {
  const FileReader reader = open_bytes(numbered(200).bytes());
  for (const unsigned threads : {1U, 2U, 8U}) {
    std::vector<std::uint32_t> tags;
    scan(
        reader, Projection::everything(), {.threads = threads},
        [](const Record& record, std::size_t index) {
          Random random(index);
          std::this_thread::sleep_for(std::chrono::microseconds(random.below(50)));
          return record.tag(0);
        },
        [&](std::uint32_t tag, std::size_t index) {
          EXPECT_EQ(tag, index);
          tags.push_back(tag);
        });
    EXPECT_EQ(tags.size(), 200U);
  }
}

TEST(ScanThreads, ReportTheFirstFailureAfterEverythingBeforeIt) {
  FileImage file = numbered(60);
  for (const std::size_t damaged : {25U, 40U}) {
    file.records[damaged][60] = std::byte{'X'};
  }
  const FileReader reader = open_bytes(file.bytes(), "in.hipo");
  for (const unsigned threads : {1U, 4U}) {
    std::size_t sunk = 0;
    const std::string error = error_of([&] {
      scan(
          reader, Projection::everything(), {.threads = threads},
          [](const Record&, std::size_t) { return 0; }, [&](int, std::size_t) { ++sunk; });
    });
    EXPECT_TRUE(error.starts_with("corrupt: in.hipo: record 25 at ")) << error;
    EXPECT_EQ(sunk, 25U);
  }
}

TEST(ScanThreads, PassBadRecordsOnInTheirPlaceWhereAsked) {
  FileImage file = numbered(30);
  for (const std::size_t damaged : {7U, 8U, 29U}) {
    file.records[damaged][60] = std::byte{'X'};
  }
  const FileReader reader = open_bytes(file.bytes());
  std::string order;
  ScanOptions options{.threads = 4};
  options.on_bad_record = [&](const Error& error, std::size_t index) {
    EXPECT_EQ(error.code(), ErrorCode::corrupt);
    order += "(" + std::to_string(index) + ") ";
  };
  scan(
      reader, Projection::everything(), options, [](const Record&, std::size_t) { return 0; },
      [&](int, std::size_t index) { order += std::to_string(index) + " "; });
  EXPECT_EQ(
      order,
      "0 1 2 3 4 5 6 (7) (8) 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 (29) ");
}

TEST(ScanThreads, PassOverRecordsThatAreNotWanted) {
  FileImage file = numbered(40);
  file.records[3][60] = std::byte{'X'};  // not even looked at
  const FileReader reader = open_bytes(file.bytes());
  for (const unsigned threads : {1U, 4U}) {
    ScanOptions options{.threads = threads};
    options.wants_record = [](std::size_t index) { return index % 10 == 7; };
    std::string order;
    scan(
        reader, Projection::everything(), options,
        [](const Record& record, std::size_t) { return record.tag(0); },
        [&](std::uint32_t tag, std::size_t index) {
          EXPECT_EQ(tag, index);
          order += std::to_string(index) + " ";
        });
    EXPECT_EQ(order, "7 17 27 37 ");
    options.wants_record = [](std::size_t) { return false; };
    scan(
        reader, Projection::everything(), options, [](const Record&, std::size_t) { return 0; },
        [&](int, std::size_t) { ADD_FAILURE() << "no record was wanted"; });
  }
}

constexpr BankKey kSmall{1, 1};
constexpr BankKey kLarge{2, 2};
constexpr std::size_t kLargeBytes = 50'000;

// Record r holds one event with x = r in the small bank, and noise in the large one.
FileImage small_and_large(const Compression& compression) {
  FileImage file;
  file.schemas = {"{S::small/1/1}{x/I,y/I}", "{L::large/2/2}{z/B}"};
  const Dictionary dictionary = dictionary_of(file.schemas);
  Random random(7);
  for (std::uint32_t record = 0; record < 6; ++record) {
    const EventImage event{record,
                           {{kSmall, packed(record, 0U)}, {kLarge, random.bytes(kLargeBytes)}}};
    file.records.push_back(stored_record({event.bytes()}, compression, dictionary));
  }
  return file;
}

TEST(ScanThreads, FetchNothingMoreWhereTheFirstLookSaysNo) {
  for (const LayoutId layout : kLayouts) {
    const auto source = std::make_shared<CountingSource>(
        small_and_large(compression_of(CodecId::lz4, layout)).bytes());
    const FileReader reader(source);
    ScanOptions options{.threads = 2};
    options.first_projection = Projection::nothing().add(kSmall, {std::size_t{0}});
    options.first_look = [&](const Record& record, std::size_t index) {
      const auto small = record.bank(0, kSmall);
      EXPECT_TRUE(small);
      // Split layouts show the first look its own banks alone.
      EXPECT_EQ(record.bank(0, kLarge).has_value(), layout == LayoutId::per_chunk);
      return small && small->column<std::uint32_t>(0)[0] == index && index == 4;
    };
    source->reset();
    std::size_t sunk = 0;
    scan(
        reader, Projection::nothing().add(kLarge), options,
        [&](const Record& record, std::size_t) {
          EXPECT_EQ(record.bank(0, kLarge).value().rows(), kLargeBytes);
          EXPECT_EQ(record.bank(0, kSmall).has_value(), layout == LayoutId::per_chunk);
          return record.streams_inflated;
        },
        [&](std::uint32_t streams, std::size_t index) {
          EXPECT_EQ(index, 4U);
          EXPECT_EQ(streams, 1U);
          ++sunk;
        });
    EXPECT_EQ(sunk, 1U);
    std::uint64_t all_records = 0;
    for (const RecordEntry& entry : reader.records()) {
      all_records += entry.header.record_bytes();
    }
    // First the 4 KiB in which the directory ends; the chosen record is not fetched twice.
    const std::uint64_t chosen = reader.records()[4].header.record_bytes();
    EXPECT_LE(source->bytes(),
              layout == LayoutId::per_chunk ? all_records : chosen + std::uint64_t{6} * 4096)
        << to_string(layout);
  }
}

TEST(ScanThreads, ReportAFailureOfEitherLookInItsPlace) {
  for (const LayoutId layout : kLayouts) {
    FileImage file = small_and_large(compression_of(CodecId::lz4, layout));
    std::fill_n(file.records[2].begin() + 56, 20, std::byte{0xFF});
    const FileReader reader = open_bytes(file.bytes());
    ScanOptions options{.threads = 3};
    options.first_look = [](const Record&, std::size_t index) { return index != 1; };
    const auto run = [&] {
      std::string order;
      const std::string error = error_of([&] {
        scan(
            reader, Projection::everything(), options, [](const Record&, std::size_t) { return 0; },
            [&](int, std::size_t index) { order += std::to_string(index) + " "; });
      });
      EXPECT_EQ(error.find("record 2 at") != std::string::npos, !options.on_bad_record) << error;
      return order;
    };
    EXPECT_EQ(run(), "0 ");
    std::size_t bad = 0;
    options.on_bad_record = [&](const Error&, std::size_t index) { bad = index; };
    EXPECT_EQ(run(), "0 3 4 5 ");
    EXPECT_EQ(bad, 2U);
  }
}

TEST(ScanThreads, SayWhereWorkFailed) {
  const FileReader reader = open_bytes(numbered(3).bytes(), "in.hipo");
  EXPECT_EQ(error_of([&] {
              scan(
                  reader, Projection::everything(), {},
                  [](const Record&, std::size_t index) {
                    if (index == 1) {
                      throw Error(ErrorCode::not_found, "what was asked for");
                    }
                    return 0;
                  },
                  [](int, std::size_t) {});
            }),
            "not_found: in.hipo: record 1 at 0xbc: what was asked for");
}

TEST(ScanThreads, GoThroughWithABudgetSmallerThanARecord) {
  const FileReader reader = open_bytes(numbered(50).bytes());
  std::size_t sunk = 0;
  scan(
      reader, Projection::everything(), {.threads = 4, .memory_bytes = 1},
      [](const Record& record, std::size_t) { return record.event_count(); },
      [&](std::uint32_t, std::size_t) { ++sunk; });
  EXPECT_EQ(sunk, 50U);
}

TEST(ScanThreads, StopWhenAsked) {
  const FileReader reader = open_bytes(numbered(500).bytes());
  std::stop_source stop;
  std::size_t sunk = 0;
  EXPECT_EQ(error_of([&] {
              scan(
                  reader, Projection::nothing(), {.threads = 2, .stop = stop.get_token()},
                  [](const Record&, std::size_t) { return 0; },
                  [&](int, std::size_t) {
                    if (++sunk == 5) {
                      stop.request_stop();
                    }
                  });
            }),
            "cancelled: stopped on request");
  EXPECT_EQ(sunk, 5U);
}

}  // namespace
}  // namespace hipotool::test
