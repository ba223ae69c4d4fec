// Split records that nobody writes, each with one lie in it: the lie is found before anything is
// allocated for it, and the whole message says what and where.

#include "property/hostile_file.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

namespace hipotool::test {
namespace {

DirectoryImage per_bank() {
  DirectoryImage image;
  image.layout = LayoutId::per_bank;
  image.version = 2;
  return image;
}

DirectoryImage per_column() {
  return {};
}

DirectoryImage version_three() {
  DirectoryImage image;
  image.version = 3;
  image.encodings = {0x40};
  image.checksums = {0};
  return image;
}

// The outcome after one change to a sound image.
std::string changed(DirectoryImage image, const std::function<void(DirectoryImage&)>& change) {
  change(image);
  return outcome_of(image);
}

std::string changed_section(const DirectoryImage& image,
                            const std::function<void(SplitImage&)>& change) {
  SplitImage section = image.split();
  change(section);
  return outcome_of(section.bytes());
}

TEST(HostileDirectory, IsAcceptedWhileItIsSound) {
  EXPECT_EQ(outcome_of(per_bank()), "no error");
  EXPECT_EQ(outcome_of(per_column()), "no error");
  EXPECT_EQ(outcome_of(version_three()), "no error");
}

TEST(HostileDirectory, WithSizesThatDoNotSumUp) {
  const auto change = [](DirectoryImage& image) { image.sizes = {4, 4}; };
  EXPECT_EQ(changed(per_bank(), change),
            corrupt("T::n: directory: sizes sum to 8, the stream has 12"));
  EXPECT_EQ(changed(per_column(), change),
            corrupt("T::n.n: directory: a stream of 12 bytes for 2 rows"));
  EXPECT_EQ(changed(per_column(),
                    [](DirectoryImage& image) {
                      image.sizes = {4, 4};
                      image.columns = {0};
                    }),
            corrupt("T::n: directory: sizes sum to 8, the stream has 12"));
}

TEST(HostileDirectory, WithSizesThatOverflowTheirSum) {
  const auto change = [](DirectoryImage& image) {
    image.tags.assign(300, 0);
    image.presence.assign(300, std::byte{1});
    image.sizes.assign(300, 0xFFFFFF);
    image.columns = {0};
  };
  // 256 of them fit into 32 bits.
  EXPECT_EQ(changed(per_bank(), change),
            corrupt("event 256: T::n: directory: 16777215 bytes are not possible here"));
  EXPECT_EQ(changed(per_column(), change),
            corrupt("event 256: T::n: directory: 16777215 bytes are not possible here"));
}

TEST(HostileDirectory, WithABankOfTwoToThe24Bytes) {
  const auto change = [](DirectoryImage& image) { image.sizes = {0x1000000, 0xFF00000C}; };
  EXPECT_EQ(changed(per_bank(), change),
            corrupt("event 0: T::n: directory: 16777216 bytes are not possible here"));
  EXPECT_EQ(changed(per_column(), change),
            corrupt("event 0: T::n: directory: 16777216 bytes are not possible here"));
}

TEST(HostileDirectory, WithDescriptorsOutOfOrder) {
  const auto twice = [](DirectoryImage& image) {
    image.keys = {{1, 2}, {1, 2}};
    image.types = {11, 11};
    image.columns = {1, 0};
    image.sizes = {4, 8, 0, 0};
    image.stored = {12, 0};
    image.raw = {12, 0};
    image.formats = {0, 0};
  };
  const auto unsorted = [&](DirectoryImage& image) {
    twice(image);
    image.keys = {{1, 2}, {1, 1}};
  };
  for (const DirectoryImage& image : {per_bank(), per_column()}) {
    EXPECT_EQ(changed(image, twice), corrupt("directory: bank 1/2 does not come after 1/2"));
    EXPECT_EQ(changed(image, unsorted), corrupt("directory: bank 1/1 does not come after 1/2"));
  }
}

TEST(HostileDirectory, WithAnAbsentBankThatHasASize) {
  const auto change = [](DirectoryImage& image) { image.presence[1] = std::byte{0}; };
  for (const DirectoryImage& image : {per_bank(), per_column()}) {
    EXPECT_EQ(changed(image, change),
              corrupt("event 1: T::n: directory: absent, but 8 bytes long"));
  }
}

TEST(HostileDirectory, WithStreamsPastTheSection) {
  const auto past = [](DirectoryImage& image) { image.stored = {17}; };
  const auto huge = [](DirectoryImage& image) { image.stored = {0xFFFFFFFF}; };
  for (const DirectoryImage& image : {per_bank(), per_column()}) {
    EXPECT_EQ(changed(image, past), corrupt("directory: the streams run past their record"));
    EXPECT_EQ(changed(image, huge), corrupt("directory: the streams run past their record"));
  }
}

TEST(HostileDirectory, WithStreamsThatEndInThePadding) {
  // The section excludes the padding, so its bytes are nobody's.
  for (const DirectoryImage& image : {per_bank(), per_column()}) {
    unsigned padded = 0;
    for (std::uint32_t size = 9; size <= 12; ++size) {
      DirectoryImage change = image;
      change.columns = {0};
      change.streams.resize(size);
      change.sizes = {4, size - 3};
      change.stored = {size + 1};
      change.raw = {size + 1};
      const Bytes record = change.split().bytes();
      padded += (load_le<std::uint32_t>(record.data() + 20) >> 24 & 3U) != 0 ? 1U : 0U;
      EXPECT_EQ(outcome_of(record), corrupt("directory: the streams run past their record"));
    }
    EXPECT_EQ(padded, 3U);
  }
}

TEST(HostileDirectory, WithAStreamOfAnotherSizeThanDeclared) {
  for (const DirectoryImage& image : {per_bank(), per_column()}) {
    EXPECT_EQ(changed(image, [](DirectoryImage& change) { change.stored = {11}; }),
              corrupt("none: 11 stored bytes cannot hold the 12 bytes announced"));
    // LZ4 blocks that inflate to a byte less and a byte more.
    for (const std::size_t size : {std::size_t{11}, std::size_t{13}}) {
      DirectoryImage change = image;
      change.streams = lz4_block(Bytes(size, std::byte{5}));
      change.stored = {static_cast<std::uint32_t>(change.streams.size())};
      SplitImage section = change.split();
      section.tag = change.layout == LayoutId::per_bank ? 9 : 10;
      const Bytes record = section.bytes();
      const std::uint64_t stream_at = 56 + 20 + lz4_block(section.directory).size();
      const std::string where = change.layout == LayoutId::per_bank ? "T::n: " : "T::n.n: ";
      EXPECT_EQ(outcome_of(record),
                corrupt_at(stream_at, where + (size < 12 ? "lz4: inflates to 11 bytes where 12 are "
                                                           "declared"
                                                         : "lz4: corrupt block")));
    }
  }
}

TEST(HostileDirectory, WithAStreamOfFourGiBInATinyRecord) {
  const auto change = [](DirectoryImage& image) { image.raw = {0xFFFFFFFF}; };
  EXPECT_EQ(changed(per_bank(), change),
            corrupt("none: 12 stored bytes cannot hold the 4294967295 bytes announced"));
  for (const std::uint32_t tag : {5U, 6U, 9U, 11U}) {
    DirectoryImage image = per_bank();
    image.raw = {0xFFFFFFFF};
    SplitImage section = image.split();
    section.tag = tag;
    const char* const codec = tag == 5 ? "zstd" : tag == 6 ? "lz4hc" : tag == 9 ? "lz4" : "gzip";
    EXPECT_EQ(outcome_of(section.bytes()),
              corrupt(std::string(codec) +
                      ": 12 stored bytes cannot hold the 4294967295 bytes announced"));
  }
}

TEST(HostileDirectory, WithManyStreamsThatClaimALittleEach) {
  // 64 KiB are believed of any stream; of 10,000 streams stored in nothing they are not.
  constexpr std::size_t kBanks = 10'000;
  DirectoryImage image = per_bank();
  image.keys.clear();
  for (std::size_t bank = 0; bank < kBanks; ++bank) {
    image.keys.push_back({static_cast<std::uint16_t>(bank), 0});
  }
  image.types.assign(kBanks, 11);
  image.tags = {0};
  image.presence.assign(kBanks / 8, std::byte{0xFF});
  image.sizes.assign(kBanks, 65'536);
  image.stored.assign(kBanks, 0);
  image.raw.assign(kBanks, 65'536);
  image.formats.clear();
  image.streams.clear();
  SplitImage section = image.split();
  section.tag = 9;
  EXPECT_EQ(outcome_of(section.bytes()),
            corrupt("lz4: 0 stored bytes cannot hold the 655360000 bytes announced"));
}

TEST(HostileDirectory, WithMoreColumnsThanItHasRoomFor) {
  constexpr std::size_t kBanks = 10'000;
  DirectoryImage image = per_column();
  image.keys.clear();
  for (std::size_t bank = 0; bank < kBanks; ++bank) {
    image.keys.push_back({static_cast<std::uint16_t>(bank), 0});
  }
  image.types.assign(kBanks, 11);
  image.columns.assign(kBanks, 65'535);
  image.tags = {0};
  image.presence.assign(kBanks / 8, std::byte{0});
  image.sizes.assign(kBanks, 0);
  image.stored.clear();
  image.raw.clear();
  image.formats.clear();
  image.streams.clear();
  // 655,350,000 streams of 8 bytes behind 101,254 bytes of tables.
  EXPECT_EQ(outcome_of(image),
            corrupt("a per-column directory of 101254 bytes where its tables take "
                    "5242901254"));
}

TEST(HostileDirectory, WithAnotherColumnCountThanTheSchema) {
  EXPECT_EQ(changed(per_column(),
                    [](DirectoryImage& image) {
                      image.columns = {2};
                      image.stored = {6, 6};
                      image.raw = {6, 6};
                    }),
            corrupt("T::n: stored in 2 columns, its schema has 1"));
}

TEST(HostileDirectory, WithColumnsOfABankWithoutSchema) {
  EXPECT_EQ(changed(per_column(),
                    [](DirectoryImage& image) {
                      image.keys = {{1, 9}};
                    }),
            corrupt("1/9: stored by column, but the dictionary has no schema for it"));
}

TEST(HostileDirectory, WithColumnsOfRaggedBanks) {
  EXPECT_EQ(changed(per_column(),
                    [](DirectoryImage& image) {
                      image.sizes = {5, 7};
                    }),
            corrupt("event 0: T::n: directory: 5 bytes are not possible here"));
}

TEST(HostileDirectory, WithAFormatStringThatCannotBe) {
  EXPECT_EQ(changed(per_column(), [](DirectoryImage& image) { image.formats = {3}; }),
            corrupt("T::n: stored by column, but with a format string"));
  EXPECT_EQ(changed(per_bank(), [](DirectoryImage& image) { image.formats = {5}; }),
            corrupt("event 0: T::n: directory: the format string is longer than the data"));
}

TEST(HostileDirectory, OfAnUnknownVersion) {
  for (const unsigned version : {0U, 1U, 4U, 255U}) {
    EXPECT_EQ(
        changed(per_bank(),
                [&](DirectoryImage& image) { image.version = static_cast<std::uint8_t>(version); }),
        unsupported(fmt::format("per-bank format version {}; only 2 and 3 are known", version)));
  }
  for (const unsigned version : {0U, 4U, 255U}) {
    EXPECT_EQ(
        changed(per_column(),
                [&](DirectoryImage& image) { image.version = static_cast<std::uint8_t>(version); }),
        unsupported(
            fmt::format("per-column format version {}; only 1, 2 and 3 are known", version)));
  }
}

TEST(HostileDirectory, OfVersionThreeWithoutItsTail) {
  EXPECT_EQ(changed(per_column(), [](DirectoryImage& image) { image.version = 3; }),
            corrupt("a per-column directory of 33 bytes where its tables take 38"));
}

TEST(HostileDirectory, WithATailThatItsVersionDoesNotHave) {
  // One bit of the version byte, and byte planes would be taken for values.
  EXPECT_EQ(changed(version_three(), [](DirectoryImage& image) { image.version = 2; }),
            corrupt("a per-column directory of 38 bytes where its tables take 33"));
  EXPECT_EQ(changed(version_three(),
                    [](DirectoryImage& image) {
                      image.checksums = {0, 0};
                    }),
            corrupt("a per-column directory of 42 bytes where its tables take 38"));
  EXPECT_EQ(changed(per_column(), [](DirectoryImage& image) { image.formats.clear(); }),
            "no error");
}

TEST(HostileDirectory, WithAnUnknownEncoding) {
  for (const unsigned encoding : {0x42U, 0x4FU, 0x30U, 0x90U, 0x00U, 0x01U}) {
    EXPECT_EQ(changed(version_three(),
                      [&](DirectoryImage& image) {
                        image.encodings = {static_cast<std::uint8_t>(encoding)};
                      }),
              unsupported(fmt::format("directory: stream encoding {} is not known", encoding)));
  }
}

TEST(HostileDirectory, WithAChecksumThatDoesNotMatch) {
  DirectoryImage image = version_three();
  image.checksums = {12345};
  const std::uint64_t stream_at = 56 + 20 + lz4_block(image.directory()).size();
  EXPECT_EQ(
      outcome_of(image),
      fmt::format("checksum: hostile.hipo: record 0 at {:#x}: T::n.n: stream checksum does not "
                  "match",
                  hostile_file({}).first_record() + stream_at));
}

TEST(HostileSection, WithSizesTunedToOverflow) {
  // 4 * 65536 * 65536 is 0 in 32 bits, and the directory is as long as the rest of the sum.
  const auto change = [](SplitImage& section) {
    section.banks = 65'536;
    section.events = 65'536;
    section.directory.assign(std::size_t{16} * 65'536, std::byte{0});
  };
  EXPECT_EQ(changed_section(per_bank(), change),
            corrupt("a per-bank directory of 1048576 bytes where its tables take 17717788672"));
  EXPECT_EQ(changed_section(per_column(), change),
            corrupt("a per-column directory of 1048576 bytes where its tables take 17717395456"));
}

TEST(HostileSection, WithMoreBanksOrEventsThanItsDirectoryCanList) {
  for (const DirectoryImage& image : {per_bank(), per_column()}) {
    const std::string size = std::to_string(image.directory().size());
    EXPECT_EQ(
        changed_section(image, [](SplitImage& section) { section.banks = 0xFFFFFFFF; }),
        corrupt("a directory of " + size + " bytes cannot list 4294967295 banks and 2 events"));
    EXPECT_EQ(
        changed_section(image, [](SplitImage& section) { section.events = 0xFFFFFFFF; }),
        corrupt("a directory of " + size + " bytes cannot list 1 banks and 4294967295 events"));
  }
}

TEST(HostileSection, WithADirectoryOfFourGiB) {
  const auto change = [](SplitImage& section) { section.directory_raw_bytes = 0xFFFFFFFF; };
  for (const DirectoryImage& image : {per_bank(), per_column()}) {
    EXPECT_EQ(changed_section(image, change),
              corrupt(fmt::format("lz4: {} stored bytes cannot hold the 4294967295 bytes announced",
                                  lz4_block(image.directory()).size())));
  }
}

TEST(HostileSection, WithADirectorySizeThatIsALittleOff) {
  EXPECT_EQ(changed_section(per_bank(), [](SplitImage& s) { s.directory_raw_bytes = 29; }),
            corrupt("a per-bank directory of 29 bytes where its tables take 30"));
  EXPECT_EQ(changed_section(per_bank(), [](SplitImage& s) { s.directory_raw_bytes = 32; }),
            corrupt("a per-bank directory of 32 bytes where its tables take 30"));
  EXPECT_EQ(changed_section(per_column(), [](SplitImage& s) { s.directory_raw_bytes = 34; }),
            corrupt_at(76, "directory: lz4: inflates to 33 bytes where 34 are declared"));
  EXPECT_EQ(changed_section(per_column(), [](SplitImage& s) { s.directory_raw_bytes = 32; }),
            corrupt_at(76, "directory: lz4: corrupt block"));
}

TEST(HostileSection, WithADirectoryPastItsRecord) {
  const auto change = [](SplitImage& section) { section.directory_stored_bytes = 5000; };
  for (const DirectoryImage& image : {per_bank(), per_column()}) {
    EXPECT_EQ(changed_section(image, change), corrupt("the directory runs past its record"));
  }
}

TEST(HostileSection, WithAnotherEventCountThanTheHeader) {
  const auto change = [](SplitImage& section) { section.header_events = 3; };
  for (const DirectoryImage& image : {per_bank(), per_column()}) {
    EXPECT_EQ(changed_section(image, change),
              corrupt("split section says 2 events, the record header 3"));
  }
}

TEST(HostileSection, ThatIsTooShort) {
  HeaderImage header;
  header.length_words = 18;
  header.events = 1;
  header.compression_word = 14U << 28 | 4;
  EXPECT_EQ(outcome_of(joined({header.bytes(), Bytes(16)})),
            corrupt("split section of 16 bytes; it needs 20"));
}

TEST(HostileSection, ThatIsBigEndian) {
  for (const DirectoryImage& image : {per_bank(), per_column()}) {
    Bytes record = image.split().bytes();
    for (std::size_t word = 0; word < 10; ++word) {
      std::reverse(record.begin() + static_cast<std::ptrdiff_t>(4 * word),
                   record.begin() + static_cast<std::ptrdiff_t>(4 * word + 4));
    }
    EXPECT_EQ(outcome_of(record), corrupt("a split record cannot be big-endian"));
  }
}

TEST(HostileHeader, WithTheUnassignedTag) {
  Bytes record = per_column().split().bytes();
  record[39] = std::byte{0xF0};
  EXPECT_EQ(outcome_of(record), unsupported("compression tag 15 is not assigned"));
}

TEST(HostileHeader, WithAnotherMagic) {
  Bytes record = per_column().split().bytes();
  record[28] = std::byte{7};
  EXPECT_EQ(outcome_of(record), corrupt("no record here: its endian magic is wrong"));
}

TEST(HostileHeader, LongerThanItsRecordOrTooShort) {
  Bytes record = per_column().split().bytes();
  store_le(record.data() + 8, std::uint32_t{13});
  const std::string words = std::to_string(record.size() / 4);
  EXPECT_EQ(outcome_of(record), corrupt("record header of 13 words in a record of " + words));
  store_le(record.data() + 8, std::uint32_t{0xFFFFFFFF});
  EXPECT_EQ(outcome_of(record),
            corrupt("record header of 4294967295 words in a record of " + words));
}

}  // namespace
}  // namespace hipotool::test
