#include "hipotool/check.hpp"

#include "hipotool/error.hpp"

#include "support/counting_source.hpp"
#include "support/error_of.hpp"
#include "support/fixtures.hpp"
#include "support/library.hpp"
#include "support/temp_dir.hpp"
#include "support/three_records.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace hipotool::test {
namespace {

CheckReport checked(ByteSpan bytes, const CheckOptions& options = {}) {
  return check(memory_source(buffer_of(bytes), "file.hipo"), options);
}

std::string verdict_and_reason(const CheckReport& report) {
  return std::string(to_string(report.verdict)) + ": " + report.reason;
}

Bytes fixture(const Compression& compression) {
  return read_bytes(std::filesystem::path(HIPO_TEST_DATA_DIR) / fixture_name(compression));
}

TEST(Check, TellsAllItKnowsOfASoundFile) {
  const FileImage file = three_records();
  const CheckReport report = checked(file.bytes(), {.digest = true});
  EXPECT_EQ(verdict_and_reason(report), "consistent: ");
  EXPECT_TRUE(report.findings.empty());
  EXPECT_EQ(report.bytes, file.bytes().size());
  EXPECT_EQ(report.records, 3U);
  EXPECT_EQ(report.events, 12U);
  EXPECT_EQ(report.index, IndexState::valid);
  EXPECT_EQ(report.bad_records, 0U);
  EXPECT_EQ(report.good_events, 12U);
  EXPECT_EQ(report.bytes_lost, 0U);
  EXPECT_EQ(report.events_by_tag->counts().size(), 12U);
  EXPECT_EQ(report.by_user_word.at(0).records, 3U);
  EXPECT_EQ(report.by_user_word.at(0).stored_bytes, 3 * file.records[0].size());
  EXPECT_EQ(report.by_compression.at({CodecId::none, LayoutId::per_chunk}).events, 12U);
  EXPECT_EQ(report.mixed_records, 3U);
  EXPECT_EQ(report.digest->ordered, content_digest(open_bytes(file.bytes())).ordered);
}

TEST(Check, ListsTheSmallestOfVeryManyTags) {
  // The largest ones come first, and again in the end.
  constexpr auto kMost = static_cast<std::uint32_t>(EventCounts<std::uint32_t>::kMost);
  std::vector<EventImage> first;
  for (std::uint32_t tag = kMost + 3; tag > kMost / 2; --tag) {
    first.push_back({.tag = tag});
  }
  std::vector<EventImage> second;
  for (std::uint32_t tag = 0; tag <= kMost / 2; ++tag) {
    second.push_back({.tag = tag});
  }
  second.push_back({.tag = 7});
  second.push_back({.tag = kMost + 3});
  FileImage file;
  file.records = {whole_record(test::images(first)),
                  whole_record(test::images(second), {.number = 2})};
  const CheckReport report = checked(file.bytes());
  EXPECT_EQ(report.verdict, CheckVerdict::consistent);
  EXPECT_EQ(report.events, kMost + 6U);
  const auto& counts = report.events_by_tag->counts();
  ASSERT_EQ(counts.size(), kMost);
  EXPECT_EQ(counts.at(7), 2U);
  EXPECT_EQ(counts.rbegin()->first, kMost - 1);
  EXPECT_EQ(report.events_by_tag->others(), 5U);
  EXPECT_EQ(report.mixed_records, 2U);
}

TEST(Check, HashesNothingUnlessAsked) {
  EXPECT_FALSE(checked(three_records().bytes()).digest.has_value());
}

TEST(Check, GoesOnAfterBadRecordsAndCountsThem) {
  const FileImage file = three_records();
  Bytes bytes = file.bytes();
  for (const std::size_t record : {0U, 2U}) {
    // The magic of the second event.
    bytes = with_zeros(bytes, offset_of(file, record) + 56 + 16 + 28, 1);
  }
  const CheckReport report = checked(bytes, {.digest = true});
  EXPECT_EQ(verdict_and_reason(report),
            fmt::format("corrupt: record 0 at {:#x}: event 1: event header: its magic does not "
                        "begin with EV; 2 of 3 records bad, 368 bytes lost, 4 events recoverable",
                        offset_of(file, 0)));
  EXPECT_EQ(report.bad_records, 2U);
  EXPECT_EQ(report.good_records, 1U);
  ASSERT_EQ(report.findings.size(), 2U);
  EXPECT_EQ(report.findings[1].error->context().record, 2U);
  EXPECT_EQ(report.findings[1].error->context().event, 1U);
  EXPECT_FALSE(report.digest.has_value());
}

TEST(Check, ListsTheFirstBadRecordsAndCountsAll) {
  FileImage file;
  for (int record = 0; record < 130; ++record) {
    file.records.push_back(with_zeros(whole_record({EventImage{}.bytes()}), 60, 1));
  }
  const CheckReport report = checked(file.bytes(), {.threads = 4});
  EXPECT_EQ(report.bad_records, 130U);
  EXPECT_EQ(report.findings.size(), CheckReport::kBadRecordsListed);
  EXPECT_EQ(report.findings.back().error->context().record, 99U);
}

TEST(Check, FindsRecordsBehindADamagedHeader) {
  const FileImage file = three_records();
  const Bytes bytes = with_zeros(file.bytes(), offset_of(file, 1), 56);
  const CheckReport report = checked(bytes);
  EXPECT_EQ(verdict_and_reason(report),
            fmt::format("corrupt: record 1 at {:#x}: no record here: its endian magic is wrong; "
                        "184 bytes lost, 8 events recoverable",
                        offset_of(file, 1)));
  ASSERT_EQ(report.gaps.size(), 1U);
  EXPECT_EQ(report.gaps[0].events, 4U);
  // Without reading events nothing is looked for.
  EXPECT_FALSE(checked(bytes, {.depth = CheckDepth::headers}).events.has_value());
}

TEST(Check, SaysWhatTheIndexIsWorth) {
  FileImage file = three_records();
  file.trailer = false;
  EXPECT_EQ(verdict_and_reason(checked(file.bytes())),
            "no-index: the trailer position is 0: its writer did not finish; no index, 12 events "
            "recoverable");
  EXPECT_EQ(verdict_and_reason(checked(file.bytes(), {.depth = CheckDepth::headers})),
            "no-index: the trailer position is 0: its writer did not finish; no index, 12 events "
            "by the record headers");
  EXPECT_EQ(verdict_and_reason(checked(file.bytes(), {.depth = CheckDepth::quick})),
            "no-index: the trailer position is 0: its writer did not finish");
  file = three_records();
  const std::uint64_t end = offset_of(file, 3);
  Bytes cut = file.bytes();
  cut.resize(end);
  const CheckReport report = checked(cut);
  EXPECT_EQ(verdict_and_reason(report),
            fmt::format("truncated: the trailer should be at {0}, the file ends at {0}; 12 events "
                        "recoverable",
                        end));
  EXPECT_EQ(report.bytes_missing, 0U);
}

TEST(Check, CountsTheBytesThatAChecksumCovers) {
  const auto coverage = [](const Compression& compression) {
    const CheckReport report = checked(fixture(compression));
    EXPECT_EQ(report.verdict, CheckVerdict::consistent) << report.reason;
    return static_cast<double>(*report.checksummed_bytes) /
           static_cast<double>(*report.stored_bytes);
  };
  EXPECT_EQ(coverage(compression_of(CodecId::gzip, LayoutId::per_chunk)), 1);
  EXPECT_EQ(coverage(compression_of(CodecId::lz4, LayoutId::per_chunk)), 0);
  EXPECT_EQ(coverage(compression_of(CodecId::none, LayoutId::per_column)), 0);
  for (const Compression& partly :
       {compression_of(CodecId::gzip, LayoutId::per_bank),
        compression_of(CodecId::lz4, LayoutId::per_column, Encodings::best)}) {
    EXPECT_GT(coverage(partly), 0.1) << test_name(partly);
    EXPECT_LT(coverage(partly), 0.9) << test_name(partly);  // the directories have none
  }
}

TEST(Check, VerifiesADigest) {
  const Bytes bytes = three_records().bytes();
  const std::string digest = content_digest(open_bytes(bytes)).ordered;
  EXPECT_EQ(checked(bytes, {.expected_digest = digest}).verdict, CheckVerdict::verified);
  const std::string other(32, '0');
  EXPECT_EQ(verdict_and_reason(checked(bytes, {.expected_digest = other})),
            "differs: its events have the digest " + digest + ", not " + other);
}

TEST(Check, TellsADifferenceOfAFileWithoutIndexToo) {
  FileImage file = three_records();
  file.trailer = false;
  const std::string digest = content_digest(open_bytes(file.bytes())).ordered;
  EXPECT_EQ(checked(file.bytes(), {.expected_digest = digest}).verdict, CheckVerdict::no_index);
  const CheckReport report = checked(file.bytes(), {.expected_digest = std::string(32, '1')});
  EXPECT_EQ(report.verdict, CheckVerdict::differs);
  EXPECT_NE(report.reason.find("did not finish"), std::string::npos) << report.reason;
}

TEST(Check, HoldsTagsAgainstUserWordsWhereAsked) {
  FileImage file{.schemas = {"{A::a/300/1}{x/I}"}};
  const auto events = [](const std::vector<std::uint32_t>& tags) {
    std::vector<EventImage> images;
    images.reserve(tags.size());
    for (const std::uint32_t tag : tags) {
      images.push_back({.tag = tag});
    }
    return test::images(images);
  };
  file.records = {whole_record(events({0, 0, 0, 1, 1}), {.words = {0, 0}}),
                  whole_record(events({1, 1, 1}), {.words = {1, 0}})};
  const CheckReport lenient = checked(file.bytes());
  EXPECT_EQ(lenient.verdict, CheckVerdict::consistent);
  EXPECT_EQ(lenient.mixed_records, 1U);
  EXPECT_EQ(lenient.events_by_tag->counts(),
            (std::map<std::uint32_t, std::uint64_t>{{0, 3}, {1, 5}}));
  EXPECT_EQ(verdict_and_reason(checked(file.bytes(), {.strict_tags = true})),
            fmt::format("tags-inconsistent: record 0 at {:#x}: 2 of its 5 events have another tag "
                        "than its user word, 0; 1 of 2 records is so",
                        offset_of(file, 0)));
  // A word beyond 32 bits is no tag, whatever its lower half.
  file.records = {whole_record(events({1}), {.words = {(std::uint64_t{1} << 32) + 1, 0}})};
  EXPECT_EQ(checked(file.bytes(), {.strict_tags = true}).verdict, CheckVerdict::tags_inconsistent);
}

TEST(Check, CountsWhatIsOddAndYetAllowed) {
  FileImage file{.schemas = {"{A::a/300/1}{x/I}", "no schema"}};
  file.records = {whole_record(
      images({{.banks = {{{300, 1}, packed(std::int8_t{1})}, {{9, 9}, {}}}}, {.reserved = 5}}),
      {.user_header = packed(1)})};
  const CheckReport report = checked(file.bytes());
  EXPECT_EQ(report.verdict, CheckVerdict::consistent) << report.reason;
  EXPECT_EQ(report.oddities->ragged_banks, 1U);
  EXPECT_EQ(report.oddities->banks_without_schema, 1U);
  EXPECT_EQ(report.oddities->unread_dictionary_texts, 1U);
  EXPECT_EQ(report.oddities->events.at(Oddity::reserved_word), 1U);
  EXPECT_EQ(report.oddities->events.at(Oddity::record_user_header), 2U);
}

TEST(Check, RefusesOptionsThatContradictEachOther) {
  const Bytes bytes = three_records().bytes();
  for (const CheckOptions& options :
       {CheckOptions{.depth = CheckDepth::quick, .digest = true},
        CheckOptions{.depth = CheckDepth::headers, .expected_digest = ""},
        CheckOptions{.depth = CheckDepth::quick, .strict_tags = true}}) {
    EXPECT_TRUE(error_of([&] {
                  static_cast<void>(checked(bytes, options));
                }).starts_with("invalid_argument: "));
  }
}

TEST(Check, StopsWhenAsked) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(error_of([&] {
              static_cast<void>(checked(three_records().bytes(), {.stop = stop.get_token()}));
            }),
            "cancelled: stopped on request");
}

TEST(Check, CallsAFileThatChangesMeanwhileUnreadable) {
  const TempDir folder;
  const std::filesystem::path path = folder / "file.hipo";
  write_bytes(path, three_records().bytes());
  CheckOptions options;
  // Appended, since a worker may be reading: the file must never be shorter meanwhile.
  options.progress = [&](const CheckProgress&) { std::ofstream(path, std::ios::app) << "x"; };
  const CheckReport report = check(path, options);
  EXPECT_EQ(report.verdict, CheckVerdict::unreadable);
  EXPECT_NE(report.reason.find("bytes now and had"), std::string::npos) << report.reason;
}

TEST(Check, ReportsProgressByRecords) {
  std::string seen;
  CheckOptions options;
  options.progress = [&](const CheckProgress& now) {
    seen += fmt::format("{}/{} {}/{}; ", now.records_done, now.records_total, now.bytes_done,
                        now.bytes_total);
  };
  static_cast<void>(checked(three_records().bytes(), options));
  EXPECT_EQ(seen, "1/3 184/552; 2/3 368/552; 3/3 552/552; ");
}

TEST(CheckThreads, GiveTheSameReportFromManyThreadsAtOnce) {
  const FileImage file = three_records();
  const auto source = memory_source(
      buffer_of(with_zeros(file.bytes(), offset_of(file, 1) + 56 + 16, 1)), "file.hipo");
  const std::string expected = verdict_and_reason(check(source, {.digest = true}));
  std::vector<std::string> results(8);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < results.size(); ++i) {
      threads.emplace_back([&, i] {
        results[i] = verdict_and_reason(
            check(source, {.digest = true, .threads = static_cast<unsigned>(i % 3 + 1)}));
      });
    }
  }
  EXPECT_EQ(results, std::vector<std::string>(results.size(), expected));
}

// ---- the quick look

FileImage many_records(std::size_t count, std::size_t bank_bytes) {
  FileImage file{.schemas = {"{A::a/300/1}{x/I}"}};
  for (std::size_t r = 0; r < count; ++r) {
    file.records.push_back(
        whole_record({EventImage{0, {{{300, 1}, Bytes(bank_bytes, std::byte{1})}}}.bytes()}));
  }
  return file;
}

std::string quick(ByteSpan bytes) {
  return verdict_and_reason(checked(bytes, {.depth = CheckDepth::quick}));
}

TEST(QuickCheck, ReadsTheEndsOfAFileAndNoMore) {
  const FileImage file = many_records(50, 100'000);
  const auto source = std::make_shared<CountingSource>(file.bytes());
  const CheckReport report = check(source, {.depth = CheckDepth::quick});
  EXPECT_EQ(verdict_and_reason(report), "consistent: ");
  EXPECT_EQ(report.records, 50U);
  EXPECT_EQ(report.events, 50U);
  EXPECT_EQ(report.index, std::nullopt);
  // Dictionary and trailer, 32 bytes a record, and of the last record 4 KiB.
  EXPECT_LT(source->bytes(), 8'000U);
  EXPECT_LT(source->calls(), 10U);
}

TEST(QuickCheck, ReadsTheDirectoryOfASplitRecord) {
  const Bytes sound = fixture(compression_of(CodecId::lz4, LayoutId::per_column));
  EXPECT_EQ(quick(sound), "consistent: ");
  const FileReader reader = open_bytes(sound);
  const RecordEntry& last = reader.records().back();
  EXPECT_TRUE(quick(with_number(sound, last.offset + 56, std::uint32_t{9}))
                  .starts_with(fmt::format("unreadable: record 1 at {:#x}: per-column format "
                                           "version 9",
                                           last.offset)));
}

TEST(QuickCheck, DoesNotSeeTheMiddle) {
  const FileImage file = three_records();
  EXPECT_EQ(quick(with_zeros(file.bytes(), offset_of(file, 1), 56)), "consistent: ");
}

TEST(QuickCheck, HoldsTheIndexAgainstTheSpaceItMustFill) {
  const FileImage file = three_records();
  const std::uint64_t first = offset_of(file, 0);
  const Bytes rows = index_bank(file.records, first);
  const auto with_index = [&](const Bytes& index) {
    FileImage changed = file;
    changed.index = index;
    return quick(changed.bytes());
  };
  const std::vector<Bytes> two(file.records.begin(), file.records.begin() + 2);
  EXPECT_EQ(with_index(index_bank(two, first)),
            fmt::format("index-disagrees: trailer: its index leaves out the record at {}",
                        offset_of(file, 2)));
  EXPECT_EQ(with_index(with_number(rows, 8, offset_of(file, 1) - 4)),
            fmt::format("index-disagrees: trailer: its index lists a record of 184 bytes at {}, "
                        "where there is no room for it",
                        offset_of(file, 1) - 4));
  EXPECT_EQ(with_index(with_number(rows, 3 * 8 + 2 * 4, std::uint32_t{188})),
            fmt::format("index-disagrees: trailer: its index lists a record of 188 bytes at {}, "
                        "where there is no room for it",
                        offset_of(file, 2)));
  EXPECT_EQ(with_index(with_number(rows, 3 * 12 + 2 * 4, std::uint32_t{400})),
            fmt::format("index-disagrees: trailer: its index contradicts the record at {} "
                        "(length, events or user words)",
                        offset_of(file, 2)));
}

TEST(QuickCheck, AllowsRecordsWithoutEventsThatTheIndexLeavesOut) {
  FileImage file = three_records();
  const Bytes listed = index_bank(file.records, offset_of(file, 0));
  file.records.push_back(whole_record({}));
  file.index = listed;
  EXPECT_EQ(quick(file.bytes()), "consistent: ");
  EXPECT_EQ(verdict_and_reason(checked(file.bytes())), "consistent: ");
}

TEST(QuickCheck, DoesNotTakeALargeRecordForATrailer) {
  FileImage file;
  const Bytes large = EventImage{0, {{{1, 1}, Bytes(9'000'000)}}}.bytes();
  file.records = {whole_record({large, large})};
  file.trailer_position = offset_of(file, 0);
  const auto source = std::make_shared<CountingSource>(file.bytes());
  EXPECT_TRUE(verdict_and_reason(check(source, {.depth = CheckDepth::quick}))
                  .starts_with("index-disagrees: trailer: a record of 18000"));
  EXPECT_LT(source->bytes(), 1'000U);
}

TEST(QuickCheck, KnowsFilesThatAreNone) {
  EXPECT_EQ(quick({}), "empty: the file has no bytes");
  EXPECT_TRUE(quick(text_bytes("hello")).starts_with("not-hipo: "));
  FileImage none;
  none.trailer = false;
  EXPECT_EQ(quick(none.bytes()),
            "empty: no events, and the trailer position is 0: its writer did not finish");
}

}  // namespace
}  // namespace hipotool::test
