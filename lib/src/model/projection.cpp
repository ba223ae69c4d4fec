#include "hipotool/projection.hpp"

namespace hipotool {
inline namespace v0 {

Projection Projection::everything() {
  Projection projection;
  projection.everything_ = true;
  return projection;
}

Projection& Projection::add(BankKey key) {
  banks_.insert_or_assign(key, std::nullopt);
  return *this;
}

Projection& Projection::add(BankKey key, const std::set<std::size_t>& columns) {
  const auto [at, inserted] = banks_.try_emplace(key, columns);
  if (!inserted && at->second) {
    at->second->insert(columns.begin(), columns.end());
  }
  return *this;
}

Projection& Projection::add(const Projection& other) {
  everything_ = everything_ || other.everything_;
  for (const auto& [key, columns] : other.banks_) {
    columns ? add(key, *columns) : add(key);
  }
  return *this;
}

bool Projection::wants(BankKey key) const noexcept {
  return everything_ || banks_.contains(key);
}

bool Projection::wants(BankKey key, std::size_t column) const noexcept {
  if (everything_) {
    return true;
  }
  const auto found = banks_.find(key);
  return found != banks_.end() && (!found->second || found->second->contains(column));
}

}  // namespace v0
}  // namespace hipotool
