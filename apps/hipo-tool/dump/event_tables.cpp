#include "hipotool/counted.hpp"

#include "dump/event_form.hpp"
#include "dump/shown_bank.hpp"
#include "dump/values.hpp"
#include "report/json_text.hpp"
#include "report/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace hipotool::app {

namespace {

// A hostile schema may have names of megabytes; cells are not padded to more than this.
constexpr std::size_t kWidestName = 32;
// Text of the cells of one bank that is kept.
constexpr std::size_t kMostKept = std::size_t{1} << 20;
constexpr std::size_t kHexBytesInALine = 32;
constexpr std::size_t kHexBytesInAGroup = 4;

void append_right(std::string& out, std::string_view text, std::size_t text_width,
                  std::size_t width) {
  out.append(width - std::min(width, text_width), ' ');
  out += text;
}

std::string rows_text(const ShownBank& shown) {
  const std::size_t rows = shown.all_rows;
  if (rows == 0) {
    return "no rows";
  }
  return (shown.row_numbers ? fmt::format("{} of ", shown.rows()) : "") + counted(rows, "row");
}

class TableEvents final : public EventForm {
 public:
  explicit TableEvents(const EventStyle& style) : style_(style) {}

  void append(std::string& out, std::uint64_t number, const Record& record,
              const EventCursor& cursor) override {
    fmt::format_to(std::back_inserter(out), "event {}, tag {}\n", number, cursor.tag());
    for (const BankView& bank : cursor.banks()) {
      if (!style_.selection->shows(bank.key())) {
        continue;
      }
      fill(shown_, bank, *style_.selection, *style_.names);
      if (style_.rows != nullptr) {
        keep_rows(shown_, record, bank, *style_.rows);
      }
      append_heading(out, bank);
      if (shown_.form == BankForm::opaque) {
        append_hex_lines(out);
      } else if (shown_.rows() != 0) {
        find_widths();
        append_rows(out);
      }
      if (on_text) {
        on_text(out);
      }
    }
    out += '\n';
  }

 private:
  void append_heading(std::string& out, const BankView& bank) const {
    out += "  " + printable(bank.name());
    if (bank.schema() != nullptr) {
      out += " (" + to_string(bank.key()) + ")";
    }
    switch (shown_.form) {
      case BankForm::table:
        out += ", " + rows_text(shown_);
        break;
      case BankForm::composite:
        out += ", composite \"" + printable(as_text(shown_.bytes)) + "\", " + rows_text(shown_);
        break;
      case BankForm::opaque:
        out += fmt::format(", type {}, {}", bank.type(), counted(bank.size(), "byte"));
        break;
    }
    out += '\n';
  }

  void append_hex_lines(std::string& out) const {
    const std::string_view bytes = as_text(shown_.bytes);
    for (std::size_t at = 0; at < bytes.size(); at += kHexBytesInAGroup) {
      pause(out, at);
      const bool begins_line = at % kHexBytesInALine == 0;
      out += !begins_line ? " " : at == 0 ? "    " : "\n    ";
      append_hex(out, bytes.substr(at, kHexBytesInAGroup));
    }
    out += bytes.empty() ? "" : "\n";
  }

  // Cells are made for their widths, column by column, and kept for the lines. Those of a large
  // bank would take many times the memory of their values: beyond kMostKept they are made twice.
  void append_text(std::string& out, std::size_t column, std::size_t row) const {
    const ShownColumn& shown = shown_.columns[column];
    append_cell(out, shown.cell(shown_.row_number(row)), shown.type, shown.length);
  }
  std::size_t measure(std::size_t column, std::size_t row) {
    if (cells_.size() > kMostKept) {
      cell_.clear();
      append_text(cell_, column, row);
      return cell_.size();
    }
    const std::size_t begin = cells_.size();
    append_text(cells_, column, row);
    ends_.push_back(cells_.size());
    return cells_.size() - begin;
  }
  std::string_view cell(std::size_t column, std::size_t row) {
    const std::size_t index = column * shown_.rows() + row;
    if (index < ends_.size()) {
      const std::size_t begin = index == 0 ? 0 : ends_[index - 1];
      return std::string_view(cells_).substr(begin, ends_[index] - begin);
    }
    cell_.clear();
    append_text(cell_, column, row);
    return cell_;
  }

  void find_widths() {
    names_.clear();
    widths_.clear();
    cells_.clear();
    ends_.clear();
    for (std::size_t column = 0; column < shown_.columns.size(); ++column) {
      names_.push_back(printable(shown_.columns[column].name));
      std::size_t width = std::min(width_of(names_.back()), kWidestName);
      for (std::size_t row = 0; row < shown_.rows(); ++row) {
        width = std::max(width, measure(column, row));
      }
      widths_.push_back(width);
    }
  }

  void append_rows(std::string& out) {
    const std::size_t rows = shown_.rows();
    const std::size_t row_width =
        std::max<std::size_t>(3, std::to_string(shown_.row_number(rows - 1)).size());
    out += "    ";
    append_right(out, "row", 3, row_width);
    for (std::size_t column = 0; column < names_.size(); ++column) {
      out += "  ";
      append_right(out, names_[column], width_of(names_[column]), widths_[column]);
    }
    out += '\n';
    for (std::size_t row = 0; row < rows; ++row) {
      const std::size_t number = shown_.row_number(row);
      pause(out, row);
      fmt::format_to(std::back_inserter(out), "    {:>{}}", number, row_width);
      for (std::size_t column = 0; column < names_.size(); ++column) {
        const std::string_view text = cell(column, row);
        out += "  ";
        append_right(out, text, text.size(), widths_[column]);
      }
      out += '\n';
    }
  }

  EventStyle style_;
  ShownBank shown_{};
  std::string cell_{};
  std::string cells_{};
  std::vector<std::size_t> ends_{};
  std::vector<std::string> names_{};
  std::vector<std::size_t> widths_{};
};

}  // namespace

std::unique_ptr<EventForm> make_table_events(const EventStyle& style) {
  return std::make_unique<TableEvents>(style);
}

}  // namespace hipotool::app
