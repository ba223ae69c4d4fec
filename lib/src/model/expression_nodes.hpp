#pragma once
// The tree behind an Expression: a condition is true or false for one event, or, inside count(BANK,
// ...), for one row of that bank.

#include "hipotool/expression.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

namespace hipotool::inline v0 {
namespace expression {

// A number that keeps what it is, so that it is compared as exactly as possible.
struct Number {
  enum class Kind : std::uint8_t {
    integer,
    f32,
    f64,
    decimal,  // written in the text, with a fraction or an exponent
  };
  Kind kind = Kind::integer;
  std::int64_t integer = 0;
  double real = 0.0;
};

enum class Comparison : std::uint8_t { equal, unequal, less, less_equal, greater, greater_equal };

// Where evaluation stands.
struct Place {
  const Record& record;
  std::uint32_t event;
  // The row that names without a bank are about, inside count(BANK, ...).
  const BankView* bank = nullptr;
  std::size_t row = 0;
};

// A column, of one row or of any.
struct ColumnOperand {
  BankKey key{};
  std::size_t column = 0;
  std::optional<std::size_t> row{};
  bool of_current_row = false;  // unqualified, inside count(BANK, ...)
};

struct CountOperand;  // rows of a bank, all or those that meet a condition
struct TagOperand {};

using Value = std::variant<Number, ColumnOperand, std::unique_ptr<CountOperand>, TagOperand>;

struct Operand {
  Value value;
  std::optional<std::int64_t> mask{};  // & mask, before comparing
};

struct CountOperand {
  BankKey key{};
  std::unique_ptr<const Expression::Node> condition{};  // null: all rows
};

}  // namespace expression

struct Expression::Node {
  enum class Kind : std::uint8_t { either, both, negation, comparison, has };

  Kind kind = Kind::comparison;
  std::vector<std::unique_ptr<const Node>> children{};
  expression::Operand left{};
  expression::Operand right{};
  expression::Comparison comparison = expression::Comparison::unequal;
  BankKey key{};  // of has(BANK)

  [[nodiscard]] bool holds(const expression::Place& place) const;
};

}  // namespace hipotool::inline v0
