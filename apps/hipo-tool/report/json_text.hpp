#pragma once
// Pieces of JSON text, appended to a string. Made by hand because a dump turns hundreds of
// megabytes into text in worker threads, and because numbers must keep the exact value and the
// shortest form of their own type, which a general library does not promise for float.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace hipotool::app {

[[nodiscard]] bool is_utf8(std::string_view text) noexcept;

// In quotes. Each byte that is part of no UTF-8 character becomes U+FFFD.
void append_json_string(std::string& out, std::string_view text);

// `"key":"text"`, followed by `,"key_bytes":"<base64>"` if the text is not UTF-8.
void append_json_member(std::string& out, std::string_view key, std::string_view text);

void append_base64(std::string& out, std::string_view bytes);
void append_hex(std::string& out, std::string_view bytes);

void append_json_number(std::string& out, std::uint64_t value);
void append_json_number(std::string& out, std::int64_t value);
// The shortest text that reads back as this float or double, always with a point or an exponent, so
// that it stays a real number in languages that tell them from integers and -0.0 keeps its sign.
// Non-finite values become "NaN", "Infinity" or "-Infinity", in quotes.
void append_json_number(std::string& out, float value);
void append_json_number(std::string& out, double value);

}  // namespace hipotool::app
