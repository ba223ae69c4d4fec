#pragma once
// Conditions on events, as users write them after --where (docs/expressions.md):
//
//   REC::Particle.pid == 11 && count(REC::Particle) > 2
//   count(REC::Particle, pid == 11 && pz > 1) >= 1 || RUN::config.trigger[0] & 0x10
//
// A parsed Expression is bound to a dictionary, knows the banks and columns that it needs, and may
// be evaluated by any number of threads at once. It lives as long as that dictionary.

#include "hipotool/dictionary.hpp"
#include "hipotool/projection.hpp"
#include "hipotool/record.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace hipotool {
inline namespace v0 {

class Expression {
 public:
  // Error{invalid_argument} saying where the text stops making sense; Error{not_found} for a bank
  // or column that the dictionary does not have, with the nearest names.
  [[nodiscard]] static Expression parse(std::string_view text, const Dictionary& dictionary);

  Expression(Expression&&) noexcept;
  Expression& operator=(Expression&&) noexcept;
  Expression(const Expression&) = delete;
  Expression& operator=(const Expression&) = delete;
  ~Expression();

  // What a Record must have been decoded for.
  [[nodiscard]] const Projection& projection() const noexcept;
  // False, too, wherever a row or bank that is compared does not exist.
  [[nodiscard]] bool holds(const Record& record, std::uint32_t event) const;

  struct Node;

 private:
  Expression(std::unique_ptr<const Node> root, Projection projection);

  std::unique_ptr<const Node> root_;
  Projection projection_;
};

}  // namespace v0
}  // namespace hipotool
