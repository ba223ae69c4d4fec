#include "hipotool/counted.hpp"
#include "hipotool/error.hpp"

#include "dump/event_form.hpp"
#include "dump/shown_bank.hpp"
#include "dump/values.hpp"
#include "report/json_text.hpp"
#include "report/printable.hpp"

#include <fmt/format.h>

#include <string>

namespace hipotool::app {

namespace {

std::string field(const EventStyle& style, std::string_view text) {
  return style.separator == Separator::comma ? csv_field(text) : tsv_field(text);
}

char character_of(Separator separator) {
  return separator == Separator::comma ? ',' : '\t';
}

class SeparatedEvents final : public EventForm {
 public:
  explicit SeparatedEvents(const EventStyle& style)
      : style_(style), separator_(character_of(style.separator)) {
    if (!style.path.empty()) {
      path_ = field(style, style.path) + separator_;
    }
  }

  void append(std::string& out, std::uint64_t number, const Record& record,
              const EventCursor& cursor) override {
    for (const BankView& bank : cursor.banks()) {
      if (!style_.selection->shows(bank.key())) {
        continue;
      }
      if (bank.form() != BankForm::table) {
        throw Error(ErrorCode::type_mismatch,
                    fmt::format("the {} of this bank {} not rows of its schema, so they cannot "
                                "be lines; --json shows them",
                                counted(bank.size(), "byte"), verb_of(bank.size(), "is", "are")),
                    {.event = cursor.event(), .bank = bank.name()});
      }
      fill(shown_, bank, *style_.selection, *style_.names);
      if (style_.rows != nullptr) {
        keep_rows(shown_, record, bank, *style_.rows);
      }
      for (std::size_t shown = 0; shown < shown_.rows(); ++shown) {
        pause(out, shown);
        append_row(out, number, shown_.row_number(shown));
      }
      if (on_text) {
        on_text(out);
      }
    }
  }

 private:
  void append_row(std::string& out, std::uint64_t number, std::size_t row) const {
    out += path_;
    append_json_number(out, number);
    out += separator_;
    append_json_number(out, std::uint64_t{row});
    for (const ShownColumn& column : shown_.columns) {
      // An array has commas, and nothing else that would need quotes.
      const bool quoted = column.length > 1 && separator_ == ',';
      out += separator_;
      out += quoted ? "\"" : "";
      append_cell(out, column.cell(row), column.type, column.length);
      out += quoted ? "\"" : "";
    }
    out += '\n';
  }

  EventStyle style_;
  char separator_;
  std::string path_{};
  ShownBank shown_{};
};

}  // namespace

std::unique_ptr<EventForm> make_separated_events(const EventStyle& style) {
  return std::make_unique<SeparatedEvents>(style);
}

std::string separated_header(const EventStyle& style, const Schema& bank) {
  const char separator = character_of(style.separator);
  std::string header = style.path.empty() ? "" : std::string("path") + separator;
  header += std::string("event_number") + separator + "row_number";
  const auto append = [&](std::size_t column) {
    header += separator + field(style, style.names->name(bank, column));
  };
  if (const std::vector<std::size_t>* chosen = style.selection->columns_of(bank.key())) {
    for (const std::size_t column : *chosen) {
      append(column);
    }
  } else {
    for (std::size_t column = 0; column < bank.columns().size(); ++column) {
      append(column);
    }
  }
  return header + "\n";
}

}  // namespace hipotool::app
