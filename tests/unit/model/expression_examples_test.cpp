// The examples of docs/expressions.md, tried.

#include "hipotool/expression.hpp"

#include "support/library.hpp"
#include "support/temp_dir.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

namespace hipotool::test {
namespace {

struct ExampleRow {
  std::string condition;
  std::string holds;
};

// Rows "| `condition` | yes | why |"; in them \| stands for |.
std::vector<ExampleRow> examples() {
  std::istringstream page(
      read_text(std::filesystem::path(HIPO_TEST_DATA_DIR) / "../../docs/expressions.md"));
  std::vector<ExampleRow> rows;
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with("| `")) {
      continue;
    }
    for (std::size_t at = line.find("\\|"); at != std::string::npos; at = line.find("\\|")) {
      line.erase(at, 1);
      line[at] = '\1';
    }
    std::vector<std::string> cells;
    std::istringstream cell_stream(line);
    for (std::string cell; std::getline(cell_stream, cell, '|');) {
      cells.push_back(cell);
    }
    std::string condition = cells.at(1).substr(1, cells.at(1).size() - 2);
    // Code is between backquotes, one or two.
    const std::size_t fence = condition.starts_with("``") ? 3 : 1;
    condition = condition.substr(fence, condition.size() - 2 * fence);
    for (char& character : condition) {
      character = character == '\1' ? '|' : character;
    }
    rows.push_back({condition, cells.at(2)});
  }
  return rows;
}

TEST(ExpressionPage, SaysTheTruthInEveryExample) {
  const Dictionary dictionary = dictionary_of(
      {"{REC::Particle/300/31}{pid/I,px/F,status/S}", "{RUN::config/10000/11}{event/I,trigger/L}",
       "{REC::Cov/400/2}{c/F#3}", "{CAL::empty/400/1}{n/I}"});
  const Bytes particles =
      joined({packed(11, 211, -211), packed(0.1F, 2.5F, std::numeric_limits<float>::quiet_NaN()),
              packed_as<std::int16_t>({-100, 200, 300})});
  const EventImage event{
      .tag = 5,
      .banks = {{{300, 31}, particles},
                {{400, 1}, {}},
                {{400, 2}, packed(1.0F, 2.0F, 3.0F)},
                {{10000, 11}, joined({packed(7), packed((std::int64_t{1} << 53) + 1)})}}};
  const auto record = decoded(whole_record({event.bytes()}), dictionary);
  const std::vector<ExampleRow> rows = examples();
  EXPECT_EQ(rows.size(), 25U);
  for (const ExampleRow& row : rows) {
    const bool holds = Expression::parse(row.condition, dictionary).holds(*record, 0);
    EXPECT_EQ(row.holds, holds ? " yes " : " no ") << row.condition;
  }
}

}  // namespace
}  // namespace hipotool::test
