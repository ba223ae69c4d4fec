#pragma once
// One bank of one event as it is shown: columns with names, whether it is a table or a composite;
// or nothing but bytes.

#include "hipotool/bank_selection.hpp"
#include "hipotool/record.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace hipotool::app {

struct ShownColumn {
  std::string_view name{};
  ColumnType type = ColumnType::i32;
  std::uint32_t length = 1;
  const std::byte* first = nullptr;  // cell of row 0; not to be read where there are no rows
  std::size_t step = 0;              // from row to row

  [[nodiscard]] const std::byte* cell(std::size_t row) const noexcept { return first + row * step; }
};

// Borrows from the record and its dictionary.
struct ShownBank {
  BankForm form = BankForm::opaque;
  // Tables and composites:
  std::size_t rows = 0;
  std::vector<ShownColumn> columns{};  // those chosen
  // Composites: the format string as stored. Opaque banks: all bytes.
  ByteSpan bytes{};
};

// Keeps the memory of what was there. `bank` belongs to a record decoded for `selection`, which
// shows it.
void fill(ShownBank& shown, const BankView& bank, const BankSelection& selection);

[[nodiscard]] inline std::string_view as_text(ByteSpan bytes) {
  // char may alias anything.
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace hipotool::app
