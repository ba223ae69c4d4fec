// Numbers in the file header that point to the wrong place: no event may get lost by them, nor
// anything else become an event.

#include "hipotool/reader.hpp"

#include "support/error_of.hpp"
#include "support/library.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace hipotool::test {
namespace {

constexpr std::size_t kHeaderWords = 8;
constexpr std::size_t kDictionaryBytes = 24;
constexpr std::size_t kTrailerPosition = 40;
constexpr std::size_t kRecordMagic = 28;

// Three records of 3, 2 and 3 events, a dictionary of one schema, a trailer.
class MisleadingPositions : public ::testing::Test {
 protected:
  MisleadingPositions() {
    file_.schemas = {"{A::a/1/1}{i/I}"};
    std::int32_t number = 0;
    for (const std::size_t events : {3U, 2U, 3U}) {
      std::vector<Bytes> images;
      for (std::size_t event = 0; event < events; ++event) {
        images.push_back(EventImage{0, {{{1, 1}, packed(number++)}}}.bytes());
      }
      file_.records.push_back(whole_record(images));
    }
    bytes_ = file_.bytes();
  }

  [[nodiscard]] std::size_t record(std::size_t index) const {
    std::size_t at = file_.first_record();
    for (std::size_t before = 0; before < index; ++before) {
      at += file_.records[before].size();
    }
    return at;
  }

  template <typename T>
  void put(std::size_t at, T value) {
    std::memcpy(bytes_.data() + at, &value, sizeof value);
  }

  // "8 events, 1 schema, 0 gaps"
  [[nodiscard]] std::string opened(const ReaderOptions& options) const {
    const FileReader reader(memory_source(buffer_of(bytes_), "file.hipo"), options);
    return std::to_string(reader.event_count()) + " events, " +
           std::to_string(reader.dictionary().schemas().size()) + " schema, " +
           std::to_string(reader.gaps().size()) + " gaps";
  }
  [[nodiscard]] std::string strictly() const {
    std::string text;
    const std::string error = error_of([&] { text = opened({}); });
    return text.empty() ? error : text;
  }
  [[nodiscard]] std::string salvaged() const { return opened({.salvage = true}); }

  FileImage file_;
  Bytes bytes_;
};

TEST_F(MisleadingPositions, TrailerPositionAtDataHidesNoDamageBehindIt) {
  put(kTrailerPosition, std::uint64_t{record(0)});
  EXPECT_EQ(strictly(), "8 events, 1 schema, 0 gaps");
  put(record(1) + kRecordMagic, std::uint32_t{0});
  // Not record 0, which is sound.
  EXPECT_NE(strictly().find(": record 1 at 0x"), std::string::npos) << strictly();
  EXPECT_EQ(salvaged(), "6 events, 1 schema, 1 gaps");
}

TEST_F(MisleadingPositions, TrailerPositionAtADamagedRecordIsNoTrailer) {
  put(kTrailerPosition, std::uint64_t{record(1)});
  put(record(1) + kRecordMagic, std::uint32_t{0});
  EXPECT_NE(strictly().find(": record 1 at 0x"), std::string::npos) << strictly();
  EXPECT_EQ(salvaged(), "6 events, 1 schema, 1 gaps");
}

TEST_F(MisleadingPositions, SalvageKeepsTheRecordAtAWrongTrailerPosition) {
  put(kTrailerPosition, std::uint64_t{record(2)});
  put(record(0) + kRecordMagic, std::uint32_t{0});
  EXPECT_EQ(salvaged(), "5 events, 1 schema, 1 gaps");
}

TEST_F(MisleadingPositions, SalvageFindsEverythingWithoutTheFrontOfTheFile) {
  bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(record(0)));
  EXPECT_EQ(salvaged(), "8 events, 0 schema, 0 gaps");
}

TEST_F(MisleadingPositions, SalvageDoesWithoutTheLengthOfTheFileHeader) {
  for (const std::uint32_t words : {15U, 1000U, 0xFFFFFFFFU}) {
    put(kHeaderWords, words);
    EXPECT_EQ(salvaged(), "8 events, 1 schema, 0 gaps") << words;
  }
}

TEST_F(MisleadingPositions, DictionaryThatTheHeaderDoesNotTellOfIsNoData) {
  put(kDictionaryBytes, std::uint32_t{0});
  EXPECT_EQ(strictly(), "8 events, 1 schema, 0 gaps");
  EXPECT_EQ(salvaged(), "8 events, 1 schema, 0 gaps");
}

TEST_F(MisleadingPositions, SalvageTakesNoDataForALostDictionary) {
  bytes_.erase(bytes_.begin() + 56, bytes_.begin() + static_cast<std::ptrdiff_t>(record(0)));
  EXPECT_EQ(salvaged(), "8 events, 0 schema, 0 gaps");
}

}  // namespace
}  // namespace hipotool::test
