// The bytes of whole files that are written: header, dictionary, record numbers, trailer.

#include "hipotool/merge.hpp"
#include "hipotool/writer.hpp"

#include "support/library.hpp"
#include "support/temp_dir.hpp"

#include <gtest/gtest.h>

#include <string>

namespace hipotool::test {
namespace {

std::string hex(const char* digits) {
  return to_hex(from_hex(digits));
}

// Two records of two events each, of different user words.
FileImage two_records() {
  FileImage file;
  file.schemas = {"{T::n/1/2}{n/I}"};
  const auto event = [](std::uint32_t number) {
    return EventImage{number, {{{1, 2}, packed(number)}}}.bytes();
  };
  file.records = {whole_record({event(1), event(2)}, {.words = {5, 6}, .number = 1}),
                  whole_record({event(3), event(4)}, {.words = {7, 0}, .number = 2})};
  return file;
}

RewriteOptions as_they_are() {
  RewriteOptions options;
  options.compression = compression_of(CodecId::none, LayoutId::per_chunk);
  return options;
}

TEST(WrittenFile, EqualsTheOneMadeByHand) {
  // Nothing of the day, the machine or chance is in it, or this would differ.
  const TempDir temp;
  const Bytes by_hand = two_records().bytes();
  RewriteOptions options = as_they_are();
  for (const bool reencode : {false, true}) {
    options.reencode = reencode;
    const RewriteSummary summary = recook(open_bytes(by_hand), temp / "out.hipo", options);
    EXPECT_EQ(summary.records_copied, reencode ? 0U : 2U);
    EXPECT_EQ(to_hex(read_bytes(temp / "out.hipo")), to_hex(by_hand));
  }
}

TEST(WrittenFile, BeginsWithAHeaderThatPointsToTheTrailer) {
  const TempDir temp;
  const Bytes by_hand = two_records().bytes();
  recook(open_bytes(by_hand), temp / "out.hipo", as_they_are());
  const Bytes file = read_bytes(temp / "out.hipo");
  // Dictionary: 56 + index 4 + event 16 + structure 8 + text 15 + padding 1 = 100 bytes.
  // Records: 56 + index 8 + 2 events of 28 = 120 bytes each. Trailer at 56 + 100 + 240 = 396.
  EXPECT_EQ(to_hex(ByteSpan(file).first(56)),
            hex("48 49 50 4f  01 00 00 00  0e 00 00 00  00 00 00 00"
                "00 00 00 00  06 05 00 50  64 00 00 00  00 01 da c0"
                "00 00 00 00 00 00 00 00  8c 01 00 00 00 00 00 00"
                "00 00 00 00  00 00 00 00"));
}

TEST(WrittenFile, EndsWithOneRowForEachRecord) {
  const TempDir temp;
  recook(open_bytes(two_records().bytes()), temp / "out.hipo", as_they_are());
  const Bytes file = read_bytes(temp / "out.hipo");
  EXPECT_EQ(to_hex(ByteSpan(file).subspan(396)),
            hex("25 00 00 00  00 00 00 00  0e 00 00 00  01 00 00 00"  // 37 words, number 0
                "04 00 00 00  06 00 00 40  00 00 00 00  00 01 da c0"
                "58 00 00 00  17 00 00 00"  // one event of 88 bytes
                "00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00"
                "58 00 00 00"
                "45 56 4e 54  58 00 00 00  00 00 00 00  00 00 00 00"
                "6f 7d 01 0b  40 00 00 00"                          // 32111/1, 2 rows
                "9c 00 00 00 00 00 00 00  14 01 00 00 00 00 00 00"  // positions 156, 276
                "78 00 00 00  78 00 00 00"                          // 120 bytes each
                "02 00 00 00  02 00 00 00"                          // 2 events each
                "05 00 00 00 00 00 00 00  07 00 00 00 00 00 00 00"
                "06 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00"));
}

TEST(WrittenFile, WithoutRecordsHasAnIndexWithoutRows) {
  const TempDir temp;
  FileImage empty;
  empty.schemas = {"{T::n/1/2}{n/I}"};
  const RewriteSummary summary = recook(open_bytes(empty.bytes()), temp / "out.hipo", {});
  EXPECT_EQ(to_hex(read_bytes(temp / "out.hipo")), to_hex(empty.bytes()));
  EXPECT_EQ(summary.digest.value().ordered, "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(summary.digest.value().unordered, std::string(32, '0'));
}

TEST(WrittenFile, KeepsWhatTheFileHeaderHoldsForUsers) {
  const TempDir temp;
  Bytes source = two_records().bytes();
  store_le(source.data() + 4, std::uint32_t{17});                   // file number
  store_le(source.data() + 32, std::uint64_t{0x1122334455667788});  // user register
  store_le(source.data() + 48, std::uint32_t{21});
  store_le(source.data() + 52, std::uint32_t{22});
  recook(open_bytes(source), temp / "out.hipo", as_they_are());
  EXPECT_EQ(to_hex(read_bytes(temp / "out.hipo")), to_hex(source));
}

TEST(WrittenFile, IsFoundByAScanWhileItIsNotFinished) {
  const TempDir temp;
  const FileImage source = two_records();
  const std::vector<DictionaryEvent> events = source.dictionary_events();
  AtomicFile target(temp / "out.hipo", AtomicFile::Existing::refuse);
  FileWriter writer(target, events);
  const Dictionary dictionary(events);
  CodecContext context;
  EncodedRecord record;
  encode(batch_of({decoded(source.records[0], dictionary)}), {}, dictionary, context, record);
  writer.append(record);
  const FileReader unfinished(target.temporary());
  EXPECT_EQ(unfinished.index(), IndexState::absent);
  EXPECT_EQ(unfinished.event_count(), 2U);
  EXPECT_EQ(writer.records(), 1U);
}

TEST(WrittenFile, NumbersItsRecordsFromOne) {
  const TempDir temp;
  RewriteOptions options;
  options.record_events = 1;
  recook(open_bytes(two_records().bytes()), temp / "out.hipo", options);
  const FileReader reader(temp / "out.hipo");
  std::uint32_t expected = 1;
  for (const RecordEntry& entry : reader.records()) {
    EXPECT_EQ(entry.header.number, expected++);
    EXPECT_EQ(entry.header.bit_info >> 28, 4U);
  }
  EXPECT_EQ(expected, 5U);
}

}  // namespace
}  // namespace hipotool::test
