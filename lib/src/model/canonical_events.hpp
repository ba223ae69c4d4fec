#pragma once
// Events in the canonical form whose hash is an event's (docs/format.md section 13): names and
// values in one order, whatever layout they came from.

#include "hipotool/record.hpp"

#include "model/block_cells.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hipotool::inline v0 {

// Writes some events at a time, column by column: what stands in front of a column's values is the
// same for all of them, and their values lie one behind the other.
class CanonicalEvents {
 public:
  // Borrows both; the banks of `record` were decoded with all their columns. `scratch` holds what
  // write() gives back.
  CanonicalEvents(const Record& record, Buffer& scratch);

  // How many events one call of write() takes; at least one.
  [[nodiscard]] std::size_t most_together() const noexcept;
  // The bytes of each of `events`, which are not empty and ascend from call to call; valid until
  // the next call.
  [[nodiscard]] std::span<const ByteSpan> write(std::span<const std::uint32_t> events);

 private:
  // A column's part of an event: what stands in front of its values, and where they lie.
  struct ColumnPart {
    const std::byte* prefix = nullptr;  // with at least kCopySlack bytes to read
    std::size_t prefix_size = 0;
    ColumnCells cells{};
  };
  struct Bank {
    const BankBlock* block = nullptr;
    std::vector<std::byte> name{};      // length and name
    std::vector<std::byte> prefixes{};  // of the columns: length, name, letter, array length
    std::vector<ColumnPart> parts{};    // point into `prefixes`
    std::size_t table_bytes = 0;        // of a table without its values
    std::size_t next = 0;               // the first occurrence that was not written yet
  };
  // A bank of one of the events that are being written.
  struct Place {
    const BankOccurrence* occurrence = nullptr;
    std::byte* at = nullptr;
    std::uint32_t slot = 0;  // which event
    std::uint32_t rows = 0;  // of a table
    BankForm form = BankForm::table;
  };

  [[nodiscard]] static Bank bank_of(const BankBlock& block, std::string_view name);
  void find_places(std::span<const std::uint32_t> events);
  void lay_out(std::span<const std::uint32_t> events);
  void write_bank(const Bank& bank, std::span<Place> places);
  static void write_tables(const Bank& bank, std::span<Place> tables);

  const Record& record_;
  Buffer& scratch_;
  std::vector<Bank> banks_;                 // by name as bytes; equal names by key
  std::vector<std::vector<Place>> places_;  // for each of the banks
  std::vector<std::byte*> ends_;            // of what is written of each event
  std::vector<ByteSpan> written_;
};

}  // namespace hipotool::inline v0
