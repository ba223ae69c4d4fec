#include "hipotool/expression.hpp"

#include "hipotool/row_condition.hpp"

#include "model/expression_nodes.hpp"

#include <algorithm>
#include <utility>

namespace hipotool {
inline namespace v0 {
namespace expression {
namespace {

Number load_number(ColumnType type, const std::byte* at) {
  switch (type) {
    case ColumnType::i8:
      return {Number::Kind::integer, load_le<std::int8_t>(at), 0.0};
    case ColumnType::i16:
      return {Number::Kind::integer, load_le<std::int16_t>(at), 0.0};
    case ColumnType::i32:
      return {Number::Kind::integer, load_le<std::int32_t>(at), 0.0};
    case ColumnType::i64:
      return {Number::Kind::integer, load_le<std::int64_t>(at), 0.0};
    case ColumnType::f32:
      return {Number::Kind::f32, 0, static_cast<double>(load_le<float>(at))};
    case ColumnType::f64:
      break;
  }
  return {Number::Kind::f64, 0, load_le<double>(at)};
}

double as_real(const Number& number) {
  return number.kind == Number::Kind::integer ? static_cast<double>(number.integer) : number.real;
}

template <typename T>
bool compare(Comparison comparison, T a, T b) {
  switch (comparison) {
    case Comparison::equal:
      return a == b;
    case Comparison::unequal:
      return a != b;
    case Comparison::less:
      return a < b;
    case Comparison::less_equal:
      return a <= b;
    case Comparison::greater:
      return a > b;
    case Comparison::greater_equal:
      break;
  }
  return a >= b;
}

bool compare(Comparison comparison, const Number& a, const Number& b) {
  if (a.kind == Number::Kind::integer && b.kind == Number::Kind::integer) {
    return compare(comparison, a.integer, b.integer);
  }
  const auto meets = [&](Number::Kind one, Number::Kind other) {
    return (a.kind == one && b.kind == other) || (a.kind == other && b.kind == one);
  };
  if (meets(Number::Kind::f32, Number::Kind::decimal)) {
    // 0.1 in the text means the float nearest to it where a float stands on the other side.
    return compare(comparison, static_cast<float>(as_real(a)), static_cast<float>(as_real(b)));
  }
  return compare(comparison, as_real(a), as_real(b));
}

// Calls visit(number) for each value that an operand stands for, until it returns true.
template <typename Visit>
bool any_value(const Operand& operand, const Place& place, const Visit& visit) {
  const auto masked = [&](Number number) {
    if (operand.mask) {
      number = {Number::Kind::integer, number.integer & *operand.mask, 0.0};
    }
    return visit(number);
  };
  if (const auto* number = std::get_if<Number>(&operand.value)) {
    return masked(*number);
  }
  if (std::holds_alternative<TagOperand>(operand.value)) {
    return masked({Number::Kind::integer, place.record.tag(place.event), 0.0});
  }
  if (const auto* count = std::get_if<std::unique_ptr<CountOperand>>(&operand.value)) {
    const auto bank = place.record.bank(place.event, (*count)->key);
    std::int64_t rows = 0;
    const std::size_t all = bank && bank->form() == BankForm::table ? bank->rows() : 0;
    for (std::size_t row = 0; row < all; ++row) {
      const bool counts = !(*count)->condition ||
                          (*count)->condition->holds({place.record, place.event, &*bank, row});
      rows += counts ? 1 : 0;
    }
    return masked({Number::Kind::integer, rows, 0.0});
  }
  const auto& column = std::get<ColumnOperand>(operand.value);
  const std::optional<BankView> bank =
      column.of_current_row ? *place.bank : place.record.bank(place.event, column.key);
  if (!bank || bank->form() != BankForm::table) {
    return false;
  }
  const Column& shape = bank->schema()->columns()[column.column];
  const ByteSpan cells = bank->column_bytes(column.column);
  const std::optional<std::size_t> row =
      column.of_current_row ? std::optional(place.row) : column.row;
  const std::size_t first = row.value_or(0);
  const std::size_t end = row ? std::min(*row + 1, bank->rows()) : bank->rows();
  const std::size_t step = size_of(shape.type);
  for (std::size_t at = first * shape.width(); at < end * shape.width(); at += step) {
    if (masked(load_number(shape.type, cells.data() + at))) {
      return true;
    }
  }
  return false;
}

}  // namespace
}  // namespace expression

bool Expression::Node::holds(const expression::Place& place) const {
  switch (kind) {
    case Kind::either:
      return std::any_of(children.begin(), children.end(),
                         [&](const auto& child) { return child->holds(place); });
    case Kind::both:
      return std::all_of(children.begin(), children.end(),
                         [&](const auto& child) { return child->holds(place); });
    case Kind::negation:
      return !children.front()->holds(place);
    case Kind::has:
      return place.record.bank(place.event, key).has_value();
    case Kind::comparison:
      break;
  }
  return expression::any_value(left, place, [&](const expression::Number& a) {
    return expression::any_value(right, place, [&](const expression::Number& b) {
      return expression::compare(comparison, a, b);
    });
  });
}

Expression::Expression(std::unique_ptr<const Node> root, Projection projection)
    : root_(std::move(root)), projection_(std::move(projection)) {}
Expression::Expression(Expression&&) noexcept = default;
Expression& Expression::operator=(Expression&&) noexcept = default;
Expression::~Expression() = default;

const Projection& Expression::projection() const noexcept {
  return projection_;
}

bool Expression::holds(const Record& record, std::uint32_t event) const {
  return root_->holds({record, event});
}

RowCondition::RowCondition(std::unique_ptr<const Expression::Node> root, Projection projection,
                           BankKey bank)
    : root_(std::move(root)), projection_(std::move(projection)), bank_(bank) {}
RowCondition::RowCondition(RowCondition&&) noexcept = default;
RowCondition& RowCondition::operator=(RowCondition&&) noexcept = default;
RowCondition::~RowCondition() = default;

bool RowCondition::holds_for_any(const Record& record, std::uint32_t event) const {
  const BankBlock* block = record.find(bank_);
  if (block == nullptr) {
    return false;
  }
  const auto occurrences = block->in_events(event, 1);
  return std::any_of(occurrences.begin(), occurrences.end(), [&](const BankOccurrence& one) {
    const BankView bank(*block, one);
    const std::size_t rows = block->is_table(one) ? bank.rows() : 0;
    for (std::size_t row = 0; row < rows; ++row) {
      if (holds(record, bank, row)) {
        return true;
      }
    }
    return false;
  });
}

bool RowCondition::holds(const Record& record, const BankView& bank, std::size_t row) const {
  return root_->holds({record, bank.occurrence().event, &bank, row});
}

}  // namespace v0
}  // namespace hipotool
