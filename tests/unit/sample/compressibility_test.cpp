#include "hipotool/compression.hpp"

#include "codec/codec.hpp"
#include "sample/generator.hpp"
#include "sample_banks.hpp"

#include <gtest/gtest.h>

#include <map>
#include <vector>

namespace hipotool::test {
namespace {

using Bytes = std::vector<std::byte>;

std::size_t stored_bytes(CodecId id, const Bytes& raw) {
  const codec::Codec& codec = codec::require_codec(id);
  Bytes out(codec.bound(raw.size()));
  return codec.make_compressor(codec.info.default_level)->compress(raw, out);
}

// Ratio of the first 12 MB, all in one block or each column in a block of its own.
double ratio_per_chunk(CodecId id, Profile profile) {
  EventGenerator generator({.profile = profile, .seed = 1});
  SampleEvent event;
  Bytes all;
  while (all.size() < 12000000) {
    generator.next(event);
    all.insert(all.end(), event.bytes.span().begin(), event.bytes.span().end());
  }
  return static_cast<double>(all.size()) / static_cast<double>(stored_bytes(id, all));
}

double ratio_per_column(CodecId id, Profile profile) {
  EventGenerator generator({.profile = profile, .seed = 1});
  SampleEvent event;
  std::map<std::string, Bytes> columns;
  std::size_t raw = 0;
  while (raw < 12000000) {
    generator.next(event);
    for (const auto& [name, bank] : banks_of(event, profile)) {
      for (const Column& column : bank.schema->columns()) {
        const std::byte* from = bank.data + bank.rows * column.row_offset;
        Bytes& stream = columns[name + "." + column.name];
        stream.insert(stream.end(), from, from + bank.rows * column.width());
        raw += bank.rows * column.width();
      }
    }
  }
  std::size_t stored = 0;
  for (const auto& [name, stream] : columns) {
    stored += stored_bytes(id, stream);
  }
  return static_cast<double>(raw) / static_cast<double>(stored);
}

// Real files of this kind give 1.3 to 1.6 and about 2; noise would give 1, zeros any number.
TEST(SampleCompressibility, OfADstIsThatOfRealFiles) {
  const double lz4 = ratio_per_chunk(CodecId::lz4, Profile::dst);
  EXPECT_GT(lz4, 1.3);
  EXPECT_LT(lz4, 1.6);
  if (codec_info(CodecId::zstd).available) {
    const double zstd = ratio_per_column(CodecId::zstd, Profile::dst);
    EXPECT_GT(zstd, 2.0);
    EXPECT_LT(zstd, 2.25);
  }
}

TEST(SampleCompressibility, ColumnsOfRawHitsCompressBetterThanTheEvents) {
  EXPECT_GT(ratio_per_column(CodecId::lz4, Profile::raw),
            ratio_per_chunk(CodecId::lz4, Profile::raw) * 1.1);
}

}  // namespace
}  // namespace hipotool::test
