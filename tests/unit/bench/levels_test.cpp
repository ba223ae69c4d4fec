#include "bench/levels.hpp"

#include "hipotool/error.hpp"

#include <gtest/gtest.h>

#include <algorithm>
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

std::vector<std::vector<std::byte>> make_streams() {
  std::vector<std::vector<std::byte>> streams;
  for (std::size_t i = 0; i < 5; ++i) {
    std::vector<std::byte>& stream = streams.emplace_back(1000 + i);
    for (std::size_t at = 0; at < stream.size(); ++at) {
      stream[at] = static_cast<std::byte>((at / 7 + i) % 251);
    }
  }
  return streams;
}

// Works as lz4 does, but for what `spoil` makes of each stream that it gives back.
class FaultyCodec final : public BareCodec {
 public:
  using Spoil = std::function<std::size_t(MutableByteSpan, std::size_t stream)>;
  explicit FaultyCodec(Spoil spoil)
      : codec_(library_codec(CodecId::lz4, 0).make()), spoil_(std::move(spoil)) {}
  [[nodiscard]] std::size_t bound(std::size_t raw_bytes) const override {
    return codec_->bound(raw_bytes);
  }
  std::size_t compress(ByteSpan raw, MutableByteSpan out) override {
    return codec_->compress(raw, out);
  }
  std::size_t decompress(ByteSpan stored, MutableByteSpan out) override {
    scratch_.resize(out.size());
    static_cast<void>(codec_->decompress(stored, scratch_));
    const std::size_t produced = spoil_(scratch_, stream_++ % 5);
    if (produced != 0) {
      std::copy(scratch_.begin(), scratch_.end(), out.begin());
      return produced;
    }
    return out.size();  // says that it did
  }

 private:
  std::unique_ptr<BareCodec> codec_;
  Spoil spoil_;
  std::vector<std::byte> scratch_{};
  std::size_t stream_ = 0;
};

BareCodecRow faulty(FaultyCodec::Spoil spoil) {
  return {.name = "faulty", .make = [spoil] { return std::make_unique<FaultyCodec>(spoil); }};
}

Table run(const std::vector<BareCodecRow>& codecs) {
  const auto streams = make_streams();
  const std::vector<ByteSpan> spans(streams.begin(), streams.end());
  StillClock clock;
  return measure_codecs(spans, codecs, [&](std::span<const TimedCell> cells) {
    std::vector<TimedCellResult> results;
    for (CellSamples& samples : measure(cells, {.clock = &clock})) {
      results.push_back({.samples = std::move(samples)});
    }
    return results;
  });
}

std::string failure_of(const BareCodecRow& row) {
  try {
    static_cast<void>(run({library_codec(CodecId::lz4, 0), row}));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::checksum);
    return error.message();
  }
  return "no failure";
}

TEST(CodecLevels, ASoundCodecPasses) {
  EXPECT_EQ(failure_of(faulty([](MutableByteSpan out, std::size_t) { return out.size(); })),
            "no failure");
}

TEST(CodecLevels, OneWrongByteOfTheRightSizeFailsTheRun) {
  const std::string failure = failure_of(faulty([](MutableByteSpan out, std::size_t stream) {
    if (stream == 3) {
      out[17] ^= std::byte{1};
    }
    return out.size();
  }));
  EXPECT_TRUE(failure.starts_with("faulty, decompress read other values than")) << failure;
}

TEST(CodecLevels, ASkippedStreamFailsTheRun) {
  // It says that it has filled its place, which still holds what was there.
  const std::string failure = failure_of(
      faulty([](MutableByteSpan out, std::size_t stream) { return stream == 2 ? 0 : out.size(); }));
  EXPECT_TRUE(failure.starts_with("faulty, decompress read other values than")) << failure;
}

TEST(CodecLevels, EveryLevelOfEveryCodecGivesBackItsInput) {
  const std::vector<BareCodecRow> codecs = all_bare_codecs();
  const Table table = run(codecs);
  ASSERT_EQ(table.rows.size(), codecs.size());
  EXPECT_GE(codecs.size(), 1U + 10U + 9U);
  for (const Row& row : table.rows) {
    ASSERT_EQ(row.measurements.size(), 2U);
    EXPECT_EQ(row.measurements[0].samples.samples.size(), 3U);
    EXPECT_EQ(row.measurements[1].samples.checksum,
              table.rows.front().measurements[1].samples.checksum);
  }
}

}  // namespace
}  // namespace hipotool::test
