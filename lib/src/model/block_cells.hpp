#pragma once
// Where the cells of a bank's columns lie, made once for a block, so that a loop over occurrences
// needs neither schema nor arrangement: in both, the address is linear in position and rows.

#include "hipotool/record.hpp"

#include "base/prefetch.hpp"
#include "base/small_copy.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hipotool::inline v0 {

struct ColumnCells {
  const std::byte* base = nullptr;
  const std::byte* end = nullptr;  // of the memory that the cells lie in
  std::uint64_t per_position = 0;
  std::uint64_t per_row = 0;
  std::uint64_t width = 0;  // of one cell

  // Of an occurrence that reads as a table of `rows`.
  [[nodiscard]] const std::byte* at(std::uint64_t position, std::uint64_t rows) const noexcept {
    return base + position * per_position + rows * per_row;
  }
};

// One for each column of `schema`, by which the block's tables are read. All columns must be there.
[[nodiscard]] inline std::vector<ColumnCells> cells_of(const BankBlock& block,
                                                       const Schema& schema) {
  std::vector<ColumnCells> cells;
  cells.reserve(schema.columns().size());
  for (std::size_t c = 0; c < schema.columns().size(); ++c) {
    const Column& column = schema.columns()[c];
    const std::uint64_t width = column.width();
    if (block.arrangement == Arrangement::by_column) {
      const ByteSpan bytes = block.columns[c];
      cells.push_back({bytes.data(), bytes.data() + bytes.size(), width, 0, width});
    } else {
      const ByteSpan bytes = block.bytes;
      cells.push_back({bytes.data(), bytes.data() + bytes.size(), 1, column.row_offset, width});
    }
  }
  return cells;
}

// So many tables are looked at together, column by column: few enough that their cells stay in a
// processor's first cache from one column to the next.
inline constexpr std::size_t kTablesTogether = 32;
using RowCounts = std::array<std::uint64_t, kTablesTogether>;

// Of at most kTablesTogether tables.
[[nodiscard]] inline RowCounts rows_of(std::span<const BankOccurrence> tables,
                                       std::uint64_t row_size) noexcept {
  RowCounts rows;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    rows[i] = tables[i].size / row_size;
  }
  return rows;
}

// Copies the tables' cells of one column to `to`, one behind the other, and returns where they end;
// there is room for kCopySlack bytes more.
inline std::byte* gather_cells(const ColumnCells column, std::span<const BankOccurrence> tables,
                               const RowCounts& rows, std::byte* to) noexcept {
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const std::uint64_t bytes = rows[i] * column.width;
    copy_run(to, column.at(tables[i].position, rows[i]), bytes, column.end);
    to += bytes;
  }
  return to;
}

// Asks for the bytes of an occurrence: a bank's events lie far apart in a per-chunk record, further
// than a processor looks ahead by itself. Only a hint; columns lie one behind the other anyway.
inline void prefetch(const BankBlock& block, const BankOccurrence& occurrence) noexcept {
  constexpr std::size_t kLine = 64;
  if (block.arrangement == Arrangement::by_event) {
    const std::byte* bytes = block.bytes.data() + occurrence.position;
    for (std::size_t at = 0; at < occurrence.size + kLine - 1; at += kLine) {
      prefetch(bytes + at);
    }
  }
}

}  // namespace hipotool::inline v0
