#include "hipotool/bank_edit.hpp"

#include "hipotool/definitions.hpp"
#include "hipotool/error.hpp"
#include "hipotool/merge.hpp"

#include "support/error_of.hpp"
#include "support/library.hpp"
#include "support/temp_dir.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace hipotool::test {
namespace {

using EventEdit = std::function<void(EventImage&)>;

constexpr std::uint32_t kEvents = 40;
const std::vector<std::string> kSchemas{"{A::a/1/1}{x/I,y/F,z/D}", "{B::b/1/2}{i/S,v/L}",
                                        "{C::c/2/1}{f/F#3,n/B}", "{S::s/9/1}{q/L}"};

// Columns of a bank one after the other, each cell made of the event and its place.
template <typename T>
Bytes column(std::uint32_t event, std::uint32_t cells, int salt) {
  Bytes bytes;
  for (std::uint32_t cell = 0; cell < cells; ++cell) {
    append(bytes, packed(static_cast<T>(100 * static_cast<int>(event % 50) +
                                        10 * static_cast<int>(cell) + salt)));
  }
  return bytes;
}

StructureImage bank_a(std::uint32_t event, std::uint32_t rows) {
  return {{1, 1},
          joined({column<std::int32_t>(event, rows, 1), column<float>(event, rows, 2),
                  column<double>(event, rows, 3)})};
}

StructureImage bank_b(std::uint32_t event, std::uint32_t rows) {
  return {{1, 2},
          joined({column<std::int16_t>(event, rows, 4), column<std::int64_t>(event, rows, 5)})};
}

EventImage event_image(std::uint32_t event) {
  EventImage image{event % 7 == 3 ? 1U : event % 3 * 4U};
  if (event % 11 == 10) {
    return image;  // no bank at all
  }
  image.banks.push_back(bank_a(event, event % 4));
  if (event % 2 == 1) {
    image.banks.push_back(bank_b(event, event % 3 + 1));
  }
  if (event % 5 == 0) {
    image.banks.push_back(
        {{2, 1}, joined({column<float>(event, 3, 6), column<std::int8_t>(event % 2, 1, 7)})});
  }
  if (image.tag == 1) {
    image.banks.push_back({{9, 1}, column<std::int64_t>(event, 2, 8)});
  }
  if (event % 6 == 1) {
    image.banks.push_back(
        {{50, 1}, joined({text_bytes("if"), packed(std::int32_t(event), 0.5F)}), 10, 2});
  }
  if (event % 9 == 2) {
    image.banks.push_back({{77, 7}, text_bytes("sixteen bytes...")});
  }
  return image;
}

// The events as they are to be, in two records of different user words.
FileImage content(const std::vector<std::string>& schemas, const EventEdit& edit,
                  bool keep_empty = true) {
  FileImage file;
  file.schemas = schemas;
  for (std::uint32_t record = 0; record < 2; ++record) {
    std::vector<Bytes> events;
    for (std::uint32_t i = record * kEvents / 2; i < (record + 1) * kEvents / 2; ++i) {
      EventImage image = event_image(i);
      edit(image);
      if (keep_empty || !image.banks.empty() || image.tag == 1) {
        events.push_back(image.bytes());
      }
    }
    file.records.push_back(whole_record(events, {.words = {record, 0}}));
  }
  return file;
}

void drop(EventImage& event, const std::vector<BankKey>& keys) {
  std::erase_if(event.banks, [&](const StructureImage& bank) {
    return std::find(keys.begin(), keys.end(), bank.key) != keys.end();
  });
}

// Keeps the bytes [from, to) of every row's columns, which lie at rows * from of the bank.
void keep_bytes(EventImage& event, BankKey key, std::size_t row, std::size_t from, std::size_t to) {
  for (StructureImage& bank : event.banks) {
    if (bank.key == key) {
      const std::size_t rows = bank.data.size() / row;
      bank.data = Bytes(bank.data.begin() + static_cast<std::ptrdiff_t>(rows * from),
                        bank.data.begin() + static_cast<std::ptrdiff_t>(rows * to));
    }
  }
}

struct Case {
  std::string name;
  BankEdit edit;
  std::vector<std::string> schemas;  // of the result
  EventEdit by_hand;
  bool keep_empty = true;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  const auto unless_special = [](const EventEdit& edit) -> EventEdit {
    return [edit](EventImage& event) {
      if (event.tag != 1) {
        edit(event);
      }
    };
  };
  const std::vector<BankKey> but_a{{1, 2}, {2, 1}, {9, 1}, {50, 1}, {77, 7}};
  all.push_back({"Keep", {.keep = {"A::*"}}, kSchemas, unless_special([=](EventImage& event) {
                   drop(event, but_a);
                 })});
  all.push_back(
      {"KeepOnly", {.keep = {"A::*", "77/7"}, .only = true}, kSchemas, [](EventImage& event) {
         drop(event, {{1, 2}, {2, 1}, {9, 1}, {50, 1}});
       }});
  all.push_back({"Drop",
                 {.drop = {"B::b", "50/1", "No::bank"}},
                 kSchemas,
                 unless_special([](EventImage& event) {
                   drop(event, {{1, 2}, {50, 1}});
                 })});
  all.push_back({"DropEmpty",
                 {.keep = {"C::c"}, .drop_empty = true},
                 kSchemas,
                 unless_special([](EventImage& event) {
                   drop(event, {{1, 1}, {1, 2}, {9, 1}, {50, 1}, {77, 7}});
                 }),
                 false});
  all.push_back({"Columns",
                 {.columns = {{"A::a", {"y", "z"}}}, .only = true},
                 {"{A::a/1/1}{y/F,z/D}", kSchemas[1], kSchemas[2], kSchemas[3]},
                 [](EventImage& event) {
                   keep_bytes(event, {1, 1}, 16, 4, 16);
                 }});
  all.push_back({"ColumnsAndBanks",
                 {.keep = {"?::?"}, .drop = {"A::a"}, .columns = {{"C::*", {"f"}}}, .special = {4}},
                 {kSchemas[0], kSchemas[1], "{C::c/2/1}{f/F#3}", kSchemas[3]},
                 {}});
  all.push_back({"Definitions",
                 {.definitions = {Schema::parse_text("{A::a/1/1}{w/S,x/I,y/F,z/D,zz/B#2}"),
                                  Schema::parse_text("{N::n/3/3}{i/I}")}},
                 {"{A::a/1/1}{w/S,x/I,y/F,z/D,zz/B#2}", kSchemas[1], kSchemas[2], kSchemas[3],
                  "{N::n/3/3}{i/I}"},
                 [](EventImage& event) {
                   for (StructureImage& bank : event.banks) {
                     if (bank.key == BankKey{1, 1}) {
                       const std::size_t rows = bank.data.size() / 16;
                       bank.data = joined({Bytes(2 * rows), bank.data, Bytes(2 * rows)});
                     }
                   }
                 }});
  all.push_back({"Rename",
                 {.renames = {{"A::a", "Z::z", BankKey{400, 9}}, {"B::b", "B::c", std::nullopt}}},
                 {"{Z::z/400/9}{x/I,y/F,z/D}", "{B::c/1/2}{i/S,v/L}", kSchemas[2], kSchemas[3]},
                 [](EventImage& event) {
                   for (StructureImage& bank : event.banks) {
                     if (bank.key == BankKey{1, 1}) {
                       bank.key = {400, 9};
                     }
                   }
                 }});
  // Tag 4 is special here: its events must hold no C::c, or it would lose a column.
  all[5].by_hand = [](EventImage& event) {
    if (event.tag == 4) {
      return;
    }
    drop(event, {{1, 1}, {50, 1}, {77, 7}});
    keep_bytes(event, {2, 1}, 13, 0, 12);
  };
  return all;
}

RewriteSummary edit(const FileReader& input, const std::filesystem::path& target,
                    const BankEdit& what, RewriteOptions options) {
  const FileReader* one = &input;
  const std::span<const FileReader* const> inputs(&one, 1);
  const BankEditor editor(what, inputs);
  options.editor = &editor;
  MergeOptions merge;
  merge.events_of = [&](const FileReader& file) -> const std::vector<DictionaryEvent>& {
    return editor.dictionary_events(file);
  };
  AtomicFile file(target, AtomicFile::Existing::replace);
  RewriteSummary summary = rewrite(inputs, merge_dictionaries(inputs, merge).events, file, options);
  file.commit();
  return summary;
}

class BankEditing : public ::testing::Test {
 protected:
  // The content, stored as asked for.
  FileReader stored(const FileImage& image, const Compression& compression) {
    const FileReader reader = open_bytes(image.bytes());
    const std::filesystem::path path = folder_ / ("in" + std::to_string(files_++) + ".hipo");
    recook(reader, path, {.compression = compression, .reencode = true});
    return FileReader(path);
  }

  TempDir folder_;
  std::filesystem::path out_ = folder_ / "out.hipo";
  int files_ = 0;
};

TEST_F(BankEditing, GivesWhatTheSameEditByHandGives) {
  for (Case& one : cases()) {
    EventEdit source = [](EventImage&) {};
    if (one.name == "ColumnsAndBanks") {
      source = [](EventImage& event) {
        if (event.tag == 4) {
          drop(event, {{2, 1}});
        }
      };
    }
    const FileImage before = content(kSchemas, source);
    const FileImage after = content(
        one.schemas,
        [&](EventImage& event) {
          source(event);
          one.by_hand(event);
        },
        one.keep_empty);
    const std::string expected = content_digest(open_bytes(after.bytes())).ordered;
    for (const LayoutId from : kLayouts) {
      const FileReader input = stored(before, compression_of(CodecId::lz4, from));
      for (const LayoutId to : kLayouts) {
        const std::string what =
            one.name + ": " + std::string(to_string(from)) + " to " + std::string(to_string(to));
        SCOPED_TRACE(what);
        const RewriteSummary summary = edit(
            input, out_, one.edit, {.compression = compression_of(CodecId::lz4, to), .threads = 2});
        ASSERT_TRUE(summary.digest);
        EXPECT_EQ(summary.digest->ordered, expected);
        const FileReader output(out_);
        EXPECT_EQ(content_digest(output).ordered, expected);
        std::vector<std::string> schemas;
        for (const Schema* schema : output.dictionary().schemas()) {
          schemas.push_back(schema->text());
        }
        EXPECT_EQ(schemas, one.schemas);
      }
    }
  }
}

TEST_F(BankEditing, GivesTheSameBytesForAnyThreads) {
  const FileReader input = stored(content(kSchemas, [](EventImage&) {}),
                                  compression_of(CodecId::lz4, LayoutId::per_column));
  const BankEdit what{.keep = {"A::a", "B::b"}, .columns = {{"B::b", {"v"}}}, .only = true};
  std::vector<Bytes> files;
  for (const unsigned threads : {1U, 4U}) {
    edit(input, out_, what,
         {.compression = compression_of(CodecId::lz4, LayoutId::per_bank), .threads = threads});
    files.push_back(read_bytes(out_));
  }
  EXPECT_EQ(files[0], files[1]);
}

// Order of banks, a bank twice, bytes after the last one, a reserved word: all that a per-chunk
// event can have stays where banks go.
TEST_F(BankEditing, KeepsEventImagesPerChunk) {
  EventImage odd{0, {bank_b(1, 2), bank_a(1, 3), bank_b(2, 1)}, 5, packed(std::int16_t{9})};
  odd.banks.push_back({{2, 1}, Bytes(13)});
  FileImage image;
  image.schemas = kSchemas;
  image.records = {whole_record(images({odd}), {.user_header = text_bytes("head")})};
  const FileReader input = open_bytes(image.bytes());
  edit(input, out_, {.drop = {"A::a"}, .columns = {{"C::c", {"n"}}}},
       {.compression = compression_of(CodecId::none, LayoutId::per_chunk)});
  drop(odd, {{1, 1}});
  keep_bytes(odd, {2, 1}, 13, 12, 13);
  const FileReader output(out_);
  CodecContext context;
  Record record;
  output.read_record(0, Projection::everything(), context, record);
  ASSERT_TRUE(record.image(0));
  const ByteSpan found = *record.image(0);
  EXPECT_EQ(to_hex(found), to_hex(odd.bytes()));
  EXPECT_EQ(to_hex(record.user_header), to_hex(text_bytes("head")));
}

// The first record of 20 events has special ones, the second not.
TEST_F(BankEditing, InflatesNoStreamOfADroppedBank) {
  const FileImage image = content(kSchemas, [](EventImage& event) {
    if (event.tag == 1) {
      event.tag = 0;
    }
  });
  const auto streams = [&](LayoutId layout, const BankEdit& what) {
    return edit(stored(image, compression_of(CodecId::lz4, layout)), out_, what,
                {.compression = compression_of(CodecId::lz4, LayoutId::per_chunk)})
        .streams_inflated;
  };
  EXPECT_EQ(streams(LayoutId::per_column, {.keep = {"A::a"}}), 6U);  // two records, three columns
  EXPECT_EQ(streams(LayoutId::per_column, {.keep = {"A::a"}, .columns = {{"A::a", {"y"}}}}), 2U);
  EXPECT_EQ(streams(LayoutId::per_bank, {.keep = {"A::a", "C::c"}}), 4U);
  // What a special event holds of it must be inflated: S::s in both records.
  const FileReader input = stored(content(kSchemas, [](EventImage&) {}),
                                  compression_of(CodecId::lz4, LayoutId::per_bank));
  EXPECT_EQ(edit(input, out_, {.keep = {"C::c"}},
                 {.compression = compression_of(CodecId::lz4, LayoutId::per_bank)})
                .streams_inflated,
            10U);
}

TEST_F(BankEditing, CopiesRecordsInWhichNothingChanges) {
  FileImage image;
  image.schemas = kSchemas;
  image.records = {whole_record(images({EventImage{0, {bank_a(1, 3)}}}), {.words = {0, 0}}),
                   whole_record(images({EventImage{0, {bank_b(1, 3)}}}), {.words = {1, 0}})};
  for (const LayoutId layout : kLayouts) {
    const Compression compression = compression_of(CodecId::lz4, layout);
    const FileReader input = stored(image, compression);
    for (const BankEdit& what :
         {BankEdit{.drop = {"B::b"}}, BankEdit{.columns = {{"B::b", {"v"}}}},
          BankEdit{.renames = {{"B::b", "D::d", std::nullopt}}}, BankEdit{.drop_empty = true}}) {
      const RewriteSummary summary = edit(input, out_, what, {.compression = compression});
      EXPECT_EQ(summary.records_copied, what.drop_empty ? 2U : 1U) << to_string(layout);
      EXPECT_EQ(content_digest(FileReader(out_)).ordered, summary.digest.value().ordered);
    }
  }
}

TEST_F(BankEditing, CountsTheEventsThatLoseSomething) {
  for (const LayoutId layout : kLayouts) {
    const FileReader input =
        stored(content(kSchemas, [](EventImage&) {}), compression_of(CodecId::lz4, layout));
    const RewriteSummary summary =
        edit(input, out_, {.drop = {"B::b", "*"}, .columns = {}, .drop_empty = true},
             {.compression = compression_of(CodecId::lz4, LayoutId::per_chunk)});
    EXPECT_EQ(summary.events, 6U) << to_string(layout);  // the special ones
    EXPECT_EQ(summary.events_without_banks, 34U);
    EXPECT_EQ(summary.events_without_bank.at({1, 2}), 0U) << "of events that are written";
    const RewriteSummary narrowed =
        edit(input, out_, {.drop = {"B::b"}, .columns = {{"A::a", {"x"}}}, .only = true},
             {.compression = compression_of(CodecId::lz4, LayoutId::per_chunk)});
    EXPECT_EQ(narrowed.events, 40U);
    EXPECT_EQ(narrowed.events_without_bank.at({1, 2}), 19U) << to_string(layout);
    EXPECT_EQ(narrowed.events_with_narrowed_bank.at({1, 1}), 28U) << "of those with rows";
  }
}

// The text of the error that editing the only event gives.
std::string refusal(const std::vector<std::string>& schemas, const EventImage& event,
                    const BankEdit& what) {
  FileImage image;
  image.schemas = schemas;
  image.records = {whole_record(images({event}))};
  const FileReader input = open_bytes(image.bytes());
  const TempDir folder;
  try {
    edit(input, folder / "out.hipo", what, {});
  } catch (const Error& error) {
    return std::string(to_string(error.code())) + ": " + error.what();
  }
  return "";
}

TEST_F(BankEditing, RefusesWhatWouldLoseOrMisread) {
  const EventImage special{1, {bank_a(3, 2)}};
  const EventImage ragged{0, {{{1, 1}, Bytes(24)}}};
  struct Refusal {
    EventImage event;
    BankEdit what;
    std::string message;
  };
  const BankEdit narrow{.columns = {{"A::a", {"z"}}}};
  const std::vector<Refusal> refusals{
      {special, narrow, "the event is special (tag 1) and must come through whole"},
      {ragged, narrow,
       "its 24 bytes are no whole rows of {A::a/1/1}{x/I,y/F,z/D}, and would be "
       "read as rows of {A::a/1/1}{z/D}"},
      {{0, {bank_a(1, 1), {{8, 8}, Bytes(3)}}},
       {.renames = {{"A::a", "Z::z", BankKey{8, 8}}}},
       "two banks of one record would have the id 8/8"},
      {special, {.renames = {{"A::a", "B::b", std::nullopt}}}, "that is B::b, 1/2 already"},
      {special, {.renames = {{"A::a", "Z::z", BankKey{1, 2}}}}, "that is B::b, 1/2 already"},
      {special, {.renames = {{"A::x", "Z::z", std::nullopt}}}, "no bank A::x to rename"},
      {special, {.keep = {"X::*"}}, "no bank matches X::*, so nothing would be kept"},
      {special, {.columns = {{"X::*", {"z"}}}}, "no bank X::* with columns"},
      {special, {.columns = {{"A::a", {"zz"}}}}, "bank A::a has no column zz"},
      {special, {.drop = {"A::a"}, .columns = {{"A::a", {"z"}}}}, "bank A::a is left out"},
      {special,
       {.definitions = {Schema::parse_text("{A::a/1/1}{x/I,y/F}")}},
       "the new definition {A::a/1/1}{x/I,y/F} does not only add columns to "
       "{A::a/1/1}{x/I,y/F,z/D}"},
      {special,
       {.definitions = {Schema::parse_text("{A::a/1/1}{x/I,y/D,z/D}")}},
       "does not only add columns"},
      {special,
       {.definitions = {Schema::parse_text("{A::a/1/9}{x/I,y/F,z/D}")}},
       "does not only add columns"},
      {special,
       {.definitions = {Schema::parse_text("{Q::q/1/1}{x/I,y/F,z/D}")}},
       "does not only add columns"},
  };
  for (const auto& [event, what, message] : refusals) {
    const std::string found = refusal(kSchemas, event, what);
    EXPECT_NE(found.find(message), std::string::npos) << message << "\n" << found;
  }
  // A bank without rows has nothing to lose; bytes that stay unreadable as rows may stay.
  EXPECT_EQ(refusal(kSchemas, {1, {bank_a(3, 0)}}, narrow), "");
  EXPECT_EQ(refusal(kSchemas, {0, {{{1, 1}, Bytes(3)}}}, narrow), "");
  // A bank of 16 MB cannot grow.
  const std::string grown = refusal({"{G::g/1/1}{b/B}"}, {0, {{{1, 1}, Bytes(9'000'000)}}},
                                    {.definitions = {Schema::parse_text("{G::g/1/1}{b/B,c/B}")}});
  EXPECT_NE(grown.find("with its new columns the bank has 18000000 bytes"), std::string::npos)
      << grown;
}

// In every form that it had: text, JSON, both in either order.
TEST_F(BankEditing, ChangesASchemaInTheFormsThatItHad) {
  FileImage image;
  image.records = {whole_record(images({EventImage{0, {bank_b(1, 2)}}}))};
  image.dictionary = {schema_event(Schema::parse_text(kSchemas[0]), true),
                      schema_event(Schema::parse_text(kSchemas[1]), true),
                      schema_event(Schema::parse_text(kSchemas[2]), false)};
  const FileReader input = open_bytes(image.bytes());
  edit(input, out_, {.columns = {{"B::b", {"v"}}, {"C::c", {"n"}}}}, {});
  const std::vector<DictionaryEvent> expected{
      image.dictionary[0], schema_event(Schema::parse_text("{B::b/1/2}{v/L}"), true),
      schema_event(Schema::parse_text("{C::c/2/1}{n/B}"), false)};
  EXPECT_EQ(FileReader(out_).dictionary_events(), expected);
}

TEST_F(BankEditing, DropsSchemasThatNoEventNeeds) {
  for (const LayoutId layout : kLayouts) {
    const FileReader input = stored(content(kSchemas,
                                            [](EventImage& event) {
                                              drop(event, {{2, 1}});
                                            }),
                                    compression_of(CodecId::lz4, layout));
    const FileReader* one = &input;
    BankEditor editor({.drop = {"B::*", "S::*"}, .special = {4}}, std::span(&one, 1));
    editor.drop_unused_schemas(1, 1U << 28, {});
    std::vector<std::string> names;
    const Dictionary dictionary(editor.dictionary_events(input));
    for (const Schema* schema : dictionary.schemas()) {
      names.push_back(schema->name());
    }
    // B::b is in events with tag 4; S::s only in those with tag 1; C::c in none.
    EXPECT_EQ(names, (std::vector<std::string>{"A::a", "B::b"})) << to_string(layout);
  }
}

TEST(BankEditor, WarnsOfColumnsThatPointIntoDroppedBanks) {
  FileImage image;
  image.schemas = {"{REC::Particle/300/31}{pid/I}",   "{REC::Track/300/36}{index/S,pindex/S}",
                   "{RECHB::Track/300/26}{pindex/S}", "{FTOF::hits/400/1}{adc_idx1/S}",
                   "{FTOF::adc/400/2}{ADC/I}",        "{MC::GenMatch/40/6}{mcindex/S,pindex/S}"};
  const FileReader input = open_bytes(image.bytes());
  const FileReader* one = &input;
  const auto warnings = [&](const BankEdit& what) {
    return BankEditor(what, std::span(&one, 1)).warnings();
  };
  using Lines = std::vector<std::string>;
  EXPECT_EQ(warnings({.drop = {"REC::Particle", "FTOF::adc"}}),
            (Lines{"FTOF::hits.adc_idx1 points into FTOF::adc, which is left out",
                   "MC::GenMatch.pindex, REC::Track.pindex point into REC::Particle, which is left "
                   "out"}));
  EXPECT_EQ(warnings({.keep = {"REC::*"}}), Lines{});
  EXPECT_EQ(warnings({.drop = {"REC::Particle", "MC::*"}, .columns = {{"REC::Track", {"index"}}}}),
            Lines{});
  EXPECT_EQ(
      warnings({.drop = {"REC::Partcle"}}),
      (Lines{"no bank matches REC::Partcle; the nearest names are REC::Particle, REC::Track"}));
}

TEST(Definitions, AreReadFromFoldersJsonAndHipoFiles) {
  const TempDir folder;
  const std::string one = R"({"name":"A::a","group":1,"item":1,"info":"x",
      "entries":[{"name":"x","type":"I","info":""},{"name":"y","type":"F"}]})";
  const auto write = [&](const std::string& name, const std::string& text) {
    write_bytes(folder / name, text_bytes(text));
  };
  write("one.json", one);
  write("two.json", "[" + one + R"(,{"name":"B::b","group":1,"item":2,
      "entries":[{"name":"i","type":"S"}]}])");
  write("notes.txt", "nothing");
  EXPECT_EQ(read_definitions(folder / "one.json").size(), 1U);
  const std::vector<Schema> all = read_definitions(folder.path());
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].text(), "{A::a/1/1}{x/I,y/F}");
  EXPECT_EQ(all[1].text(), "{B::b/1/2}{i/S}");
  FileImage image;
  image.schemas = kSchemas;
  write_bytes(folder / "file.hipo", image.bytes());
  EXPECT_EQ(read_definitions(folder / "file.hipo").size(), 4U);
  write("three.json", R"({"name":"C::c","group":1,"item":1,"entries":[]})");
  const auto refused = [](const std::filesystem::path& path) {
    return error_of([&] { static_cast<void>(read_definitions(path)); });
  };
  EXPECT_TRUE(refused(folder.path()).starts_with("invalid_argument: ")) << refused(folder.path());
  write("three.json", "{");
  EXPECT_TRUE(refused(folder.path()).starts_with("corrupt: ")) << refused(folder.path());
  EXPECT_TRUE(refused(folder / "none.json").starts_with("io: "));
}

}  // namespace
}  // namespace hipotool::test
