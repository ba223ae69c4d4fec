// The format as bytes: three small events stored in each layout, written out by hand.

#include "layout/layout.hpp"
#include "support/library.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace hipotool::test {
namespace {

// Row size 8: a 16-bit, a 32-bit and an array column.
constexpr const char* kHits = "{T::hit/40/2}{id/S,e/F,v/B#2}";
constexpr BankKey kHitKey{40, 2};
constexpr BankKey kCompositeKey{50, 1};
constexpr BankKey kTextKey{60, 3};

// Two rows; a zero-row table, a composite and text; an empty event with the highest tag bit.
std::vector<EventImage> three_events() {
  const Bytes rows = packed(std::int16_t{1}, std::int16_t{2}, 1.0F, 2.0F, std::int8_t{1},
                            std::int8_t{2}, std::int8_t{3}, std::int8_t{4});
  const Bytes composite = joined({text_bytes("if"), packed(std::int32_t{7}, 0.5F)});
  return {{1, {{kHitKey, rows}}},
          {2, {{kHitKey, {}}, {kCompositeKey, composite, 10, 2}, {kTextKey, text_bytes("abc"), 6}}},
          {0x80000000, {}}};
}

Bytes stored_as(LayoutId layout, Encodings encodings = Encodings::none,
                CodecId codec = CodecId::none) {
  const Dictionary dictionary = dictionary_of({kHits});
  return stored_record(images(three_events()), compression_of(codec, layout, encodings), dictionary,
                       {.words = {7, 9}});
}

// Section header, inflated directory and streams of a split record.
struct Section {
  std::string header;
  std::string directory;
  std::string streams;
};

Section section_of(const Bytes& record) {
  CodecContext context;
  RecordDirectory directory;
  const StoredRecord stored = StoredRecord::borrow(record);
  read_directory(stored, context, directory);
  const std::size_t streams_at = 56 + directory.directory_bytes;
  const std::size_t end = 56 + stored.header.payload_bytes();
  return {to_hex(ByteSpan(record).subspan(56, 20)), to_hex(directory.inflated.span()),
          to_hex(ByteSpan(record).subspan(streams_at, end - streams_at))};
}

std::string hex(const char* digits) {
  return to_hex(from_hex(digits));
}

TEST(WorkedBytes, OfAPerChunkRecord) {
  EXPECT_EQ(
      to_hex(stored_as(LayoutId::per_chunk)),
      hex(
          // 45 words, number 0 until it is appended, 14 words of header, 3 events
          "2d 00 00 00  00 00 00 00  0e 00 00 00  03 00 00 00"
          // index 12 bytes; version 6, 3 bytes of padding, type 4; no user header; magic
          "0c 00 00 00  06 00 00 43  00 00 00 00  00 01 da c0"
          // 109 bytes of events; tag 0, 31 words stored
          "6d 00 00 00  1f 00 00 00"
          "07 00 00 00 00 00 00 00  09 00 00 00 00 00 00 00"
          // event lengths 40, 53, 16
          "28 00 00 00  35 00 00 00  10 00 00 00"
          // EVNT, 40 bytes, tag 1; 40/2, type 11, 16 bytes; id 1 2, e 1 2, v (1 2) (3 4)
          "45 56 4e 54  28 00 00 00  01 00 00 00  00 00 00 00"
          "28 00 02 0b  10 00 00 00  01 00 02 00  00 00 80 3f  00 00 00 40  01 02 03 04"
          // EVNT, 53 bytes, tag 2; 40/2 without rows; 50/1, type 10, 10 bytes, 2 of them the format
          "45 56 4e 54  35 00 00 00  02 00 00 00  00 00 00 00"
          "28 00 02 0b  00 00 00 00"
          "32 00 01 0a  0a 00 00 02  69 66  07 00 00 00  00 00 00 3f"
          // 60/3, type 6, "abc"
          "3c 00 03 06  03 00 00 00  61 62 63"
          "45 56 4e 54  10 00 00 00  00 00 00 80  00 00 00 00"
          "00 00 00"));
}

TEST(WorkedBytes, OfAPerBankRecord) {
  const Bytes record = stored_as(LayoutId::per_bank);
  const Section section = section_of(record);
  const auto stored_bytes = static_cast<std::uint32_t>(record.size() - 56 - 20 - 29);
  EXPECT_EQ(load_le<std::uint32_t>(record.data() + 36) >> 28, 13U);
  EXPECT_EQ(load_le<std::uint32_t>(record.data() + 32), 29U) << "sum of the raw streams";
  EXPECT_EQ(load_le<std::uint32_t>(record.data() + 16), 12U) << "nominal index";
  // version 2, 3 banks, 3 events, stored size (padding off), 90 bytes inflated
  const std::uint32_t padding = (load_le<std::uint32_t>(record.data() + 20) >> 24) & 3;
  EXPECT_EQ(section.header, to_hex(packed(2U, 3U, 3U, stored_bytes - padding, 90U)));
  EXPECT_EQ(section.directory,
            hex("28 00 02 0b  32 00 01 0a  3c 00 03 06"  // descriptors, types 11 10 6
                "10 00 00 00  0a 00 00 00  03 00 00 00"  // stored sizes
                "10 00 00 00  0a 00 00 00  03 00 00 00"  // raw sizes
                "01 00 00 00  02 00 00 00  00 00 00 80"  // tags
                "01 07 00"                               // presence
                "10 00 00 00  00 00 00 00  00 00 00 00"  // 40/2: 16 bytes, none, absent
                "00 00 00 00  0a 00 00 00  00 00 00 00"  // 50/1
                "00 00 00 00  03 00 00 00  00 00 00 00"  // 60/3
                "00 02 00"));                            // format lengths
  EXPECT_EQ(section.streams, hex("01 00 02 00  00 00 80 3f  00 00 00 40  01 02 03 04"
                                 "69 66  07 00 00 00  00 00 00 3f"
                                 "61 62 63"));
}

TEST(WorkedBytes, OfAPerColumnRecord) {
  const Bytes record = stored_as(LayoutId::per_column);
  const Section section = section_of(record);
  EXPECT_EQ(load_le<std::uint32_t>(record.data() + 36) >> 28, 14U);
  EXPECT_EQ(section.header.substr(0, 36), hex("01 00 00 00  03 00 00 00  03 00 00 00"));
  EXPECT_EQ(section.directory,
            hex("28 00 02 0b  32 00 01 0a  3c 00 03 06"             // descriptors
                "03 00  00 00  00 00"                               // columns; 0 is opaque
                "01 00 00 00  02 00 00 00  00 00 00 80"             // tags
                "01 07 00"                                          // presence
                "10 00 00 00  00 00 00 00  00 00 00 00"             // 40/2
                "00 00 00 00  0a 00 00 00  00 00 00 00"             // 50/1
                "00 00 00 00  03 00 00 00  00 00 00 00"             // 60/3
                "04 00 00 00 04 00 00 00  08 00 00 00 08 00 00 00"  // id, e: stored and raw size
                "04 00 00 00 04 00 00 00  0a 00 00 00 0a 00 00 00"  // v, 50/1
                "03 00 00 00 03 00 00 00"                           // 60/3
                "00 02 00"));                                       // format lengths
  EXPECT_EQ(section.streams, hex("01 00 02 00"                      // id
                                 "00 00 80 3f  00 00 00 40"         // e
                                 "01 02 03 04"                      // v
                                 "69 66  07 00 00 00  00 00 00 3f"  // 50/1
                                 "61 62 63"));                      // 60/3
}

TEST(WorkedBytes, OfAVersionThreeTail) {
  const Bytes record = stored_as(LayoutId::per_column, Encodings::best);
  const Section section = section_of(record);
  EXPECT_EQ(section.header.substr(0, 12), hex("03 00 00 00"));
  const std::string plain = section_of(stored_as(LayoutId::per_column)).directory;
  EXPECT_EQ(section.directory.substr(0, plain.size()), plain);
  // A codec that saves nothing splits nothing: widths 2, 4, and 1 for the array and opaque banks.
  // The checksum of "abc" is the low half of the published XXH3-64 78af5f94892f3950.
  const Bytes tail = from_hex(section.directory.substr(plain.size()));
  ASSERT_EQ(tail.size(), 25U);
  EXPECT_EQ(to_hex(ByteSpan(tail).first(5)), hex("20 40 10 10 10"));
  EXPECT_EQ(to_hex(ByteSpan(tail).subspan(21)), hex("50 39 2f 89"));
}

TEST(WorkedBytes, OfAnEmptyStreamInVersionThree) {
  const Dictionary dictionary = dictionary_of({kHits});
  const Bytes record = stored_record(
      images({{5, {{kHitKey, {}}}}}),
      compression_of(CodecId::lz4, LayoutId::per_column, Encodings::best), dictionary);
  EXPECT_EQ(section_of(record).directory,
            hex("28 00 02 0b  03 00  05 00 00 00  01  00 00 00 00"
                "00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00"
                "00"                                        // format length
                "00 00 00"                                  // encodings of nothing
                "00 00 00 00  00 00 00 00  00 00 00 00"));  // and their checksums
}

TEST(WorkedBytes, OfASplitColumn) {
  // 64 ascending numbers: the planes of their high bytes are runs.
  const Dictionary dictionary = dictionary_of({"{N::n/1/1}{n/I}"});
  Bytes rows;
  Bytes planes;
  for (std::uint32_t i = 0; i < 64; ++i) {
    append(rows, packed(0x01020300U + i));
    planes.push_back(static_cast<std::byte>(i));
  }
  for (const std::byte high : {std::byte{3}, std::byte{2}, std::byte{1}}) {
    planes.insert(planes.end(), 64, high);
  }
  const Bytes record = stored_record(
      images({{0, {{{1, 1}, rows}}}}),
      compression_of(CodecId::lz4, LayoutId::per_column, Encodings::best), dictionary);
  CodecContext context;
  RecordDirectory directory;
  const StoredRecord stored = StoredRecord::borrow(record);
  read_directory(stored, context, directory);
  ASSERT_EQ(directory.streams.size(), 1U);
  const StreamInfo& stream = directory.streams[0];
  EXPECT_EQ(stream.encoding, 0x41);
  Buffer inflated(256);
  layout::inflate_exactly(CodecId::lz4,
                          ByteSpan(record).subspan(stream.offset, stream.stored_bytes),
                          inflated.span(), stream.offset, context.state());
  EXPECT_EQ(to_hex(inflated.span()), to_hex(planes));
}

TEST(WorkedBytes, OfARecordWithoutEvents) {
  const Dictionary dictionary = dictionary_of({kHits});
  for (const LayoutId layout : {LayoutId::per_bank, LayoutId::per_column}) {
    const Bytes record = stored_record({}, compression_of(CodecId::none, layout), dictionary);
    EXPECT_EQ(to_hex(ByteSpan(record).subspan(60)), hex("00 00 00 00"
                                                        "00 00 00 00"
                                                        "00 00 00 00"
                                                        "00 00 00 00"))
        << to_string(layout);
    EXPECT_EQ(decoded(record, dictionary)->event_count(), 0U);
  }
}

TEST(WorkedBytes, ReadBackTheSame) {
  const Dictionary dictionary = dictionary_of({kHits});
  const Bytes source = whole_record(images(three_events()), {.words = {7, 9}, .number = 0});
  for (const Compression& compression : all_compressions()) {
    const Bytes record = stored_as(compression.layout, compression.encodings, compression.codec);
    const Bytes back = encoded(batch_of({decoded(record, dictionary)}),
                               compression_of(CodecId::none, LayoutId::per_chunk), dictionary);
    EXPECT_EQ(to_hex(back), to_hex(source)) << to_string(compression);
  }
}

TEST(WorkedBytes, OfABigEndianRecord) {
  const Dictionary dictionary = dictionary_of({kHits});
  const Bytes big = big_endian_record(images(three_events()), dictionary);
  EXPECT_EQ(to_hex(ByteSpan(big).first(56 + 12 + 40)),
            hex("00 00 00 2d  00 00 00 01  00 00 00 0e  00 00 00 03"
                "00 00 00 0c  43 00 00 06  00 00 00 00  c0 da 01 00"
                "00 00 00 6d  00 00 00 1f"
                "00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00"
                "00 00 00 28  00 00 00 35  00 00 00 10"
                // The four characters are no number, and type and item are single bytes.
                "45 56 4e 54  00 00 00 28  00 00 00 01  00 00 00 00"
                "00 28 02 0b  00 00 00 10  00 01 00 02  3f 80 00 00  40 00 00 00  01 02 03 04"));
  const Bytes back = encoded(batch_of({decoded(big, dictionary)}),
                             compression_of(CodecId::none, LayoutId::per_chunk), dictionary);
  EXPECT_EQ(to_hex(back), to_hex(whole_record(images(three_events()), {.number = 0})));
}

}  // namespace
}  // namespace hipotool::test
