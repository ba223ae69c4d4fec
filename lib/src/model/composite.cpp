#include "hipotool/composite.hpp"

#include "hipotool/record.hpp"

#include <utility>

namespace hipotool {
inline namespace v0 {

std::optional<CompositeView> CompositeView::of(ByteSpan data, std::uint8_t format_length) {
  if (format_length == 0 || format_length > data.size()) {
    return std::nullopt;
  }
  CompositeView view;
  view.format_ = data.first(format_length);
  view.cells_ = data.subspan(format_length);
  view.fields_ = composite_fields(view.format_);
  for (const ColumnType field : view.fields_) {
    view.row_bytes_ += size_of(field);
  }
  if (view.row_bytes_ == 0 || view.cells_.size() % view.row_bytes_ != 0) {
    return std::nullopt;
  }
  return view;
}

const std::byte* CompositeView::first_cell(std::size_t field) const noexcept {
  std::size_t offset = 0;
  for (std::size_t before = 0; before < field; ++before) {
    offset += size_of(fields_[before]);
  }
  return cells_.data() + offset;
}

}  // namespace v0
}  // namespace hipotool
