// Records beyond 4 GiB, in a sparse file: offsets need more than 32 bits everywhere.

#include "hipotool/reader.hpp"
#include "hipotool/rewrite.hpp"

#include "support/library.hpp"
#include "support/temp_dir.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace hipotool::test {
namespace {

constexpr BankKey kBank{300, 1};
constexpr BankKey kFileIndex{32111, 1};
constexpr std::uint64_t kHoleBytes = std::uint64_t{5} << 30;

Bytes record_of(std::uint32_t tag) {
  return whole_record(images({{.tag = tag, .banks = {{kBank, packed(std::int32_t{7})}}}}));
}

// A record without events may be as long as its header says; nothing but the header is there.
Bytes hole_header() {
  return HeaderImage{.length_words = static_cast<std::uint32_t>(kHoleBytes / 4)}.bytes();
}

// Dictionary, a record, 5 GiB of nothing, a record, trailer. Returns where the last record begins.
std::uint64_t write_sparse_file(const std::filesystem::path& path) {
  FileImage image{.schemas = {"{A::a/300/1}{x/I}"}, .records = {record_of(1)}, .trailer = false};
  const std::uint64_t first = image.first_record();
  const std::uint64_t hole = first + image.records[0].size();
  const std::uint64_t second = hole + kHoleBytes;
  const Bytes last = record_of(2);
  const std::uint64_t trailer = second + last.size();
  image.trailer_position = trailer;
  const auto length = static_cast<std::int32_t>(last.size());
  const Bytes index = joined(
      {packed(first, second), packed(length, length), packed(std::int32_t{1}, std::int32_t{1}),
       packed(std::uint64_t{0}, std::uint64_t{0}), packed(std::uint64_t{0}, std::uint64_t{0})});
  std::ofstream file(path, std::ios::binary);
  const auto put = [&](std::uint64_t at, const Bytes& bytes) {
    file.seekp(static_cast<std::streamoff>(at));
    file.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  };
  put(0, image.bytes());
  put(hole, hole_header());
  put(second, last);
  put(trailer, whole_record(images({{.banks = {{kFileIndex, index}}}})));
  return second;
}

TEST(LargeFile, KeepsRecordsBeyondFourGibibytes) {
  const TempDir folder;
  const std::uint64_t second = write_sparse_file(folder / "sparse.hipo");
  ASSERT_GT(second, std::uint64_t{4} << 30);
  const FileReader reader(folder / "sparse.hipo");
  EXPECT_EQ(reader.index(), IndexState::valid) << reader.index_reason();
  ASSERT_EQ(reader.records().size(), 2U);
  EXPECT_EQ(reader.empty_records(), 1U);
  EXPECT_EQ(reader.records()[1].offset, second);
  CodecContext context;
  Record record;
  reader.read_record(1, Projection::everything(), context, record);
  EXPECT_EQ(record.tag(0), 2U);
}

TEST(LargeFile, IsRecookedWithoutTheHole) {
  const TempDir folder;
  write_sparse_file(folder / "sparse.hipo");
  const FileReader reader(folder / "sparse.hipo");
  const RewriteSummary summary =
      recook(reader, folder / "out.hipo",
             {.compression = compression_of(CodecId::lz4, LayoutId::per_column), .threads = 2});
  EXPECT_EQ(summary.events, 2U);
  EXPECT_LT(summary.file_bytes_out, 2000U);
  EXPECT_EQ(content_digest(folder / "out.hipo").ordered, content_digest(reader).ordered);
}

}  // namespace
}  // namespace hipotool::test
