#include "report/json_text.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

namespace hipotool::test {
namespace {

template <typename T>
std::string number(T value) {
  std::string text;
  app::append_json_number(text, value);
  return text;
}

std::string quoted(std::string_view text) {
  std::string out;
  app::append_json_string(out, text);
  return out;
}

TEST(JsonText, NumbersAreTheShortestOfTheirOwnType) {
  EXPECT_EQ(number(0.1F), "0.1");
  EXPECT_EQ(number(0.1), "0.1");
  EXPECT_EQ(number(static_cast<double>(0.1F)), "0.10000000149011612");
  EXPECT_EQ(number(1.0F), "1.0");
  EXPECT_EQ(number(-0.0), "-0.0");
  EXPECT_EQ(number(1e-300), "1e-300");
  EXPECT_EQ(number(std::numeric_limits<float>::denorm_min()), "1e-45");
  EXPECT_EQ(number(std::int64_t{1} << 53U | 1), "9007199254740993");
  EXPECT_EQ(number(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
}

TEST(JsonText, NonFiniteNumbersAreWords) {
  EXPECT_EQ(number(std::numeric_limits<float>::quiet_NaN()), "\"NaN\"");
  EXPECT_EQ(number(-std::numeric_limits<double>::quiet_NaN()), "\"NaN\"");
  EXPECT_EQ(number(std::numeric_limits<float>::infinity()), "\"Infinity\"");
  EXPECT_EQ(number(-std::numeric_limits<double>::infinity()), "\"-Infinity\"");
}

TEST(JsonText, EscapesWhatJsonForbids) {
  EXPECT_EQ(quoted("a\"b\\c\n\r\t\x01\x7f"), R"("a\"b\\c\n\r\t\u0001\u007f")");
  EXPECT_EQ(quoted(std::string_view("\0", 1)), R"("\u0000")");
  EXPECT_EQ(quoted("\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80"),
            "\"\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80\"");
}

TEST(JsonText, ReplacesBytesThatAreNoCharacters) {
  // Bare continuation, overlong slash, surrogate, above U+10FFFF, cut off at the end.
  for (const auto& [bytes, replaced] : {std::pair{"\x80", 1},
                                        {"\xC0\xAF", 2},
                                        {"\xED\xA0\x80", 3},
                                        {"\xF4\x90\x80\x80", 4},
                                        {"\xE2\x82", 2},
                                        {"\xFF", 1}}) {
    EXPECT_FALSE(app::is_utf8(bytes));
    std::string expected = "\"";
    for (int i = 0; i < replaced; ++i) {
      expected += "\xEF\xBF\xBD";
    }
    EXPECT_EQ(quoted(bytes), expected + "\"");
  }
}

TEST(JsonText, KeepsTheBytesBesideATextThatIsNotUtf8) {
  std::string out;
  app::append_json_member(out, "name", "a\xFF");
  EXPECT_EQ(out, "\"name\":\"a\xEF\xBF\xBD\",\"name_bytes\":\"Yf8=\"");
  out.clear();
  app::append_json_member(out, "name", "a");
  EXPECT_EQ(out, R"("name":"a")");
}

TEST(JsonText, Base64AndHex) {
  const auto base64 = [](std::string_view bytes) {
    std::string out;
    app::append_base64(out, bytes);
    return out;
  };
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("\xFB\xFF\xFE"), "+//+");
  std::string hex;
  app::append_hex(hex, "\x01\xAB\xFF");
  EXPECT_EQ(hex, "01abff");
}

}  // namespace
}  // namespace hipotool::test
