#pragma once
// Puts an event together in its per-chunk form: header, then banks, column-major. A bank's columns
// and types are known from its schema text when this is compiled, so a row with a column too many,
// or a fraction for an integer column, does not compile.

#include "hipotool/bytes.hpp"
#include "hipotool/schema.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace hipotool::app::sample {

namespace detail {

constexpr std::size_t count_columns(std::string_view text) {
  const std::string_view body = text.substr(text.rfind('{'));
  return static_cast<std::size_t>(std::ranges::count(body, '/'));
}

// The type letter of each column: what follows its slash.
template <std::size_t kColumns>
constexpr std::array<char, kColumns> column_letters(std::string_view text) {
  std::array<char, kColumns> letters{};
  std::size_t at = text.rfind('{');
  for (char& letter : letters) {
    at = text.find('/', at) + 1;
    letter = text[at];
  }
  return letters;
}

constexpr std::uint32_t parse_number(std::string_view text, std::size_t at) {
  std::uint32_t number = 0;
  for (; text[at] >= '0' && text[at] <= '9'; ++at) {
    number = number * 10 + static_cast<std::uint32_t>(text[at] - '0');
  }
  return number;
}

constexpr BankKey parse_key(std::string_view text) {
  const std::size_t first = text.find('/') + 1;
  const std::size_t second = text.find('/', first) + 1;
  return {static_cast<std::uint16_t>(parse_number(text, first)),
          static_cast<std::uint8_t>(parse_number(text, second))};
}

constexpr std::size_t width_of(char letter) noexcept {
  switch (letter) {
    case 'B':
      return 1;
    case 'S':
      return 2;
    case 'I':
    case 'F':
      return 4;
    default:
      return 8;
  }
}

template <std::size_t kColumns>
constexpr std::size_t bytes_before(const std::array<char, kColumns>& letters,
                                   std::size_t column) noexcept {
  std::size_t bytes = 0;
  for (std::size_t c = 0; c < column; ++c) {
    bytes += width_of(letters[c]);
  }
  return bytes;
}

}  // namespace detail

// What a bank is, from its schema text.
template <const std::string_view& kText>
struct BankShape {
  static constexpr std::size_t kColumns = detail::count_columns(kText);
  static constexpr std::array<char, kColumns> kLetters = detail::column_letters<kColumns>(kText);
  static constexpr BankKey kKey = detail::parse_key(kText);

  // Bytes of a row before column `column`; of the whole row for kColumns.
  static constexpr std::size_t offset_of(std::size_t column) noexcept {
    return detail::bytes_before(kLetters, column);
  }
  static constexpr std::size_t kRowBytes = detail::bytes_before(kLetters, kColumns);
};

// Fills the rows of one bank from first to last. Valid until the event writer opens another bank.
template <const std::string_view& kText>
class BankRows {
 public:
  using Shape = BankShape<kText>;

  BankRows(std::byte* data, std::size_t rows) noexcept : data_(data), rows_(rows) {}

  template <typename... Values>
  void add(Values... values) noexcept {
    static_assert(sizeof...(Values) == Shape::kColumns, "one value for each column");
    add_columns(std::make_index_sequence<sizeof...(Values)>(), values...);
    ++next_;
  }

 private:
  template <std::size_t... kIndices, typename... Values>
  void add_columns(std::index_sequence<kIndices...> /*columns*/, Values... values) noexcept {
    (store<kIndices>(values), ...);
  }

  template <std::size_t kColumn, typename Value>
  void store(Value value) noexcept {
    constexpr char kLetter = Shape::kLetters[kColumn];
    constexpr std::size_t kBefore = Shape::offset_of(kColumn);
    constexpr std::size_t kWidth = detail::width_of(kLetter);
    std::byte* to = data_ + rows_ * kBefore + next_ * kWidth;
    if constexpr (kLetter == 'F') {
      static_assert(std::is_same_v<Value, float>);
      store_le(to, value);
    } else if constexpr (kLetter == 'D') {
      static_assert(std::is_same_v<Value, double>);
      store_le(to, value);
    } else {
      static_assert(std::is_integral_v<Value>);
      if constexpr (kLetter == 'B') {
        store_le(to, static_cast<std::int8_t>(value));
      } else if constexpr (kLetter == 'S') {
        store_le(to, static_cast<std::int16_t>(value));
      } else if constexpr (kLetter == 'I') {
        store_le(to, static_cast<std::int32_t>(value));
      } else {
        store_le(to, static_cast<std::int64_t>(value));
      }
    }
  }

  std::byte* data_;
  std::size_t rows_;
  std::size_t next_ = 0;
};

class EventWriter {
 public:
  explicit EventWriter(Buffer& bytes) : bytes_(bytes) { bytes_.resize_discard(kHeaderBytes); }

  // Opens a bank; exactly `rows` rows must be added. A bank without rows is left out, as the
  // experiment's writers do.
  template <const std::string_view& kText>
  BankRows<kText> bank(std::size_t rows) {
    using Shape = BankShape<kText>;
    std::byte* const end = bytes_.data() + bytes_.size();
    return BankRows<kText>(rows == 0 ? end : open(Shape::kKey, rows * Shape::kRowBytes), rows);
  }

  // Completes the header; the bytes are then an event.
  void finish(std::uint32_t tag);

 private:
  static constexpr std::size_t kHeaderBytes = 16;

  // Returns where the bank's data goes.
  std::byte* open(BankKey key, std::size_t data_bytes);

  Buffer& bytes_;
};

}  // namespace hipotool::app::sample
