#include "bench/reading.hpp"

#include "hipotool/error.hpp"

#include "support/fixtures.hpp"
#include "support/library.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace hipotool::test {
namespace {

using namespace app::bench;

class StillClock final : public Clock {
 public:
  [[nodiscard]] Moment now() override { return {}; }
};

std::filesystem::path fixture(const std::string& name) {
  return std::filesystem::path(HIPO_TEST_DATA_DIR) / name;
}

struct OpenFile {
  std::shared_ptr<CountingSource> source;
  std::unique_ptr<FileReader> reader;
};

OpenFile open_source(std::shared_ptr<const ByteSource> source) {
  OpenFile file;
  file.source = std::make_shared<CountingSource>(std::move(source));
  file.reader = std::make_unique<FileReader>(file.source);
  return file;
}

std::uint64_t checksum_of_run(const FileReader& reader, Scope scope, const ScopeChoice& choice,
                              unsigned threads) {
  ReadingPass pass(ReadTarget::whole(reader), scope, choice.projection(scope), threads, 1U << 28U);
  StillClock clock;
  Stopwatch watch(clock);
  return pass.run(watch);
}

ScopeChoice choice_for(const FileReader& reader) {
  return choose_scopes(reader, take_sample(reader, kSampleBytes), {}, {});
}

TEST(ReadingPass, ReadsTheSameValuesFromEveryFormatInEveryScope) {
  const FileReader plain{fixture("none_per_chunk.hipo")};
  const ScopeChoice choice = choice_for(plain);
  for (const Scope scope : kScopes) {
    const std::uint64_t expected = checksum_of_run(plain, scope, choice, 1);
    for (const std::string name :
         {"lz4_per_bank.hipo", "lz4_per_column.hipo", "gzip_per_chunk.hipo"}) {
      const FileReader reader{fixture(name)};
      for (const unsigned threads : {1U, 3U}) {
        EXPECT_EQ(checksum_of_run(reader, scope, choice, threads), expected)
            << name << ", " << to_string(scope) << ", " << threads << " threads";
      }
    }
  }
}

TEST(ReadingPass, CountsWhatAScopeFetchesAndInflates) {
  const OpenFile file = open_source(open_file(fixture("lz4_per_column.hipo")));
  const ScopeChoice choice = choice_for(*file.reader);
  std::vector<ReadCounters> counters;
  for (const Scope scope : kScopes) {
    ReadingPass pass(ReadTarget::whole(*file.reader), scope, choice.projection(scope), 1,
                     1U << 28U);
    counters.push_back(pass.count(*file.source));
    EXPECT_GE(counters.back().read_calls, file.reader->records().size());
    EXPECT_GT(counters.back().bytes_read, 0U);
    EXPECT_LE(counters.back().bytes_read, file.reader->file_bytes());
  }
  // meta and tags inflate directories alone, then each scope more than the one before.
  EXPECT_EQ(counters[0].bytes_inflated, counters[1].bytes_inflated);
  EXPECT_GT(counters[2].bytes_inflated, counters[1].bytes_inflated);
  EXPECT_GT(counters[3].bytes_inflated, counters[2].bytes_inflated);
  EXPECT_GT(counters[5].bytes_inflated, counters[3].bytes_inflated);
}

// A file that gives one byte of a value wrong, with nothing that a reader could notice it by.
TEST(ReadingPass, AWrongValueFailsTheTable) {
  const Bytes sound = read_bytes(fixture("none_per_column.hipo"));
  const FileReader reference{fixture("none_per_column.hipo")};
  const ScopeChoice choice = choice_for(reference);
  const RecordEntry& first = reference.records().front();
  Buffer bytes(sound.size());
  std::memcpy(bytes.data(), sound.data(), sound.size());
  // The last stored byte before the padding belongs to the last stream.
  const std::uint64_t at =
      first.offset + first.header.payload_offset() + first.header.payload_bytes() - 1;
  bytes.data()[at] ^= std::byte{1};
  const FileReader wrong{memory_source(std::move(bytes), "wrong.hipo")};
  StillClock clock;
  std::vector<TimedCell> cells;
  for (const FileReader* reader : {&reference, &wrong}) {
    cells.push_back({.name = reader->name(), .group = "all", .run = [&, reader](Stopwatch&) {
                       return checksum_of_run(*reader, Scope::all, choice, 1);
                     }});
  }
  try {
    static_cast<void>(measure(cells, {.clock = &clock}));
    FAIL() << "the wrong value passed";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::checksum);
    EXPECT_TRUE(error.message().starts_with("wrong.hipo read other values than "));
  }
}

TEST(BenchSample, IsSpreadOverTheFileInWholeRecords) {
  const FileReader reader{fixture("lz4_per_bank.hipo")};
  ASSERT_EQ(reader.records().size(), 2U);
  const Sample all = take_sample(reader, kSampleBytes);
  EXPECT_TRUE(all.is_whole_file());
  EXPECT_EQ(all.events, reader.event_count());
  EXPECT_EQ(all.raw_bytes, raw_bytes_of(reader));
  const Sample one = take_sample(reader, 1);
  EXPECT_EQ(one.indices, std::vector<std::size_t>{1});
  EXPECT_FALSE(one.is_whole_file());
}

TEST(BenchScopes, RefuseNamesThatAreNotThere) {
  const FileReader reader{fixture("lz4_per_bank.hipo")};
  const Sample sample = take_sample(reader, kSampleBytes);
  EXPECT_THROW(static_cast<void>(choose_scopes(reader, sample, {"NO::Such"}, {})), Error);
  EXPECT_THROW(static_cast<void>(choose_scopes(reader, sample, {}, "no_such_column")), Error);
}

}  // namespace
}  // namespace hipotool::test
