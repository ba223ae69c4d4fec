#include "dump/shown_bank.hpp"

#include "hipotool/composite.hpp"

#include <string>

namespace hipotool::app {

namespace {

// A format string is 255 bytes at most.
std::string_view field_name(std::size_t field) {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < 256; ++i) {
      all.emplace_back("f").append(std::to_string(i));
    }
    return all;
  }();
  return names.at(field);
}

void add_column(ShownBank& shown, const BankView& bank, std::size_t index,
                const ColumnNames& names) {
  const Column& column = bank.schema()->columns()[index];
  shown.columns.push_back({.name = names.name(*bank.schema(), index),
                           .stored_name = column.name,
                           .type = column.type,
                           .length = column.length,
                           .first = bank.column_bytes(index).data(),
                           .step = column.width()});
}

void fill_table(ShownBank& shown, const BankView& bank, const BankSelection& selection,
                const ColumnNames& names) {
  shown.all_rows = bank.rows();
  if (const std::vector<std::size_t>* chosen = selection.columns_of(bank.key())) {
    for (const std::size_t index : *chosen) {
      add_column(shown, bank, index, names);
    }
    return;
  }
  for (std::size_t index = 0; index < bank.schema()->columns().size(); ++index) {
    add_column(shown, bank, index, names);
  }
}

// Fields have no names on disk.
void fill_composite(ShownBank& shown, const CompositeView& composite) {
  shown.all_rows = composite.rows();
  shown.bytes = composite.format();
  for (std::size_t field = 0; field < composite.fields().size(); ++field) {
    shown.columns.push_back({.name = field_name(field),
                             .stored_name = field_name(field),
                             .type = composite.fields()[field],
                             .first = composite.first_cell(field),
                             .step = composite.row_bytes()});
  }
}

}  // namespace

void fill(ShownBank& shown, const BankView& bank, const BankSelection& selection,
          const ColumnNames& names) {
  shown.form = bank.form();
  shown.all_rows = 0;
  shown.row_numbers.reset();
  shown.columns.clear();
  if (shown.form == BankForm::table) {
    fill_table(shown, bank, selection, names);
    return;
  }
  // What is no table always lies in one piece.
  shown.bytes = bank.contiguous_bytes().value();
  if (shown.form == BankForm::composite) {
    if (const auto composite = CompositeView::of(shown.bytes, bank.format_length())) {
      fill_composite(shown, *composite);
    }
  }
}

void keep_rows(ShownBank& shown, const Record& record, const BankView& bank,
               const RowCondition& condition) {
  if (shown.form != BankForm::table) {
    return;
  }
  std::vector<std::size_t>& numbers = shown.row_numbers.emplace();
  for (std::size_t row = 0; row < shown.all_rows; ++row) {
    if (condition.holds(record, bank, row)) {
      numbers.push_back(row);
    }
  }
}

}  // namespace hipotool::app
