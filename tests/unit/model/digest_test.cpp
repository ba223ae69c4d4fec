#include "hipotool/digest.hpp"

#include <gtest/gtest.h>

#define XXH_INLINE_ALL
#include "support/library.hpp"
#include "support/random_file.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>
#include <xxhash.h>

namespace hipotool::test {
namespace {

EventHash hash_of(const Bytes& canonical) {
  const XXH128_hash_t hash = XXH3_128bits(canonical.data(), canonical.size());
  return {hash.high64, hash.low64};
}

std::vector<EventHash> hashes_of(const Record& record) {
  std::vector<EventHash> hashes;
  Buffer scratch;
  hash_events(record, hashes, scratch);
  return hashes;
}

Bytes named(const std::string& name) {
  return joined({packed(static_cast<std::uint32_t>(name.size())), text_bytes(name)});
}

// An event with one of each form, and its canonical bytes written by hand.
struct Example {
  std::vector<std::string> schemas = {"{b::z/1/1}{n/I,c/F#2}"};
  EventImage event{
      5,
      {{{1, 1}, packed(7, 8, 0.5F, 1.5F, 2.5F, 3.5F)},
       {{2, 3}, text_bytes("xyz"), 6},
       {{9, 9}, joined({text_bytes("i,f"), packed(std::uint8_t{0}, 1, 2.0F)}), 10, 4}}};
  Bytes canonical = joined({text_bytes("EV"),
                            packed(5U, 3U),
                            named("2/3"),
                            text_bytes("R"),
                            packed(std::uint8_t{6}, std::uint8_t{0}, 3U),
                            text_bytes("xyz"),
                            named("9/9"),
                            text_bytes("C"),
                            packed(4U),
                            text_bytes("i,f"),
                            packed(std::uint8_t{0}),
                            packed(8U, 1, 2.0F),
                            named("b::z"),
                            text_bytes("T"),
                            packed(2U, 2U),
                            named("n"),
                            text_bytes("I"),
                            packed(1U, 7, 8),
                            named("c"),
                            text_bytes("F"),
                            packed(2U, 0.5F, 1.5F, 2.5F, 3.5F)});
};

TEST(Digest, OfAnEventIsTheHashOfItsCanonicalBytes) {
  const Example example;
  const Dictionary dictionary = dictionary_of(example.schemas);
  for (const Compression& compression : all_compressions()) {
    const auto record =
        decoded(stored_record({example.event.bytes()}, compression, dictionary), dictionary);
    EXPECT_EQ(hashes_of(*record), std::vector{hash_of(example.canonical)})
        << to_string(compression);
  }
}

TEST(Digest, LeavesOutWhatSplitLayoutsCannotKeep) {
  const Example example;
  const Dictionary dictionary = dictionary_of(example.schemas);
  EventImage other = example.event;
  other.magic = "EV4a";
  other.reserved = 77;
  other.trailing = packed(std::uint8_t{1});
  std::swap(other.banks[0], other.banks[2]);
  other.banks[2].type = 3;  // of a table
  other.banks[0].type = 4;  // of a composite
  EXPECT_EQ(hashes_of(*decoded(whole_record({other.bytes()}), dictionary)),
            std::vector{hash_of(example.canonical)});
  other.banks[1].type = 5;  // of bytes that nothing else describes
  EXPECT_NE(hashes_of(*decoded(whole_record({other.bytes()}), dictionary)),
            std::vector{hash_of(example.canonical)});
}

TEST(Digest, OfBanksThatAreNoTablesKeepsTheirBytes) {
  const Dictionary dictionary = dictionary_of({"{a/1/1}{n/I}"});
  // Ragged by the schema, and a composite whose rows do not come out.
  const EventImage event{
      0, {{{1, 1}, packed(1, 'x')}, {{1, 2}, joined({text_bytes("i"), packed('y')}), 10, 1}}};
  const Bytes canonical =
      joined({text_bytes("EV"), packed(0U, 2U), named("1/2"), text_bytes("R"),
              packed(std::uint8_t{10}, std::uint8_t{1}, 2U), text_bytes("iy"), named("a"),
              text_bytes("R"), packed(std::uint8_t{11}, std::uint8_t{0}, 5U, 1, 'x')});
  EXPECT_EQ(hashes_of(*decoded(whole_record({event.bytes()}), dictionary)),
            std::vector{hash_of(canonical)});
}

// Events are hashed some at a time; what an event's neighbours hold must not matter.
TEST(Digest, OfAnEventIsTheSameWithAnyNeighbours) {
  const Dictionary dictionary = dictionary_of({"{a/1/1}{n/I,c/B,m/F#3}", "{z/2/1}{n/S}"});
  std::vector<Bytes> events;
  std::vector<EventHash> alone;
  for (std::uint32_t i = 0; i < 200; ++i) {
    EventImage event{i, {}};
    for (std::uint32_t bank = 0; bank < i % 4; ++bank) {  // up to three of one bank
      event.banks.push_back({{1, 1}, Bytes(std::size_t{17} * (i % 9), static_cast<std::byte>(i))});
    }
    if (i % 3 == 0) {
      event.banks.push_back({{1, 1}, text_bytes("ragged")});
      event.banks.push_back({{1, 1}, Bytes(17, std::byte{0x55})});
    }
    if (i % 5 != 0) {
      event.banks.push_back({{2, 1}, Bytes(std::size_t{2} * (i % 70), std::byte{7})});
      event.banks.push_back({{9, 9}, joined({text_bytes("i"), packed(i)}), 10, 1});
      event.banks.push_back({{9, 8}, Bytes(i, std::byte{1}), 6});
    }
    events.push_back(event.bytes());
    alone.push_back(hashes_of(*decoded(whole_record({event.bytes()}), dictionary)).front());
  }
  const auto record = decoded(whole_record(events), dictionary);
  EXPECT_EQ(hashes_of(*record), alone);
  std::vector<bool> chosen(events.size());
  std::vector<EventHash> wanted;
  for (std::size_t i = 0; i < events.size(); i += 1 + i / 10) {
    chosen[i] = true;
    wanted.push_back(alone[i]);
  }
  std::vector<EventHash> found;
  Buffer scratch;
  hash_events(*record, chosen, found, scratch);
  EXPECT_EQ(found, wanted);
}

// As `diff -b` does: of what was left out nothing is known, sizes of events neither.
TEST(Digest, OfSomeBanksIsThatOfEventsWithoutTheOthers) {
  const Dictionary dictionary = dictionary_of({"{a/1/1}{n/I}", "{z/2/1}{n/S}"});
  std::vector<Bytes> events;
  std::vector<EventHash> alone;
  for (std::uint32_t i = 0; i < 100; ++i) {
    const EventImage small{i, {{{1, 1}, packed(i)}}};
    const EventImage whole{i, {{{1, 1}, packed(i)}, {{2, 1}, Bytes(std::size_t{2} * i)}}};
    events.push_back(whole.bytes());
    alone.push_back(hashes_of(*decoded(whole_record({small.bytes()}), dictionary)).front());
  }
  for (const Compression& compression : all_compressions()) {
    const auto record = decoded(stored_record(events, compression, dictionary), dictionary,
                                Projection::nothing().add({1, 1}));
    EXPECT_EQ(hashes_of(*record), alone) << to_string(compression);
  }
}

TEST(Digest, TellsAZeroRowBankFromAnAbsentOne) {
  const Dictionary dictionary = dictionary_of({"{a/1/1}{n/I}"});
  const Bytes canonical = joined({text_bytes("EV"), packed(0U, 1U), named("a"), text_bytes("T"),
                                  packed(1U, 0U), named("n"), text_bytes("I"), packed(1U)});
  for (const Compression& compression : all_compressions()) {
    const Bytes record =
        stored_record(images({{0, {{{1, 1}, {}}}}, {0, {}}}), compression, dictionary);
    EXPECT_EQ(
        hashes_of(*decoded(record, dictionary)),
        (std::vector{hash_of(canonical), hash_of(joined({text_bytes("EV"), packed(0U, 0U)}))}));
  }
}

TEST(Digest, OrdersBanksByNameAsBytes) {
  const Dictionary dictionary = dictionary_of({"{Z/1/1}{n/B}", "{a/1/2}{n/B}", "{A::b/1/3}{n/B}"});
  const auto table = [](const char* name, std::int8_t value) {
    return joined({named(name), text_bytes("T"), packed(1U, 1U), named("n"), text_bytes("B"),
                   packed(1U, value)});
  };
  const EventImage event{0,
                         {{{1, 1}, packed(std::int8_t{1})},
                          {{1, 2}, packed(std::int8_t{2})},
                          {{1, 3}, packed(std::int8_t{3})}}};
  const Bytes canonical =
      joined({text_bytes("EV"), packed(0U, 3U), table("A::b", 3), table("Z", 1), table("a", 2)});
  EXPECT_EQ(hashes_of(*decoded(whole_record({event.bytes()}), dictionary)),
            std::vector{hash_of(canonical)});
}

TEST(Digest, ChainsHashesInOrderAndAddsThemWithoutOne) {
  const EventHash a{0x0123456789abcdef, 0xfedcba9876543210};
  const EventHash b{0x1111111111111111, 0x2222222222222222};
  DigestBuilder builder;
  const EventHash both[] = {a, b};
  builder.add(both);
  const Digest digest = builder.finish();
  const Bytes chain =
      from_hex("0123456789abcdef fedcba9876543210 1111111111111111 2222222222222222");
  const EventHash chained = hash_of(chain);
  EXPECT_EQ(digest.ordered, fmt::format("{:016x}{:016x}", chained.high, chained.low));
  // fedc..3210 + 2222..2222 carries into the high half.
  EXPECT_EQ(digest.unordered,
            "12345678"
            "9abcdf01"
            "20fedcba"
            "98765432");
  EXPECT_EQ(digest.events, 2U);
}

TEST(Digest, OfNoEventsIsTheHashOfNothing) {
  const Digest digest = DigestBuilder().finish();
  EXPECT_EQ(digest.ordered, "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(digest.unordered, std::string(32, '0'));
  EXPECT_EQ(digest.events, 0U);
}

TEST(Digest, WithoutOrderAddsUpModuloTwoToThe128) {
  const EventHash most{UINT64_MAX, UINT64_MAX};
  const EventHash one{0, 1};
  DigestBuilder builder;
  builder.add({&most, 1});
  builder.add({&one, 1});
  EXPECT_EQ(builder.finish().unordered, std::string(32, '0'));
}

TEST(Digest, OfABankWhoseSchemaHasNoColumnsIsTheSameInEveryLayout) {
  const Dictionary dictionary = dictionary_of({"{empty/1/1}{}"});
  const Bytes event = EventImage{3, {{{1, 1}, packed(1, 2), 4}}}.bytes();
  const auto expected = hashes_of(*decoded(whole_record({event}), dictionary));
  for (const Compression& compression : all_compressions()) {
    EXPECT_EQ(hashes_of(*decoded(stored_record({event}, compression, dictionary), dictionary)),
              expected)
        << to_string(compression);
  }
}

}  // namespace
}  // namespace hipotool::test
