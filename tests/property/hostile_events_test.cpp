// Whole records that nobody writes, each with one lie in it.

#include "property/hostile_file.hpp"

#include <gtest/gtest.h>

#include <string>

namespace hipotool::test {
namespace {

EventImage one_row() {
  return {3, {{{1, 2}, packed(5)}}};
}

TEST(HostileEvents, WithFewerIndexBytesThanEvents) {
  Bytes record = whole_record({one_row().bytes(), one_row().bytes()});
  store_le(record.data() + 16, std::uint32_t{7});
  EXPECT_EQ(outcome_of(record), corrupt("2 events, but an index of 7 bytes"));
}

TEST(HostileEvents, PastThePayload) {
  Bytes record = whole_record({one_row().bytes()});
  store_le(record.data() + 56, std::uint32_t{29});
  EXPECT_EQ(outcome_of(record),
            corrupt("event 0: an event of 29 bytes runs past its record's payload"));
  store_le(record.data() + 56, std::uint32_t{0xFFFFFFFF});
  EXPECT_EQ(outcome_of(record),
            corrupt("event 0: an event of 4294967295 bytes runs past its record's payload"));
  // The same in a big-endian record, where sizes are needed before events are looked at.
  Bytes big = big_endian_record({one_row().bytes()}, dictionary_of({"{T::n/1/2}{n/I}"}));
  big[56] = std::byte{0x10};
  EXPECT_EQ(outcome_of(big),
            corrupt("event 0: an event of 268435484 bytes runs past its record's payload"));
}

TEST(HostileEvents, WithAnotherLengthThanTheIndexSays) {
  Bytes event = one_row().bytes();
  store_le(event.data() + 4, std::uint32_t{24});
  EXPECT_EQ(outcome_of(whole_record({one_row().bytes(), event})),
            corrupt("event 1: event header says 24 bytes, the record's index 28"));
}

TEST(HostileEvents, WithAnotherMagic) {
  Bytes event = one_row().bytes();
  event[0] = std::byte{'X'};
  EXPECT_EQ(outcome_of(whole_record({event})),
            corrupt("event 0: event header: its magic does not begin with EV"));
}

TEST(HostileEvents, WithAStructurePastTheirEnd) {
  Bytes event = one_row().bytes();
  store_le(event.data() + 20, std::uint32_t{5});
  EXPECT_EQ(outcome_of(whole_record({event})),
            corrupt("event 0: structure 1/2 of 5 bytes runs past its event"));
}

TEST(HostileEvents, WithAFormatLongerThanItsData) {
  Bytes event = one_row().bytes();
  store_le(event.data() + 20, std::uint32_t{5U << 24 | 4U});
  EXPECT_EQ(outcome_of(whole_record({event})),
            corrupt("event 0: structure 1/2: its format string is longer than its data"));
}

TEST(HostileEvents, OfFourGiBInATinyRecord) {
  const char* const codecs[] = {"none", "lz4", "lz4hc", "gzip", "zstd"};
  for (std::uint32_t tag = 0; tag <= 4; ++tag) {
    Bytes record = whole_record({one_row().bytes()});
    store_le(record.data() + 36, tag << 28 | 8U);
    store_le(record.data() + 32, std::uint32_t{0xFFFF0000 - 4});
    EXPECT_EQ(
        outcome_of(record),
        unsupported("a record that inflates to 4294901760 bytes; at most 4 GiB are supported"));
    store_le(record.data() + 32, std::uint32_t{0xFFFE0000 - 4});
    EXPECT_EQ(outcome_of(record), corrupt(std::string(codecs[tag]) +
                                          ": 32 stored bytes cannot hold the 4294836224 bytes "
                                          "announced"));
  }
}

TEST(HostileEvents, OfAHugeIndex) {
  Bytes record = whole_record({one_row().bytes()});
  store_le(record.data() + 12, std::uint32_t{0x3FFFFFFF});
  store_le(record.data() + 16, std::uint32_t{0xFFFFFFFC});
  EXPECT_EQ(outcome_of(record),
            unsupported("a record that inflates to 4294967320 bytes; at most 4 GiB are supported"));
}

TEST(HostileEvents, ThatInflateToLessThanDeclared) {
  const Bytes payload = joined({packed(std::uint32_t{28}), one_row().bytes()});
  const Bytes block = lz4_block(payload);
  Bytes padded = block;
  padded.resize((block.size() + 3) & ~std::size_t{3});
  HeaderImage header;
  header.length_words = static_cast<std::uint32_t>(14 + padded.size() / 4);
  header.events = 1;
  header.index_bytes = 4;
  header.bit_info |= static_cast<std::uint32_t>(padded.size() - block.size()) << 24;
  header.data_bytes = 28;
  header.compression_word = 1U << 28 | static_cast<std::uint32_t>(padded.size() / 4);
  EXPECT_EQ(outcome_of(joined({header.bytes(), padded})), "no error");
  header.data_bytes = 29;
  EXPECT_EQ(outcome_of(joined({header.bytes(), padded})),
            corrupt_at(56, "lz4: inflates to 32 bytes where 33 are declared"));
  header.data_bytes = 20;  // old files declare a little less than there is
  EXPECT_EQ(outcome_of(joined({header.bytes(), padded})), "no error");
}

}  // namespace
}  // namespace hipotool::test
