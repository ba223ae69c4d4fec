// Every bit of a directory flipped before it is compressed, so that each table of it is met: what
// could shift or resize data is noticed, and so is a wrong checksum.

#include "support/error_of.hpp"
#include "support/fixtures.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace hipotool::test {
namespace {

// A split record of the fixture events, open for changes.
class OpenRecord {
 public:
  explicit OpenRecord(const Compression& compression)
      : content_(fixture_content()), dictionary_(content_.dictionary_events()) {
    const auto source = decoded(content_.records[0], dictionary_);
    const Bytes record = encoded(batch_of({source}), compression, dictionary_);
    const StoredRecord stored = StoredRecord::borrow(record);
    CodecContext context;
    read_directory(stored, context, directory_);
    section_.tag = stored.header.compression_tag();
    section_.version = directory_.version;
    section_.banks = static_cast<std::uint32_t>(directory_.banks.size());
    section_.events = directory_.event_count;
    const ByteSpan raw = directory_.inflated.span();
    section_.directory.assign(raw.begin(), raw.end());
    const std::uint64_t streams = stored.header.payload_offset() + directory_.directory_bytes;
    const std::uint64_t end = stored.header.payload_offset() + stored.header.payload_bytes();
    append(section_.streams, ByteSpan(record).subspan(streams, end - streams));
    original_ = hashes(section_.directory).value();
  }

  // Whether reading with this directory fails or gives the same events.
  [[nodiscard]] bool notices(const Bytes& directory) const {
    const auto found = hashes(directory);
    return !found || *found == original_;
  }

  [[nodiscard]] const Bytes& directory() const { return section_.directory; }
  [[nodiscard]] const RecordDirectory& tables() const { return directory_; }

 private:
  [[nodiscard]] std::optional<std::vector<EventHash>> hashes(const Bytes& directory) const {
    SplitImage section = section_;
    section.directory = directory;
    try {
      const auto record = decoded(section.bytes(), dictionary_);
      std::vector<EventHash> found;
      Buffer scratch;
      hash_events(*record, found, scratch);
      return found;
    } catch (const Error&) {
      return std::nullopt;
    }
  }

  FileImage content_;
  Dictionary dictionary_;
  RecordDirectory directory_;
  SplitImage section_;
  std::vector<EventHash> original_;
};

// The tables in their order; a bit of the first three kinds may be anything.
enum class Table {
  descriptors,
  tags,
  formats,
  presence,
  columns,
  streams,
  sizes,
  encodings,
  checksums
};

Table table_of(const RecordDirectory& tables, LayoutId layout, std::size_t offset) {
  const std::size_t banks = tables.banks.size();
  const std::size_t after_sizes = tables.sizes_at + 4 * banks * tables.event_count;
  if (offset < 4 * banks) {
    return Table::descriptors;
  }
  if (offset < tables.tags_at) {
    return layout == LayoutId::per_bank ? Table::streams : Table::columns;
  }
  if (offset < tables.presence_at) {
    return Table::tags;
  }
  if (offset < tables.sizes_at) {
    return Table::presence;
  }
  if (offset < after_sizes) {
    return Table::sizes;
  }
  const std::size_t streams = layout == LayoutId::per_bank ? 0 : tables.streams.size();
  if (offset < after_sizes + 8 * streams) {
    return Table::streams;
  }
  if (offset < after_sizes + 8 * streams + banks) {
    return Table::formats;
  }
  return offset < after_sizes + 8 * streams + banks + streams ? Table::encodings : Table::checksums;
}

// The presence bit of a bank without data has no second witness.
bool presence_matters(const RecordDirectory& tables, std::size_t offset, unsigned bit) {
  const std::size_t at = offset - tables.presence_at;
  const auto event = static_cast<std::uint32_t>(at / tables.presence_row);
  const std::size_t bank = at % tables.presence_row * 8 + bit;
  return bank >= tables.banks.size() || tables.bank_bytes(bank, event) != 0;
}

class DirectoryMutation : public ::testing::TestWithParam<Compression> {};

TEST_P(DirectoryMutation, IsNoticedInEveryTableThatPlacesData) {
  const OpenRecord record(GetParam());
  const LayoutId layout = GetParam().layout;
  std::size_t unnoticed = 0;
  for (std::size_t offset = 0; offset < record.directory().size(); ++offset) {
    const Table table = table_of(record.tables(), layout, offset);
    for (unsigned bit = 0; bit < 8; ++bit) {
      Bytes changed = record.directory();
      changed[offset] ^= static_cast<std::byte>(1U << bit);
      if (record.notices(changed)) {
        continue;
      }
      ++unnoticed;
      const bool may_pass =
          table == Table::descriptors || table == Table::tags || table == Table::formats ||
          table == Table::encodings ||
          (table == Table::presence && !presence_matters(record.tables(), offset, bit));
      EXPECT_TRUE(may_pass) << "byte " << offset << " bit " << bit << " of table "
                            << static_cast<int>(table);
    }
  }
  // Tags are nowhere else, so that some changes pass is a fact of the format.
  EXPECT_GE(unnoticed, 8 * 4 * 8U);
}

// Codecs with which a stream of another stored size cannot inflate to the declared one by chance.
INSTANTIATE_TEST_SUITE_P(
    SplitLayouts, DirectoryMutation,
    ::testing::Values(compression_of(CodecId::none, LayoutId::per_bank),
                      compression_of(CodecId::gzip, LayoutId::per_bank),
                      compression_of(CodecId::none, LayoutId::per_column),
                      compression_of(CodecId::gzip, LayoutId::per_column),
                      compression_of(CodecId::none, LayoutId::per_column, Encodings::best),
                      compression_of(CodecId::lz4, LayoutId::per_column, Encodings::best)),
    [](const auto& one) { return test_name(one.param); });

}  // namespace
}  // namespace hipotool::test
