// Records whose words are the tags of their events, and several outputs: every event once, in
// order.

#include "rewrite/lanes.hpp"

#include "hipotool/rewrite.hpp"

#include "support/error_of.hpp"
#include "support/random.hpp"
#include "support/tagged_files.hpp"
#include "support/temp_dir.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace hipotool::test {
namespace {

// Numbers of the events with each tag, in order.
std::map<std::uint32_t, std::vector<std::uint32_t>> by_tag(
    const std::vector<NumberedEvent>& events) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> numbers;
  for (const NumberedEvent& event : events) {
    numbers[event.tag].push_back(event.number);
  }
  return numbers;
}

std::vector<std::uint32_t> random_tags(std::size_t count, std::uint32_t kinds) {
  Random random(11);
  std::vector<std::uint32_t> tags(count);
  for (std::uint32_t& tag : tags) {
    // Some are frequent, most are rare.
    tag = random.one_in(3) ? random.below(kinds) : random.below(3);
  }
  return tags;
}

RewriteOptions with_words(const Compression& compression, std::uint64_t record_bytes) {
  RewriteOptions options;
  options.compression = compression;
  options.record_bytes = record_bytes;
  options.record_words_from_tags = true;
  return options;
}

void expect_words_are_tags(const std::vector<std::uint32_t>& tags,
                           const std::filesystem::path& out) {
  const std::vector<NumberedEvent> events = numbered_events(out);
  std::vector<NumberedEvent> expected;
  for (std::uint32_t i = 0; i < tags.size(); ++i) {
    expected.push_back({i, tags[i], tags[i]});
  }
  EXPECT_EQ(by_tag(events), by_tag(expected));
  for (const NumberedEvent& event : events) {
    ASSERT_EQ(event.word, event.tag) << "event " << event.number;
  }
}

// What makes a difference here.
std::vector<Compression> some_compressions() {
  return {compression_of(CodecId::none, LayoutId::per_chunk),
          compression_of(CodecId::lz4, LayoutId::per_chunk),
          compression_of(CodecId::gzip, LayoutId::per_bank),
          compression_of(CodecId::lz4hc, LayoutId::per_column),
          compression_of(CodecId::lz4, LayoutId::per_column, Encodings::best)};
}

class RecordWords : public ::testing::TestWithParam<Compression> {};
INSTANTIATE_TEST_SUITE_P(, RecordWords, ::testing::ValuesIn(some_compressions()),
                         [](const auto& one) { return test_name(one.param); });

TEST_P(RecordWords, AreTheTagsOfTheirEventsWhichKeepTheirOrder) {
  const std::vector<std::uint32_t> tags = random_tags(300, 40);
  const TempDir folder;
  const FileReader source = open_bytes(numbered_file(tags, 30, {0, 1, 40}).bytes());
  std::string bytes;
  for (const std::uint64_t record_bytes : {std::uint64_t{500}, std::uint64_t{8} << 20}) {
    for (const unsigned threads : {1U, 3U}) {
      RewriteOptions options = with_words(GetParam(), record_bytes);
      options.threads = threads;
      options.verify = threads == 1 ? Verify::file : Verify::record;
      const RewriteSummary summary = recook(source, folder / "out.hipo", options);
      expect_words_are_tags(tags, folder / "out.hipo");
      EXPECT_EQ(summary.digest->unordered, content_digest(source).unordered);
      EXPECT_EQ(summary.digest->ordered, content_digest(folder / "out.hipo").ordered);
      const std::string written = read_text(folder / "out.hipo");
      EXPECT_TRUE(threads == 1 || written == bytes);
      bytes = written;
    }
  }
}

TEST_P(RecordWords, GiveTheSameBytesForEveryLayoutOfTheInput) {
  const std::vector<std::uint32_t> tags = random_tags(200, 20);
  const TempDir folder;
  const FileReader plain = open_bytes(numbered_file(tags, 50).bytes());
  RewriteOptions stored;
  stored.compression = GetParam();
  stored.reencode = true;
  stored.record_events = 50;
  recook(plain, folder / "stored.hipo", stored);
  RewriteOptions options =
      with_words(compression_of(CodecId::lz4, LayoutId::per_column), std::uint64_t{2} << 10);
  options.reencode = true;
  recook(plain, folder / "a.hipo", options);
  recook(FileReader(folder / "stored.hipo"), folder / "b.hipo", options);
  EXPECT_EQ(read_text(folder / "a.hipo"), read_text(folder / "b.hipo"));
}

TEST_P(RecordWords, LetARecordBeCopiedThatNeedsNoChange) {
  std::vector<std::uint32_t> tags(40, 5);
  std::fill(tags.begin() + 20, tags.end(), 9);
  const TempDir folder;
  // The first record says what its events are, the second does not.
  RewriteOptions stored;
  stored.compression = GetParam();
  stored.record_events = 20;
  recook(open_bytes(numbered_file(tags, 20, {5, 0}).bytes()), folder / "in.hipo", stored);
  const RewriteSummary summary =
      recook(FileReader(folder / "in.hipo"), folder / "out.hipo", with_words(GetParam(), 1400));
  EXPECT_EQ(summary.records_copied, 1U);
  expect_words_are_tags(tags, folder / "out.hipo");
}

// C19: a reader that trusts the trailer's words finds 3 of 5 events with tag 1 before, all after.
TEST(RecordWordsOfFiles, C19LetAReaderOfTheTrailerFindAllEventsOfATag) {
  const TempDir folder;
  FileImage file = numbered_file({0, 1, 0, 1, 0, 1, 1, 1}, 5, {0, 1});
  write_bytes(folder / "in.hipo", file.bytes());
  const auto found = [](const std::filesystem::path& path, std::uint64_t word) {
    std::uint32_t events = 0;
    for (const TrailerRow& row : trailer_rows(path)) {
      events += row.word == word ? row.events : 0;
    }
    return events;
  };
  EXPECT_EQ(found(folder / "in.hipo", 1), 3U);
  RewriteOptions options;
  options.compression = compression_of(CodecId::lz4, LayoutId::per_chunk);
  options.record_words_from_tags = true;
  recook(FileReader(folder / "in.hipo"), folder / "out.hipo", options);
  EXPECT_EQ(found(folder / "out.hipo", 1), 5U);
  EXPECT_EQ(found(folder / "out.hipo", 0), 3U);
  EXPECT_EQ(numbers_and_tags(folder / "out.hipo"), "0:0 2:0 4:0 1:1 3:1 5:1 6:1 7:1");
  // The second word is nobody's tag, and stays.
  const FileReader reader(folder / "out.hipo");
  for (const RecordEntry& entry : reader.records()) {
    EXPECT_EQ(entry.header.user_words.second, 7U);
  }
}

// More tags than lanes, and rare ones among them.
TEST(RecordWordsOfFiles, MayBeManyMoreThanAreOpenAtOnce) {
  std::vector<std::uint32_t> tags;
  for (std::uint32_t i = 0; i < 6000; ++i) {
    tags.push_back(i % 3 == 0 ? 2 : i % 2500);
  }
  const TempDir folder;
  recook(open_bytes(numbered_file(tags, 2000).bytes()), folder / "out.hipo",
         with_words(compression_of(CodecId::none, LayoutId::per_chunk), 1 << 20));
  expect_words_are_tags(tags, folder / "out.hipo");
}

// ---- what waits

class LanesInMemory : public ::testing::Test {
 protected:
  std::shared_ptr<const Record> add(std::uint32_t first, std::uint32_t count) {
    std::vector<Bytes> events;
    for (std::uint32_t i = 0; i < 10; ++i) {
      events.push_back(numbered_event(i, i).bytes());
    }
    auto record = decoded(whole_record(events), dictionary_);
    const EventRun run{record, first, count};
    lanes_.add(std::span(&run, 1), {}, {}, done_);
    return record;
  }

  RewriteOptions options_{};
  Dictionary dictionary_ = dictionary_of({"{N::n/1/1}{i/I}", "{X::x/2/1}{v/F}"});
  rewriting::Lanes lanes_{options_, dictionary_, 1 << 20};
  std::vector<rewriting::RoutedBatch> done_;
};

TEST_F(LanesInMemory, FewEventsDoNotKeepTheirRecord) {
  EXPECT_EQ(add(2, 1).use_count(), 1);
  EXPECT_EQ(add(0, 3).use_count(), 1);
  EXPECT_GT(add(0, 9).use_count(), 1);
  EXPECT_GT(add(0, 10).use_count(), 1);
}

TEST_F(LanesInMemory, FewEventsOfManyRecordsBecomeFewRecords) {
  for (std::uint32_t i = 0; i < 200; ++i) {
    add(i % 10, 1);
  }
  lanes_.close(done_);
  ASSERT_EQ(done_.size(), 1U);
  const EventBatch& events = done_[0].cut.events;
  EXPECT_EQ(events.event_count(), 200U);
  EXPECT_LE(events.runs().size(), 4U);
  std::uint32_t i = 0;
  for (const EventRun& run : events.runs()) {
    for (std::uint32_t event = run.first; event < run.first + run.count; ++event, ++i) {
      ASSERT_EQ(run.record->tag(event), i % 10);
    }
  }
}

// ---- several outputs

struct Split {
  RewriteSummary total{};
  std::vector<std::filesystem::path> paths{};
  std::vector<WrittenOutput> outputs{};
  std::string numbers{};  // of the events in all files one after the other, " | " between files
};

Split split(const FileReader& source, const TempDir& folder, const RewriteOptions& options) {
  const FileReader* input = &source;
  const TargetMaker make = [&](std::uint64_t key) {
    return AtomicFile(folder / (std::to_string(key) + ".hipo"), AtomicFile::Existing::replace);
  };
  SplitSummary summary =
      rewrite_split(std::span(&input, 1), source.dictionary_events(), make, options);
  Split result{std::move(summary.total)};
  commit_all(summary.outputs);
  for (WrittenOutput& output : summary.outputs) {
    const std::filesystem::path& path = output.file.target();
    result.numbers += result.numbers.empty() ? "" : " | ";
    result.numbers += numbers_and_tags(path);
    EXPECT_EQ(output.file_bytes, std::filesystem::file_size(path));
    const FileReader reader(path);
    EXPECT_EQ(output.events, reader.event_count());
    EXPECT_EQ(output.records, reader.records().size());
    EXPECT_EQ(output.digest->ordered, content_digest(reader).ordered);
    EXPECT_EQ(reader.dictionary_events(), source.dictionary_events());
    std::map<std::uint32_t, std::uint64_t> tags;
    for (const NumberedEvent& event : numbered_events(path)) {
      ++tags[event.tag];
    }
    EXPECT_EQ(output.events_by_tag.value().counts(), tags);
    result.paths.push_back(path);
  }
  result.outputs = std::move(summary.outputs);
  return result;
}

class SplitRewrite : public ::testing::TestWithParam<Compression> {
 protected:
  SplitRewrite() {
    RewriteOptions options;
    options.compression = GetParam();
    options.record_events = 4;
    recook(open_bytes(numbered_file({0, 4, 0, 1, 0, 4, 4, 1, 0, 0}, 4).bytes()),
           folder_ / "in.hipo", options);
    reader_.emplace(folder_ / "in.hipo");
    options_.keep_compression = true;
    options_.record_bytes = 300;  // as large as the records are
    options_.threads = 2;
  }

  TempDir folder_;
  std::optional<FileReader> reader_;
  RewriteOptions options_;
};
INSTANTIATE_TEST_SUITE_P(, SplitRewrite, ::testing::ValuesIn(some_compressions()),
                         [](const auto& one) { return test_name(one.param); });

TEST_P(SplitRewrite, ByEventsGivesEachFileItsNumber) {
  const std::vector<std::pair<std::uint64_t, std::string>> cases{
      {3, "0:0 1:4 2:0 | 3:1 4:0 5:4 | 6:4 7:1 8:0 | 9:0"},
      {5, "0:0 1:4 2:0 3:1 4:0 | 5:4 6:4 7:1 8:0 9:0"},
      {4, "0:0 1:4 2:0 3:1 | 4:0 5:4 6:4 7:1 | 8:0 9:0"},
      {10, "0:0 1:4 2:0 3:1 4:0 5:4 6:4 7:1 8:0 9:0"},
      {1000, "0:0 1:4 2:0 3:1 4:0 5:4 6:4 7:1 8:0 9:0"},
  };
  for (const auto& [events, expected] : cases) {
    for (const Verify verify : {Verify::record, Verify::file}) {
      options_.splitting = {.events = events};
      options_.verify = verify;
      const Split result = split(*reader_, folder_, options_);
      EXPECT_EQ(result.numbers, expected);
      EXPECT_EQ(result.total.digest->ordered, content_digest(*reader_).ordered);
      EXPECT_EQ(result.total.records_copied > 0, events != 3) << events;
    }
  }
}

TEST_P(SplitRewrite, ByTagGivesEachTagItsFile) {
  options_.splitting = {.by_tag = true};
  const Split result = split(*reader_, folder_, options_);
  EXPECT_EQ(result.numbers, "0:0 2:0 4:0 8:0 9:0 | 3:1 7:1 | 1:4 5:4 6:4");
  EXPECT_EQ(result.total.digest->unordered, content_digest(*reader_).unordered);
  EXPECT_EQ(result.outputs[2].key, 4U);
}

TEST_P(SplitRewrite, BySizeKeepsEveryFileBelowItUnlessOneRecordIsLarger) {
  options_.reencode = true;
  for (const std::uint64_t bytes : {std::uint64_t{1}, std::uint64_t{900}, std::uint64_t{1400}}) {
    options_.splitting = {.bytes = bytes};
    std::string first;
    for (const unsigned threads : {1U, 3U}) {
      options_.threads = threads;
      const Split result = split(*reader_, folder_, options_);
      EXPECT_EQ(result.total.digest->ordered, content_digest(*reader_).ordered);
      for (const WrittenOutput& output : result.outputs) {
        EXPECT_TRUE(output.records == 1 || output.file_bytes <= bytes) << output.file_bytes;
      }
      EXPECT_TRUE(threads == 1 || result.numbers == first);
      first = result.numbers;
    }
  }
}

// Not a byte is given away: one more record would have been too much.
TEST(Splitting, BySizeFillsEachFile) {
  const TempDir folder;
  const FileReader source =
      open_bytes(numbered_file(std::vector<std::uint32_t>(40, 0), 40).bytes());
  RewriteOptions options;
  options.compression = compression_of(CodecId::none, LayoutId::per_chunk);
  options.record_events = 1;
  options.splitting = {.bytes = 2000};
  const Split result = split(source, folder, options);
  ASSERT_GT(result.outputs.size(), 2U);
  for (std::size_t i = 0; i + 1 < result.outputs.size(); ++i) {
    const FileReader next(result.paths[i + 1]);
    const std::uint64_t with_one_more =
        result.outputs[i].file_bytes + next.records()[0].header.record_bytes() + 32;
    EXPECT_LE(result.outputs[i].file_bytes, 2000U);
    EXPECT_GT(with_one_more, 2000U);
  }
}

TEST(Splitting, GivesOneFileByNumberAndNoneByTagWhereThereIsNoEvent) {
  const TempDir folder;
  const FileReader source = open_bytes(numbered_file({}, 1).bytes());
  RewriteOptions options;
  options.splitting = {.events = 3};
  EXPECT_EQ(split(source, folder, options).outputs.size(), 1U);
  options.splitting = {.by_tag = true};
  EXPECT_EQ(split(source, folder, options).outputs.size(), 0U);
}

TEST(Splitting, RefusesMoreTagsThanFilesMayBeOpenAndLeavesNone) {
  const TempDir folder;
  std::vector<std::uint32_t> tags;
  for (std::uint32_t tag = 0; tag <= kMostTagOutputs; ++tag) {
    tags.push_back(tag);
  }
  const FileReader source = open_bytes(numbered_file(tags, 1000).bytes());
  RewriteOptions options;
  options.splitting = {.by_tag = true};
  EXPECT_EQ(error_of([&] { split(source, folder, options); }),
            "not_representable: more than 512 different tags, and each would get a file of its "
            "own; choose some of them");
  EXPECT_TRUE(folder.names().empty());
}

TEST(Splitting, CommitsAllOrNone) {
  const TempDir folder;
  const FileReader source = open_bytes(numbered_file({0, 1, 2}, 3).bytes());
  const FileReader* input = &source;
  RewriteOptions options;
  options.splitting = {.by_tag = true};
  for (const bool replaces : {false, true}) {
    if (replaces) {
      write_text(folder / "0.hipo", "old");
    }
    SplitSummary summary = rewrite_split(
        std::span(&input, 1), source.dictionary_events(),
        [&](std::uint64_t key) {
          return AtomicFile(
              folder / (std::to_string(key) + ".hipo"),
              key == 0 && replaces ? AtomicFile::Existing::replace : AtomicFile::Existing::refuse);
        },
        options);
    write_text(folder / "2.hipo", "somebody else's");
    const std::string error = error_of([&] { commit_all(summary.outputs); });
    const std::string kept = replaces ? "already replaced: " + (folder / "0.hipo").string()
                                      : std::string("none of the files was kept");
    EXPECT_EQ(error, "exists: " + (folder / "2.hipo").string() +
                         ": was made by somebody else meanwhile; " + kept);
    EXPECT_EQ(read_text(folder / "2.hipo"), "somebody else's");
    EXPECT_FALSE(std::filesystem::exists(folder / "1.hipo"));
    EXPECT_EQ(std::filesystem::exists(folder / "0.hipo"), replaces);
    std::filesystem::remove(folder / "2.hipo");
  }
}

}  // namespace
}  // namespace hipotool::test
