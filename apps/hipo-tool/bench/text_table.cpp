#include "bench/text_table.hpp"

#include "report/printable.hpp"

#include <algorithm>

namespace hipotool::app::bench {

namespace {

std::string padded(const std::string& text, std::size_t width, bool right) {
  const std::string blanks(width - std::min(width_of(text), width), ' ');
  return right ? blanks + text : text + blanks;
}

void write_markdown(const TextTable& table, Output& output) {
  output.write("\n### " + table.name + "\n\n" + printable(table.title) + "\n\n");
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text = "|";
    for (const std::string& cell : cells) {
      text += " ";
      for (const char letter : printable(cell)) {
        text +=
            letter == '|' || letter == '*' ? std::string("\\") + letter : std::string(1, letter);
      }
      text += " |";
    }
    output.write(text + "\n");
  };
  line(table.header);
  std::string rule = "|---|";
  for (std::size_t i = 1; i < table.header.size(); ++i) {
    rule += "---:|";
  }
  output.write(rule + "\n");
  for (const auto& row : table.rows) {
    line(row);
  }
  for (const std::string& note : table.notes) {
    output.write("\n" + printable(note) + "\n");
  }
}

void write_text(const TextTable& table, Output& output) {
  output.write("\n" + table.name + ": " + printable(table.title) + "\n");
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < table.header.size(); ++i) {
    std::size_t width = width_of(table.header[i]);
    for (const auto& row : table.rows) {
      width = std::max(width, width_of(row[i]));
    }
    widths.push_back(width);
  }
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      text += "  " + padded(cells[i], widths[i], i != 0);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    output.write(text + "\n");
  };
  line(table.header);
  for (const auto& row : table.rows) {
    line(row);
  }
  for (const std::string& note : table.notes) {
    output.write("  " + printable(note) + "\n");
  }
}

}  // namespace

void write_table(const TextTable& table, ReportFormat format, Output& output) {
  if (format == ReportFormat::markdown) {
    write_markdown(table, output);
  } else {
    write_text(table, output);
  }
}

}  // namespace hipotool::app::bench
