#pragma once
// Shows a report in one of the output formats. A report is a document of named single values and
// named tables, in the order in which they are given; a command that reports on many files gives
// one document for each. Rows of a table are handed over one by one, and the machine-readable
// formats pass them on at once.

#include "output.hpp"
#include "report/table.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hipotool::app {

enum class ReportFormat : std::uint8_t { text, json, csv, markdown };

[[nodiscard]] std::string_view to_string(ReportFormat format) noexcept;
[[nodiscard]] std::optional<ReportFormat> parse_report_format(std::string_view word) noexcept;
// "text, json, csv or markdown"
[[nodiscard]] std::string report_format_words();

class ReportWriter {
 public:
  ReportWriter() = default;
  ReportWriter(const ReportWriter&) = delete;
  ReportWriter& operator=(const ReportWriter&) = delete;
  ReportWriter(ReportWriter&&) = delete;
  ReportWriter& operator=(ReportWriter&&) = delete;
  virtual ~ReportWriter() = default;

  // `kind` is the verb; JSON documents begin with "schema":"hipo-tool/<kind>/1".
  virtual void begin_document(std::string_view kind) = 0;
  virtual void field(const ReportColumn& column, const Cell& value) = 0;
  virtual void begin_table(std::string_view name, std::span<const ReportColumn> columns) = 0;
  // As many cells as columns.
  virtual void row(std::span<const Cell> cells) = 0;
  virtual void end_table() = 0;
  // A table whose rows are not known: null in JSON, nothing elsewhere.
  virtual void unknown_table(std::string_view /*name*/) {}
  virtual void end_document() = 0;
};

// `output` must outlive the writer.
[[nodiscard]] std::unique_ptr<ReportWriter> make_report_writer(ReportFormat format, Output& output);

// The formats, one in each file of this folder:
// For people: single values below each other, tables aligned, quantities scaled.
[[nodiscard]] std::unique_ptr<ReportWriter> make_text_writer(Output& output);
// One object in one line for each document.
[[nodiscard]] std::unique_ptr<ReportWriter> make_json_writer(Output& output);
// A document's single values are one line below a line of names, which is not repeated for the next
// document; its tables are left out. A document without single values shows its tables, likewise
// without the line of names where the table before had the same.
[[nodiscard]] std::unique_ptr<ReportWriter> make_csv_writer(Output& output);
// GitHub's tables.
[[nodiscard]] std::unique_ptr<ReportWriter> make_markdown_writer(Output& output);

// For people: "54.2 kB", "1.38 GB/s", "2.31 s". Null is "-".
[[nodiscard]] std::string readable(const ReportColumn& column, const Cell& cell);
// Without unit and scale: for CSV. Null is empty.
[[nodiscard]] std::string plain(const Cell& cell);

}  // namespace hipotool::app
