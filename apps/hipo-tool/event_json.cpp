#include "event_json.hpp"

#include "report/json_text.hpp"

#include <string_view>
#include <vector>

namespace hipotool::app {

namespace {

std::string_view as_text(ByteSpan bytes) {
  // char may alias anything.
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void append_key_number(std::string& out, std::string_view key, std::uint64_t value) {
  out += ",\"";
  out += key;
  out += "\":";
  append_json_number(out, value);
}

void append_value(std::string& out, const std::byte* from, ColumnType type, Int64Form form) {
  switch (type) {
    case ColumnType::i8:
      append_json_number(out, std::int64_t{load_le<std::int8_t>(from)});
      return;
    case ColumnType::i16:
      append_json_number(out, std::int64_t{load_le<std::int16_t>(from)});
      return;
    case ColumnType::i32:
      append_json_number(out, std::int64_t{load_le<std::int32_t>(from)});
      return;
    case ColumnType::f32:
      append_json_number(out, load_le<float>(from));
      return;
    case ColumnType::f64:
      append_json_number(out, load_le<double>(from));
      return;
    case ColumnType::i64:
      break;
  }
  out += form == Int64Form::string ? "\"" : "";
  append_json_number(out, load_le<std::int64_t>(from));
  out += form == Int64Form::string ? "\"" : "";
}

void append_cells(std::string& out, const Column& column, ByteSpan bytes, Int64Form form) {
  const std::size_t size = size_of(column.type);
  const std::size_t cells = bytes.size() / column.width();
  const std::byte* at = bytes.data();
  out += '[';
  for (std::size_t cell = 0; cell < cells; ++cell) {
    out += cell == 0 ? "" : ",";
    out += column.length > 1 ? "[" : "";
    for (std::uint32_t i = 0; i < column.length; ++i, at += size) {
      out += i == 0 ? "" : ",";
      append_value(out, at, column.type, form);
    }
    out += column.length > 1 ? "]" : "";
  }
  out += ']';
}

// Keys cannot have a sibling with their bytes, so names that are not UTF-8 get a list of all.
void append_column_name_bytes(std::string& out, const Schema& schema) {
  bool all_text = true;
  for (const Column& column : schema.columns()) {
    all_text = all_text && is_utf8(column.name);
  }
  if (all_text) {
    return;
  }
  out += ",\"column_names_bytes\":[";
  for (std::size_t i = 0; i < schema.columns().size(); ++i) {
    out += i == 0 ? "\"" : ",\"";
    append_base64(out, schema.columns()[i].name);
    out += '"';
  }
  out += ']';
}

void append_table(std::string& out, const BankView& bank, Int64Form form) {
  const Schema& schema = *bank.schema();
  append_key_number(out, "rows", bank.rows());
  out += ",\"columns\":{";
  for (std::size_t i = 0; i < schema.columns().size(); ++i) {
    out += i == 0 ? "" : ",";
    append_json_string(out, schema.columns()[i].name);
    out += ':';
    append_cells(out, schema.columns()[i], bank.column_bytes(i), form);
  }
  out += '}';
  append_column_name_bytes(out, schema);
}

std::vector<std::byte> bytes_of(const BankView& bank) {
  std::vector<std::byte> bytes(bank.size());
  bank.copy_bytes(bytes.data());
  return bytes;
}

// Row-major; fields have no names on disk.
void append_composite(std::string& out, const BankView& bank, Int64Form form) {
  const std::vector<std::byte> bytes = bytes_of(bank);
  const ByteSpan format = ByteSpan(bytes).first(bank.format_length());
  const ByteSpan cells = ByteSpan(bytes).subspan(bank.format_length());
  const std::vector<ColumnType> fields = composite_fields(format);
  std::size_t row_bytes = 0;
  for (const ColumnType field : fields) {
    row_bytes += size_of(field);
  }
  const std::size_t rows = row_bytes == 0 ? 0 : cells.size() / row_bytes;
  out += ',';
  append_json_member(out, "format", as_text(format));
  append_key_number(out, "rows", rows);
  out += ",\"columns\":{";
  std::size_t offset = 0;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    out += i == 0 ? "\"f" : ",\"f";
    append_json_number(out, std::uint64_t{i});
    out += "\":[";
    for (std::size_t row = 0; row < rows; ++row) {
      out += row == 0 ? "" : ",";
      append_value(out, cells.data() + row * row_bytes + offset, fields[i], form);
    }
    out += ']';
    offset += size_of(fields[i]);
  }
  out += '}';
}

void append_opaque(std::string& out, const BankView& bank) {
  append_key_number(out, "size", bank.size());
  append_key_number(out, "format_length", bank.format_length());
  out += ",\"hex\":\"";
  append_hex(out, as_text(bytes_of(bank)));
  out += '"';
}

void append_bank(std::string& out, const BankView& bank, Int64Form form) {
  out += '{';
  append_json_member(out, "name", bank.name());
  append_key_number(out, "group", bank.key().group);
  append_key_number(out, "item", bank.key().item);
  append_key_number(out, "type", bank.type());
  switch (bank.form()) {
    case BankForm::table:
      append_table(out, bank, form);
      break;
    case BankForm::composite:
      append_composite(out, bank, form);
      break;
    case BankForm::opaque:
      append_opaque(out, bank);
      break;
  }
  out += '}';
}

}  // namespace

void append_event_json(std::string& out, std::uint64_t number, const EventCursor& cursor,
                       Int64Form form) {
  out += R"({"schema":"hipo-tool/dump/1")";
  append_key_number(out, "event", number);
  append_key_number(out, "tag", cursor.tag());
  out += ",\"banks\":[";
  bool first = true;
  for (const BankView& bank : cursor.banks()) {
    out += first ? "" : ",";
    first = false;
    append_bank(out, bank, form);
  }
  out += "]}\n";
}

}  // namespace hipotool::app
