#include "hipotool/rewrite.hpp"

#include "hipotool/merge.hpp"

#include "support/error_of.hpp"
#include "support/random.hpp"
#include "support/temp_dir.hpp"
#include "unit/rewrite/rewrite_inputs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace hipotool::test {
namespace {

// ---- sizes that other writers stumbled over

TEST(RewriteSizesMemory, GiveAnEventOfTwelveMegabytesItsOwnRecord) {
  const TempDir temp;
  for (const LayoutId layout : kLayouts) {
    RewriteOptions options = per_column();
    options.compression = compression_of(CodecId::lz4, layout);
    const FileReader source =
        open_bytes(file_of({{event_of(1), event_of(2, 12'000'000), event_of(3)}}).bytes());
    const RewriteSummary summary = recook(source, temp / "out.hipo", options);
    expect_same_events(source, temp / "out.hipo", summary);
    EXPECT_EQ(record_events(temp / "out.hipo"), "1 1 1");
  }
}

TEST(RewriteSizesMemory, KnowNoLimitForBanksOrEventsBelowTheFormats) {
  const TempDir temp;
  // A bank of 200 kB, an event of 600 kB, and one of five banks of 15 MB each.
  EventImage large = event_of(5);
  for (std::uint8_t item = 10; item < 15; ++item) {
    large.banks.push_back({{9, item}, Bytes(15'000'000, static_cast<std::byte>(item)), 1});
  }
  const FileReader source = open_bytes(
      file_of({{event_of(1, 200'000), event_of(2, 600'000), event_of(3), large}}).bytes());
  for (const std::uint64_t record_bytes : {64U << 10, 32U << 20}) {
    const RewriteSummary summary = recook(source, temp / "out.hipo", per_column(record_bytes));
    expect_same_events(source, temp / "out.hipo", summary);
  }
}

TEST(RewriteSizes, PackManyRecordsOfOneEvent) {
  const TempDir temp;
  std::vector<std::vector<EventImage>> records;
  for (std::uint32_t i = 0; i < 5'000; ++i) {
    records.push_back({event_of(i)});
  }
  const FileReader source = open_bytes(file_of(records).bytes());
  const RewriteSummary summary = recook(source, temp / "packed.hipo", per_column());
  expect_same_events(source, temp / "packed.hipo", summary);
  EXPECT_EQ(record_events(temp / "packed.hipo"), "5000");
  EXPECT_EQ(summary.records_in, 5'000U);
  EXPECT_EQ(summary.records_out, 1U);
}

TEST(RewriteSizes, WriteAnIndexOfMoreThanFourThousandRecords) {
  const TempDir temp;
  std::vector<EventImage> events;
  for (std::uint32_t i = 0; i < 4'200; ++i) {
    events.push_back(event_of(i));
  }
  const FileReader source = open_bytes(file_of({events}).bytes());
  RewriteOptions options = per_column();
  options.record_events = 1;
  const RewriteSummary summary = recook(source, temp / "many.hipo", options);
  expect_same_events(source, temp / "many.hipo", summary);
  const FileReader result(temp / "many.hipo");
  EXPECT_EQ(result.index(), IndexState::valid) << result.index_reason();
  EXPECT_EQ(result.records().size(), 4'200U);
}

// ---- what is counted

TEST(RewriteSummary, CountsWhatWasReadAndWritten) {
  const TempDir temp;
  const FileImage file = file_of({{event_of(1), event_of(1)}, {event_of(2)}, {event_of(1)}});
  const Bytes bytes = file.bytes();
  RewriteOptions options = per_column();
  std::vector<RewriteProgress> steps;
  options.record_events = 3;
  options.progress = [&](const RewriteProgress& progress) { steps.push_back(progress); };
  const RewriteSummary summary = recook(open_bytes(bytes), temp / "out.hipo", options);
  EXPECT_EQ(summary.records_in, 3U);
  EXPECT_EQ(summary.records_out, 2U);
  EXPECT_EQ(summary.events, 4U);
  EXPECT_EQ(summary.events_by_tag.value().counts(),
            (std::map<std::uint32_t, std::uint64_t>{{1, 3}, {2, 1}}));
  EXPECT_EQ(summary.stored_bytes_in, bytes.size());
  EXPECT_EQ(summary.file_bytes_out, std::filesystem::file_size(temp / "out.hipo"));
  EXPECT_EQ(summary.raw_bytes, 4U * (4 + 16 + 8 + 8));
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_EQ(steps.back().records_total, 3U);
  EXPECT_EQ(steps.back().records_done, 3U);
  EXPECT_EQ(steps.back().stored_bytes_done, steps.back().stored_bytes_total);
  EXPECT_EQ(steps.back().raw_bytes, summary.raw_bytes);
  EXPECT_LT(steps.front().bytes_written, steps.back().bytes_written);
}

TEST(RewriteSummary, DoesNotKnowTagsOfRecordsThatWereNotOpened) {
  const TempDir temp;
  const Compression per_chunk = compression_of(CodecId::lz4, LayoutId::per_chunk);
  RewriteOptions options = per_column(440);
  options.verify = Verify::none;
  options.compression = per_chunk;
  const RewriteSummary blind =
      recook(open_bytes(two_full_records(per_chunk).bytes()), temp / "out.hipo", options);
  EXPECT_EQ(blind.records_copied, 2U);
  EXPECT_FALSE(blind.events_by_tag.has_value());
  EXPECT_EQ(blind.events, 20U);
  EXPECT_EQ(blind.raw_bytes, 880U);
  options.compression = compression_of(CodecId::lz4, LayoutId::per_column);
  const RewriteSummary from_directories =
      recook(open_bytes(two_full_records(options.compression).bytes()), temp / "out.hipo", options);
  EXPECT_EQ(from_directories.records_copied, 2U);
  EXPECT_EQ(from_directories.events_by_tag.value().counts().size(), 20U);
  EXPECT_EQ(from_directories.raw_bytes, 880U);
}

// ---- several inputs

TEST(RewriteMerge, PutsInputsOneAfterTheOther) {
  const TempDir temp;
  const FileReader a =
      open_bytes(file_of({{event_of(1), event_of(2)}, {event_of(3)}}).bytes(), "a");
  const FileReader b = open_bytes(file_of({{event_of(4)}}).bytes(), "b");
  const FileReader* inputs[] = {&a, &b, &a};
  for (const Verify verify : {Verify::record, Verify::file}) {
    RewriteOptions options = per_column();
    options.verify = verify;
    const RewriteSummary summary = recook(inputs, temp / "out.hipo", options);
    EXPECT_EQ(record_events(temp / "out.hipo"), "7");
    const FileReader result(temp / "out.hipo");
    CodecContext context;
    Record record;
    result.read_record(0, Projection::everything(), context, record);
    EXPECT_EQ(record.tags, (std::vector<std::uint32_t>{1, 2, 3, 4, 1, 2, 3}));
    EXPECT_EQ(content_digest(result).ordered, summary.digest.value().ordered);
  }
}

TEST(RewriteMerge, HasTheDigestOfItsOwnDictionary) {
  // The first input lacks a schema that the second has: in the output its bank is a table with a
  // name.
  const TempDir temp;
  FileImage nameless = file_of({{event_of(1), event_of(2)}});
  nameless.schemas.clear();
  const FileReader a = open_bytes(nameless.bytes(), "a.hipo");
  const FileReader b = open_bytes(file_of({{event_of(3)}}).bytes(), "b.hipo");
  const FileReader* inputs[] = {&a, &b};
  const Digest named =
      content_digest(open_bytes(file_of({{event_of(1), event_of(2), event_of(3)}}).bytes()));
  for (const Compression& compression : all_compressions()) {
    RewriteOptions options;
    options.compression = compression;
    options.verify = Verify::file;
    const RewriteSummary summary = recook(inputs, temp / "out.hipo", options);
    EXPECT_EQ(summary.digest.value().ordered, named.ordered) << to_string(compression);
    EXPECT_EQ(content_digest(temp / "out.hipo").ordered, named.ordered);
  }
}

TEST(RewriteMerge, WithoutInputsWritesAnEmptyFile) {
  const TempDir temp;
  const RewriteSummary summary =
      recook(std::span<const FileReader* const>{}, temp / "out.hipo", per_column());
  EXPECT_EQ(summary.events, 0U);
  EXPECT_EQ(FileReader(temp / "out.hipo").index(), IndexState::valid);
}

// ---- what goes wrong

TEST(RewriteFailure, NamesTheDamagedRecordAndLeavesNothing) {
  const TempDir temp;
  FileImage file = file_of({{event_of(1)}, {event_of(2)}, {event_of(3)}});
  file.records[1][60] = std::byte{'X'};  // its event's magic
  const FileReader source = open_bytes(file.bytes(), "in.hipo");
  for (const unsigned threads : {1U, 3U}) {
    RewriteOptions options = per_column();
    options.threads = threads;
    EXPECT_EQ(error_of([&] { recook(source, temp / "out.hipo", options); }),
              "corrupt: in.hipo: record 1 at 0xf4: event 0: event header: its magic does not begin "
              "with EV");
    EXPECT_TRUE(temp.names().empty());
  }
}

TEST(RewriteFailure, IsTheFirstOneInTheInput) {
  const TempDir temp;
  std::vector<std::vector<EventImage>> records(40, {event_of(1)});
  FileImage file = file_of(records);
  for (const std::size_t damaged : {12U, 13U, 39U}) {
    file.records[damaged][60] = std::byte{'X'};
  }
  const FileReader source = open_bytes(file.bytes(), "in.hipo");
  RewriteOptions options = per_column();
  options.threads = 4;
  const std::string error = error_of([&] { recook(source, temp / "out.hipo", options); });
  EXPECT_TRUE(error.starts_with("corrupt: in.hipo: record 12 at ")) << error;
}

TEST(RewriteFailure, OfAFileThatIsBeingWrittenToIsAChange) {
  const TempDir temp;
  const std::filesystem::path path = temp / "in.hipo";
  write_bytes(path, file_of({{event_of(1)}, {event_of(2)}}).bytes());
  const FileReader source(path);
  RewriteOptions options = per_column();
  options.worker_hook = [&, done = false]() mutable {
    if (!done) {
      std::ofstream(path, std::ios::app) << "more";
      done = true;
    }
  };
  const std::string error = error_of([&] { recook(source, temp / "out.hipo", options); });
  EXPECT_TRUE(error.starts_with("changed: " + path.string())) << error;
  EXPECT_EQ(temp.names(), std::vector<std::string>{"in.hipo"});
}

TEST(RewriteFailure, ByRequestLeavesNothing) {
  const TempDir temp;
  std::vector<std::vector<EventImage>> records(40, {event_of(1), event_of(2)});
  const FileReader source = open_bytes(file_of(records).bytes());
  std::stop_source stop;
  RewriteOptions options = per_column();
  options.record_events = 1;
  options.stop = stop.get_token();
  options.progress = [&](const RewriteProgress&) { stop.request_stop(); };
  EXPECT_EQ(error_of([&] { recook(source, temp / "out.hipo", options); }),
            "cancelled: stopped on request");
  EXPECT_TRUE(temp.names().empty());
}

TEST(RewriteFailure, OfACutFileIsOverriddenOnRequest) {
  const TempDir temp;
  const FileImage file = file_of({{event_of(1)}, {event_of(2)}});
  Bytes bytes = file.bytes();
  bytes.resize(file.first_record() + file.records[0].size());
  const FileReader source = open_bytes(bytes, "cut.hipo");
  const std::string trailer = std::to_string(file.first_record() + 2 * file.records[0].size());
  EXPECT_EQ(error_of([&] { recook(source, temp / "out.hipo", per_column()); }),
            "truncated: cut.hipo: the file was longer once: the trailer should be at " + trailer +
                ", the file ends at " + std::to_string(bytes.size()) +
                "; events are missing, and nothing was written");
  RewriteOptions options = per_column();
  options.accept_cut = true;
  EXPECT_EQ(recook(source, temp / "out.hipo", options).events, 1U);
}

TEST(RewriteFailure, OfImpossibleOptionsComesFirst) {
  const TempDir temp;
  const FileReader source = open_bytes(file_of({{event_of(1)}}).bytes());
  const auto refusal = [&](const std::function<void(RewriteOptions&)>& change) {
    RewriteOptions options = per_column();
    change(options);
    return error_of([&] { recook(source, temp / "out.hipo", options); });
  };
  EXPECT_EQ(refusal([](RewriteOptions& o) { o.compression.level = 7; }),
            "invalid_argument: lz4 has no levels, so level 7 means nothing");
  EXPECT_EQ(refusal([](RewriteOptions& o) {
              o.compression = {CodecId::gzip, LayoutId::per_bank, 10};
            }),
            "invalid_argument: gzip has levels 1 to 9, not 10");
  EXPECT_EQ(refusal([](RewriteOptions& o) {
              o.compression = {CodecId::lz4, LayoutId::per_bank, 0, Encodings::best};
            }),
            "invalid_argument: encodings best needs layout per-column, not per-bank");
  EXPECT_EQ(
      refusal(
          [](RewriteOptions& o) { o.discard = static_cast<std::uint8_t>(Oddity::repeated_bank); }),
      "invalid_argument: only reserved-word, trailing-bytes, short-event and record-user-header "
      "can be discarded; the other kinds are whole banks");
  EXPECT_EQ(refusal([](RewriteOptions& o) { o.record_events = 0; }),
            "invalid_argument: a record must be allowed at least an event");
}

// ---- the estimate

TEST(SizeEstimate, IsCloseForUniformRecords) {
  const TempDir temp;
  Random random(3);
  std::vector<std::vector<EventImage>> records(30);
  for (std::vector<EventImage>& events : records) {
    for (int event = 0; event < 50; ++event) {
      events.push_back({0, {{kBank, random.bytes(400)}}});
    }
  }
  const FileReader source = open_bytes(file_of(records).bytes());
  const FileReader* input = &source;
  const RewriteOptions options = per_column(20'000);
  const SizeEstimate estimate = estimate_size(std::span(&input, 1), options, 100'000);
  EXPECT_LT(estimate.sampled_raw_bytes, 200'000U);
  const auto actual =
      static_cast<double>(recook(source, temp / "out.hipo", options).file_bytes_out);
  EXPECT_NEAR(static_cast<double>(estimate.predicted_file_bytes), actual, 0.05 * actual);
}

}  // namespace
}  // namespace hipotool::test
