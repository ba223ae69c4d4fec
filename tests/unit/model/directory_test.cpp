#include "hipotool/directory.hpp"

#include "support/error_of.hpp"
#include "support/library.hpp"

#include <gtest/gtest.h>

#include <string>

namespace hipotool::test {
namespace {

TEST(StoredRecord, BorrowsExactlyItsBytes) {
  Bytes bytes = whole_record({EventImage{1}.bytes()});
  const std::size_t size = bytes.size();
  append(bytes, Bytes(10));
  const StoredRecord stored = StoredRecord::borrow(bytes);
  EXPECT_EQ(stored.bytes.size(), size);
  EXPECT_TRUE(stored.is_loaded(0, size));
  EXPECT_FALSE(stored.is_loaded(0, size + 1));
  bytes.resize(size - 1);
  EXPECT_EQ(error_of([&] { static_cast<void>(StoredRecord::borrow(bytes)); }),
            "truncated: a record of " + std::to_string(size) + " bytes has only " +
                std::to_string(size - 1));
}

TEST(StoredRecord, GivesOnlyWhatWasLoaded) {
  const Bytes bytes(100);
  StoredRecord stored;
  stored.bytes = bytes;
  stored.mark_loaded(0, 20);
  stored.mark_loaded(20, 10);
  stored.mark_loaded(50, 10);
  EXPECT_EQ(stored.range(15, 15).size(), 15U);
  EXPECT_EQ(stored.range(50, 10).size(), 10U);
  EXPECT_EQ(stored.range(99, 0).size(), 0U);
  EXPECT_EQ(
      error_of([&] { static_cast<void>(stored.range(25, 10)); }),
      "invalid_argument: bytes 25 to 35 of the record were not read; read the streams of this "
      "projection first");
  EXPECT_EQ(error_of([&] { static_cast<void>(stored.range(90, 11)); }),
            "corrupt: a range of 11 bytes runs past the end of its record");
  EXPECT_EQ(error_of([&] { static_cast<void>(stored.range(UINT64_MAX, UINT64_MAX)); }).substr(0, 8),
            "corrupt:");
  stored.forget_ranges();
  EXPECT_FALSE(stored.is_loaded(0, 1));
}

RecordDirectory directory_of(const Bytes& record) {
  CodecContext context;
  RecordDirectory directory;
  read_directory(StoredRecord::borrow(record), context, directory);
  return directory;
}

TEST(RecordDirectory, KnowsWhatIsInARecordBeforeItIsInflated) {
  const Dictionary dictionary = dictionary_of({"{a/1/1}{n/I,b/B}", "{b/2/2}{x/D}"});
  const std::vector<Bytes> events =
      images({{7, {{{1, 1}, Bytes(10)}, {{3, 3}, Bytes(5), 6}}}, {8, {{{2, 2}, {}}}}});
  for (const Compression& compression : all_compressions()) {
    const Bytes record = stored_record(events, compression, dictionary);
    const RecordDirectory directory = directory_of(record);
    EXPECT_EQ(directory.layout, compression.layout);
    EXPECT_EQ(directory.event_count, 2U);
    if (compression.layout == LayoutId::per_chunk) {
      EXPECT_TRUE(directory.banks.empty());
      EXPECT_EQ(directory.streams.size(), 1U);
      continue;
    }
    ASSERT_EQ(directory.banks.size(), 3U);
    EXPECT_EQ(directory.tag(0), 7U);
    EXPECT_EQ(directory.tag(1), 8U);
    EXPECT_TRUE(directory.present(0, 0));
    EXPECT_FALSE(directory.present(0, 1));
    EXPECT_TRUE(directory.present(1, 1));
    EXPECT_EQ(directory.bank_bytes(0, 0), 10U);
    EXPECT_EQ(directory.bank_bytes(1, 1), 0U);
    EXPECT_EQ(directory.find({2, 2}), &directory.banks[1]);
    EXPECT_EQ(directory.find({2, 3}), nullptr);
    const bool by_column = compression.layout == LayoutId::per_column;
    EXPECT_EQ(directory.streams_of(directory.banks[0]).size(), by_column ? 2U : 1U);
    EXPECT_EQ(directory.streams_of(directory.banks[2]).size(), 1U);
    // 4 + 16 for each event, 8 for each of three banks, 15 bytes of data.
    EXPECT_EQ(directory.raw_bytes(), 2U * 20 + 3 * 8 + 15);
  }
}

}  // namespace
}  // namespace hipotool::test
