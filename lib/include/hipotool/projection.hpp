#pragma once
// The banks and columns that a reader wants. Fixed before decoding, so that only the streams needed
// are fetched from the file and inflated; nothing inflates behind an accessor later.

#include "hipotool/schema.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <set>

namespace hipotool {
inline namespace v0 {

class Projection {
 public:
  // Every bank, every column.
  [[nodiscard]] static Projection everything();
  // No bank: event tags and sizes alone.
  [[nodiscard]] static Projection nothing() { return Projection{}; }

  // All columns of a bank, or some by their index in the schema. Adding is a union. Columns matter
  // where a layout stores them apart; a bank stored whole is inflated whole.
  Projection& add(BankKey key);
  Projection& add(BankKey key, const std::set<std::size_t>& columns);
  Projection& add(const Projection& other);

  [[nodiscard]] bool is_everything() const noexcept { return everything_; }
  [[nodiscard]] bool wants(BankKey key) const noexcept;
  [[nodiscard]] bool wants(BankKey key, std::size_t column) const noexcept;

 private:
  bool everything_ = false;
  std::map<BankKey, std::optional<std::set<std::size_t>>> banks_;  // nullopt: all columns
};

}  // namespace v0
}  // namespace hipotool
