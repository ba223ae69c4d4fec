#include "report/json_text.hpp"
#include "report/writer.hpp"

#include <string>
#include <vector>

namespace hipotool::app {

namespace {

void append_member(std::string& out, const ReportColumn& column, const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) {
    append_json_member(out, column.name, *text);
    return;
  }
  append_json_string(out, column.name);
  out += ':';
  if (const auto* flag = std::get_if<bool>(&cell)) {
    out += *flag ? "true" : "false";
  } else if (const auto* integer = std::get_if<std::int64_t>(&cell)) {
    append_json_number(out, *integer);
  } else if (const auto* natural = std::get_if<std::uint64_t>(&cell)) {
    append_json_number(out, *natural);
  } else if (const auto* real = std::get_if<double>(&cell)) {
    append_json_number(out, *real);
  } else {
    out += "null";
  }
}

class JsonWriter final : public ReportWriter {
 public:
  explicit JsonWriter(Output& output) : output_(&output) {}

  void begin_document(std::string_view kind) override {
    line_ = "{";
    append_json_member(line_, "schema", "hipo-tool/" + std::string(kind) + "/1");
  }

  void field(const ReportColumn& column, const Cell& value) override {
    line_ += ',';
    append_member(line_, column, value);
  }

  void begin_table(std::string_view name, std::span<const ReportColumn> columns) override {
    columns_.assign(columns.begin(), columns.end());
    first_row_ = true;
    line_ += ',';
    append_json_string(line_, name);
    line_ += ":[";
  }

  void row(std::span<const Cell> cells) override {
    line_ += first_row_ ? "{" : ",{";
    first_row_ = false;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      line_ += i == 0 ? "" : ",";
      append_member(line_, columns_[i], cells[i]);
    }
    line_ += '}';
    output_->write(line_);
    line_.clear();
  }

  void end_table() override { line_ += ']'; }

  void unknown_table(std::string_view name) override {
    line_ += ',';
    append_json_string(line_, name);
    line_ += ":null";
  }

  void end_document() override {
    line_ += "}\n";
    output_->write(line_);
    line_.clear();
  }

 private:
  Output* output_;
  std::string line_{};  // what has not been handed on yet
  std::vector<ReportColumn> columns_{};
  bool first_row_ = true;
};

}  // namespace

std::unique_ptr<ReportWriter> make_json_writer(Output& output) {
  return std::make_unique<JsonWriter>(output);
}

}  // namespace hipotool::app
