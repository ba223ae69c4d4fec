#include "hipotool/schema.hpp"

#include "support/error_of.hpp"

#include <gtest/gtest.h>

#include <string>

namespace hipotool::test {
namespace {

Column column(const char* name, ColumnType type, std::uint32_t length, std::uint64_t offset) {
  return {name, type, length, offset};
}

TEST(SchemaText, GivesNameKeyAndColumns) {
  const Schema schema = Schema::parse_text("{REC::Particle/300/31}{pid/I,px/F,cov/F#3,b/B,t/D}");
  EXPECT_EQ(schema.name(), "REC::Particle");
  EXPECT_EQ(schema.key(), (BankKey{300, 31}));
  ASSERT_EQ(schema.columns().size(), 5U);
  EXPECT_EQ(schema.columns()[0], column("pid", ColumnType::i32, 1, 0));
  EXPECT_EQ(schema.columns()[1], column("px", ColumnType::f32, 1, 4));
  EXPECT_EQ(schema.columns()[2], column("cov", ColumnType::f32, 3, 8));
  EXPECT_EQ(schema.columns()[3], column("b", ColumnType::i8, 1, 20));
  EXPECT_EQ(schema.columns()[4], column("t", ColumnType::f64, 1, 21));
  EXPECT_EQ(schema.row_size(), 29U);
  EXPECT_EQ(schema.find_column("cov"), 2U);
  EXPECT_EQ(schema.find_column("none"), std::nullopt);
}

TEST(SchemaText, KnowsSixTypesAndTheirSizes) {
  const Schema schema = Schema::parse_text("{t/1/1}{b/B,s/S,i/I,f/F,d/D,l/L}");
  const std::uint32_t sizes[] = {1, 2, 4, 4, 8, 8};
  const char letters[] = {'B', 'S', 'I', 'F', 'D', 'L'};
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(size_of(schema.columns()[i].type), sizes[i]);
    EXPECT_EQ(letter_of(schema.columns()[i].type), letters[i]);
    EXPECT_EQ(column_type_of(letters[i]), schema.columns()[i].type);
  }
  EXPECT_EQ(column_type_of('b'), std::nullopt);
  EXPECT_EQ(schema.row_size(), 27U);
}

TEST(SchemaText, MayBeSpacedOddly) {
  const Schema plain = Schema::parse_text("{a::b/1/2}{x/I,y/F#2}");
  for (const char* const text :
       {" { a::b / 1 / 2 } { x / I , y / F # 2 } ", "{a::b/1/2}\n{\tx/I,\r\n y/F #2\n}",
        "noise{a::b/1/2}noise{x/I,y/F#2}noise{z/I}", "{a::b/1/2}{,x/I,,y/F#2,,}",
        "{a::b/01/002}{x/I#1,y/F#002}"}) {
    EXPECT_EQ(Schema::parse_text(text), plain) << text;
  }
}

TEST(SchemaText, IsWrittenInOneForm) {
  for (const char* const text : {"{a/0/0}{}", "{REC::x y/65535/255}{a b/B}",
                                 "{n/1/2}{a/I,b/F#16777216}", "{\xC3\xBC/1/2}{\xC3\xA4/L}"}) {
    EXPECT_EQ(Schema::parse_text(text).text(), text);
  }
  EXPECT_EQ(Schema::parse_text("{ n /1/2}{a/I#1 }").text(), "{n/1/2}{a/I}");
}

TEST(SchemaText, WithoutColumnsDescribesNothing) {
  EXPECT_EQ(Schema::parse_text("{n/1/2}{}").row_size(), 0U);
  EXPECT_EQ(Schema::parse_text("{n/1/2}{ , }").columns().size(), 0U);
}

TEST(SchemaText, IsRefusedWhereItIsWrong) {
  const auto refusal = [](const std::string& text) {
    return error_of([&] { static_cast<void>(Schema::parse_text(text)); });
  };
  EXPECT_EQ(refusal(""), "corrupt: schema: two {...} blocks expected");
  EXPECT_EQ(refusal("{a/1/2}"), "corrupt: schema: two {...} blocks expected");
  EXPECT_EQ(refusal("{a/1/2}{x/I"), "corrupt: schema: two {...} blocks expected");
  EXPECT_EQ(refusal("{a/1}{x/I}"), "corrupt: schema: its head must be name/group/item");
  EXPECT_EQ(refusal("{a/1/2/3}{x/I}"), "corrupt: schema: item \"2/3\" is not a number up to 255");
  EXPECT_EQ(refusal("{a/65536/2}{x/I}"),
            "corrupt: schema: group \"65536\" is not a number up to 65535");
  EXPECT_EQ(refusal("{a/-1/2}{x/I}"), "corrupt: schema: group \"-1\" is not a number up to 65535");
  EXPECT_EQ(refusal("{a/1/256}{x/I}"), "corrupt: schema: item \"256\" is not a number up to 255");
  EXPECT_EQ(refusal("{a/1/}{x/I}"), "corrupt: schema: item \"\" is not a number up to 255");
  EXPECT_EQ(refusal("{a/1/2}{x}"), "corrupt: schema: column \"x\" has no type");
  EXPECT_EQ(refusal("{a/1/2}{x/Q}"), "corrupt: schema: column \"x\" has the unknown type \"Q\"");
  EXPECT_EQ(refusal("{a/1/2}{x/II}"), "corrupt: schema: column \"x\" has the unknown type \"II\"");
  EXPECT_EQ(refusal("{a/1/2}{x/i}"), "corrupt: schema: column \"x\" has the unknown type \"i\"");
  EXPECT_EQ(refusal("{a/1/2}{x/I#0}"), "corrupt: schema: column \"x\" has array length 0");
  EXPECT_EQ(refusal("{a/1/2}{x/I#16777217}"),
            "corrupt: schema: array length \"16777217\" is not a number up to 16777216");
  EXPECT_EQ(refusal("{a/1/2}{x/I#}"),
            "corrupt: schema: array length \"\" is not a number up to 16777216");
  EXPECT_EQ(
      refusal("{a/1/2}{x/I#99999999999999999999}"),
      "corrupt: schema: array length \"99999999999999999999\" is not a number up to 16777216");
}

TEST(SchemaText, HoldsAtMost65535Columns) {
  std::string body;
  for (int i = 0; i < 65'535; ++i) {
    body += "c/B,";
  }
  EXPECT_EQ(Schema::parse_text("{a/1/2}{" + body + "}").columns().size(), 65'535U);
  EXPECT_EQ(error_of([&] { static_cast<void>(Schema::parse_text("{a/1/2}{" + body + "c/B}")); }),
            "corrupt: schema: \"a\" has more than 65535 columns");
}

TEST(SchemaText, CannotMakeItsRowSizeOverflow) {
  std::string body;
  for (int i = 0; i < 65'535; ++i) {
    body += "c/D#16777216,";
  }
  EXPECT_EQ(Schema::parse_text("{a/1/2}{" + body + "}").row_size(),
            std::uint64_t{65'535} * 8 * 16'777'216);
}

TEST(SchemaJson, GivesTheSameAsText) {
  const Schema schema = Schema::parse_text("{REC::Event/300/30}{evno/L,cov/F#3}");
  EXPECT_EQ(Schema::parse_json(schema.json_text()), schema);
  EXPECT_EQ(Schema::parse_json(
                " { \"name\": \"REC::Event\", \"group\": 300, \"item\": 30, \"info\": \"x\",\n"
                "\"entries\": [ {\"name\":\"evno\", \"type\":\"L\", \"info\":\" \"},"
                " {\"type\": \" F # 3 \", \"name\": \" cov \"}], \"more\": [1, {}] } "),
            schema);
}

TEST(SchemaJson, IsWrittenWithTheMembersThatOthersRead) {
  EXPECT_EQ(
      Schema::parse_text("{n\"x/1/2}{a/I}").json_text(),
      R"({"name":"n\"x","group":1,"item":2,"info":" ","entries":[{"name":"a","type":"I","info":" "}]})");
}

TEST(SchemaJson, IsRefusedWhereItIsWrong) {
  const auto code = [](const std::string& text) {
    const std::string error = error_of([&] { static_cast<void>(Schema::parse_json(text)); });
    return error.substr(0, error.find(':'));
  };
  for (const char* const text :
       {"", "{", "[]", "7", "{}", R"({"name":"a","group":1,"item":2})",
        R"({"name":"a","group":65536,"item":2,"entries":[]})",
        R"({"name":"a","group":-1,"item":2,"entries":[]})",
        R"({"name":"a","group":1,"item":256,"entries":[]})",
        R"({"name":1,"group":1,"item":2,"entries":[]})",
        R"({"name":"a","group":"1","item":2,"entries":[]})",
        R"({"name":"a","group":1,"item":2,"entries":[{"name":"x"}]})",
        R"({"name":"a","group":1,"item":2,"entries":[{"name":"x","type":"Q"}]})",
        R"({"name":"a","group":1,"item":2,"entries":[{"name":"x","type":7}]})",
        R"({"name":"a","group":1,"item":2,"entries":[3]})", "\xFF\xFE"}) {
    EXPECT_EQ(code(text), "corrupt") << text;
  }
  // Deep nesting ends in a refusal, not in a full stack.
  EXPECT_EQ(code(std::string(200'000, '[')), "corrupt");
  EXPECT_EQ(code("{\"name\":" + std::string(100'000, '[') + std::string(100'000, ']') + "}"),
            "corrupt");
}

TEST(SchemaKeys, AreOrderedAsNumbers) {
  EXPECT_LT((BankKey{2, 200}), (BankKey{10, 1}));
  EXPECT_LT((BankKey{10, 9}), (BankKey{10, 10}));
  EXPECT_EQ(to_string(BankKey{300, 31}), "300/31");
}

}  // namespace
}  // namespace hipotool::test
