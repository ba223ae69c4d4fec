#pragma once
// What every verb can be told, whatever it does.

#include "color.hpp"
#include "report/writer.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace hipotool::app {

struct CommonOptions {
  std::optional<unsigned> threads{};
  std::optional<std::uint64_t> memory_bytes{};
  bool quiet = false;
  std::optional<ReportFormat> format{};  // none: text
  std::optional<std::string> report_file{};
  ColorMode color = ColorMode::automatic;
};

}  // namespace hipotool::app
