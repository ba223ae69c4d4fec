#include "report/writer.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace hipotool::app {

namespace {

struct Format {
  ReportFormat id;
  std::string_view word;
  std::unique_ptr<ReportWriter> (*make)(Output&);
};

constexpr std::array<Format, 4> kFormats{{
    {ReportFormat::text, "text", make_text_writer},
    {ReportFormat::json, "json", make_json_writer},
    {ReportFormat::csv, "csv", make_csv_writer},
    {ReportFormat::markdown, "markdown", make_markdown_writer},
}};

template <typename... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};
template <typename... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

double as_real(const Cell& cell) {
  return std::visit(
      Overloaded{[](std::int64_t value) { return static_cast<double>(value); },
                 [](std::uint64_t value) { return static_cast<double>(value); },
                 [](double value) { return value; }, [](const auto&) { return std::nan(""); }},
      cell);
}

// Three significant digits and a decimal prefix.
std::string scaled(double value, std::string_view unit) {
  constexpr std::array<std::string_view, 7> kPrefixes{"", "k", "M", "G", "T", "P", "E"};
  std::size_t prefix = 0;
  while (std::abs(value) >= 999.5 && prefix + 1 < kPrefixes.size()) {
    value /= 1000;
    ++prefix;
  }
  const bool whole = value == std::floor(value) && prefix == 0;
  const int decimals = whole || std::abs(value) >= 99.95 ? 0 : std::abs(value) >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f} {}{}", value, decimals, kPrefixes[prefix], unit);
}

}  // namespace

std::string_view to_string(ReportFormat format) noexcept {
  return kFormats[static_cast<std::size_t>(format)].word;
}

std::optional<ReportFormat> parse_report_format(std::string_view word) noexcept {
  for (const Format& format : kFormats) {
    if (format.word == word) {
      return format.id;
    }
  }
  return std::nullopt;
}

std::string report_format_words() {
  std::string words;
  for (std::size_t i = 0; i < kFormats.size(); ++i) {
    words += i == 0 ? "" : i + 1 == kFormats.size() ? " or " : ", ";
    words += kFormats[i].word;
  }
  return words;
}

std::unique_ptr<ReportWriter> make_report_writer(ReportFormat format, Output& output) {
  return kFormats[static_cast<std::size_t>(format)].make(output);
}

std::string readable(const ReportColumn& column, const Cell& cell) {
  if (std::holds_alternative<std::monostate>(cell)) {
    return "-";
  }
  switch (column.unit) {
    case Unit::bytes:
      return scaled(as_real(cell), "B");
    case Unit::bytes_per_second:
      return scaled(as_real(cell), "B/s");
    case Unit::seconds:
      return fmt::format("{:.3g} s", as_real(cell));
    case Unit::ratio:
      return fmt::format("{:.3f}", as_real(cell));
    case Unit::none:
    case Unit::count:
      return plain(cell);
  }
  return plain(cell);
}

std::string plain(const Cell& cell) {
  return std::visit(Overloaded{[](std::monostate) { return std::string(); },
                               [](bool value) { return std::string(value ? "yes" : "no"); },
                               [](const std::string& value) { return value; },
                               [](auto value) { return fmt::format("{}", value); }},
                    cell);
}

}  // namespace hipotool::app
