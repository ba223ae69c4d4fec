#include "codec/codec.hpp"
#include "codec_inputs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace hipotool::test {
namespace {

using codec::Codec;

Bytes run(codec::Compressor& worker, const Codec& row, ByteSpan raw) {
  Bytes out(row.bound(raw.size()));
  out.resize(worker.compress(raw, out));
  return out;
}

// Mostly the sizes of streams, now and then a large one.
std::size_t random_size(std::mt19937_64& random, std::size_t largest) {
  const std::uint64_t bits = 1 + random() % 20;
  return std::min<std::size_t>(random() % (std::uint64_t{1} << bits), largest);
}

TEST(CodecDeterminism, AUsedWorkerGivesTheBytesOfAFreshOne) {
  const std::uint64_t seed = 20240229;
  RecordProperty("seed", std::to_string(seed));
  std::mt19937_64 random(seed);
  for (const CodecId id : available_codecs()) {
    const Codec& row = codec::require_codec(id);
    for (int level = row.info.min_level; level <= row.info.max_level; ++level) {
      const bool slow = (id == CodecId::lz4hc && level > 9) || (id == CodecId::zstd && level > 12);
      const std::size_t largest = slow ? 100000 : 1U << 20;
      const auto used = row.make_compressor(level);
      for (int round = 0; round < (slow ? 12 : 40); ++round) {
        const auto kind = static_cast<Kind>(random() % kKinds);
        const std::size_t size = random_size(random, largest);
        const Bytes raw = make_bytes(kind, size, random());
        ASSERT_EQ(run(*used, row, raw), run(*row.make_compressor(level), row, raw))
            << row.info.name << ":" << level << " seed " << seed << " round " << round << " kind "
            << static_cast<int>(kind) << " size " << size;
      }
    }
  }
}

TEST(CodecDeterminism, TheOrderOfStreamsDoesNotMatter) {
  std::vector<Bytes> streams(60);
  for (std::size_t i = 0; i < streams.size(); ++i) {
    streams[i] = make_bytes(static_cast<Kind>(i % kKinds), i * i * 20, i);
  }
  for (const CodecId id : available_codecs()) {
    const Codec& row = codec::require_codec(id);
    const auto forwards = row.make_compressor(row.info.default_level);
    const auto backwards = row.make_compressor(row.info.default_level);
    std::vector<Bytes> first(streams.size());
    std::vector<Bytes> second(streams.size());
    for (std::size_t i = 0; i < streams.size(); ++i) {
      first[i] = run(*forwards, row, streams[i]);
    }
    for (std::size_t i = streams.size(); i-- > 0;) {
      second[i] = run(*backwards, row, streams[i]);
    }
    EXPECT_EQ(first, second) << row.info.name;
  }
}

// The positions of a kept lz4hc state advance by 64 KiB a stream and start anew beyond 1 GiB, which
// 20,000 streams pass.
TEST(CodecDeterminism, ManyStreamsLaterTheBytesAreStillTheSame) {
  for (const CodecId id : available_codecs()) {
    const Codec& row = codec::require_codec(id);
    const auto used = row.make_compressor(row.info.default_level);
    std::vector<Bytes> streams(50);
    std::vector<Bytes> expected(50);
    for (std::size_t i = 0; i < streams.size(); ++i) {
      streams[i] = make_bytes(static_cast<Kind>(i % kKinds), 20 + i * 7, i);
      expected[i] = run(*row.make_compressor(row.info.default_level), row, streams[i]);
    }
    for (std::size_t i = 0; i < 20000; ++i) {
      ASSERT_EQ(run(*used, row, streams[i % 50]), expected[i % 50]) << row.info.name << " " << i;
    }
  }
}

// The same input at another address, with other bytes before and behind it.
TEST(CodecDeterminism, TheAddressOfTheInputDoesNotMatter) {
  const Bytes raw = make_bytes(Kind::repeats, 5000, 9);
  for (const CodecId id : available_codecs()) {
    const Codec& row = codec::require_codec(id);
    const auto used = row.make_compressor(row.info.default_level);
    const Bytes expected = run(*used, row, raw);
    Bytes area = make_bytes(Kind::repeats, 16000, 9);
    for (std::size_t at = 0; at < 10000; at += 313) {
      std::ranges::copy(raw, area.begin() + static_cast<std::ptrdiff_t>(at));
      ASSERT_EQ(run(*used, row, ByteSpan(area).subspan(at, raw.size())), expected)
          << row.info.name << " at " << at;
    }
  }
}

}  // namespace
}  // namespace hipotool::test
