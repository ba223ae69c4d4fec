#include "report/printable.hpp"
#include "report/writer.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace hipotool::app {

namespace {

// Nothing is padded to more: names in a hostile file may be long, and rows many.
constexpr std::size_t kWidestPadding = 256;

bool is_number(const Cell& cell) {
  return std::holds_alternative<std::uint64_t>(cell) ||
         std::holds_alternative<std::int64_t>(cell) || std::holds_alternative<double>(cell);
}

// Names as people read them: "records_in" is "records in".
std::string spoken(std::string_view name) {
  std::string text(name);
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

class TextWriter final : public ReportWriter {
 public:
  explicit TextWriter(Output& output) : output_(&output) {}

  void begin_document(std::string_view /*kind*/) override {}

  void field(const ReportColumn& column, const Cell& value) override {
    // A value that is not there is no news for a reader.
    if (!std::holds_alternative<std::monostate>(value)) {
      fields_.push_back({spoken(column.name), printable(readable(column, value))});
    }
  }

  void begin_table(std::string_view name, std::span<const ReportColumn> columns) override {
    write_fields();
    title_ = spoken(name);
    columns_.assign(columns.begin(), columns.end());
    rows_.clear();
  }

  void row(std::span<const Cell> cells) override { rows_.emplace_back(cells.begin(), cells.end()); }

  void end_table() override {
    if (rows_.empty()) {
      return;
    }
    std::vector<std::vector<std::string>> texts(1);
    for (const ReportColumn& column : columns_) {
      texts[0].push_back(spoken(column.name));
    }
    for (const std::vector<Cell>& cells : rows_) {
      texts.emplace_back();
      for (std::size_t i = 0; i < columns_.size(); ++i) {
        texts.back().push_back(printable(readable(columns_[i], cells[i])));
      }
    }
    const std::vector<Shape> shapes = shapes_of(texts);
    output_->write((output_->has_color() ? colored(Color::heading, title_) : title_) + "\n");
    for (const std::vector<std::string>& row : texts) {
      output_->write(line_of(row, shapes));
    }
  }

  void end_document() override { write_fields(); }

 private:
  struct Field {
    std::string name;
    std::string value;
  };

  void write_fields() {
    std::size_t width = 0;
    for (const Field& field : fields_) {
      width = std::max(width, field.name.size());
    }
    for (const Field& field : fields_) {
      output_->write(field.name + std::string(width + 2 - field.name.size(), ' ') + field.value +
                     "\n");
    }
    fields_.clear();
  }

  struct Shape {
    std::size_t width = 0;
    bool right = false;  // numbers to the right, text to the left
  };

  [[nodiscard]] std::vector<Shape> shapes_of(
      const std::vector<std::vector<std::string>>& texts) const {
    std::vector<Shape> shapes(columns_.size());
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      for (const std::vector<std::string>& row : texts) {
        shapes[i].width = std::max(shapes[i].width, std::min(width_of(row[i]), kWidestPadding));
      }
      shapes[i].right = std::any_of(rows_.begin(), rows_.end(),
                                    [i](const auto& cells) { return is_number(cells[i]); });
    }
    return shapes;
  }

  [[nodiscard]] static std::string line_of(const std::vector<std::string>& row,
                                           const std::vector<Shape>& shapes) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string padding(shapes[i].width - std::min(width_of(row[i]), shapes[i].width), ' ');
      line += "  ";
      line += shapes[i].right ? padding + row[i] : row[i] + padding;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return line + "\n";
  }

  Output* output_;
  std::vector<Field> fields_{};
  std::string title_{};
  std::vector<ReportColumn> columns_{};
  std::vector<std::vector<Cell>> rows_{};
};

}  // namespace

std::unique_ptr<ReportWriter> make_text_writer(Output& output) {
  return std::make_unique<TextWriter>(output);
}

}  // namespace hipotool::app
