#pragma once
// One bank of one event as it is shown: columns with names, whether it is a table or a composite;
// or nothing but bytes.

#include "hipotool/bank_selection.hpp"
#include "hipotool/record.hpp"
#include "hipotool/row_condition.hpp"

#include "dump/column_names.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace hipotool::app {

struct ShownColumn {
  std::string_view name{};
  std::string_view stored_name{};  // as the schema has it
  ColumnType type = ColumnType::i32;
  std::uint32_t length = 1;
  const std::byte* first = nullptr;  // cell of row 0; not to be read where there are no rows
  std::size_t step = 0;              // from row to row

  [[nodiscard]] const std::byte* cell(std::size_t row) const noexcept { return first + row * step; }
};

// Borrows from the record, its dictionary and the names.
struct ShownBank {
  BankForm form = BankForm::opaque;
  // Tables and composites:
  std::size_t all_rows = 0;
  // Which of them are shown, ascending; none: all.
  std::optional<std::vector<std::size_t>> row_numbers{};
  std::vector<ShownColumn> columns{};  // those chosen
  // Composites: the format string as stored. Opaque banks: all bytes.
  ByteSpan bytes{};

  // How many are shown, and the number in the bank of each.
  [[nodiscard]] std::size_t rows() const noexcept {
    return row_numbers ? row_numbers->size() : all_rows;
  }
  [[nodiscard]] std::size_t row_number(std::size_t shown) const noexcept {
    return row_numbers ? (*row_numbers)[shown] : shown;
  }
};

// Keeps the memory of what was there. `bank` belongs to a record decoded for `selection`, which
// shows it.
void fill(ShownBank& shown, const BankView& bank, const BankSelection& selection,
          const ColumnNames& names);
// Of a table only the rows that meet a condition, for which `record` was decoded too.
void keep_rows(ShownBank& shown, const Record& record, const BankView& bank,
               const RowCondition& condition);

[[nodiscard]] inline std::string_view as_text(ByteSpan bytes) {
  // char may alias anything.
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace hipotool::app
