#pragma once
// Conditions on single rows of a bank, written as within count(BANK, ...) of an Expression
// (docs/expressions.md): `pid == 11 && pz > 1`, where a name without a bank is a column of the
// bank, in the row that is looked at. Bound to a dictionary and thread-safe as an Expression is.

#include "hipotool/expression.hpp"
#include "hipotool/projection.hpp"
#include "hipotool/record.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace hipotool {
inline namespace v0 {

class RowCondition {
 public:
  // `bank` belongs to the dictionary. Errors as of Expression::parse(); {invalid_argument}, too,
  // for a column of the bank that is named with it and without a row, since that means all rows.
  [[nodiscard]] static RowCondition parse(std::string_view text, const Dictionary& dictionary,
                                          const Schema& bank);

  RowCondition(RowCondition&&) noexcept;
  RowCondition& operator=(RowCondition&&) noexcept;
  RowCondition(const RowCondition&) = delete;
  RowCondition& operator=(const RowCondition&) = delete;
  ~RowCondition();

  // What a Record must have been decoded for.
  [[nodiscard]] const Projection& projection() const noexcept { return projection_; }
  // `bank` is a table of `record` with more than `row` rows, of the bank that this is about.
  [[nodiscard]] bool holds(const Record& record, const BankView& bank, std::size_t row) const;
  // Whether the event has such a row. A bank that comes twice is looked at twice.
  [[nodiscard]] bool holds_for_any(const Record& record, std::uint32_t event) const;

 private:
  RowCondition(std::unique_ptr<const Expression::Node> root, Projection projection, BankKey bank);

  std::unique_ptr<const Expression::Node> root_;
  Projection projection_;
  BankKey bank_;
};

}  // namespace v0
}  // namespace hipotool
