#include "inspect/event_difference.hpp"

#include "hipotool/counted.hpp"
#include "hipotool/error.hpp"
#include "hipotool/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>
#include <type_traits>

namespace hipotool::inline v0::inspect {
namespace {

// Runs `find` for both dictionaries; what neither has is the first one's error.
template <typename Find>
void require_in_either(const Dictionary& a, const Dictionary& b, const Find& find) {
  try {
    find(a);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::not_found) {
      throw;
    }
    try {
      find(b);
    } catch (const Error&) {
      throw error;
    }
  }
}

bool is_pattern(std::string_view text) {
  return text.find_first_of("*?") != text.npos;
}

std::string type_text(const Column& column) {
  const std::string letter(1, letter_of(column.type));
  return column.length == 1 ? letter : fmt::format("{}#{}", letter, column.length);
}

std::string shape_text(const BankView& bank) {
  switch (bank.form()) {
    case BankForm::table:
      return "table";
    case BankForm::composite:
      return fmt::format("composite of {}, {} of format", counted(bank.size(), "byte"),
                         bank.format_length());
    case BankForm::opaque:
      break;
  }
  return fmt::format("{} of type {}", counted(bank.size(), "byte"), bank.type());
}

std::string content_text(const BankView& bank) {
  return bank.form() == BankForm::table ? counted(bank.rows(), "row") : shape_text(bank);
}

template <typename T>
bool same_bits(T a, T b) noexcept {
  if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
  } else if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
  } else {
    return a == b;
  }
}

// The comparison of one pair of events.
class EventComparison {
 public:
  EventComparison(const PlacedEvent& a, const PlacedEvent& b, const DifferenceRules& rules,
                  FoundDifferences& found)
      : a_(&a), b_(&b), rules_(&rules), found_(&found) {}

  bool run() {
    const std::uint32_t tag_a = a_->blocks->record().tag(a_->event);
    const std::uint32_t tag_b = b_->blocks->record().tag(b_->event);
    if (tag_a != tag_b) {
      differ({.kind = DifferenceKind::tag, .a = std::to_string(tag_a), .b = std::to_string(tag_b)});
    }
    std::vector<NamedBlocks::Bank> of_a;
    std::vector<NamedBlocks::Bank> of_b;
    a_->blocks->banks_of(a_->event, of_a);
    b_->blocks->banks_of(b_->event, of_b);
    auto at_a = of_a.begin();
    auto at_b = of_b.begin();
    while (at_a != of_a.end() || at_b != of_b.end()) {
      const bool only_a = at_b == of_b.end() || (at_a != of_a.end() && *at_a->name < *at_b->name);
      const bool only_b = at_a == of_a.end() || (at_b != of_b.end() && *at_b->name < *at_a->name);
      if (only_a) {
        differ({.kind = DifferenceKind::bank, .bank = *at_a->name, .a = content_text(at_a->view)});
      } else if (only_b) {
        differ({.kind = DifferenceKind::bank, .bank = *at_b->name, .b = content_text(at_b->view)});
      } else {
        compare_banks(*at_a->name, at_a->view, at_b->view);
      }
      at_a += only_b ? 0 : 1;
      at_b += only_a ? 0 : 1;
    }
    return differs_;
  }

 private:
  void differ(Difference difference) {
    differs_ = true;
    difference.event_a = a_->number;
    difference.event_b = b_->number;
    found_->keep(std::move(difference));
  }

  void compare_banks(const std::string& name, const BankView& a, const BankView& b) {
    const bool same_form = a.form() == b.form();
    if (same_form && a.form() == BankForm::table) {
      compare_tables(name, a, b);
    } else if (same_form && a.type() == b.type() && a.format_length() == b.format_length()) {
      compare_bytes(name, a.contiguous_bytes().value(), b.contiguous_bytes().value());
    } else {
      differ({.kind = DifferenceKind::shape, .bank = name, .a = shape_text(a), .b = shape_text(b)});
    }
  }

  void compare_bytes(const std::string& name, ByteSpan a, ByteSpan b) {
    if (a.size() != b.size()) {
      differ({.kind = DifferenceKind::rows,
              .bank = name,
              .a = counted(a.size(), "byte"),
              .b = counted(b.size(), "byte")});
      return;
    }
    const auto [at_a, at_b] = std::mismatch(a.begin(), a.end(), b.begin());
    if (at_a != a.end()) {
      differ({.kind = DifferenceKind::value,
              .bank = name,
              .element = static_cast<std::uint64_t>(at_a - a.begin()),
              .a = fmt::format("0x{:02x}", std::to_integer<unsigned>(*at_a)),
              .b = fmt::format("0x{:02x}", std::to_integer<unsigned>(*at_b))});
    }
  }

  void compare_tables(const std::string& name, const BankView& a, const BankView& b) {
    if (a.rows() != b.rows()) {
      differ({.kind = DifferenceKind::rows,
              .bank = name,
              .a = std::to_string(a.rows()),
              .b = std::to_string(b.rows())});
      return;
    }
    const std::vector<Column>& columns_a = a.schema()->columns();
    const std::vector<Column>& columns_b = b.schema()->columns();
    for (std::size_t i = 0; i < columns_a.size(); ++i) {
      const Column& column = columns_a[i];
      if (rules_->ignores(name, column.name)) {
        continue;
      }
      const std::optional<std::size_t> other = b.schema()->find_column(column.name);
      if (other && column.type == columns_b[*other].type &&
          column.length == columns_b[*other].length) {
        compare_columns(name, column, a.column_bytes(i), b.column_bytes(*other));
      } else {
        differ({.kind = DifferenceKind::shape,
                .bank = name,
                .column = column.name,
                .a = type_text(column),
                .b = other ? type_text(columns_b[*other]) : std::string()});
      }
    }
    for (const Column& column : columns_b) {
      if (!a.schema()->find_column(column.name) && !rules_->ignores(name, column.name)) {
        differ({.kind = DifferenceKind::shape,
                .bank = name,
                .column = column.name,
                .b = type_text(column)});
      }
    }
  }

  void compare_columns(const std::string& name, const Column& column, ByteSpan a, ByteSpan b) {
    if (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0) {
      return;
    }
    switch (column.type) {
      case ColumnType::i8:
        return compare_values<std::int8_t>(name, column, a, b);
      case ColumnType::i16:
        return compare_values<std::int16_t>(name, column, a, b);
      case ColumnType::i32:
        return compare_values<std::int32_t>(name, column, a, b);
      case ColumnType::i64:
        return compare_values<std::int64_t>(name, column, a, b);
      case ColumnType::f32:
        return compare_values<float>(name, column, a, b);
      case ColumnType::f64:
        return compare_values<double>(name, column, a, b);
    }
  }

  template <typename T>
  void compare_values(const std::string& name, const Column& column, ByteSpan a, ByteSpan b) {
    ColumnDifferences differences;
    const std::size_t count = a.size() / sizeof(T);
    for (std::size_t i = 0; i < count; ++i) {
      const T one = load_le<T>(a.data() + i * sizeof(T));
      const T other = load_le<T>(b.data() + i * sizeof(T));
      if (same_bits(one, other)) {
        continue;
      }
      double distance = std::fabs(static_cast<double>(one) - static_cast<double>(other));
      if constexpr (std::is_floating_point_v<T>) {
        if ((std::isnan(one) && std::isnan(other)) || rules_->tolerates(one, other)) {
          continue;
        }
        distance = std::isfinite(distance) ? distance : 0;
      }
      ++differences.values;
      differences.largest = std::max(differences.largest, distance);
      std::optional<std::uint64_t> element;
      if (column.length > 1) {
        element = i % column.length;
      }
      differ({.kind = DifferenceKind::value,
              .bank = name,
              .column = column.name,
              .row = i / column.length,
              .element = element,
              .a = text_of(one),
              .b = text_of(other)});
    }
    if (differences.values > 0) {
      ColumnDifferences& total = found_->columns[{name, column.name}];
      total.values += differences.values;
      total.largest = std::max(total.largest, differences.largest);
    }
  }

  template <typename T>
  static std::string text_of(T value) {
    if constexpr (sizeof(T) == 1) {
      return std::to_string(value);
    } else {
      return fmt::format("{}", value);
    }
  }

  const PlacedEvent* a_;
  const PlacedEvent* b_;
  const DifferenceRules* rules_;
  FoundDifferences* found_;
  bool differs_ = false;
};

}  // namespace

DifferenceRules::DifferenceRules(const CompareOptions& options, const Dictionary& a,
                                 const Dictionary& b)
    : absolute_(options.absolute_tolerance), relative_(options.relative_tolerance) {
  const auto is_tolerance = [](double value) { return std::isfinite(value) && value >= 0; };
  if (!is_tolerance(absolute_) || !is_tolerance(relative_)) {
    throw Error(ErrorCode::invalid_argument, "a tolerance is a number of 0 or more");
  }
  for (const std::string& text : options.ignored) {
    const std::size_t dot = text.rfind('.');
    Ignored ignored{text.substr(0, dot), dot == text.npos ? "" : text.substr(dot + 1)};
    if (!is_pattern(ignored.bank)) {
      require_in_either(a, b, [&](const Dictionary& dictionary) {
        const std::vector<const Schema*> schemas = find_schemas(dictionary, {ignored.bank});
        if (!ignored.column.empty() && !is_pattern(ignored.column)) {
          static_cast<void>(require_column(*schemas.front(), ignored.column));
        }
      });
    }
    ignored_.push_back(std::move(ignored));
  }
}

bool DifferenceRules::ignores(std::string_view bank) const {
  return std::any_of(ignored_.begin(), ignored_.end(), [&](const Ignored& ignored) {
    return ignored.column.empty() && matches_glob(ignored.bank, bank);
  });
}

bool DifferenceRules::ignores(std::string_view bank, std::string_view column) const {
  return std::any_of(ignored_.begin(), ignored_.end(), [&](const Ignored& ignored) {
    return !ignored.column.empty() && matches_glob(ignored.bank, bank) &&
           matches_glob(ignored.column, column);
  });
}

bool DifferenceRules::tolerates(double a, double b) const noexcept {
  if (absolute_ == 0 && relative_ == 0) {
    return false;
  }
  if (!std::isfinite(a) || !std::isfinite(b)) {
    return a == b;
  }
  return std::fabs(a - b) <= absolute_ + relative_ * std::max(std::fabs(a), std::fabs(b));
}

void NamedBlocks::assign(const Record& record, const DifferenceRules& rules) {
  record_ = &record;
  blocks_.clear();
  for (const BankBlock& block : record.blocks()) {
    std::string name = block.schema != nullptr ? block.schema->name() : to_string(block.key);
    if (!block.occurrences.empty() && !rules.ignores(name)) {
      blocks_.emplace_back(std::move(name), &block);
    }
  }
  std::stable_sort(blocks_.begin(), blocks_.end(),
                   [](const auto& one, const auto& other) { return one.first < other.first; });
}

void NamedBlocks::banks_of(std::uint32_t event, std::vector<Bank>& banks) const {
  banks.clear();
  for (const auto& [name, block] : blocks_) {
    for (const BankOccurrence& occurrence : block->in_events(event, 1)) {
      banks.push_back({&name, BankView(*block, occurrence)});
    }
  }
}

void compare_events(const PlacedEvent& a, const PlacedEvent& b, const DifferenceRules& rules,
                    FoundDifferences& found) {
  if (EventComparison(a, b, rules, found).run()) {
    ++found.events;
  }
}

}  // namespace hipotool::inline v0::inspect
