#include "layout/big_endian.hpp"

#include "support/error_of.hpp"
#include "support/library.hpp"

#include <gtest/gtest.h>

#include <string>

namespace hipotool::test {
namespace {

constexpr const char* kSchema = "{t/1/2}{a/B,b/S,c/I,d/L,e/F#2}";

// Row size 1 + 2 + 4 + 8 + 8 = 23.
Bytes two_rows() {
  return joined({packed(std::int8_t{1}, std::int8_t{2}),
                 packed(std::int16_t{0x1122}, std::int16_t{0x3344}), packed(0x01020304, 0x05060708),
                 packed(std::int64_t{0x1122334455667788}, std::int64_t{-2}),
                 packed(1.5F, 2.5F, 3.5F, 4.5F)});
}

TEST(BigEndian, IsPutRightInEveryKindOfBank) {
  const Dictionary dictionary = dictionary_of({kSchema});
  const EventImage event{0x80000001,
                         {{{1, 2}, two_rows()},
                          {{1, 2}, joined({two_rows(), packed('r')})},  // ragged: the rest stays
                          {{7, 7},
                           joined({text_bytes("bs,l"), packed('\0'),
                                   packed('x', std::int16_t{0x1234}, std::int64_t{5})}),
                           10,
                           5},
                          {{7, 8}, text_bytes("text"), 6},
                          {{300, 255}, packed(0x01020304)}},
                         0x11223344};
  const std::vector<Bytes> events = {event.bytes(), EventImage{}.bytes()};
  const auto record = decoded(big_endian_record(events, dictionary), dictionary);
  EXPECT_EQ(to_hex(encoded(batch_of({record}), {CodecId::none, LayoutId::per_chunk}, dictionary)),
            to_hex(whole_record(events, {.number = 0})));
}

TEST(BigEndian, LeavesBytesOfUnknownElementsAsTheyAre) {
  const Dictionary none;
  const Bytes big = joined({from_hex("00 00 00 1c"),
                            from_hex("45 56 4e 54  00 00 00 1c  00 00 00 07  00 00 00 00"),
                            from_hex("01 2c 07 03  00 00 00 04  01 02 03 04")});
  Bytes payload = big;
  RecordHeader header;
  header.event_count = 1;
  header.index_bytes = 4;
  layout::normalise_big_endian(header, none, payload);
  EXPECT_EQ(to_hex(payload), to_hex(from_hex("1c 00 00 00"
                                             "45 56 4e 54  1c 00 00 00  07 00 00 00  00 00 00 00"
                                             "2c 01 07 03  04 00 00 00  01 02 03 04")));
}

TEST(BigEndian, TurnsTheReversedMagicRound) {
  Bytes payload = joined({from_hex("00 00 00 10"), text_bytes("TNVE"),
                          from_hex("00 00 00 10 00 00 00 01 00 00 00 00")});
  RecordHeader header;
  header.event_count = 1;
  header.index_bytes = 4;
  layout::normalise_big_endian(header, Dictionary(), payload);
  EXPECT_EQ(to_hex(payload), to_hex(joined({packed(16U), EventImage{1}.bytes()})));
}

TEST(BigEndian, DoesNotTouchTheRecordsUserHeaderOrShortEvents) {
  Bytes payload = joined({from_hex("00 00 00 05"), text_bytes("user"), text_bytes("short")});
  RecordHeader header;
  header.event_count = 1;
  header.index_bytes = 4;
  header.user_header_bytes = 4;
  layout::normalise_big_endian(header, Dictionary(), payload);
  EXPECT_EQ(to_hex(payload), to_hex(joined({packed(5U), text_bytes("usershort")})));
}

TEST(BigEndian, StopsAtDamageThatTheWalkWillReport) {
  const Dictionary dictionary = dictionary_of({kSchema});
  Bytes event = EventImage{0, {{{1, 2}, two_rows()}}}.bytes();
  store_le(event.data() + 20, std::uint32_t{500});
  Bytes record = whole_record({event});
  for (std::size_t at = 0; at < 40; at += 4) {
    std::reverse(record.begin() + static_cast<std::ptrdiff_t>(at),
                 record.begin() + static_cast<std::ptrdiff_t>(at + 4));
  }
  for (const std::size_t at : {56U, 56U + 4 + 4, 56U + 4 + 8, 56U + 4 + 20}) {
    std::reverse(record.begin() + static_cast<std::ptrdiff_t>(at),
                 record.begin() + static_cast<std::ptrdiff_t>(at + 4));
  }
  std::swap(record[56 + 4 + 16], record[56 + 4 + 17]);
  EXPECT_EQ(error_of([&] { static_cast<void>(decoded(record, dictionary)); }),
            "corrupt: event 0: structure 1/2 of 500 bytes runs past its event");
}

}  // namespace
}  // namespace hipotool::test
