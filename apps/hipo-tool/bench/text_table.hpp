#pragma once
// A table of texts, aligned for people or as markdown.

#include "output.hpp"
#include "report/writer.hpp"

#include <string>
#include <vector>

namespace hipotool::app::bench {

struct TextTable {
  std::string name{};
  std::string title{};
  std::vector<std::string> header{};
  std::vector<std::vector<std::string>> rows{};  // the first column to the left, others right
  std::vector<std::string> notes{};
};

// As text or markdown.
void write_table(const TextTable& table, ReportFormat format, Output& output);

}  // namespace hipotool::app::bench
