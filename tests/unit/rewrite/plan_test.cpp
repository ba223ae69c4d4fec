#include "hipotool/rewrite.hpp"
#include "hipotool/writer.hpp"

#include "support/error_of.hpp"
#include "support/library.hpp"
#include "support/temp_dir.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

namespace hipotool::test {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

// A file whose only record claims so much. Planning looks at headers alone.
FileReader claiming(std::uint32_t events, std::uint32_t data_bytes, std::uint32_t records = 1) {
  FileImage file;
  Bytes record = whole_record({EventImage{}.bytes()});
  store_le(record.data() + 12, events);
  store_le(record.data() + 16, 4 * events);
  store_le(record.data() + 32, data_bytes);
  file.records.assign(records, record);
  return open_bytes(file.bytes());
}

RewritePlan plan(const FileReader& reader, const RewriteOptions& options) {
  const FileReader* input = &reader;
  return plan_rewrite(std::span(&input, 1), options);
}

RewriteOptions with_memory(std::uint64_t bytes, unsigned threads = 8) {
  RewriteOptions options;
  options.compression = compression_of(CodecId::lz4, LayoutId::per_column);
  options.memory_bytes = bytes;
  options.threads = threads;
  return options;
}

TEST(Plan, TakesAllThreadsWhereMemoryAllows) {
  const RewritePlan wide = plan(claiming(1000, 8 << 20, 20), with_memory(std::uint64_t{8} << 30));
  EXPECT_EQ(wide.threads, 8U);
  EXPECT_LE(wide.predicted_peak_bytes, std::uint64_t{8} << 30);
  EXPECT_EQ(wide.declared_raw_bytes, 20U * (4000 + (8 << 20)));
}

TEST(Plan, ReadsAheadWhereAProcessorAndMemoryAreLeft) {
  const FileReader reader = claiming(1000, 8 << 20, 20);
  const std::uint64_t stored = reader.records()[0].header.record_bytes();
  const unsigned processors = std::thread::hardware_concurrency();
  const RewritePlan one = plan(reader, with_memory(std::uint64_t{8} << 30, 1));
  EXPECT_EQ(one.read_ahead_bytes, processors > 1 ? stored : 0);
  const RewritePlan all = plan(reader, with_memory(std::uint64_t{64} << 30, processors));
  EXPECT_EQ(all.threads, processors);
  EXPECT_EQ(all.read_ahead_bytes, 0U);
  EXPECT_EQ(plan(reader, with_memory(one.memory_needed_bytes, 1)).read_ahead_bytes, 0U);
}

TEST(Plan, ReducesThreadsUntilTheyFit) {
  const FileReader reader = claiming(1000, 8 << 20, 20);
  const std::uint64_t least = plan(reader, with_memory(std::uint64_t{8} << 30)).memory_needed_bytes;
  unsigned before = 0;
  for (std::uint64_t memory = least; memory < 12 * least; memory += least / 2) {
    const RewritePlan reduced = plan(reader, with_memory(memory));
    EXPECT_GE(reduced.threads, std::max(before, 1U));
    EXPECT_LE(reduced.threads, 8U);
    before = reduced.threads;
  }
  EXPECT_EQ(plan(reader, with_memory(least)).threads, 1U);
  EXPECT_EQ(before, 8U);
}

TEST(Plan, RefusesARecordThatDoesNotFitAndSaysWhatWouldDo) {
  const FileReader reader = claiming(1000, 200 << 20);
  const std::uint64_t least = plan(reader, with_memory(std::uint64_t{8} << 30)).memory_needed_bytes;
  const std::string needed = std::to_string((least + kMiB - 1) / kMiB);
  EXPECT_EQ(error_of([&] { static_cast<void>(plan(reader, with_memory(100 * kMiB))); }),
            "over_budget: file.hipo: record 0 at 0x70: needs " + needed +
                " MiB of memory with one thread, 100 MiB are allowed; give --memory " + needed +
                "MiB or a smaller --record-size");
  EXPECT_EQ(error_of([&] { static_cast<void>(plan(reader, with_memory(least))); }), "no error");
  EXPECT_NE(error_of([&] { static_cast<void>(plan(reader, with_memory(least - 1))); }), "no error");
}

TEST(Plan, NeedsLessForSmallerRecords) {
  const FileReader reader = claiming(1000, 8 << 20, 20);
  RewriteOptions options = with_memory(std::uint64_t{8} << 30);
  const std::uint64_t large = plan(reader, options).memory_needed_bytes;
  options.record_bytes = 1 << 20;
  EXPECT_LT(plan(reader, options).memory_needed_bytes, large);
}

TEST(Plan, RefusesMoreRecordsThanAnIndexHolds) {
  RewriteOptions options = with_memory(std::uint64_t{8} << 30);
  options.record_events = 1;
  EXPECT_EQ(error_of([&] { static_cast<void>(plan(claiming(524'287, 1), options)); }), "no error");
  EXPECT_EQ(
      error_of([&] { static_cast<void>(plan(claiming(524'288, 1), options)); }),
      "not_representable: the output would have at least 524288 records, an index holds 524287; "
      "choose a larger --record-size or --record-events");
  options.record_events = 100'000;
  options.record_bytes = std::uint64_t{64} * 1024;
  // 40 GB in records of 64 KiB, of a million events.
  EXPECT_EQ(
      error_of([&] {
        static_cast<void>(plan(claiming(50'000, 2'000'000'000, 20), [&] {
          options.memory_bytes = std::uint64_t{1} << 40;
          return options;
        }()));
      }),
      "not_representable: the output would have at least 610413 records, an index holds 524287; "
      "choose a larger --record-size or --record-events");
}

TEST(Plan, DoesNotCountMoreRecordsThanThereAreEvents) {
  // 20 events of 2 GB each: records of 64 KiB would be 610,000, but no event is ever cut.
  RewriteOptions options = with_memory(std::uint64_t{1} << 40);
  options.record_bytes = std::uint64_t{64} * 1024;
  EXPECT_EQ(plan(claiming(1, 2'000'000'000, 20), options).records_at_least, 20U);
}

TEST(FileWriterSlow, RefusesTheRecordThatItsIndexHasNoRowFor) {
  const TempDir temp;
  AtomicFile target(temp / "many.hipo", AtomicFile::Existing::refuse);
  FileWriter writer(target, {});
  CodecContext context;
  EncodedRecord record;
  encode(EventBatch(), {CodecId::none, LayoutId::per_chunk}, Dictionary(), context, record);
  for (std::uint64_t i = 0; i < FileWriter::kMaxRecords; ++i) {
    writer.append(record);
  }
  EXPECT_EQ(
      error_of([&] { writer.append(record); }),
      "not_representable: more than 524287 records cannot be indexed; use a larger record size");
  const WriteSummary summary = writer.finish();
  EXPECT_EQ(summary.records, 524'287U);
  // The index fills its 24 bits but for 31 bytes.
  const FileReader reader(target.temporary());
  EXPECT_EQ(reader.index(), IndexState::valid) << reader.index_reason();
  EXPECT_EQ(reader.empty_records(), 524'287U);
}

}  // namespace
}  // namespace hipotool::test
