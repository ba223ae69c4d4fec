#include "report/printable.hpp"
#include "report/writer.hpp"

#include <string>
#include <vector>

namespace hipotool::app {

namespace {

// RFC 4180, but with a bare line feed at the end of a line.
class CsvWriter final : public ReportWriter {
 public:
  explicit CsvWriter(Output& output) : output_(&output) {}

  void begin_document(std::string_view /*kind*/) override {
    names_.clear();
    values_.clear();
  }

  void field(const ReportColumn& column, const Cell& value) override {
    append(names_, column.name);
    append(values_, plain(value));
  }

  void begin_table(std::string_view /*name*/, std::span<const ReportColumn> columns) override {
    skipping_ = !names_.empty();
    std::string header;
    for (const ReportColumn& column : columns) {
      append(header, column.name);
    }
    if (!skipping_ && header != header_) {
      write_line(header);
      header_ = header;
    }
  }

  void row(std::span<const Cell> cells) override {
    std::string line;
    for (const Cell& cell : cells) {
      append(line, plain(cell));
    }
    write_line(line);
  }

  void end_table() override { skipping_ = false; }

  void end_document() override {
    if (names_.empty()) {
      return;
    }
    if (names_ != header_) {
      write_line(names_);
      header_ = names_;
    }
    write_line(values_);
  }

 private:
  static void append(std::string& line, std::string_view text) {
    line += line.empty() ? "" : ",";
    // An empty first cell would be mistaken for the beginning of the line.
    if (line.empty() && text.empty()) {
      line += "\"\"";
    }
    line += csv_field(text);
  }

  void write_line(const std::string& line) {
    if (!skipping_) {
      output_->write(line + "\n");
    }
  }

  Output* output_;
  std::string names_{};
  std::string values_{};
  std::string header_{};
  bool skipping_ = false;
};

}  // namespace

std::unique_ptr<ReportWriter> make_csv_writer(Output& output) {
  return std::make_unique<CsvWriter>(output);
}

}  // namespace hipotool::app
