#include "hipotool/scan.hpp"

#include "support/error_of.hpp"
#include "support/library.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <chrono>
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
