#include "hipotool/error.hpp"

#include "codec/codec.hpp"
#include "codec_inputs.hpp"
#include "fenced_bytes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <string>

namespace hipotool::test {
namespace {

using codec::Codec;

Bytes compressed(const Codec& row, int level, ByteSpan raw) {
  Bytes out(row.bound(raw.size()));
  out.resize(row.make_compressor(level)->compress(raw, out));
  return out;
}

TEST(CodecRoundTrip, GivesBackEverySizeAndKindOfInput) {
  for (const CodecId id : available_codecs()) {
    const Codec& row = codec::require_codec(id);
    const auto compressor = row.make_compressor(row.info.default_level);
    const auto decompressor = row.make_decompressor();
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      for (const std::size_t size : interesting_sizes(1U << 18)) {
        SCOPED_TRACE(std::string(row.info.name) + " kind " + std::to_string(kind) + " size " +
                     std::to_string(size));
        const Bytes raw = make_bytes(static_cast<Kind>(kind), size, size + kind);
        FencedBytes room(row.bound(size));
        const std::size_t stored_bytes = compressor->compress(raw, room.span());
        ASSERT_TRUE(room.front_untouched());
        ASSERT_LE(stored_bytes, row.bound(size));
        ASSERT_NO_THROW(codec::require_plausible(id, size, stored_bytes));

        FencedBytes stored(room.span().first(stored_bytes));
        FencedBytes back(size);
        ASSERT_EQ(decompressor->decompress(stored.span(), back.span()), size);
        ASSERT_TRUE(std::ranges::equal(back.span(), raw));
        ASSERT_TRUE(back.front_untouched());
      }
    }
  }
}

TEST(CodecRoundTrip, WorksAtEveryLevel) {
  const Bytes raw = make_bytes(Kind::floats, 50000, 1);
  for (const CodecId id : available_codecs()) {
    const Codec& row = codec::require_codec(id);
    for (int level = row.info.min_level; level <= row.info.max_level; ++level) {
      SCOPED_TRACE(std::string(row.info.name) + ":" + std::to_string(level));
      Bytes back(raw.size());
      ASSERT_EQ(row.make_decompressor()->decompress(compressed(row, level, raw), back), raw.size());
      ASSERT_EQ(back, raw);
    }
  }
}

TEST(CodecRoundTrip, GivesASmallerResultAtTheHighestLevelThanAtTheLowest) {
  const Bytes raw = make_bytes(Kind::text, 200000, 2);
  for (const CodecId id : available_codecs()) {
    const Codec& row = codec::require_codec(id);
    if (row.info.max_level > 0) {
      EXPECT_LT(compressed(row, row.info.max_level, raw).size(),
                compressed(row, row.info.min_level, raw).size())
          << row.info.name;
    }
  }
}

// A token, the rest of the length in bytes of 255, and the bytes as they are: 0.39 % more, and
// reading copies them.
TEST(CodecRoundTrip, StoresNoiseAsOneRunOfLiteralsWithLz4) {
  const Bytes raw = make_bytes(Kind::noise, 100000, 4);
  const Bytes stored = compressed(codec::require_codec(CodecId::lz4), 0, raw);
  const std::size_t lengths = (raw.size() - 15) / 255 + 1;
  ASSERT_EQ(stored.size(), 1 + lengths + raw.size());
  EXPECT_EQ(stored.front(), std::byte{0xf0});
  EXPECT_TRUE(std::equal(raw.begin(), raw.end(),
                         stored.begin() + static_cast<std::ptrdiff_t>(1 + lengths)));
}

TEST(CodecRoundTrip, StoresNothingForNothing) {
  for (const CodecId id : available_codecs()) {
    const Codec& row = codec::require_codec(id);
    EXPECT_TRUE(compressed(row, row.info.default_level, {}).empty()) << row.info.name;
    EXPECT_EQ(row.make_decompressor()->decompress({}, {}), 0U) << row.info.name;
  }
}

TEST(CodecRoundTrip, ReportsFewerBytesThanThereIsRoomFor) {
  const Bytes raw = make_bytes(Kind::repeats, 1000, 3);
  for (const CodecId id : available_codecs()) {
    const Codec& row = codec::require_codec(id);
    Bytes back(raw.size() + 65536);
    EXPECT_EQ(
        row.make_decompressor()->decompress(compressed(row, row.info.default_level, raw), back),
        raw.size())
        << row.info.name;
    EXPECT_TRUE(std::equal(raw.begin(), raw.end(), back.begin())) << row.info.name;
  }
}

// The bytes below were made by Python's gzip module and by the zstd program.
Bytes bytes_of(std::initializer_list<unsigned> values) {
  Bytes bytes;
  for (const unsigned value : values) {
    bytes.push_back(static_cast<std::byte>(value));
  }
  return bytes;
}

std::string inflate(CodecId id, const Bytes& stored, std::size_t room) {
  Bytes back(room);
  back.resize(codec::require_codec(id).make_decompressor()->decompress(stored, back));
  return {reinterpret_cast<const char*>(back.data()), back.size()};
}

TEST(CodecRoundTrip, ReadsAGzipMemberThatCarriesAFileName) {
  const Bytes stored = bytes_of({0x1f, 0x8b, 0x08, 0x08, 0x00, 0x00, 0x00, 0x00, 0x02, 0xff,
                                 0x6e, 0x00, 0xcb, 0xc8, 0x2c, 0xc8, 0x57, 0xc8, 0x40, 0x21,
                                 0x00, 0xb8, 0xd5, 0x5c, 0xd5, 0x13, 0x00, 0x00, 0x00});
  EXPECT_EQ(inflate(CodecId::gzip, stored, 19), "hipo hipo hipo hipo");
}

TEST(CodecRoundTrip, ReadsTheEncodingsOfNothing) {
  EXPECT_EQ(inflate(CodecId::lz4, bytes_of({0x00}), 0), "");
  EXPECT_EQ(inflate(CodecId::lz4hc, bytes_of({0x00}), 0), "");
  EXPECT_EQ(
      inflate(CodecId::gzip, bytes_of({0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03,
                                       0x03, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00}),
              0),
      "");
  if (codec_info(CodecId::zstd).available) {
    EXPECT_EQ(
        inflate(CodecId::zstd, bytes_of({0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x00, 0x01, 0x00, 0x00}), 0),
        "");
  }
}

TEST(CodecRoundTrip, ReadsAZstdFrameWithoutContentSize) {
  if (!codec_info(CodecId::zstd).available) {
    GTEST_SKIP() << "this build has no zstd";
  }
  // One raw block of 4 bytes in a frame that names only its window.
  const Bytes stored =
      bytes_of({0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58, 0x21, 0x00, 0x00, 'h', 'i', 'p', 'o'});
  EXPECT_EQ(inflate(CodecId::zstd, stored, 4), "hipo");
}

}  // namespace
}  // namespace hipotool::test
