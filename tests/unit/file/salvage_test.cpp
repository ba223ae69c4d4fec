// Reading what can be read of a damaged file.

#include "hipotool/error.hpp"
#include "hipotool/reader.hpp"
#include "hipotool/rewrite.hpp"

#include "file/file_walk.hpp"
#include "support/counting_source.hpp"
#include "support/error_of.hpp"
#include "support/library.hpp"
#include "support/temp_dir.hpp"
#include "support/three_records.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace hipotool::test {
namespace {

constexpr BankKey kBank = kDamagedBank;

FileReader salvaged(ByteSpan bytes, const std::vector<DictionaryEvent>& borrowed = {}) {
  return FileReader(memory_source(buffer_of(bytes), "file.hipo"),
                    {.salvage = true, .borrowed_dictionary = borrowed});
}

std::vector<std::uint32_t> tags_in(const FileReader& reader) {
  CodecContext context;
  Record record;
  std::vector<std::uint32_t> tags;
  for (std::size_t r = 0; r < reader.records().size(); ++r) {
    reader.read_record(r, Projection::everything(), context, record);
    tags.insert(tags.end(), record.tags.begin(), record.tags.end());
  }
  return tags;
}

TEST(Salvage, ChangesNothingForASoundFile) {
  const Bytes bytes = three_records().bytes();
  const FileReader reader = salvaged(bytes);
  EXPECT_EQ(reader.event_count(), 12U);
  EXPECT_EQ(reader.index(), IndexState::valid);
  EXPECT_TRUE(reader.gaps().empty());
}

TEST(Salvage, GoesOnBehindADamagedRecordHeaderAndListsTheGap) {
  const FileImage file = three_records();
  Bytes bytes = file.bytes();
  const std::uint64_t begin = offset_of(file, 1);
  std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(begin), 56, std::byte{0});
  EXPECT_EQ(error_of([&] { return open_bytes(bytes).event_count(); }).substr(0, 8), "corrupt:");
  const FileReader reader = salvaged(bytes);
  EXPECT_EQ(tags_in(reader), (std::vector<std::uint32_t>{0, 1, 2, 3, 8, 9, 10, 11}));
  ASSERT_EQ(reader.gaps().size(), 1U);
  EXPECT_EQ(reader.gaps()[0].offset, begin);
  EXPECT_EQ(reader.gaps()[0].bytes, file.records[1].size());
  EXPECT_EQ(reader.gaps()[0].records, 1U);  // the index tells
  EXPECT_EQ(reader.gaps()[0].events, 4U);
}

TEST(Salvage, DropsARecordThatTheEndOfTheFileCuts) {
  const FileImage file = three_records();
  Bytes bytes = file.bytes();
  bytes.resize(offset_of(file, 2) + 80);
  const FileReader reader = salvaged(bytes);
  EXPECT_EQ(reader.event_count(), 8U);
  EXPECT_EQ(reader.index(), IndexState::cut);
  ASSERT_EQ(reader.gaps().size(), 1U);
  EXPECT_EQ(reader.gaps()[0].offset, offset_of(file, 2));
  EXPECT_EQ(reader.gaps()[0].bytes, 80U);
  EXPECT_EQ(reader.gaps()[0].records, std::nullopt);
}

TEST(Salvage, DoesNotBelieveALengthThatSwallowsItsNeighbour) {
  const FileImage file = three_records();
  Bytes bytes = file.bytes();
  const std::uint64_t begin = offset_of(file, 0);
  // Record 0 claims to end in the middle of record 1; its own payload is sound.
  store_le(bytes.data() + begin, static_cast<std::uint32_t>(file.records[0].size() / 4 + 20));
  const FileReader reader = salvaged(bytes);
  const std::vector<std::uint32_t> tags = tags_in(reader);
  EXPECT_NE(std::find(tags.begin(), tags.end(), 8U), tags.end());
  EXPECT_NE(std::find(tags.begin(), tags.end(), 11U), tags.end());
}

TEST(Salvage, BelievesTheIndexWhereARecordSwallowedItsNeighbour) {
  const FileImage file = three_records();
  // Record 0 claims to end where record 1 does, and decodes so: what is too much would be padding.
  const Bytes bytes = with_number(file.bytes(), offset_of(file, 0),
                                  static_cast<std::uint32_t>(file.records[0].size() / 2));
  EXPECT_EQ(open_bytes(bytes).index(), IndexState::damaged);
  EXPECT_EQ(open_bytes(bytes).event_count(), 8U);
  const FileReader reader = salvaged(bytes);
  EXPECT_EQ(tags_in(reader), (std::vector<std::uint32_t>{4, 5, 6, 7, 8, 9, 10, 11}));
  ASSERT_EQ(reader.gaps().size(), 1U);
  EXPECT_EQ(reader.gaps()[0].bytes, file.records[0].size());
  EXPECT_EQ(reader.gaps()[0].events, 4U);
  EXPECT_EQ(reader.index(), IndexState::damaged);
}

TEST(Salvage, DropsNothingWhereOnlyTheIndexIsWrong) {
  FileImage file = three_records();
  file.index =
      with_number(index_bank(file.records, file.first_record()), 12 * 3 + 4, std::uint32_t{400});
  const FileReader reader = salvaged(file.bytes());
  EXPECT_EQ(reader.event_count(), 12U);
  EXPECT_TRUE(reader.gaps().empty());
  EXPECT_EQ(reader.index(), IndexState::damaged);
  file.index = with_number(index_bank(file.records, file.first_record()), 8,
                           std::uint64_t{file.first_record() + 4});
  EXPECT_EQ(salvaged(file.bytes()).event_count(), 12U);
}

TEST(Salvage, BorrowsADictionaryWhereTheFilesOwnIsGone) {
  FileImage file = three_records();
  const std::vector<DictionaryEvent> dictionary = file.dictionary_events();
  Bytes bytes = file.bytes();
  std::fill_n(bytes.begin() + 56, 56, std::byte{0});
  const FileReader blind = salvaged(bytes);
  EXPECT_EQ(blind.event_count(), 12U);
  EXPECT_TRUE(blind.dictionary().schemas().empty());
  const FileReader reader = salvaged(bytes, dictionary);
  EXPECT_TRUE(reader.has_borrowed_dictionary());
  EXPECT_EQ(reader.dictionary().find(kBank)->name(), "A::a");
  EXPECT_EQ(tags_in(reader).size(), 12U);
}

TEST(Salvage, FindsRecordsWithoutAFileHeader) {
  Bytes bytes = three_records().bytes();
  std::fill_n(bytes.begin(), 56, std::byte{0xFF});
  const FileReader reader = salvaged(bytes);
  EXPECT_EQ(reader.dictionary().find(kBank)->name(), "A::a");
  EXPECT_EQ(reader.event_count(), 12U);
}

TEST(Salvage, RefusesBytesWithoutAnyRecord) {
  const Bytes bytes(1000, std::byte{7});
  EXPECT_EQ(
      error_of([&] { return salvaged(bytes).event_count(); }),
      "bad_magic: file.hipo: no HIPO record found: not a HIPO file: it does not begin with HIPO "
      "or HREC");
}

TEST(Salvage, IsNotKeptBusyByHeadersThatAllClaimTheRestOfTheFile) {
  FileImage file = three_records();
  file.trailer = false;
  constexpr std::uint32_t kHeaders = 2000;
  file.records = {};
  for (std::uint32_t left = kHeaders; left > 0; --left) {
    const HeaderImage header{.length_words = 14 * left - 1,
                             .events = 1,
                             .index_bytes = 4,
                             .data_bytes = 1000,
                             .compression_word = 1U << 28};
    file.records.push_back(header.bytes());
  }
  const auto source = std::make_shared<CountingSource>(file.bytes());
  const FileReader reader(source, {.salvage = true});
  EXPECT_EQ(reader.event_count(), 0U);
  EXPECT_EQ(reader.gaps().size(), 1U);
  // Decoding every one of them would read a thousand times the file.
  EXPECT_LT(source->bytes(), 200 * source->size());
}

// Blocks of the search have 4 KiB, 8 KiB and so on up to 1 MiB; the magic of a record header lies
// 28 bytes into it, and blocks overlap.
TEST(FindRecord, FindsAMagicThatStraddlesTwoBlocks) {
  const Bytes record = whole_record(images({{.tag = 1}}));
  std::vector<std::size_t> places;
  std::size_t end = 0;
  for (std::size_t block = 4096; block <= std::size_t{1} << 20; block *= 2) {
    end += block - 3;
    for (std::size_t shift = 0; shift < 12; ++shift) {
      places.push_back(end - 6 + shift);
    }
  }
  for (const std::size_t at : places) {
    Bytes bytes(at + record.size() + 100, std::byte{0});
    std::copy(record.begin(), record.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at));
    const auto source = memory_source(buffer_of(bytes), "blocks");
    EXPECT_EQ(file::find_record(*source, 0), at);
  }
}

TEST(SkipBad, DropsOnlyTheRecordThatDoesNotDecode) {
  const FileImage file = three_records();
  Bytes bytes = file.bytes();
  const std::uint64_t begin = offset_of(file, 1);
  store_le(bytes.data() + begin + 56, std::uint32_t{1'000'000});  // the length of its first event
  const FileReader reader = open_bytes(bytes);
  const TempDir folder;
  EXPECT_EQ(error_of([&] { recook(reader, folder.path() / "out.hipo", {}); }).substr(0, 8),
            "corrupt:");
  const RewriteSummary summary =
      recook(reader, folder.path() / "out.hipo",
             {.compression = compression_of(CodecId::lz4, LayoutId::per_column), .skip_bad = true});
  EXPECT_EQ(summary.events, 8U);
  ASSERT_EQ(summary.dropped.size(), 1U);
  EXPECT_EQ(summary.dropped[0].record, 1U);
  EXPECT_EQ(summary.dropped[0].gap.offset, begin);
  EXPECT_EQ(summary.dropped[0].gap.events, 4U);
}

}  // namespace
}  // namespace hipotool::test
