#include "hipotool/record.hpp"

#include "support/error_of.hpp"
#include "support/library.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace hipotool::test {
namespace {

Dictionary two_schemas() {
  return dictionary_of({"{z/1/1}{n/I,b/B}", "{a/1/2}{n/I}"});
}

EventImage three_banks() {
  return {4,
          {{{1, 2}, packed(9)}, {{5, 5}, text_bytes("abc"), 6}, {{1, 1}, packed(1, 2, 'x', 'y')}}};
}

std::string order_of(const Record& record, EventCursor::Order order, std::uint32_t event = 0) {
  EventCursor cursor(record, order);
  cursor.skip_to(event);
  EXPECT_TRUE(cursor.next());
  EXPECT_EQ(cursor.event(), event);
  std::string names;
  for (const BankView& bank : cursor.banks()) {
    names += bank.name() + " ";
  }
  return names;
}

TEST(EventCursor, OrdersBanksAsAsked) {
  const Dictionary dictionary = two_schemas();
  const std::vector<Bytes> events = images({{}, three_banks()});
  const auto whole = decoded(whole_record(events), dictionary);
  EXPECT_EQ(order_of(*whole, EventCursor::Order::by_key, 1), "z a 5/5 ");
  EXPECT_EQ(order_of(*whole, EventCursor::Order::as_stored, 1), "a 5/5 z ");
  for (const LayoutId layout : {LayoutId::per_bank, LayoutId::per_column}) {
    const auto split = decoded(
        stored_record(events, compression_of(CodecId::lz4, layout), dictionary), dictionary);
    EXPECT_EQ(order_of(*split, EventCursor::Order::by_key, 1), "z a 5/5 ");
    EXPECT_EQ(order_of(*split, EventCursor::Order::as_stored, 1), "z a 5/5 ");
  }
}

TEST(EventCursor, VisitsEveryEventOnceAndStops) {
  const Dictionary dictionary = two_schemas();
  const auto record = decoded(whole_record(images({three_banks(), {}, three_banks()})), dictionary);
  EventCursor cursor(*record);
  std::vector<std::size_t> banks;
  while (cursor.next()) {
    EXPECT_EQ(cursor.event(), banks.size());
    banks.push_back(cursor.banks().size());
  }
  EXPECT_EQ(banks, (std::vector<std::size_t>{3, 0, 3}));
  EXPECT_FALSE(cursor.next());
}

TEST(EventCursor, ShowsARepeatedBankInStoredOrder) {
  const Dictionary dictionary = two_schemas();
  const EventImage event{0, {{{1, 2}, packed(7)}, {{1, 1}, {}}, {{1, 2}, packed(8)}}};
  const auto record = decoded(whole_record({event.bytes()}), dictionary);
  EXPECT_EQ(order_of(*record, EventCursor::Order::by_key), "z a a ");
  EXPECT_EQ(order_of(*record, EventCursor::Order::as_stored), "a z a ");
  // Readers take the first.
  EXPECT_EQ(record->bank(0, {1, 2})->column<std::int32_t>(0)[0], 7);
  EXPECT_TRUE(record->oddity(0)->has(Oddity::repeated_bank));
}

TEST(BankView, GivesRowsAndColumnsInEveryLayout) {
  const Dictionary dictionary = two_schemas();
  for (const Compression& compression : all_compressions()) {
    const auto record =
        decoded(stored_record({three_banks().bytes()}, compression, dictionary), dictionary);
    const BankView bank = record->bank(0, {1, 1}).value();
    EXPECT_EQ(bank.rows(), 2U);
    EXPECT_EQ(bank.column<std::int32_t>(0).size(), 2U);
    EXPECT_EQ(bank.column<std::int32_t>(0)[1], 2);
    EXPECT_EQ(bank.column<std::int8_t>(1)[0], 'x');
    EXPECT_EQ(bank.form(), BankForm::table);
    Bytes copy(bank.size());
    bank.copy_bytes(copy.data());
    EXPECT_EQ(to_hex(copy), to_hex(packed(1, 2, 'x', 'y')));
    EXPECT_EQ(bank.contiguous_bytes().has_value(), compression.layout != LayoutId::per_column);
    EXPECT_EQ(record->bank(0, {1, 9}), std::nullopt);
    EXPECT_EQ(record->find({1, 9}), nullptr);
  }
}

TEST(BankView, KnowsTheFormOfItsBytes) {
  const Dictionary dictionary = two_schemas();
  const auto form = [&](StructureImage bank) {
    const EventImage event{0, {std::move(bank)}};
    const auto record = decoded(whole_record({event.bytes()}), dictionary);
    return record->bank(0, event.banks[0].key)->form();
  };
  EXPECT_EQ(form({{1, 2}, packed(1, 2)}), BankForm::table);
  EXPECT_EQ(form({{1, 2}, {}}), BankForm::table);
  EXPECT_EQ(form({{1, 2}, packed(1, 'x')}), BankForm::opaque);
  EXPECT_EQ(form({{5, 5}, packed(1)}), BankForm::opaque);
  // A format string makes a composite of anything, whatever its type says.
  EXPECT_EQ(form({{1, 2}, joined({text_bytes("i"), packed(1)}), 11, 1}), BankForm::composite);
  EXPECT_EQ(form({{5, 5}, text_bytes("i"), 10, 1}), BankForm::composite);
  EXPECT_EQ(form({{5, 5}, joined({text_bytes("i"), packed('x')}), 10, 1}), BankForm::opaque);
  EXPECT_EQ(form({{5, 5}, text_bytes("?!"), 10, 2}), BankForm::opaque);
}

TEST(BankView, RefusesToReadOtherFormsAsTables) {
  const Dictionary dictionary = two_schemas();
  const EventImage event{0, {{{1, 2}, packed(1, 'x')}, {{5, 5}, packed(1)}}};
  const auto record = decoded(whole_record({event.bytes()}), dictionary);
  EXPECT_EQ(error_of([&] {
              static_cast<void>(record->bank(0, {1, 2})->rows());
            }),
            "type_mismatch: bank a is not a table in this event");
  EXPECT_EQ(error_of([&] {
              static_cast<void>(record->bank(0, {5, 5})->column_bytes(0));
            }),
            "type_mismatch: bank 5/5 is not a table in this event");
}

TEST(CompositeFields, AreItsKnownLetters) {
  const auto fields = [](const char* format) { return composite_fields(text_bytes(format)); };
  using enum ColumnType;
  EXPECT_EQ(fields("bsifdl"), (std::vector{i8, i16, i32, f32, f64, i64}));
  EXPECT_EQ(fields("i, f"), (std::vector{i32, f32}));
  EXPECT_EQ(fields("3f"), (std::vector{f32}));
  EXPECT_EQ(fields("IFD?"), std::vector<ColumnType>{});
  EXPECT_EQ(composite_fields(joined({text_bytes("if"), packed('\0', '\0')})),
            (std::vector{i32, f32}));
}

// ---- what split layouts have no place for

EventImage odd_event() {
  EventImage event = three_banks();
  event.reserved = 0x1234;
  event.trailing = packed('t', 'r', 'a');
  return event;
}

Bytes plain_again(const std::shared_ptr<const Record>& record, const Dictionary& dictionary) {
  return encoded(batch_of({record}), {CodecId::none, LayoutId::per_chunk}, dictionary);
}

TEST(Oddities, AreNotedAndKept) {
  const Dictionary dictionary = two_schemas();
  const std::vector<Bytes> events = {three_banks().bytes(), odd_event().bytes(), packed(1, 2)};
  const auto record = decoded(whole_record(events, {.user_header = packed('u')}), dictionary);
  EXPECT_EQ(record->oddity(0), nullptr);
  EXPECT_TRUE(record->oddity(1)->has(Oddity::reserved_word));
  EXPECT_TRUE(record->oddity(1)->has(Oddity::trailing_bytes));
  EXPECT_EQ(record->oddity(1)->trailing_bytes, 3);
  EXPECT_TRUE(record->oddity(2)->has(Oddity::short_event));
  EXPECT_EQ(record->tag(2), 0U);
  EXPECT_EQ(record->user_header.size(), 1U);
  EXPECT_EQ(to_hex(plain_again(record, dictionary)),
            to_hex(whole_record(events, {.number = 0, .user_header = packed('u')})));
}

TEST(Oddities, AreLeftOutOnRequestOneByOne) {
  const Dictionary dictionary = two_schemas();
  const std::vector<Bytes> events = {odd_event().bytes(), packed(1, 2)};
  const Bytes stored = whole_record(events, {.user_header = packed('u')});
  const auto without = [&](std::initializer_list<Oddity> kinds) {
    CodecContext context;
    RecordDirectory directory;
    const StoredRecord borrowed = StoredRecord::borrow(stored);
    read_directory(borrowed, context, directory);
    auto record = std::make_shared<Record>();
    decode(borrowed, directory, dictionary, Projection::everything(), context, *record);
    std::uint8_t bits = 0;
    for (const Oddity kind : kinds) {
      bits = static_cast<std::uint8_t>(bits | static_cast<std::uint8_t>(kind));
    }
    record->discard(bits);
    return to_hex(plain_again(record, dictionary));
  };
  EventImage no_word = odd_event();
  no_word.reserved = 0;
  EXPECT_EQ(without({Oddity::reserved_word}),
            to_hex(whole_record({no_word.bytes(), events[1]},
                                {.number = 0, .user_header = packed('u')})));
  EventImage no_bytes = odd_event();
  no_bytes.trailing.clear();
  EXPECT_EQ(without({Oddity::trailing_bytes}),
            to_hex(whole_record({no_bytes.bytes(), events[1]},
                                {.number = 0, .user_header = packed('u')})));
  EXPECT_EQ(without({Oddity::short_event}),
            to_hex(whole_record({events[0], EventImage{}.bytes()},
                                {.number = 0, .user_header = packed('u')})));
  EXPECT_EQ(without({Oddity::record_user_header}), to_hex(whole_record(events, {.number = 0})));
  EXPECT_EQ(without({Oddity::reserved_word, Oddity::trailing_bytes, Oddity::short_event,
                     Oddity::record_user_header}),
            to_hex(whole_record({three_banks().bytes(), EventImage{}.bytes()}, {.number = 0})));
}

TEST(Oddities, HaveOneSpelling) {
  for (const Oddity oddity : kOddities) {
    EXPECT_EQ(parse_oddity(to_string(oddity)), oddity);
  }
  EXPECT_EQ(to_string(Oddity::reserved_word), "reserved-word");
  EXPECT_EQ(parse_oddity("reserved_word"), std::nullopt);
}

// ---- sizes

TEST(LargestBankMemory, IsStoredInEveryLayout) {
  // 16,777,215 bytes, the most that 24 bits can say.
  const Dictionary dictionary = dictionary_of({"{big/1/1}{b/B}"});
  const Bytes event = EventImage{0, {{{1, 1}, Bytes(0xFFFFFF, std::byte{7})}}}.bytes();
  const auto source = decoded(whole_record({event}), dictionary);
  for (const LayoutId layout : kLayouts) {
    const Bytes stored =
        encoded(batch_of({source}), compression_of(CodecId::lz4, layout), dictionary);
    const auto back = decoded(stored, dictionary);
    require_equal(batch_of({source}), *back);
    EXPECT_EQ(back->bank(0, {1, 1})->rows(), 0xFFFFFFU);
  }
}

TEST(LargestBankMemory, PlusOneByteIsRefusedByEveryLayout) {
  // 4,194,304 rows of 4 bytes: the size word would say 0, and a format string of one byte.
  const Dictionary dictionary = dictionary_of({"{big/1/1}{n/I}"});
  auto record = std::make_shared<Record>();
  constexpr std::uint32_t kSize = 0x1000000;
  record->payload.resize_discard(kSize);
  std::fill_n(record->payload.data(), kSize, std::byte{0});
  record->tags = {0};
  record->event_sizes = {16 + 8 + kSize};
  BankBlock& block = record->add_block({1, 1}, dictionary.find(BankKey{1, 1}));
  block.bytes = record->payload.span();
  block.occurrences = {{.event = 0, .size = kSize, .type = 11}};
  for (const LayoutId layout : kLayouts) {
    EXPECT_EQ(error_of([&] {
                static_cast<void>(
                    encoded(batch_of({record}), compression_of(CodecId::none, layout), dictionary));
              }),
              "not_representable: big: a bank of 16777216 bytes; the format holds 16777215");
  }
}

}  // namespace
}  // namespace hipotool::test
