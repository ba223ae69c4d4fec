#include "report/json_text.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace hipotool::app {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr std::string_view kHexDigits = "0123456789abcdef";

unsigned byte_at(std::string_view text, std::size_t index) {
  return static_cast<unsigned char>(text[index]);
}

// Length of the well-formed character at `at` (Unicode 15, table 3-7), or 0.
std::size_t character_length(std::string_view text, std::size_t at) noexcept {
  const unsigned first = byte_at(text, at);
  if (first < 0x80) {
    return 1;
  }
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() - at < length) {
    return 0;
  }
  // Overlong forms, surrogates and values above U+10FFFF show in the second byte.
  const unsigned second = byte_at(text, at + 1);
  const unsigned lowest = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  const unsigned highest = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  if (second < lowest || second > highest) {
    return 0;
  }
  for (std::size_t i = 2; i < length; ++i) {
    if ((byte_at(text, at + i) & 0xC0U) != 0x80) {
      return 0;
    }
  }
  return length;
}

void append_escaped(std::string& out, unsigned char character) {
  switch (character) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      break;
  }
  if (character < 0x20 || character == 0x7F) {
    out += "\\u00";
    out += kHexDigits[character >> 4U];
    out += kHexDigits[character & 0x0FU];
  } else {
    out += static_cast<char>(character);
  }
}

template <typename T>
void append_integer(std::string& out, T value) {
  std::array<char, 24> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  out.append(text.data(), end);
}

template <typename T>
void append_real(std::string& out, T value) {
  if (!std::isfinite(value)) {
    out += std::isnan(value) ? "\"NaN\"" : value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
    return;
  }
  std::array<char, 40> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  const std::string_view digits(text.data(), static_cast<std::size_t>(end - text.data()));
  out += digits;
  if (digits.find_first_of(".e") == std::string_view::npos) {
    out += ".0";
  }
}

}  // namespace

bool is_utf8(std::string_view text) noexcept {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = character_length(text, at);
    if (length == 0) {
      return false;
    }
    at += length;
  }
  return true;
}

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = character_length(text, at);
    if (length == 0) {
      out += kReplacement;
      ++at;
    } else if (length == 1) {
      append_escaped(out, static_cast<unsigned char>(text[at++]));
    } else {
      out += text.substr(at, length);
      at += length;
    }
  }
  out += '"';
}

void append_json_member(std::string& out, std::string_view key, std::string_view text) {
  append_json_string(out, key);
  out += ':';
  append_json_string(out, text);
  if (is_utf8(text)) {
    return;
  }
  out += ',';
  append_json_string(out, std::string(key) + "_bytes");
  out += ":\"";
  append_base64(out, text);
  out += '"';
}

void append_base64(std::string& out, std::string_view bytes) {
  constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t left = bytes.size() - at;
    const unsigned group = byte_at(bytes, at) << 16U |
                           (left > 1 ? byte_at(bytes, at + 1) << 8U : 0U) |
                           (left > 2 ? byte_at(bytes, at + 2) : 0U);
    out += kLetters[group >> 18U];
    out += kLetters[(group >> 12U) & 63U];
    out += left > 1 ? kLetters[(group >> 6U) & 63U] : '=';
    out += left > 2 ? kLetters[group & 63U] : '=';
  }
}

void append_hex(std::string& out, std::string_view bytes) {
  for (const char character : bytes) {
    const auto byte = static_cast<unsigned char>(character);
    out += kHexDigits[byte >> 4U];
    out += kHexDigits[byte & 0x0FU];
  }
}

void append_json_number(std::string& out, std::uint64_t value) {
  append_integer(out, value);
}
void append_json_number(std::string& out, std::int64_t value) {
  append_integer(out, value);
}
void append_json_number(std::string& out, float value) {
  append_real(out, value);
}
void append_json_number(std::string& out, double value) {
  append_real(out, value);
}

}  // namespace hipotool::app
