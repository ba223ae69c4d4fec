// The bytes written do not depend on the number of threads or on how their steps interleave.

#include "support/library.hpp"
#include "support/random_file.hpp"
#include "support/temp_dir.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace hipotool::test {
namespace {

// Many records of several user words, sizes and forms.
FileImage many_records(Random& random) {
  PlainContent content = plain_content(random, 400);
  while (content.schemas.size() < 3) {
    content = plain_content(random, 400);
  }
  FileImage image;
  image.schemas = content.schemas;
  const Dictionary dictionary = dictionary_of(content.schemas);
  const std::vector<Compression> compressions = all_compressions();
  for (std::size_t first = 0; first < content.events.size();) {
    const std::size_t count =
        std::min<std::size_t>(1 + random.below(20), content.events.size() - first);
    const auto begin = content.events.begin() + static_cast<std::ptrdiff_t>(first);
    std::vector<Bytes> events(begin, begin + static_cast<std::ptrdiff_t>(count));
    if (random.one_in(5)) {  // something to fall back for
      store_le(events.front().data() + 12, std::uint32_t{0xA5});
      image.records.push_back(whole_record(events, {.words = {first / 100, 0}}));
    } else {
      image.records.push_back(stored_record(
          events, compressions[random.below(static_cast<std::uint32_t>(compressions.size()))],
          dictionary, {.words = {first / 100, 0}}));
    }
    first += count;
  }
  return image;
}

// Delays each step by up to a tenth of a millisecond, another one for each call.
std::function<void()> random_delays(std::uint64_t seed) {
  auto calls = std::make_shared<std::atomic<std::uint64_t>>(seed);
  return [calls] {
    Random random(calls->fetch_add(0x9e3779b9));
    std::this_thread::sleep_for(std::chrono::microseconds(random.below(100)));
  };
}

class RewriteThreads : public ::testing::TestWithParam<Compression> {};

TEST_P(RewriteThreads, WriteTheSameBytes) {
  const std::uint64_t seed = test_seed(77);
  Random random(seed);
  const FileReader source = open_bytes(many_records(random).bytes());
  const TempDir temp;
  RewriteOptions options;
  options.compression = GetParam();
  options.record_bytes = 6000;
  std::string expected;
  std::string digest;
  for (const unsigned threads : {1U, 2U, 3U, 8U}) {
    for (const bool disturbed : {false, true}) {
      options.threads = threads;
      options.worker_hook = disturbed ? random_delays(seed + threads) : std::function<void()>();
      const RewriteSummary summary = recook(source, temp / "out.hipo", options);
      const std::string bytes = read_text(temp / "out.hipo");
      if (expected.empty()) {
        expected = bytes;
        digest = summary.digest.value().ordered;
        EXPECT_EQ(content_digest(source).ordered, digest);
      }
      EXPECT_EQ(summary.threads, threads);
      EXPECT_EQ(summary.digest.value().ordered, digest);
      ASSERT_TRUE(bytes == expected) << threads << " threads, disturbed: " << disturbed;
    }
  }
}

TEST_P(RewriteThreads, StayWithinASmallBudgetAndWriteTheSameBytes) {
  Random random(test_seed(78));
  const FileReader source = open_bytes(many_records(random).bytes());
  const TempDir temp;
  RewriteOptions options;
  options.compression = GetParam();
  options.record_bytes = 3000;
  recook(source, temp / "wide.hipo", options);
  const FileReader* input = &source;
  options.threads = 4;
  options.memory_bytes = plan_rewrite(std::span(&input, 1), options).memory_needed_bytes;
  options.worker_hook = random_delays(9);
  const RewriteSummary summary = recook(source, temp / "narrow.hipo", options);
  EXPECT_EQ(summary.threads, 1U);
  EXPECT_TRUE(read_text(temp / "narrow.hipo") == read_text(temp / "wide.hipo"));
}

// One of each layout, and the two whose workers keep the most state.
std::vector<Compression> some_compressions() {
  std::vector<Compression> some = {
      compression_of(CodecId::none, LayoutId::per_chunk),
      compression_of(CodecId::lz4hc, LayoutId::per_bank),
      compression_of(CodecId::gzip, LayoutId::per_column),
      compression_of(CodecId::lz4hc, LayoutId::per_column, Encodings::best)};
  for (Compression one :
       {compression_of(CodecId::lz4hc, LayoutId::per_column, Encodings::automatic),
        compression_of(CodecId::lz4hc, LayoutId::per_bank)}) {
    one.effort = Effort::automatic;
    some.push_back(one);
  }
  if (codec_info(CodecId::zstd).available) {
    some.push_back(compression_of(CodecId::zstd, LayoutId::per_column));
  }
  return some;
}

INSTANTIATE_TEST_SUITE_P(SomeCompressions, RewriteThreads, ::testing::ValuesIn(some_compressions()),
                         [](const auto& one) { return test_name(one.param); });

}  // namespace
}  // namespace hipotool::test
