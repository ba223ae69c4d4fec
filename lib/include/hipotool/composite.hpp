#pragma once
// The rows of a composite bank, which brings its own description (docs/format.md 5.4).

#include "hipotool/bytes.hpp"
#include "hipotool/schema.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace hipotool {
inline namespace v0 {

// Borrows the bank's data.
class CompositeView {
 public:
  // Nullopt where `data` does not read as a composite: no format string, no known letter in it, or
  // no whole rows behind it.
  [[nodiscard]] static std::optional<CompositeView> of(ByteSpan data, std::uint8_t format_length);

  // As it is stored, with letters that are no field and padding.
  [[nodiscard]] ByteSpan format() const noexcept { return format_; }
  [[nodiscard]] const std::vector<ColumnType>& fields() const noexcept { return fields_; }
  [[nodiscard]] std::size_t rows() const noexcept { return cells_.size() / row_bytes_; }
  // From one cell of a field to the next.
  [[nodiscard]] std::size_t row_bytes() const noexcept { return row_bytes_; }
  // The cell of row 0; not to be read where there are no rows.
  [[nodiscard]] const std::byte* first_cell(std::size_t field) const noexcept;

 private:
  ByteSpan format_{};
  ByteSpan cells_{};
  std::vector<ColumnType> fields_{};
  std::size_t row_bytes_ = 0;
};

}  // namespace v0
}  // namespace hipotool
