#include "dump/event_form.hpp"
#include "dump/shown_bank.hpp"
#include "dump/values.hpp"
#include "report/json_text.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace hipotool::app {

namespace {

void append_key_number(std::string& out, std::string_view key, std::uint64_t value) {
  out += ",\"";
  out += key;
  out += "\":";
  append_json_number(out, value);
}

class ValueWriter {
 public:
  ValueWriter(std::string& out, Int64Form form) : out_(&out), form_(form) {}

  void append(const std::byte* from, ColumnType type) const {
    const bool quoted = type == ColumnType::i64 && form_ == Int64Form::string;
    *out_ += quoted ? "\"" : "";
    with_value(from, type, [this](auto value) { append_json_number(*out_, value); });
    *out_ += quoted ? "\"" : "";
  }

 private:
  std::string* out_;
  Int64Form form_;
};

void append_cells(std::string& out, const ShownBank& shown, const ShownColumn& column,
                  Int64Form form) {
  const ValueWriter values(out, form);
  const std::size_t size = size_of(column.type);
  out += '[';
  for (std::size_t row = 0; row < shown.rows(); ++row) {
    const std::byte* at = column.cell(shown.row_number(row));
    out += row == 0 ? "" : ",";
    out += column.length > 1 ? "[" : "";
    for (std::uint32_t i = 0; i < column.length; ++i, at += size) {
      out += i == 0 ? "" : ",";
      values.append(at, column.type);
    }
    out += column.length > 1 ? "]" : "";
  }
  out += ']';
}

// Keys cannot have a sibling with their bytes, so names that are not UTF-8 get a list of all.
void append_column_name_bytes(std::string& out, const std::vector<ShownColumn>& columns) {
  if (std::all_of(columns.begin(), columns.end(),
                  [](const ShownColumn& column) { return is_utf8(column.name); })) {
    return;
  }
  out += ",\"column_names_bytes\":[";
  for (std::size_t i = 0; i < columns.size(); ++i) {
    out += i == 0 ? "\"" : ",\"";
    append_base64(out, columns[i].name);
    out += '"';
  }
  out += ']';
}

void append_row_numbers(std::string& out, const std::vector<std::size_t>& numbers) {
  out += ",\"row_numbers\":[";
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    out += i == 0 ? "" : ",";
    append_json_number(out, std::uint64_t{numbers[i]});
  }
  out += ']';
}

void append_columns(std::string& out, const ShownBank& shown, Int64Form form) {
  append_key_number(out, "rows", shown.rows());
  if (shown.row_numbers) {
    append_row_numbers(out, *shown.row_numbers);
  }
  out += ",\"columns\":{";
  for (std::size_t i = 0; i < shown.columns.size(); ++i) {
    out += i == 0 ? "" : ",";
    append_json_string(out, shown.columns[i].name);
    out += ':';
    append_cells(out, shown, shown.columns[i], form);
  }
  out += '}';
  append_column_name_bytes(out, shown.columns);
}

void append_opaque(std::string& out, const BankView& bank, ByteSpan bytes) {
  append_key_number(out, "size", bank.size());
  append_key_number(out, "format_length", bank.format_length());
  out += ",\"hex\":\"";
  append_hex(out, as_text(bytes));
  out += '"';
}

void append_bank(std::string& out, const BankView& bank, const ShownBank& shown, Int64Form form) {
  out += '{';
  append_json_member(out, "name", bank.name());
  append_key_number(out, "group", bank.key().group);
  append_key_number(out, "item", bank.key().item);
  append_key_number(out, "type", bank.type());
  if (shown.form == BankForm::opaque) {
    append_opaque(out, bank, shown.bytes);
  } else {
    if (shown.form == BankForm::composite) {
      out += ',';
      append_json_member(out, "format", as_text(shown.bytes));
    }
    append_columns(out, shown, form);
  }
  out += '}';
}

class JsonEvents final : public EventForm {
 public:
  explicit JsonEvents(const EventStyle& style) : style_(style) {}

  void append(std::string& out, std::uint64_t number, const Record& record,
              const EventCursor& cursor) override {
    out += R"({"schema":"hipo-tool/dump/1")";
    if (!style_.path.empty()) {
      out += ',';
      append_json_member(out, "path", style_.path);
    }
    append_key_number(out, "event", number);
    append_key_number(out, "tag", cursor.tag());
    out += ",\"banks\":[";
    bool first = true;
    for (const BankView& bank : cursor.banks()) {
      if (!style_.selection->shows(bank.key())) {
        continue;
      }
      out += first ? "" : ",";
      first = false;
      fill(shown_, bank, *style_.selection);
      if (style_.rows != nullptr) {
        keep_rows(shown_, record, bank, *style_.rows);
      }
      append_bank(out, bank, shown_, style_.int64);
      if (after_bank) {
        after_bank(out);
      }
    }
    out += "]}\n";
  }

 private:
  EventStyle style_;
  ShownBank shown_{};
};

}  // namespace

std::unique_ptr<EventForm> make_json_events(const EventStyle& style) {
  return std::make_unique<JsonEvents>(style);
}

}  // namespace hipotool::app
