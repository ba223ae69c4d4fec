// How streams are stored where that depends on what they hold.

#include "hipotool/epochs.hpp"
#include "hipotool/stream_codec.hpp"

#include "support/random.hpp"
#include "support/temp_dir.hpp"
#include "unit/rewrite/rewrite_inputs.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace hipotool::test {
namespace {

constexpr std::uint32_t kRows = 4096;
constexpr std::size_t kNoise = 0;    // nothing shrinks it
constexpr std::size_t kPhrases = 1;  // a thorough search finds more than a quick one
constexpr std::size_t kCounter = 2;  // shrinks when its high bytes lie together

const char* const kThreeColumns = "{t/1/2}{noise/I,phrases/I,counter/I}";

void append_word(Bytes& bytes, std::uint32_t word) {
  const std::size_t at = bytes.size();
  bytes.resize(at + sizeof word);
  store_le(bytes.data() + at, word);
}

// One event with one bank of three columns.
EventImage event_of_columns(std::uint64_t seed, bool swapped = false) {
  Random random(seed);
  Bytes noise;
  Bytes phrases;
  Bytes counter;
  std::vector<std::uint32_t> words(48 * 5);
  for (std::uint32_t& word : words) {
    word = static_cast<std::uint32_t>(random.next());
  }
  while (phrases.size() < std::size_t{4} * kRows) {
    const std::size_t phrase = random.below(48);
    for (std::size_t i = 0; i < 5; ++i) {
      append_word(phrases, words[5 * phrase + i]);
    }
  }
  phrases.resize(std::size_t{4} * kRows);
  for (std::uint32_t row = 0; row < kRows; ++row) {
    append_word(noise, static_cast<std::uint32_t>(random.next()));
    append_word(counter, 0x41000000U + 977 * row + random.below(256));
  }
  Bytes bank = swapped ? counter : noise;
  bank.insert(bank.end(), phrases.begin(), phrases.end());
  const Bytes& last = swapped ? noise : counter;
  bank.insert(bank.end(), last.begin(), last.end());
  return {0, {{kBank, bank}}};
}

Compression automatic(CodecId codec, Encodings encodings) {
  Compression compression = compression_of(codec, LayoutId::per_column, encodings);
  compression.effort = Effort::automatic;
  compression.level = codec_info(codec).auto_level;
  return compression;
}

class StreamChoosing : public ::testing::Test {
 protected:
  StreamChoosing() : dictionary_(dictionary_of({kThreeColumns})) {}

  EventBatch batch(std::uint64_t seed, bool swapped = false) {
    const Bytes stored =
        stored_record(images({event_of_columns(seed, swapped)}),
                      compression_of(CodecId::none, LayoutId::per_chunk), dictionary_);
    return batch_of({decoded(stored, dictionary_)});
  }
  RecordDirectory stored_directory(const EventBatch& batch, const Storing& storing) {
    encode_choosing(batch, storing, dictionary_, context_, encoded_);
    const StoredRecord stored = StoredRecord::borrow(std::as_const(encoded_).bytes());
    RecordDirectory directory;
    read_directory(stored, context_, directory);
    Record record;
    decode(stored, directory, dictionary_, Projection::everything(), context_, record);
    require_equal(batch, record);
    return directory;
  }
  StreamChoices choices(const Compression& compression, std::uint64_t seed, bool swapped = false) {
    StreamChoices chosen;
    stored_directory(batch(seed, swapped), {compression, nullptr, &chosen});
    return chosen;
  }

  Dictionary dictionary_;
  CodecContext context_;
  EncodedRecord encoded_;
};

TEST_F(StreamChoosing, SpendsTheLevelWhereItPays) {
  const StreamChoices chosen = choices(automatic(CodecId::lz4hc, Encodings::none), 11);
  EXPECT_TRUE(chosen.find(kBank, kNoise)->quick);
  EXPECT_FALSE(chosen.find(kBank, kPhrases)->quick);
  EXPECT_EQ(chosen.find(kBank, 3), nullptr);
}

std::size_t stored_bytes(CodecId codec, int level, ByteSpan raw) {
  StreamCodec worker(codec, level);
  Bytes out(worker.bound(raw.size()));
  return worker.compress(raw, out);
}

// Noise in which a pair of words comes back now and then, and a quick search skips over it: what
// full-precision floats look like to LZ4.
Bytes noise_with_rare_pairs() {
  constexpr std::size_t kEvery = 110;
  Random random(17);
  Bytes bytes;
  while (bytes.size() < std::size_t{4} * kRows) {
    const std::size_t words = bytes.size() / 4;
    if (words > 1024 && words % kEvery == 0) {
      const std::size_t from = 4 * (words - 1000 - random.below(20));
      const Bytes pair(bytes.begin() + static_cast<std::ptrdiff_t>(from),
                       bytes.begin() + static_cast<std::ptrdiff_t>(from + 8));
      bytes.insert(bytes.end(), pair.begin(), pair.end());
    } else {
      append_word(bytes, static_cast<std::uint32_t>(random.next()));
    }
  }
  bytes.resize(std::size_t{4} * kRows);
  return bytes;
}

TEST_F(StreamChoosing, SpendsNoLevelOnLessThanA128thOfTheBytes) {
  const Compression lz4hc = automatic(CodecId::lz4hc, Encodings::none);
  EventImage event = event_of_columns(17);
  const Bytes rare = noise_with_rare_pairs();
  std::copy(rare.begin(), rare.end(), event.banks.front().data.begin());
  const std::size_t saved =
      stored_bytes(CodecId::lz4, 0, rare) - stored_bytes(CodecId::lz4hc, lz4hc.level, rare);
  ASSERT_GT(saved, rare.size() / 200);
  ASSERT_LT(saved, rare.size() / 128);
  const Bytes stored = stored_record(
      images({event}), compression_of(CodecId::none, LayoutId::per_chunk), dictionary_);
  StreamChoices chosen;
  stored_directory(batch_of({decoded(stored, dictionary_)}), {lz4hc, nullptr, &chosen});
  EXPECT_TRUE(chosen.find(kBank, kNoise)->quick);
}

TEST_F(StreamChoosing, SplitsWhereThatIsSmaller) {
  const StreamChoices chosen = choices(automatic(CodecId::lz4hc, Encodings::automatic), 12);
  EXPECT_FALSE(chosen.find(kBank, kNoise)->split);
  EXPECT_FALSE(chosen.find(kBank, kPhrases)->split);
  EXPECT_TRUE(chosen.find(kBank, kCounter)->split);
}

TEST_F(StreamChoosing, StoresWhatFollowsAsItIsTold) {
  const Compression compression = automatic(CodecId::lz4hc, Encodings::automatic);
  const StreamChoices chosen = choices(compression, 13);
  // The counter is in the first column now, which is known as noise, and the other way round.
  const RecordDirectory directory =
      stored_directory(batch(14, true), {compression, &chosen, nullptr});
  EXPECT_FALSE(directory.streams[kNoise].is_split());
  EXPECT_TRUE(directory.streams[kCounter].is_split());
}

TEST_F(StreamChoosing, TriesBothWaysWhereNothingIsKnown) {
  const Compression compression = automatic(CodecId::lz4hc, Encodings::automatic);
  const StreamChoices nothing;
  const EventBatch events = batch(15);
  stored_directory(events, {compression, &nothing, nullptr});
  const Bytes known(encoded_.bytes().begin(), encoded_.bytes().end());
  stored_directory(events, {compression, nullptr, nullptr});
  EXPECT_TRUE(known == Bytes(encoded_.bytes().begin(), encoded_.bytes().end()));
}

TEST_F(StreamChoosing, OfFullEffortIsWhatTheCodecDoesAlone) {
  const EventBatch events = batch(16);
  const Compression full = compression_of(CodecId::lz4hc, LayoutId::per_column);
  StreamChoices told;
  for (const std::size_t column : {kNoise, kPhrases, kCounter}) {
    told.set(kBank, column, {.quick = true, .split = true});
  }
  stored_directory(events, {full, &told, nullptr});
  const Bytes with_choices(encoded_.bytes().begin(), encoded_.bytes().end());
  EXPECT_TRUE(with_choices == encoded(events, full, dictionary_));
}

// The record at which what the columns hold changes is told by who leads.
TEST(StreamChoosingRewrite, DecidesAnewAtEach64thRecordOfItsUserWords) {
  FileImage file;
  file.schemas = {kThreeColumns};
  constexpr std::uint32_t kRecords = 66;
  for (std::uint32_t record = 0; record < kRecords; ++record) {
    file.records.push_back(whole_record(images({event_of_columns(record, record > 0)})));
  }
  const FileReader source = open_bytes(file.bytes());
  const TempDir temp;
  RewriteOptions options = per_column(std::uint64_t{12} * kRows);  // an event each
  options.compression = automatic(CodecId::lz4hc, Encodings::automatic);
  options.threads = 3;
  recook(source, temp / "out.hipo", options);
  const FileReader result(temp / "out.hipo");
  ASSERT_EQ(result.records().size(), kRecords);
  CodecContext context;
  StoredRecord stored;
  RecordDirectory directory;
  for (std::uint32_t record = 0; record < kRecords; ++record) {
    result.read_directory(record, context, stored, directory);
    EXPECT_EQ(directory.streams[kCounter].is_split(), record < 64) << record;
    EXPECT_EQ(directory.streams[kNoise].is_split(), record >= 64) << record;
  }
}

TEST(Epochs, CountUserWordsAndCodecsApart) {
  Epochs epochs;
  const Compression lz4hc = automatic(CodecId::lz4hc, Encodings::none);
  EXPECT_TRUE(epochs.join({1, 0}, lz4hc).leads());
  EXPECT_FALSE(epochs.join({1, 0}, lz4hc).leads());
  EXPECT_TRUE(epochs.join({2, 0}, lz4hc).leads());
  Compression per_bank = lz4hc;
  per_bank.layout = LayoutId::per_bank;
  EXPECT_TRUE(epochs.join({1, 0}, per_bank).leads());
  EXPECT_FALSE(epochs.join({1, 0}, compression_of(CodecId::lz4, LayoutId::per_column)).leads());
}

TEST(Epochs, LetFollowersGoOnWithoutALeaderThatFailed) {
  Epochs epochs;
  const Compression lz4hc = automatic(CodecId::lz4hc, Encodings::none);
  { const EpochPart leader = epochs.join({}, lz4hc); }
  EXPECT_EQ(epochs.join({}, lz4hc).known(), nullptr);
}

TEST(Epochs, TellFollowersWhatTheLeaderChose) {
  Epochs epochs;
  const Compression lz4hc = automatic(CodecId::lz4hc, Encodings::none);
  EpochPart leader = epochs.join({}, lz4hc);
  const EpochPart follower = epochs.join({}, lz4hc);
  StreamChoices choices;
  choices.set(kBank, 7, {.quick = true});
  leader.publish(std::move(choices));
  ASSERT_NE(follower.known(), nullptr);
  EXPECT_TRUE(follower.known()->find(kBank, 7)->quick);
}

}  // namespace
}  // namespace hipotool::test
