#include "hipotool/statistics.hpp"

#include "support/counting_source.hpp"
#include "support/directory_images.hpp"
#include "support/error_of.hpp"
#include "support/library.hpp"
#include "support/random.hpp"
#include "support/temp_dir.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace hipotool::test {
namespace {

constexpr BankKey kConfig{10000, 11};
constexpr BankKey kTracks{300, 1};
constexpr BankKey kHits{300, 2};
constexpr BankKey kUnknown{610, 1};

const std::vector<std::string>& schema_texts() {
  static const std::vector<std::string> texts{
      "{RUN::config/10000/11}{run/I,event/I,trigger/L}", "{T::tracks/300/1}{pid/I,p/F,t/D,q/B}",
      "{T::hits/300/2}{adc/S#3,id/L}", "{T::never/300/3}{x/I}", "{T::nothing/300/4}{}"};
  return texts;
}

Bytes config_of(std::int32_t run, std::int32_t event) {
  return packed(run, event, std::int64_t{event} << 33);
}

Bytes tracks_of(Random& random, std::uint32_t rows) {
  Bytes columns[4];
  for (std::uint32_t row = 0; row < rows; ++row) {
    append(columns[0], packed(static_cast<std::int32_t>(random.below(5)) * 11 - 22));
    append(columns[1], packed(0.1F * static_cast<float>(random.below(1000)) - 20));
    append(columns[2], packed(static_cast<double>(random.next()) * 1e-18));
    append(columns[3], packed(static_cast<std::int8_t>(random.below(3))));
  }
  return joined({columns[0], columns[1], columns[2], columns[3]});
}

// Records of 40 events with tags 0, 1 and 2; every seventh event is empty.
std::vector<std::vector<EventImage>> content(std::uint32_t records) {
  Random random(11);
  std::vector<std::vector<EventImage>> all(records);
  std::uint32_t number = 0;
  for (std::vector<EventImage>& events : all) {
    for (int i = 0; i < 40; ++i, ++number) {
      EventImage& event = events.emplace_back(EventImage{number % 10 < 7 ? 0 : number % 2 + 1});
      if (number % 7 == 3) {
        continue;
      }
      if (number % 5 != 0) {
        event.banks.push_back({kTracks, tracks_of(random, random.below(4))});
      }
      if (number % 3 == 0) {
        event.banks.push_back({kHits, random.bytes(std::size_t{14} * (1 + random.below(3)))});
      }
      if (number % 4 == 0) {
        event.banks.push_back({kUnknown, random.bytes(random.below(9)), 6});
      }
      event.banks.push_back({kConfig, config_of(number < 60 ? 5038 : 5039,
                                                1000 + static_cast<std::int32_t>(number))});
    }
  }
  return all;
}

FileImage stored_as(const Compression& compression,
                    const std::vector<std::vector<EventImage>>& records) {
  FileImage file;
  file.schemas = schema_texts();
  const Dictionary dictionary = dictionary_of(file.schemas);
  for (const std::vector<EventImage>& events : records) {
    file.records.push_back(stored_record(images(events), compression, dictionary));
  }
  return file;
}

StatisticsOptions everything() {
  StatisticsOptions options;
  options.values = true;
  options.duplicates = true;
  return options;
}

std::string text_of(const std::optional<ColumnValue>& value) {
  return value ? std::visit([](auto number) { return fmt::format("{}", number); }, *value) : "-";
}

std::string text_of(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : "-";
}

// All that must not depend on how events are stored.
std::string content_of(const Statistics& statistics) {
  const StatisticsSummary summary = statistics.summary();
  std::string text = fmt::format("{}/{} events, {} empty, {} raw bytes\n", summary.events,
                                 summary.events_in_file, summary.empty_events, summary.raw_bytes);
  for (const auto& [tag, events] : summary.events_by_tag) {
    text += fmt::format("tag {}: {}\n", tag, events);
  }
  for (const RunStatistics& run : summary.runs.value_or(std::vector<RunStatistics>())) {
    text += fmt::format("run {}: {}, {} to {}\n", run.run, run.events,
                        run.lowest_event.value_or(-1), run.highest_event.value_or(-1));
  }
  text += fmt::format("{} without run, duplicates {}\n", summary.events_without_run,
                      summary.duplicate_events.value_or(0));
  for (const DuplicateEvent& one : summary.duplicates) {
    text += fmt::format("{} = {}\n", one.event, one.original);
  }
  for (const BankStatistics& bank : statistics.banks()) {
    text += fmt::format("{} {} {}: {} ({} without rows), {} rows, {} ragged, {} bytes\n", bank.tag,
                        to_string(bank.key), bank.name, bank.events, bank.events_without_rows,
                        bank.rows ? std::to_string(*bank.rows) : "no", bank.ragged, bank.raw_bytes);
  }
  for (const ColumnStatistics& column : statistics.columns()) {
    text += fmt::format("{} {}.{}: {} rows, {} bytes", column.tag, column.bank, column.column.name,
                        column.rows, column.raw_bytes);
    if (column.values) {
      const ValueStatistics& values = *column.values;
      text +=
          fmt::format(", {} values {} to {}, {} +- {}, {} zero, {} NaN, {} inf, {}{} distinct",
                      values.values, text_of(values.min), text_of(values.max), text_of(values.mean),
                      text_of(values.standard_deviation), values.zeros, values.not_a_number,
                      values.infinite, values.distinct_is_exact ? "" : "about ", values.distinct);
      for (const HistogramBin& bin : values.histogram) {
        text += fmt::format(" [{},{}){}", bin.low, bin.high, bin.count);
      }
    }
    text += "\n";
  }
  return text;
}

std::string content_of(const FileReader& reader, const StatisticsOptions& options) {
  return content_of(collect_statistics(reader, options));
}

const BankStatistics& bank_of(const std::vector<BankStatistics>& banks, BankKey key) {
  return *std::find_if(banks.begin(), banks.end(),
                       [key](const BankStatistics& bank) { return bank.key == key; });
}

// ---- counts

TEST(Statistics, CountWhatIsThere) {
  FileImage file = stored_as(compression_of(CodecId::lz4, LayoutId::per_column),
                             {{{7, {{kTracks, Bytes(34)}, {kConfig, config_of(5038, 12)}}},
                               {7, {{kTracks, {}}, {kUnknown, Bytes(5), 6}}},
                               {0, {}}},
                              {{0, {{kConfig, config_of(5038, 3)}}},
                               {0, {{kHits, Bytes(14)}, {kConfig, config_of(0, 9)}}}}});
  const FileReader reader = open_bytes(file.bytes());
  StatisticsOptions options;
  options.columns = true;
  EXPECT_EQ(content_of(reader, options),
            "5/5 events, 1 empty, 257 raw bytes\n"
            "tag 0: 3\n"
            "tag 7: 2\n"
            "run 0: 1, 9 to 9\n"
            "run 5038: 2, 3 to 12\n"
            "2 without run, duplicates 0\n"
            "0 300/1 T::tracks: 2 (1 without rows), 2 rows, 0 ragged, 34 bytes\n"
            "0 300/2 T::hits: 1 (0 without rows), 1 rows, 0 ragged, 14 bytes\n"
            "0 300/3 T::never: 0 (0 without rows), 0 rows, 0 ragged, 0 bytes\n"
            "0 300/4 T::nothing: 0 (0 without rows), no rows, 0 ragged, 0 bytes\n"
            "0 610/1 610/1: 1 (0 without rows), no rows, 0 ragged, 5 bytes\n"
            "0 10000/11 RUN::config: 3 (0 without rows), 3 rows, 0 ragged, 48 bytes\n"
            "0 T::tracks.pid: 2 rows, 8 bytes\n"
            "0 T::tracks.p: 2 rows, 8 bytes\n"
            "0 T::tracks.t: 2 rows, 16 bytes\n"
            "0 T::tracks.q: 2 rows, 2 bytes\n"
            "0 T::hits.adc: 1 rows, 6 bytes\n"
            "0 T::hits.id: 1 rows, 8 bytes\n"
            "0 RUN::config.run: 3 rows, 12 bytes\n"
            "0 RUN::config.event: 3 rows, 12 bytes\n"
            "0 RUN::config.trigger: 3 rows, 24 bytes\n");
  const StatisticsSummary summary = collect_statistics(reader, options).summary();
  EXPECT_EQ(summary.records, 2U);
  EXPECT_EQ(summary.tiny_records, 2U);
  EXPECT_EQ(summary.record_events->median, 2U);
  EXPECT_EQ(summary.record_events->max, 3U);
  EXPECT_EQ(summary.file_bytes, file.bytes().size());
}

TEST(Statistics, OfNothingAreZero) {
  const FileReader reader = open_bytes(stored_as({}, {}).bytes());
  const Statistics statistics = collect_statistics(reader, everything());
  EXPECT_EQ(statistics.summary().events, 0U);
  EXPECT_FALSE(statistics.summary().record_bytes.has_value());
  EXPECT_EQ(statistics.banks().size(), 5U);
  EXPECT_EQ(Statistics().summary().files, 0U);
}

TEST(Statistics, SayNothingOfRunsWithoutTheBank) {
  FileImage file;
  file.schemas = {"{RUN::config/10000/11}{run/F}"};
  file.records = {whole_record({EventImage{0, {{kConfig, packed(1.0F)}}}.bytes()})};
  EXPECT_FALSE(collect_statistics(open_bytes(file.bytes()), {}).summary().runs.has_value());
  file.schemas = {};
  EXPECT_FALSE(collect_statistics(open_bytes(file.bytes()), {}).summary().runs.has_value());
  file.schemas = {"{RUN::config/10000/11}{run/S,x/S}"};
  const auto runs = collect_statistics(open_bytes(file.bytes()), {}).summary().runs;
  ASSERT_TRUE(runs.has_value());
  ASSERT_EQ(runs->size(), 1U);
  EXPECT_FALSE(runs->front().lowest_event.has_value());
}

TEST(Statistics, CountAnEventOnceThatHasABankTwice) {
  FileImage file;
  file.schemas = schema_texts();
  file.records = {whole_record({EventImage{0,
                                           {{kTracks, {}},
                                            {kTracks, Bytes(17)},
                                            {kConfig, config_of(1, 2)},
                                            {kConfig, config_of(3, 4)}}}
                                    .bytes(),
                                EventImage{0, {{kTracks, Bytes(3)}}}.bytes(), packed('E', 'V')})};
  const FileReader reader = open_bytes(file.bytes());
  StatisticsOptions options;
  options.banks = true;
  const Statistics statistics = collect_statistics(reader, options);
  const std::vector<BankStatistics> banks = statistics.banks();
  const BankStatistics& tracks = bank_of(banks, kTracks);
  EXPECT_EQ(tracks.events, 2U);
  EXPECT_EQ(tracks.events_without_rows, 0U);
  EXPECT_EQ(tracks.rows, 1U);
  EXPECT_EQ(tracks.ragged, 1U);
  EXPECT_EQ(tracks.raw_bytes, 20U);
  const StatisticsSummary summary = statistics.summary();
  EXPECT_EQ(summary.empty_events, 1U);  // too short to be more
  ASSERT_EQ(summary.runs->size(), 1U);
  EXPECT_EQ(summary.runs->front().run, 1);
}

TEST(Statistics, FindDuplicatesOfEqualTagOnly) {
  const auto event = [](std::uint32_t tag, std::int32_t number) {
    return EventImage{tag, {{kConfig, config_of(5038, number)}}};
  };
  const FileReader reader = open_bytes(stored_as({}, {{event(0, 1), event(1, 1), event(0, 2)},
                                                      {event(0, 1), event(0, 2), event(0, 1)}})
                                           .bytes());
  const Statistics one = collect_statistics(reader, everything());
  const StatisticsSummary summary = one.summary();
  EXPECT_EQ(summary.duplicate_events, 3U);
  ASSERT_EQ(summary.duplicates.size(), 3U);
  EXPECT_EQ(summary.duplicates[0].event, 3U);
  EXPECT_EQ(summary.duplicates[0].original, 0U);
  EXPECT_EQ(summary.duplicates[1].event, 4U);
  EXPECT_EQ(summary.duplicates[1].original, 2U);
  EXPECT_EQ(summary.duplicates[2].event, 5U);
  Statistics two;
  two.add(one);
  two.add(one);
  EXPECT_EQ(two.summary().duplicate_events, 9U);
  EXPECT_EQ(two.summary().duplicates[3].event_in_file, 1U);
  EXPECT_EQ(two.summary().duplicates[3].original_in_file, 0U);
  EXPECT_EQ(two.summary().files, 2U);
}

// ---- every layout

class StatisticsEverywhere : public ::testing::TestWithParam<Compression> {};

TEST_P(StatisticsEverywhere, AreTheSame) {
  const auto records = content(4);
  const FileReader plain =
      open_bytes(stored_as({CodecId::none, LayoutId::per_chunk}, records).bytes());
  const FileReader stored = open_bytes(stored_as(GetParam(), records).bytes());
  EXPECT_EQ(content_of(stored, everything()), content_of(plain, everything()));
  StatisticsOptions filtered = everything();
  filtered.tags = {{1, 5}};
  filtered.per_tag = true;
  EXPECT_EQ(content_of(stored, filtered), content_of(plain, filtered));
  StatisticsOptions narrow;
  narrow.values = true;
  narrow.wanted = std::set<BankKey>{kHits};
  EXPECT_EQ(content_of(stored, narrow), content_of(plain, narrow));
  const auto condition = [](const FileReader& reader) {
    return Expression::parse("count(T::tracks) > 1 && T::tracks.pid == 11", reader.dictionary());
  };
  StatisticsOptions some = everything();
  some.exempt = {{2, 2}};
  const Expression of_plain = condition(plain);
  some.where = &of_plain;
  const std::string expected = content_of(plain, some);
  const Expression of_stored = condition(stored);
  some.where = &of_stored;
  EXPECT_EQ(content_of(stored, some), expected);
}

TEST_P(StatisticsEverywhere, AreTheSameForOtherRecords) {
  const FileReader stored = open_bytes(stored_as(GetParam(), content(4)).bytes());
  const TempDir temp;
  RewriteOptions options;
  options.compression = compression_of(CodecId::lz4, LayoutId::per_column);
  options.record_events = 7;
  recook(stored, temp / "other.hipo", options);
  StatisticsOptions wanted = everything();
  wanted.per_tag = true;
  EXPECT_EQ(content_of(FileReader(temp / "other.hipo"), wanted), content_of(stored, wanted));
}

INSTANTIATE_TEST_SUITE_P(EveryCompression, StatisticsEverywhere,
                         ::testing::ValuesIn(all_compressions()),
                         [](const auto& one) { return test_name(one.param); });

TEST(Statistics, AreTheSameForBigEndianRecords) {
  const auto records = content(1);
  FileImage big = stored_as({}, {});
  big.records = {big_endian_record(images(records[0]), dictionary_of(schema_texts()))};
  EXPECT_EQ(content_of(open_bytes(big.bytes()), everything()),
            content_of(open_bytes(stored_as({}, records).bytes()), everything()));
}

TEST(StatisticsThreads, AreTheSameForAnyNumber) {
  const FileReader reader =
      open_bytes(stored_as(compression_of(CodecId::lz4, LayoutId::per_bank), content(30)).bytes());
  StatisticsOptions options = everything();
  options.per_tag = true;
  const std::string expected = content_of(reader, options);
  for (const unsigned threads : {2U, 3U, 8U}) {
    options.threads = threads;
    EXPECT_EQ(content_of(reader, options), expected);
  }
}

TEST(Statistics, OfFilesAddUp) {
  const auto records = content(6);
  StatisticsOptions options;
  options.values = true;
  options.per_tag = true;
  const auto part = [&](std::size_t first, std::size_t last) {
    const auto begin = records.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = records.begin() + static_cast<std::ptrdiff_t>(last);
    return collect_statistics(
        open_bytes(
            stored_as(compression_of(CodecId::gzip, LayoutId::per_column), {begin, end}).bytes()),
        options);
  };
  Statistics total;
  total.add(part(0, 2));
  total.add(part(2, 6));
  const std::string whole = content_of(part(0, 6));
  EXPECT_EQ(content_of(total), whole);
}

// ---- what it takes

class SplitStatistics : public ::testing::TestWithParam<Compression> {
 protected:
  SplitStatistics()
      : source_(std::make_shared<CountingSource>(stored_as(GetParam(), content(5)).bytes())),
        reader_(source_) {}

  // Of all records.
  [[nodiscard]] std::uint64_t directory_bytes() const {
    std::uint64_t bytes = 0;
    for (std::size_t index = 0; index < reader_.records().size(); ++index) {
      bytes += directory_of(index).directory_bytes;
    }
    return bytes;
  }
  [[nodiscard]] RecordDirectory directory_of(std::size_t index) const {
    StoredRecord stored;
    RecordDirectory directory;
    CodecContext context;
    reader_.read_directory(index, context, stored, directory);
    return directory;
  }

  std::shared_ptr<const CountingSource> source_;
  FileReader reader_;
};

TEST_P(SplitStatistics, InflateNothingButRuns) {
  StatisticsOptions options;
  options.columns = true;
  options.per_tag = true;
  options.estimate = false;
  options.tags = {{0, 1}};
  options.runs = false;
  EXPECT_EQ(collect_statistics(reader_, options).summary().streams_inflated, 0U);
  options.runs = true;
  const std::uint64_t streams_of_runs = GetParam().layout == LayoutId::per_column ? 2 : 1;
  EXPECT_EQ(collect_statistics(reader_, options).summary().streams_inflated,
            streams_of_runs * reader_.records().size());
}

TEST_P(SplitStatistics, InflateOfTheBanksWantedOnlyTheirStreams) {
  StatisticsOptions options;
  options.values = true;
  options.runs = false;
  options.wanted = std::set<BankKey>{kHits};
  const bool by_column = GetParam().layout == LayoutId::per_column;
  EXPECT_EQ(collect_statistics(reader_, options).summary().streams_inflated,
            (by_column ? 2 : 1) * reader_.records().size());
  // The condition needs one column of another bank.
  const Expression condition = Expression::parse("T::tracks.q == 1", reader_.dictionary());
  options.where = &condition;
  EXPECT_EQ(collect_statistics(reader_, options).summary().streams_inflated,
            (by_column ? 3 : 2) * reader_.records().size());
}

TEST_P(SplitStatistics, ReadDirectoriesAlone) {
  StatisticsOptions options;
  options.columns = true;
  options.runs = false;
  const std::uint64_t allowed = directory_bytes() + reader_.records().size() * 4096;
  source_->reset();
  const StatisticsSummary summary = collect_statistics(reader_, options).summary();
  EXPECT_LE(source_->bytes(), allowed);
  EXPECT_EQ(source_->bytes(), summary.bytes_read);
  EXPECT_EQ(summary.directory_bytes, directory_bytes());
}

TEST_P(SplitStatistics, AccountForEveryStoredByte) {
  StatisticsOptions options;
  options.columns = true;
  const Statistics statistics = collect_statistics(reader_, options);
  const StatisticsSummary summary = statistics.summary();
  std::uint64_t banks = 0;
  for (const BankStatistics& bank : statistics.banks()) {
    ASSERT_TRUE(bank.stored.bytes.has_value());
    EXPECT_FALSE(bank.stored.is_estimate);
    banks += *bank.stored.bytes;
  }
  std::uint64_t padding = 0;
  std::uint64_t stored = 0;
  for (const RecordEntry& entry : reader_.records()) {
    padding += entry.header.payload_padding();
    stored += entry.header.record_bytes();
  }
  EXPECT_EQ(banks + summary.directory_bytes + padding + 56 * reader_.records().size(), stored);
  std::uint64_t of_config = 0;
  for (const ColumnStatistics& column : statistics.columns()) {
    if (column.key == kConfig && GetParam().layout == LayoutId::per_column) {
      of_config += column.stored.bytes.value();
    } else if (GetParam().layout == LayoutId::per_bank) {
      EXPECT_FALSE(column.stored.bytes.has_value());
    }
  }
  if (GetParam().layout == LayoutId::per_column) {
    const std::vector<BankStatistics> all = statistics.banks();
    EXPECT_EQ(of_config, bank_of(all, kConfig).stored.bytes);
  }
}

std::vector<Compression> split_compressions() {
  std::vector<Compression> all = all_compressions();
  std::erase_if(all, [](const Compression& one) { return one.layout == LayoutId::per_chunk; });
  return all;
}

INSTANTIATE_TEST_SUITE_P(EverySplitLayout, SplitStatistics,
                         ::testing::ValuesIn(split_compressions()),
                         [](const auto& one) { return test_name(one.param); });

TEST(StatisticsReading, FetchesLittleOfALargeRecord) {
  Random random(3);
  std::vector<EventImage> events;
  events.reserve(300);
  for (std::int32_t event = 0; event < 300; ++event) {
    events.push_back({0, {{kHits, random.bytes(1400)}, {kConfig, config_of(1, event)}}});
  }
  const auto source = std::make_shared<CountingSource>(
      stored_as(compression_of(CodecId::lz4, LayoutId::per_column), {events, events}).bytes());
  const FileReader reader(source);
  source->reset();
  StatisticsOptions options;
  options.columns = true;
  static_cast<void>(collect_statistics(reader, options));
  EXPECT_LT(source->bytes(), 30'000U);
  EXPECT_GT(source->size(), 800'000U);
}

// ---- sizes

TEST(StatisticsEstimate, IsWhatTheSplitLayoutsStore) {
  const auto records = content(3);
  const auto collect = [&](LayoutId layout, bool columns) {
    StatisticsOptions options;
    options.banks = true;
    options.columns = columns;
    options.estimate = true;
    return collect_statistics(
        open_bytes(stored_as(compression_of(CodecId::lz4, layout), records).bytes()), options);
  };
  const std::vector<BankStatistics> estimated = collect(LayoutId::per_chunk, false).banks();
  const std::vector<BankStatistics> exact = collect(LayoutId::per_bank, false).banks();
  ASSERT_EQ(estimated.size(), exact.size());
  for (std::size_t i = 0; i < exact.size(); ++i) {
    EXPECT_EQ(estimated[i].stored.bytes, exact[i].stored.bytes) << exact[i].name;
    EXPECT_EQ(estimated[i].stored.is_estimate, exact[i].raw_bytes != 0);
  }
  const std::vector<ColumnStatistics> stored = collect(LayoutId::per_column, true).columns();
  for (const LayoutId layout : {LayoutId::per_chunk, LayoutId::per_bank}) {
    const std::vector<ColumnStatistics> columns = collect(layout, true).columns();
    ASSERT_EQ(columns.size(), stored.size());
    for (std::size_t i = 0; i < stored.size(); ++i) {
      EXPECT_EQ(columns[i].stored.bytes, stored[i].stored.bytes) << stored[i].column.name;
    }
  }
}

TEST(StatisticsSizes, OfLayoutsMixedInOneFileAreUnknownOrEstimated) {
  const auto records = content(2);
  FileImage file = stored_as(compression_of(CodecId::lz4, LayoutId::per_bank), records);
  file.records[1] =
      stored_record(images(records[1]), compression_of(CodecId::lz4, LayoutId::per_chunk),
                    dictionary_of(file.schemas));
  const auto tracks = [](const FileImage& image, bool estimate) {
    StatisticsOptions options;
    options.banks = true;
    options.estimate = estimate;
    const std::vector<BankStatistics> banks =
        collect_statistics(open_bytes(image.bytes()), options).banks();
    return bank_of(banks, kTracks).stored;
  };
  EXPECT_FALSE(tracks(file, false).bytes.has_value());
  EXPECT_TRUE(tracks(file, true).is_estimate);
  const StoredSize exact =
      tracks(stored_as(compression_of(CodecId::lz4, LayoutId::per_bank), records), false);
  EXPECT_EQ(tracks(file, true).bytes, exact.bytes);
  const StatisticsSummary summary = collect_statistics(open_bytes(file.bytes()), {}).summary();
  ASSERT_EQ(summary.storage.size(), 2U);
  EXPECT_EQ(summary.storage[0].compression.layout, LayoutId::per_chunk);
  EXPECT_EQ(summary.storage[1].events, 40U);
}

TEST(StatisticsSizes, AreUnknownWhereAStreamIsShared) {
  const auto records = content(2);
  const FileReader whole = open_bytes(stored_as({}, records).bytes());
  const FileReader split =
      open_bytes(stored_as(compression_of(CodecId::lz4, LayoutId::per_bank), records).bytes());
  StatisticsOptions options;
  options.banks = true;
  const auto stored_tracks = [&](const FileReader& reader) {
    const std::vector<BankStatistics> banks = collect_statistics(reader, options).banks();
    return bank_of(banks, kTracks).stored.bytes;
  };
  EXPECT_FALSE(stored_tracks(whole).has_value());
  EXPECT_TRUE(stored_tracks(split).has_value());
  options.tags = {{0, 0}};
  EXPECT_FALSE(stored_tracks(split).has_value());
  options.tags = {{9, 9}};
  EXPECT_EQ(stored_tracks(split), 0U);
  options.tags = {{0, 9}};
  EXPECT_TRUE(stored_tracks(split).has_value());
}

// ---- damage and hostile input

TEST(StatisticsOfDamage, NameTheFirstDamagedRecord) {
  FileImage file = stored_as({CodecId::none, LayoutId::per_chunk}, content(40));
  for (const std::size_t damaged : {11U, 30U}) {
    file.records[damaged][56 + 160 + 1] = std::byte{'X'};  // the magic of its first event
  }
  const FileReader reader = open_bytes(file.bytes(), "in.hipo");
  for (const unsigned threads : {1U, 4U}) {
    StatisticsOptions options;
    options.threads = threads;
    const std::string error =
        error_of([&] { static_cast<void>(collect_statistics(reader, options)); });
    EXPECT_TRUE(error.starts_with("corrupt: in.hipo: record 11 at ")) << error;
  }
}

std::string statistics_outcome(const DirectoryImage& image) {
  FileImage file;
  file.schemas = {"{T::n/1/2}{n/I}"};
  file.records = {image.split().bytes()};
  const FileReader reader = open_bytes(file.bytes(), "in.hipo");
  return error_of([&] { static_cast<void>(collect_statistics(reader, {})); });
}

TEST(StatisticsOfDamage, RefuseADirectoryThatContradictsItself) {
  for (const LayoutId layout : {LayoutId::per_bank, LayoutId::per_column}) {
    DirectoryImage image;
    image.layout = layout;
    image.version = layout == LayoutId::per_bank ? 2 : 1;
    EXPECT_EQ(statistics_outcome(image), "no error");
    DirectoryImage sizes = image;
    sizes.sizes = {4, 4};
    EXPECT_TRUE(statistics_outcome(sizes).ends_with(
        layout == LayoutId::per_bank ? "T::n: directory: sizes sum to 8, the stream has 12"
                                     : "T::n.n: directory: a stream of 12 bytes for 2 rows"))
        << statistics_outcome(sizes);
    DirectoryImage absent = image;
    absent.presence[1] = std::byte{0};
    EXPECT_TRUE(
        statistics_outcome(absent).ends_with("event 1: T::n: directory: absent, but 8 bytes long"));
  }
  DirectoryImage columns;
  columns.columns = {2};
  columns.stored = {12, 0};
  columns.raw = {12, 0};
  EXPECT_TRUE(statistics_outcome(columns).ends_with(
      "T::n: stored in 2 columns, which its schema does not have"))
      << statistics_outcome(columns);
}

TEST(StatisticsLimits, KeepTheSmallestTagsAndRuns) {
  std::vector<EventImage> events;
  for (std::uint32_t i = 0; i < 5000; ++i) {
    const std::uint32_t number = (i * 1237) % 5000;
    events.push_back({number, {{kConfig, config_of(static_cast<std::int32_t>(number) - 100, 1)}}});
  }
  const FileReader reader = open_bytes(
      stored_as(compression_of(CodecId::lz4, LayoutId::per_column), {events, events}).bytes());
  for (const unsigned threads : {1U, 2U}) {
    StatisticsOptions options;
    options.threads = threads;
    const StatisticsSummary summary = collect_statistics(reader, options).summary();
    EXPECT_EQ(summary.events_by_tag.size(), 4096U);
    EXPECT_EQ(summary.events_by_tag.rbegin()->first, 4095U);
    EXPECT_EQ(summary.events_by_tag.rbegin()->second, 2U);
    EXPECT_EQ(summary.events_of_other_tags, 2 * (5000U - 4096U));
    EXPECT_EQ(summary.runs->size(), 4096U);
    EXPECT_EQ(summary.runs->back().run, 3995);
    EXPECT_EQ(summary.events_of_other_runs, 2 * (5000U - 4096U));
    options.per_tag = true;
    EXPECT_EQ(
        error_of([&] { static_cast<void>(collect_statistics(reader, options)); }).substr(0, 12),
        "over_budget:");
  }
}

TEST(StatisticsLimits, SaveMemoryBeforeThreads) {
  const FileReader reader = open_bytes(stored_as({}, content(8)).bytes());
  StatisticsOptions options = everything();
  const std::string expected = content_of(reader, options);
  options.threads = 8;
  options.memory_bytes = 100'000;  // less than one thread's, and yet one runs
  EXPECT_EQ(content_of(reader, options), expected);
}

TEST(StatisticsLimits, RefuseHashesThatDoNotFit) {
  const FileReader reader = open_bytes(stored_as({}, content(3)).bytes(), "in.hipo");
  StatisticsOptions options;
  options.duplicates = true;
  options.memory_bytes = 7679;
  EXPECT_EQ(error_of([&] { static_cast<void>(collect_statistics(reader, options)); }),
            "over_budget: in.hipo: to find duplicates among 120 events takes 7680 bytes of memory");
  options.memory_bytes = 7680;
  EXPECT_EQ(collect_statistics(reader, options).summary().events, 120U);
}

TEST(StatisticsThreads, StopWhenAsked) {
  const FileReader reader = open_bytes(stored_as({}, content(100)).bytes());
  std::stop_source stop;
  StatisticsOptions options;
  options.stop = stop.get_token();
  options.progress = [&](std::size_t index) {
    if (index == 5) {
      stop.request_stop();
    }
  };
  EXPECT_EQ(error_of([&] { static_cast<void>(collect_statistics(reader, options)); }),
            "cancelled: stopped on request");
}

}  // namespace
}  // namespace hipotool::test
