#include "report/error_text.hpp"

#include "report/json_text.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace hipotool::app {

namespace {

void append_text(std::string& out, std::string_view key, const std::string& text) {
  out += ',';
  if (text.empty()) {
    append_json_string(out, key);
    out += ":null";
  } else {
    append_json_member(out, key, text);
  }
}

void append_number(std::string& out, std::string_view key, std::optional<std::uint64_t> number) {
  out += ',';
  append_json_string(out, key);
  out += ':';
  if (number) {
    append_json_number(out, *number);
  } else {
    out += "null";
  }
}

}  // namespace

std::string error_json(const Error& error, const std::string& advice) {
  const ErrorContext& where = error.context();
  std::string out = R"({"schema":"hipo-tool/error/1")";
  append_text(out, "code", std::string(to_string(error.code())));
  append_text(out, "message", error.message());
  append_text(out, "path", where.path);
  append_number(out, "record", where.record);
  append_number(out, "record_offset", where.record_offset);
  append_number(out, "offset", error.offset());
  append_number(out, "event", where.event);
  append_text(out, "bank", where.bank);
  append_text(out, "column", where.column);
  append_text(out, "text", error.what());
  append_text(out, "advice", advice);
  return out + "}";
}

}  // namespace hipotool::app
