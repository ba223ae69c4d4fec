#pragma once
// The shape of a bank: its columns, their types, and where they lie in a row (docs/format.md,
// sections 5.3 and 6.2). Schemas are values; a Dictionary owns them and hands out references.

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hipotool {
inline namespace v0 {

enum class ColumnType : std::uint8_t { i8, i16, i32, f32, f64, i64 };

[[nodiscard]] constexpr std::uint32_t size_of(ColumnType type) noexcept {
  switch (type) {
    case ColumnType::i8:
      return 1;
    case ColumnType::i16:
      return 2;
    case ColumnType::i32:
    case ColumnType::f32:
      return 4;
    default:
      return 8;
  }
}

// B S I F D L, the letters of schema text.
[[nodiscard]] char letter_of(ColumnType type) noexcept;
[[nodiscard]] std::optional<ColumnType> column_type_of(char letter) noexcept;

struct Column {
  std::string name;
  ColumnType type = ColumnType::i32;
  std::uint32_t length = 1;      // elements in a cell; more than 1 for an array column "T#N"
  std::uint64_t row_offset = 0;  // bytes of the columns before it in one row; set by Schema

  // Bytes of one cell.
  [[nodiscard]] std::uint64_t width() const noexcept {
    return std::uint64_t{size_of(type)} * length;
  }
  friend bool operator==(const Column&, const Column&) = default;
};

// What identifies a bank on disk.
struct BankKey {
  std::uint16_t group = 0;
  std::uint8_t item = 0;

  // NOLINTNEXTLINE(modernize-use-nullptr): the 0 that comparisons hold the result against
  friend constexpr auto operator<=>(const BankKey&, const BankKey&) = default;
};

[[nodiscard]] std::string to_string(BankKey key);  // "300/31"

class Schema {
 public:
  // Computes row offsets. `columns` may be empty; such a schema describes nothing (row_size 0).
  Schema(std::string name, BankKey key, std::vector<Column> columns);

  // Compact text "{NAME/GROUP/ITEM}{column/TYPE,...}" (docs/format.md 6.2). Error{corrupt}.
  [[nodiscard]] static Schema parse_text(std::string_view text);
  // JSON text with name, group, item, entries (docs/format.md 6.3). Error{corrupt}.
  [[nodiscard]] static Schema parse_json(std::string_view text);
  // A JSON array of such objects, or one alone: what a file of bank definitions holds.
  [[nodiscard]] static std::vector<Schema> parse_json_list(std::string_view text);

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] BankKey key() const noexcept { return key_; }
  [[nodiscard]] const std::vector<Column>& columns() const noexcept { return columns_; }
  // Bytes of one row: the sum of all cell widths. 0 means that banks with this key stay opaque.
  [[nodiscard]] std::uint64_t row_size() const noexcept { return row_size_; }
  [[nodiscard]] std::optional<std::size_t> find_column(std::string_view name) const noexcept;

  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::string json_text() const;

  // Same name, key and columns.
  friend bool operator==(const Schema&, const Schema&) = default;

 private:
  std::string name_;
  BankKey key_;
  std::vector<Column> columns_;
  std::uint64_t row_size_ = 0;
};

}  // namespace v0
}  // namespace hipotool
