#include "report/printable.hpp"
#include "report/writer.hpp"

#include <string>
#include <vector>

namespace hipotool::app {

namespace {

std::string cell_text(std::string_view text) {
  std::string escaped;
  for (const char character : printable(text)) {
    escaped += character == '|' ? "\\|" : std::string(1, character);
  }
  return escaped;
}

class MarkdownWriter final : public ReportWriter {
 public:
  explicit MarkdownWriter(Output& output) : output_(&output) {}

  void begin_document(std::string_view kind) override {
    output_->write((first_ ? "## " : "\n## ") + std::string(kind) + "\n");
    first_ = false;
    in_fields_ = false;
  }

  void field(const ReportColumn& column, const Cell& value) override {
    if (!in_fields_) {
      output_->write("\n| | |\n|---|---|\n");
      in_fields_ = true;
    }
    output_->write("| " + column.name + " | " + cell_text(readable(column, value)) + " |\n");
  }

  void begin_table(std::string_view name, std::span<const ReportColumn> columns) override {
    in_fields_ = false;
    columns_.assign(columns.begin(), columns.end());
    std::string names = "|";
    std::string rule = "|";
    for (const ReportColumn& column : columns_) {
      names += " " + column.name + " |";
      rule += column.unit == Unit::none ? "---|" : "---:|";
    }
    output_->write("\n### " + std::string(name) + "\n\n" + names + "\n" + rule + "\n");
  }

  void row(std::span<const Cell> cells) override {
    std::string line = "|";
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      line += " " + cell_text(readable(columns_[i], cells[i])) + " |";
    }
    output_->write(line + "\n");
  }

  void end_table() override {}
  void end_document() override {}

 private:
  Output* output_;
  std::vector<ReportColumn> columns_{};
  bool first_ = true;
  bool in_fields_ = false;
};

}  // namespace

std::unique_ptr<ReportWriter> make_markdown_writer(Output& output) {
  return std::make_unique<MarkdownWriter>(output);
}

}  // namespace hipotool::app
