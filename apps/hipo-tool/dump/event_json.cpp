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

void append_row(std::string& out, const ShownColumn& column, std::size_t row,
                const ValueWriter& values) {
  const std::byte* at = column.cell(row);
  out += column.length > 1 ? "[" : "";
  for (std::uint32_t i = 0; i < column.length; ++i, at += size_of(column.type)) {
    out += i == 0 ? "" : ",";
    values.append(at, column.type);
  }
  out += column.length > 1 ? "]" : "";
}

// Keys cannot have a sibling with their bytes, so names that are not UTF-8 get a list of all.
void append_column_name_bytes(std::string& out, const std::vector<ShownColumn>& columns) {
  if (std::all_of(columns.begin(), columns.end(),
                  [](const ShownColumn& column) { return is_utf8(column.stored_name); })) {
    return;
  }
  out += ",\"column_names_bytes\":[";
  for (std::size_t i = 0; i < columns.size(); ++i) {
    out += i == 0 ? "\"" : ",\"";
    append_base64(out, columns[i].stored_name);
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
      fill(shown_, bank, *style_.selection, *style_.names);
      if (style_.rows != nullptr) {
        keep_rows(shown_, record, bank, *style_.rows);
      }
      append_bank(out, bank);
      if (on_text) {
        on_text(out);
      }
    }
    out += "]}\n";
  }

 private:
  void append_bank(std::string& out, const BankView& bank) const {
    out += '{';
    append_json_member(out, "name", bank.name());
    append_key_number(out, "group", bank.key().group);
    append_key_number(out, "item", bank.key().item);
    append_key_number(out, "type", bank.type());
    if (shown_.form == BankForm::opaque) {
      append_opaque(out, bank);
    } else {
      if (shown_.form == BankForm::composite) {
        out += ',';
        append_json_member(out, "format", as_text(shown_.bytes));
      }
      append_columns(out);
    }
    out += '}';
  }

  void append_opaque(std::string& out, const BankView& bank) const {
    append_key_number(out, "size", bank.size());
    append_key_number(out, "format_length", bank.format_length());
    out += ",\"hex\":\"";
    const std::string_view bytes = as_text(shown_.bytes);
    constexpr std::size_t kStep = 1024;
    for (std::size_t at = 0; at < bytes.size(); at += kStep) {
      pause(out, at);
      append_hex(out, bytes.substr(at, kStep));
    }
    out += '"';
  }

  void append_columns(std::string& out) const {
    append_key_number(out, "rows", shown_.rows());
    if (shown_.row_numbers) {
      append_row_numbers(out, *shown_.row_numbers);
    }
    out += ",\"columns\":{";
    const ValueWriter values(out, style_.int64);
    for (std::size_t i = 0; i < shown_.columns.size(); ++i) {
      out += i == 0 ? "" : ",";
      append_json_string(out, shown_.columns[i].name);
      out += ":[";
      for (std::size_t row = 0; row < shown_.rows(); ++row) {
        pause(out, row);
        out += row == 0 ? "" : ",";
        append_row(out, shown_.columns[i], shown_.row_number(row), values);
      }
      out += ']';
    }
    out += '}';
    append_column_name_bytes(out, shown_.columns);
  }

  EventStyle style_;
  ShownBank shown_{};
};

}  // namespace

std::unique_ptr<EventForm> make_json_events(const EventStyle& style) {
  return std::make_unique<JsonEvents>(style);
}

}  // namespace hipotool::app
