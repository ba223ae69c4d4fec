#include "hipotool/compare.hpp"

#include "support/error_of.hpp"
#include "support/fixtures.hpp"
#include "support/library.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace hipotool::test {
namespace {

constexpr BankKey kTable{1, 1};
constexpr BankKey kRun{10000, 11};
constexpr BankKey kComposite{2, 2};
constexpr BankKey kOpaque{3, 3};
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

// Two rows of {i/I,f/F,d/D,l/L,s/S,b/B,v/F#2}.
Bytes table(std::int32_t i, float f, double d, float v) {
  return packed(i, 2, f, 0.5F, d, 1e-300, (std::int64_t{1} << 53) + 1, std::int64_t{4},
                std::int16_t{5}, std::int16_t{6}, std::int8_t{-1}, std::int8_t{8}, 0.1F, v, 0.3F,
                0.4F);
}

StructureImage run_config(std::int32_t run, std::int32_t event) {
  return {kRun, packed(run, event)};
}

// Three events in two records; what is compared with it is a changed copy.
struct Content {
  std::vector<EventImage> events;
  FileImage file;
  UserWords words{};
};

Content original() {
  Content content;
  content.file.schemas = {"{A::a/1/1}{i/I,f/F,d/D,l/L,s/S,b/B,v/F#2}",
                          "{RUN::config/10000/11}{run/I,event/I}", "{C::c/2/2}{i/I}"};
  content.events = {
      EventImage{0, {run_config(5, 1), {kTable, table(1, 2.5F, 0.25, 0.2F)}}},
      EventImage{1, {run_config(5, 1), {kComposite, joined({text_bytes("i"), packed(7)}), 10, 1}}},
      EventImage{0, {run_config(5, 2), {kOpaque, packed(1, 2), 6}}}};
  return content;
}

FileReader open(Content content) {
  const std::vector<Bytes> all = images(content.events);
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  content.file.records = {whole_record({all.begin(), middle}, {.words = content.words}),
                          whole_record({middle, all.end()})};
  return open_bytes(content.file.bytes());
}

std::string place_of(const Difference& difference) {
  std::string text = difference.bank;
  if (!difference.column.empty()) {
    text += "." + difference.column;
  }
  if (difference.row) {
    text += fmt::format(" row {}", *difference.row);
  }
  if (difference.element) {
    text += fmt::format(" element {}", *difference.element);
  }
  return text;
}

// "3 tag 0|1" for each difference: its event in A (or "b" and that in B), what and where.
std::string lines_of(const Comparison& comparison) {
  std::string lines;
  for (const Difference& difference : comparison.differences) {
    std::string event = difference.event_a ? std::to_string(*difference.event_a) : "-";
    if (difference.event_b && difference.event_b != difference.event_a) {
      event += fmt::format("/{}", *difference.event_b);
    }
    lines += fmt::format("{} {} {}: {}|{}\n", event, to_string(difference.kind),
                         place_of(difference), difference.a, difference.b);
  }
  return lines;
}

Comparison compared(const Content& a, const Content& b, const CompareOptions& options = {}) {
  return compare(open(a), open(b), options);
}

struct Change {
  std::string name;
  std::function<void(Content&)> make;
  std::string lines;
  CompareOptions options{};
};

TEST(Compare, FindsEveryKindOfDifference) {
  const auto bank = [](Content& content, std::size_t event) -> StructureImage& {
    return content.events[event].banks[1];
  };
  const std::vector<Change> changes{
      {"nothing", [](Content&) {}, ""},
      {"a whole number", [&](Content& c) { bank(c, 0).data = table(9, 2.5F, 0.25, 0.2F); },
       "0 value A::a.i row 0: 1|9\n"},
      {"a float", [&](Content& c) { bank(c, 0).data = table(1, 2.75F, 0.25, 0.2F); },
       "0 value A::a.f row 0: 2.5|2.75\n"},
      {"a double and an element",
       [&](Content& c) { bank(c, 0).data = table(1, 2.5F, 1e-300, 0.1F); },
       "0 value A::a.d row 0: 0.25|1e-300\n0 value A::a.v row 0 element 1: 0.2|0.1\n"},
      {"a number that became none",
       [&](Content& c) { bank(c, 0).data = table(1, kNaN, 0.25, 0.2F); },
       "0 value A::a.f row 0: 2.5|nan\n"},
      {"a tag", [](Content& c) { c.events[2].tag = 4; }, "2 tag : 0|4\n"},
      {"a bank gone", [](Content& c) { c.events[2].banks.pop_back(); },
       "2 bank 3/3: 8 bytes of type 6|\n"},
      {"a bank twice", [&](Content& c) { c.events[0].banks.push_back(bank(c, 0)); },
       "0 bank A::a: |2 rows\n"},
      {"rows", [&](Content& c) { bank(c, 0).data.clear(); }, "0 rows A::a: 2|0\n"},
      {"a composite's value", [&](Content& c) { bank(c, 1).data[1] = std::byte{8}; },
       "1 value C::c element 1: 0x07|0x08\n"},
      {"opaque bytes", [&](Content& c) { bank(c, 2).data.pop_back(); },
       "2 rows 3/3: 8 bytes|7 bytes\n"},
      {"an opaque type", [&](Content& c) { bank(c, 2).type = 5; },
       "2 shape 3/3: 8 bytes of type 6|8 bytes of type 5\n"},
      {"an event more", [](Content& c) { c.events.push_back({}); }, "-/3 event : |only here\n"},
      {"an event less", [](Content& c) { c.events.pop_back(); }, "2 event : only here|\n"},
      {"a reserved word", [](Content& c) { c.events[1].reserved = 7; },
       "1 reserved-word : 0x0|0x7\n"},
      {"user words",
       [](Content& c) {
         c.words = {3, 4};
       },
       "0 user-words : 0x0, 0x0|0x3, 0x4\n"},
      {"a schema more", [](Content& c) { c.file.schemas.push_back("{Z::z/9/9}{a/I}"); },
       "- schema Z::z: |{Z::z/9/9}{a/I}\n"},
      {"a configuration entry",
       [](Content& c) {
         c.file.dictionary = {configuration_event({"key", "value"})};
       },
       "- configuration key: |value\n"},
      {"a tag name",
       [](Content& c) {
         c.file.dictionary = {tag_names_event(std::vector<TagName>{{"dvcs", 3}})};
       },
       "- tag-name dvcs: |bit 3\n"},
  };
  for (const Change& change : changes) {
    Content changed = original();
    change.make(changed);
    const Comparison comparison = compared(original(), changed);
    EXPECT_EQ(lines_of(comparison), change.lines) << change.name;
    EXPECT_EQ(comparison.same(), change.lines.empty()) << change.name;
  }
}

TEST(Compare, LeavesOutWhatIsOfNoInterest) {
  const std::vector<Change> changes{
      {"within the absolute tolerance",
       [](Content& c) { c.events[0].banks[1].data = table(1, 2.5625F, 0.3125, 0.2F); },
       "",
       {.absolute_tolerance = 0.0625}},
      {"beyond it",
       [](Content& c) { c.events[0].banks[1].data = table(1, 2.5625F, 0.3125, 0.2F); },
       "0 value A::a.f row 0: 2.5|2.5625\n0 value A::a.d row 0: 0.25|0.3125\n",
       {.absolute_tolerance = 0.0624}},
      {"within the relative tolerance",
       [](Content& c) { c.events[0].banks[1].data = table(1, 2.5625F, 0.3125, 0.2F); },
       "0 value A::a.d row 0: 0.25|0.3125\n",
       {.relative_tolerance = 0.03}},
      {"no tolerance for what is no number",
       [](Content& c) {
         c.events[0].banks[1].data = table(1, std::numeric_limits<float>::infinity(), kNaN, 0.2F);
       },
       "0 value A::a.f row 0: 2.5|inf\n0 value A::a.d row 0: 0.25|nan\n",
       {.absolute_tolerance = 1e9, .relative_tolerance = 1e9}},
      {"whole numbers have no tolerance",
       [](Content& c) { c.events[0].banks[1].data = table(2, 2.5F, 0.25, 0.2F); },
       "0 value A::a.i row 0: 1|2\n",
       {.absolute_tolerance = 10}},
      {"a column ignored",
       [](Content& c) { c.events[0].banks[1].data = table(2, 0, 0.25, 0.2F); },
       "0 value A::a.i row 0: 1|2\n",
       {.ignored = {"A::*.f"}}},
      {"a bank ignored",
       [](Content& c) { c.events[0].banks.pop_back(); },
       "",
       {.ignored = {"A::a"}}},
      {"other banks",
       [](Content& c) { c.events[0].banks.pop_back(); },
       "",
       {.banks = {"RUN::*", "C::c"}}},
      {"events only",
       [](Content& c) {
         c.words = {1, 1};
       },
       "",
       {.events_only = true}},
      {"no more than asked for",
       [](Content& c) { c.events[0].banks[1].data = table(2, 0, 0.25, 0.2F); },
       "0 value A::a.i row 0: 1|2\n",
       {.differences_kept = 1}},
  };
  for (const Change& change : changes) {
    Content changed = original();
    change.make(changed);
    EXPECT_EQ(lines_of(compared(original(), changed, change.options)), change.lines) << change.name;
  }
}

TEST(Compare, CountsValuesByColumn) {
  Content changed = original();
  changed.events[0].banks[1].data = table(5, 2.75F, 0.25, 0.2F);
  const Comparison comparison = compared(original(), changed, {.differences_kept = 0});
  EXPECT_TRUE(comparison.differences.empty());
  EXPECT_EQ(comparison.events_different, 1U);
  ASSERT_EQ(comparison.columns.size(), 2U);
  EXPECT_EQ(comparison.columns.at({"A::a", "i"}).values, 1U);
  EXPECT_EQ(comparison.columns.at({"A::a", "i"}).largest, 4.0);
  EXPECT_EQ(comparison.columns.at({"A::a", "f"}).largest, 0.25);
}

TEST(Compare, TakesTwoNaNAsEqualWhateverTheirBits) {
  const auto with_bits = [](std::uint32_t bits) {
    Content content = original();
    Bytes data = table(1, 0, 0.25, 0.2F);
    const Bytes value = packed(bits);
    std::copy(value.begin(), value.end(), data.begin() + 8);
    content.events[0].banks[1].data = data;
    return content;
  };
  const Comparison comparison = compared(with_bits(0x7FC00000), with_bits(0x7FC00001));
  EXPECT_NE(comparison.digest_a.ordered, comparison.digest_b.ordered);
  EXPECT_TRUE(comparison.same()) << lines_of(comparison);
  EXPECT_EQ(lines_of(compared(with_bits(0x80000000), with_bits(0))),
            "0 value A::a.f row 0: -0|0\n");
}

TEST(Compare, SaysThatOnlyTheOrderDiffers) {
  Content turned = original();
  std::swap(turned.events[0], turned.events[2]);
  const Comparison comparison = compared(original(), turned);
  EXPECT_TRUE(comparison.other_order);
  EXPECT_FALSE(comparison.same());
  EXPECT_EQ(lines_of(comparison), "");
  EXPECT_TRUE(compared(original(), turned, {.by_event_number = true}).same());
}

// The scaler event (tag 1) carries the number of the event before it.
TEST(Compare, PairsByRunEventNumberAndTag) {
  Content turned = original();
  std::swap(turned.events[0], turned.events[1]);
  turned.events.erase(turned.events.begin() + 2);
  turned.events[1].banks[1].data = table(9, 2.5F, 0.25, 0.2F);
  EXPECT_EQ(lines_of(compared(original(), turned, {.by_event_number = true})),
            "0/1 value A::a.i row 0: 1|9\n2 event : only here|\n");
  Content other_tag = original();
  other_tag.events[2].tag = 9;
  EXPECT_EQ(lines_of(compared(original(), other_tag, {.by_event_number = true})), "2 tag : 0|9\n");
}

TEST(Compare, SeesWhatAnotherSchemaMakesOfABank) {
  Content changed = original();
  changed.file.schemas[1] = "{RUN::config/10000/11}{run/F,number/I}";
  EXPECT_EQ(lines_of(compared(original(), changed, {.events_only = true})),
            "0 shape RUN::config.run: I|F\n0 shape RUN::config.event: I|\n"
            "0 shape RUN::config.number: |I\n1 shape RUN::config.run: I|F\n"
            "1 shape RUN::config.event: I|\n1 shape RUN::config.number: |I\n"
            "2 shape RUN::config.run: I|F\n2 shape RUN::config.event: I|\n"
            "2 shape RUN::config.number: |I\n");
}

TEST(Compare, RefusesNamesThatNeitherFileHas) {
  const auto refusal = [](const CompareOptions& options) {
    return error_of([&] { static_cast<void>(compared(original(), original(), options)); });
  };
  EXPECT_EQ(
      refusal({.banks = {"A::b"}}),
      "not_found: file.hipo: no bank A::b in the dictionary; the nearest names are A::a, C::c; "
      "file.hipo has none either");
  EXPECT_EQ(refusal({.ignored = {"A::a.j"}}), "not_found: bank A::a has no column j");
  EXPECT_EQ(refusal({.absolute_tolerance = -1}),
            "invalid_argument: a tolerance is a number of 0 or more");
  Content without = original();
  without.file.schemas.erase(without.file.schemas.begin() + 1);
  EXPECT_EQ(error_of([&] {
              static_cast<void>(compared(without, original(), {.by_event_number = true}));
            }).substr(0, 31),
            "not_found: no bank RUN::config ");
}

// Every way of storing records against the first, with one thread and with several.
TEST(Compare, SeesNoDifferenceInLayoutOrCodec) {
  const FileReader first = open_bytes(fixture_content().bytes());
  for (const Compression& compression : all_compressions()) {
    if (compression.encodings != Encodings::none) {
      continue;
    }
    const FileReader stored = open_bytes(
        read_bytes(std::filesystem::path(HIPO_TEST_DATA_DIR) / fixture_name(compression)));
    for (const unsigned threads : {1U, 3U}) {
      const Comparison comparison = compare(first, stored, {.threads = threads});
      EXPECT_TRUE(comparison.same()) << fixture_name(compression) << lines_of(comparison);
    }
  }
}

// What differs is the same in every layout, and for any number of threads.
TEST(Compare, FindsTheSameDifferencesInEveryLayout) {
  FileImage changed = fixture_content();
  const Dictionary dictionary(changed.dictionary_events());
  const std::shared_ptr<const Record> record = decoded(changed.records[0], dictionary);
  std::vector<Bytes> events;
  for (std::uint32_t event = 0; event < record->event_count(); ++event) {
    const ByteSpan image = record->image(event).value();
    events.emplace_back(image.begin(), image.end());
  }
  events[0][24] ^= std::byte{1};  // the first pid
  events[2] = EventImage{0, {}}.bytes();
  changed.records[0] = whole_record(events, {.words = record->user_words});
  const FileReader other = open_bytes(changed.bytes());
  std::string first;
  for (const Compression& compression : all_compressions()) {
    if (compression.encodings != Encodings::none) {
      continue;
    }
    const FileReader stored = open_bytes(
        read_bytes(std::filesystem::path(HIPO_TEST_DATA_DIR) / fixture_name(compression)));
    for (const unsigned threads : {1U, 3U}) {
      const std::string lines = lines_of(compare(stored, other, {.threads = threads}));
      first = first.empty() ? lines : first;
      EXPECT_EQ(lines, first) << fixture_name(compression);
    }
  }
  EXPECT_EQ(first.substr(0, 6), "0 valu") << first;
  EXPECT_NE(first.find("2 bank "), std::string::npos) << first;
}

}  // namespace
}  // namespace hipotool::test
