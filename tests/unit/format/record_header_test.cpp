#include "format/record_header.hpp"

#include "hipotool/directory.hpp"

#include "format/compression_tag.hpp"
#include "support/error_of.hpp"
#include "support/event_images.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace hipotool::test {
namespace {

TEST(CompressionTag, IsThatOfTheFormatsTable) {
  // Rows: none, lz4, lz4hc, gzip, zstd. Columns: whole record, by bank, by column.
  constexpr std::uint32_t kTable[5][3] = {
      {0, 13, 14}, {1, 9, 10}, {2, 6, 7}, {3, 11, 12}, {4, 5, 8}};
  std::set<std::uint32_t> tags;
  for (std::uint8_t codec = 0; codec < 5; ++codec) {
    for (std::uint8_t layout = 0; layout < 3; ++layout) {
      const std::uint32_t tag = kTable[codec][layout];
      EXPECT_EQ(format::compression_tag(CodecId{codec}, LayoutId{layout}), tag);
      const auto pair = format::from_compression_tag(tag);
      ASSERT_TRUE(pair.has_value());
      EXPECT_EQ(pair->codec, CodecId{codec});
      EXPECT_EQ(pair->layout, LayoutId{layout});
      tags.insert(tag);
    }
  }
  EXPECT_EQ(tags.size(), 15U);
  EXPECT_EQ(format::from_compression_tag(15), std::nullopt);
  EXPECT_EQ(format::from_compression_tag(16), std::nullopt);
}

TEST(RecordHeaderParsing, ComesBackFromWhatIsStored) {
  const RecordHeader header = format::make_record_header({.event_count = 3,
                                                          .user_header_bytes = 5,
                                                          .data_bytes = 1000,
                                                          .stored_payload_bytes = 501,
                                                          .codec = CodecId::gzip,
                                                          .layout = LayoutId::per_bank,
                                                          .user_words = {7, 8}});
  Bytes bytes(RecordHeader::kBytes);
  format::store_record_header(header, bytes.data());
  const RecordHeader back = parse_record_header(bytes);
  EXPECT_EQ(back.record_bytes(), 56U + 504U);
  EXPECT_EQ(back.payload_bytes(), 501U);
  EXPECT_EQ(back.payload_padding(), 3U);
  EXPECT_EQ(back.user_header_padding(), 3U);
  EXPECT_EQ(back.event_count, 3U);
  EXPECT_EQ(back.index_bytes, 12U);
  EXPECT_EQ(back.data_bytes, 1000U);
  EXPECT_EQ(back.codec, CodecId::gzip);
  EXPECT_EQ(back.layout, LayoutId::per_bank);
  EXPECT_EQ(back.user_words, (UserWords{7, 8}));
  EXPECT_EQ(back.declared_raw_bytes(), 1012U);
}

TEST(RecordHeaderParsing, KeepsThePaddingOfAnUncompressedRecord) {
  // Java leaves pad3 at 0 there and pads all the same; the declared sizes say where events end.
  const RecordHeader header = format::make_record_header({.stored_payload_bytes = 501});
  EXPECT_EQ(header.payload_padding(), 3U);
  EXPECT_EQ(header.payload_bytes(), 504U);
}

TEST(RecordHeaderParsing, RefusesLessThanAHeader) {
  EXPECT_EQ(error_of([] { static_cast<void>(parse_record_header(Bytes(55))); }),
            "truncated: record header cut short");
}

TEST(RecordLimits, AreCheckedBeforeAnythingIsWritten) {
  const auto refusal = [](const format::RecordShape& shape) {
    return error_of([&] { static_cast<void>(format::make_record_header(shape)); });
  };
  constexpr std::uint64_t kPayload = std::uint64_t{1} << 30;
  const auto exceeds = [](std::uint64_t bytes) {
    return "not_representable: a record of " + std::to_string(bytes) +
           " stored bytes exceeds what the format can index; use smaller records";
  };
  EXPECT_EQ(refusal({.stored_payload_bytes = kPayload - 4}), "no error");
  // A byte more is padded to 2^30, of which the compression word has no room for the words.
  EXPECT_EQ(refusal({.stored_payload_bytes = kPayload - 3}), exceeds(kPayload + 56));
  EXPECT_EQ(refusal({.stored_payload_bytes = kPayload}), exceeds(kPayload + 56));
  EXPECT_EQ(refusal({.stored_payload_bytes = std::uint64_t{1} << 31}),
            exceeds((std::uint64_t{1} << 31) + 56));
  EXPECT_EQ(refusal({.data_bytes = 0xFFFFFFFF}), "no error");
  EXPECT_EQ(refusal({.data_bytes = 0x100000000}), exceeds(56));
  EXPECT_EQ(refusal({.event_count = 0x3FFFFFFF}), "no error");
  EXPECT_EQ(refusal({.event_count = 0x40000000}), exceeds(56));
}

}  // namespace
}  // namespace hipotool::test
