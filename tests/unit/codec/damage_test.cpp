#include "hipotool/error.hpp"

#include "codec/codec.hpp"
#include "codec_inputs.hpp"
#include "fenced_bytes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <random>
#include <string>

namespace hipotool::test {
namespace {

using codec::Codec;

Bytes compressed(const Codec& row, ByteSpan raw) {
  Bytes out(row.bound(raw.size()));
  out.resize(row.make_compressor(row.info.default_level)->compress(raw, out));
  return out;
}

// Inflates between fences: a byte touched beyond either span ends the test program. Gives the bytes
// produced, or nothing where the codec refused.
std::optional<std::size_t> try_inflate(codec::Decompressor& worker, ByteSpan stored,
                                       std::size_t room) {
  FencedBytes input(stored);
  FencedBytes output(room);
  std::optional<std::size_t> produced;
  try {
    produced = worker.decompress(input.span(), output.span());
    EXPECT_LE(*produced, room);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::corrupt) << error.what();
  }
  EXPECT_TRUE(output.front_untouched());
  return produced;
}

TEST(CodecDamage, RefusesEveryTruncation) {
  for (const CodecId id : available_codecs()) {
    if (id == CodecId::none) {
      continue;  // any prefix is a sound unit of codec none; its size is the layout's to compare
    }
    const Codec& row = codec::require_codec(id);
    const Bytes raw = make_bytes(Kind::floats, 900, 1);
    const Bytes stored = compressed(row, raw);
    const auto worker = row.make_decompressor();
    for (std::size_t size = 1; size < stored.size(); ++size) {
      const auto produced = try_inflate(*worker, ByteSpan(stored).first(size), raw.size());
      // An LZ4 block has no end mark, so a cut between two sequences leaves a shorter block.
      if (id == CodecId::gzip || id == CodecId::zstd) {
        ASSERT_FALSE(produced.has_value()) << row.info.name << " cut to " << size;
      } else {
        ASSERT_TRUE(!produced.has_value() || *produced < raw.size()) << row.info.name << size;
      }
    }
    ASSERT_EQ(try_inflate(*worker, stored, raw.size()), raw.size());
  }
}

TEST(CodecDamage, SurvivesEverySingleFlippedBit) {
  for (const CodecId id : available_codecs()) {
    const Codec& row = codec::require_codec(id);
    const auto worker = row.make_decompressor();
    for (const Kind kind : {Kind::floats, Kind::repeats, Kind::zeros}) {
      const Bytes raw = make_bytes(kind, 600, 2);
      Bytes stored = compressed(row, raw);
      for (std::size_t bit = 0; bit < stored.size() * 8; ++bit) {
        stored[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
        try_inflate(*worker, stored, raw.size());
        stored[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
      }
      // The worker is as good as new after all those failures.
      Bytes back(raw.size());
      ASSERT_EQ(worker->decompress(stored, back), raw.size());
      ASSERT_EQ(back, raw) << row.info.name;
    }
  }
}

TEST(CodecDamage, SurvivesLongInputsWithManyErrors) {
  std::mt19937_64 random(3);
  for (const CodecId id : available_codecs()) {
    const Codec& row = codec::require_codec(id);
    const auto worker = row.make_decompressor();
    for (std::size_t round = 0; round < 60; ++round) {
      const Bytes raw =
          make_bytes(static_cast<Kind>(round % kKinds), 20000 + random() % 180000, round);
      Bytes stored = compressed(row, raw);
      for (std::uint64_t errors = 1 + random() % 20; errors > 0; --errors) {
        stored[random() % stored.size()] = static_cast<std::byte>(random());
      }
      try_inflate(*worker, stored, raw.size());
    }
  }
}

TEST(CodecDamage, SurvivesNoise) {
  std::mt19937_64 random(4);
  for (const CodecId id : available_codecs()) {
    const Codec& row = codec::require_codec(id);
    const auto worker = row.make_decompressor();
    for (int round = 0; round < 400; ++round) {
      Bytes stored = make_bytes(Kind::noise, random() % 300, random());
      // Half of them get past the magic of the codecs that have one.
      if (round % 2 == 0 && stored.size() >= 4) {
        const std::array<unsigned, 4> magic = id == CodecId::zstd
                                                  ? std::array{0x28U, 0xb5U, 0x2fU, 0xfdU}
                                                  : std::array{0x1fU, 0x8bU, 0x08U, 0x00U};
        std::ranges::transform(magic, stored.begin(),
                               [](unsigned value) { return static_cast<std::byte>(value); });
      }
      try_inflate(*worker, stored, random() % 2000);
    }
  }
}

TEST(CodecDamage, RefusesMoreThanFits) {
  for (const CodecId id : available_codecs()) {
    const Codec& row = codec::require_codec(id);
    const auto worker = row.make_decompressor();
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      const Bytes raw = make_bytes(static_cast<Kind>(kind), 5000, 5);
      const Bytes stored = compressed(row, raw);
      for (const std::size_t room : {0U, 1U, 100U, 4096U, 4999U}) {
        EXPECT_FALSE(try_inflate(*worker, stored, room).has_value())
            << row.info.name << " kind " << kind << " room " << room;
      }
    }
  }
}

std::string refusal(CodecId id, ByteSpan stored, std::size_t room) {
  Bytes back(room);
  try {
    codec::require_codec(id).make_decompressor()->decompress(stored, back);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::corrupt);
    return error.message();
  }
  return "accepted";
}

TEST(CodecDamage, NamesTheCodecAndTheCause) {
  const Bytes raw = make_bytes(Kind::floats, 400, 6);
  EXPECT_EQ(refusal(CodecId::none, raw, 399), "none: 400 stored bytes where at most 399 belong");
  EXPECT_EQ(refusal(CodecId::lz4, Bytes(30, std::byte{0xff}), 400), "lz4: corrupt block");
  EXPECT_EQ(refusal(CodecId::lz4hc, Bytes(30, std::byte{0xff}), 400), "lz4hc: corrupt block");
  EXPECT_EQ(refusal(CodecId::gzip, Bytes(30, std::byte{0xff}), 400), "gzip: no member header");
  Bytes member = compressed(codec::require_codec(CodecId::gzip), raw);
  EXPECT_EQ(refusal(CodecId::gzip, member, 399), "gzip: the member holds more than was announced");
  member[member.size() - 5] ^= std::byte{1};  // the last byte of the CRC
  EXPECT_EQ(refusal(CodecId::gzip, member, 400), "gzip: corrupt member");
  if (codec_info(CodecId::zstd).available) {
    EXPECT_EQ(refusal(CodecId::zstd, Bytes(30, std::byte{0xff}), 400), "zstd: no frame magic");
    EXPECT_EQ(refusal(CodecId::zstd, Bytes(3), 400), "zstd: no frame magic");
  }
}

TEST(CodecDamage, RefusesBytesAfterTheUnit) {
  const Bytes raw = make_bytes(Kind::text, 400, 7);
  for (const CodecId id : available_codecs()) {
    if (id == CodecId::none) {
      continue;
    }
    const Codec& row = codec::require_codec(id);
    const auto worker = row.make_decompressor();
    Bytes stored = compressed(row, raw);
    const Bytes unit = stored;
    stored.push_back(std::byte{0});
    EXPECT_FALSE(try_inflate(*worker, stored, 2 * raw.size()).has_value()) << row.info.name;
    stored = unit;  // and a second unit is no better than padding
    stored.insert(stored.end(), unit.begin(), unit.end());
    if (id == CodecId::gzip || id == CodecId::zstd) {
      EXPECT_FALSE(try_inflate(*worker, stored, 2 * raw.size()).has_value()) << row.info.name;
    }
  }
}

TEST(CodecDamage, RefusesBlocksBeyondTheLimitsOfLz4WithoutTouchingThem) {
  std::byte one{};
  const ByteSpan huge(&one, std::size_t{0x7E000001});
  for (const CodecId id : {CodecId::lz4, CodecId::lz4hc}) {
    const Codec& row = codec::require_codec(id);
    try {
      row.make_compressor(row.info.default_level)->compress(huge, MutableByteSpan(&one, 1));
      FAIL() << row.info.name;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::not_representable);
      EXPECT_EQ(error.message(), std::string(row.info.name) +
                                     ": 2113929217 bytes are more than one block can hold "
                                     "(2113929216)");
    }
    const ByteSpan stored(&one, row.bound(0x7E000000) + 1);
    EXPECT_EQ(refusal(id, stored, 10), std::string(row.info.name) + ": " +
                                           std::to_string(stored.size()) +
                                           " stored bytes are more than one block can have");
  }
}

TEST(CodecDamage, RefusesMembersBeyondTheLimitsOfGzipWithoutTouchingThem) {
  std::byte one{};
  const ByteSpan huge(&one, std::size_t{1} << 32);
  const Codec& row = codec::require_codec(CodecId::gzip);
  try {
    row.make_compressor(6)->compress(huge, MutableByteSpan(&one, 1));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::not_representable);
    EXPECT_EQ(error.message(), "gzip: 4294967296 bytes are more than one member can hold");
  }
}

TEST(CodecDamage, RefusesToCompressIntoTooLittleRoom) {
  const Bytes raw = make_bytes(Kind::noise, 4000, 8);
  for (const CodecId id : available_codecs()) {
    const Codec& row = codec::require_codec(id);
    const auto worker = row.make_compressor(row.info.default_level);
    FencedBytes room(100);
    EXPECT_THROW(worker->compress(raw, room.span()), Error) << row.info.name;
    EXPECT_TRUE(room.front_untouched());
    // The worker is not spoilt by that.
    Bytes out(row.bound(raw.size()));
    out.resize(worker->compress(raw, out));
    EXPECT_EQ(out, compressed(row, raw)) << row.info.name;
  }
}

}  // namespace
}  // namespace hipotool::test
