#pragma once
// The banks and columns that somebody wants to see, chosen by names and patterns as people type
// them. It is a Projection for decoding, and says in which order columns are to be shown.

#include "hipotool/dictionary.hpp"
#include "hipotool/projection.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace hipotool {
inline namespace v0 {

class BankSelection {
 public:
  // Every bank, those without a schema too, with every column.
  BankSelection() = default;

  // Banks: names; "group/item", with a schema or without; or patterns of * and ?, which match names
  // of the dictionary, except that * alone is every bank. No bank given is every bank.
  // Columns: names or patterns, for all the banks chosen or, with "BANK." in front, for one or
  // some. Where columns are given a bank without any of them is not chosen.
  // Error{not_found} for what matches nothing, with the nearest names.
  [[nodiscard]] static BankSelection choose(const Dictionary& dictionary,
                                            const std::vector<std::string>& banks,
                                            const std::vector<std::string>& columns);

  [[nodiscard]] bool is_everything() const noexcept { return projection_.is_everything(); }
  [[nodiscard]] const Projection& projection() const noexcept { return projection_; }
  [[nodiscard]] bool shows(BankKey key) const noexcept { return projection_.wants(key); }
  // Indexes in the bank's schema, in the order asked for. Null: all, in the schema's order.
  [[nodiscard]] const std::vector<std::size_t>* columns_of(BankKey key) const noexcept;
  // Those chosen, ascending. Empty where every bank is.
  [[nodiscard]] std::vector<BankKey> banks() const;

 private:
  Projection projection_ = Projection::everything();
  std::map<BankKey, std::optional<std::vector<std::size_t>>> banks_;
};

}  // namespace v0
}  // namespace hipotool
