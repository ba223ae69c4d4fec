#include "bench/value_checksum.hpp"

#include "hipotool/record_plan.hpp"

#include "support/fixtures.hpp"
#include "support/library.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace hipotool::test {
namespace {

using app::bench::checksum_of;
using app::bench::SequenceSum;
using app::bench::ValueChecksum;

std::filesystem::path fixture(const std::string& name) {
  return std::filesystem::path(HIPO_TEST_DATA_DIR) / (name + ".hipo");
}

ValueChecksum checksum_of_file(const FileReader& reader, const Projection& projection) {
  ValueChecksum checksum;
  CodecContext context;
  Record record;
  std::uint64_t first = 0;
  for (std::size_t i = 0; i < reader.records().size(); ++i) {
    reader.read_record(i, projection, context, record);
    checksum.add(record, projection, first);
    first += record.event_count();
  }
  return checksum;
}

TEST(SequenceSum, OfTwoPartsIsThatOfTheWhole) {
  SequenceSum whole;
  SequenceSum first;
  SequenceSum second;
  for (const std::uint64_t value : {5U, 0U, 7U, 7U, 1U}) {
    whole.add(value);
    (whole.count <= 2 ? first : second).add(value);
  }
  first.append(second);
  EXPECT_EQ(first.count, whole.count);
  EXPECT_EQ(first.sum, whole.sum);
  EXPECT_EQ(first.prefixes, whole.prefixes);
}

TEST(ValueChecksum, IsTheSameForEveryWayOfStoring) {
  const FileReader plain{fixture("none_per_chunk")};
  const std::uint64_t expected = checksum_of_file(plain, Projection::everything()).value();
  for (const Compression& compression : fixture_compressions()) {
    if (!codec_info(compression.codec).available) {
      continue;
    }
    const FileReader reader{std::filesystem::path(HIPO_TEST_DATA_DIR) / fixture_name(compression)};
    EXPECT_EQ(checksum_of_file(reader, Projection::everything()).value(), expected)
        << to_string(compression);
  }
}

TEST(ValueChecksum, OfAProjectionIsTheSameForEveryLayout) {
  const FileReader chunk{fixture("none_per_chunk")};
  const Schema* schema = nullptr;
  for (const Schema* one : chunk.dictionary().schemas()) {
    schema = one->columns().size() > 1 ? one : schema;
  }
  ASSERT_NE(schema, nullptr);
  Projection column = Projection::nothing();
  column.add(schema->key(), {1});
  Projection bank = Projection::nothing();
  bank.add(schema->key());
  for (const Projection& projection : {column, bank}) {
    const std::uint64_t expected = checksum_of_file(chunk, projection).value();
    EXPECT_NE(expected, checksum_of_file(chunk, Projection::everything()).value());
    for (const std::string name : {"lz4_per_bank", "lz4_per_column", "lz4_per_column_split"}) {
      EXPECT_EQ(checksum_of_file(FileReader{fixture(name)}, projection).value(), expected) << name;
    }
  }
}

TEST(ValueChecksum, OfTwoPartsIsThatOfTheWhole) {
  const FileReader reader{fixture("lz4_per_column")};
  const Projection everything = Projection::everything();
  ValueChecksum sum;
  CodecContext context;
  std::uint64_t first = 0;
  for (std::size_t i = 0; i < reader.records().size(); ++i) {
    Record record;
    reader.read_record(i, everything, context, record);
    ValueChecksum part;
    part.add(record, everything, first);
    first += record.event_count();
    sum.append(part);
  }
  EXPECT_EQ(sum.value(), checksum_of_file(reader, everything).value());
  EXPECT_EQ(sum.values(), checksum_of_file(reader, everything).values());
  EXPECT_GT(sum.values(), 0U);
}

TEST(ValueChecksum, OnesAreAddedAtOnce) {
  for (const std::uint64_t count : {0U, 1U, 4U, 7U}) {
    ValueChecksum at_once;
    at_once.add_ones(count);
    ValueChecksum one_by_one;
    for (std::uint64_t i = 0; i < count; ++i) {
      one_by_one.add_number(1);
    }
    EXPECT_EQ(at_once.value(), one_by_one.value());
  }
}

TEST(ValueChecksum, NoticesOneBitAnOrderAndALength) {
  std::vector<std::byte> bytes(100, std::byte{3});
  const std::uint64_t before = checksum_of(bytes);
  EXPECT_NE(checksum_of(ByteSpan(bytes).first(99)), before);
  for (const std::size_t at : {0U, 50U, 99U}) {
    bytes[at] ^= std::byte{1};
    EXPECT_NE(checksum_of(bytes), before) << at;
    bytes[at] ^= std::byte{1};
  }
  bytes[8] = std::byte{4};
  const std::uint64_t ascending = checksum_of(bytes);
  std::swap(bytes[8], bytes[16]);
  EXPECT_NE(checksum_of(bytes), ascending);
}

}  // namespace
}  // namespace hipotool::test
