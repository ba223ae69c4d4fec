#include "hipotool/bank_selection.hpp"

#include "hipotool/error.hpp"
#include "hipotool/names.hpp"

#include <algorithm>
#include <set>
#include <string_view>

namespace hipotool {
inline namespace v0 {
namespace {

using Keys = std::set<BankKey>;

Keys keys_of(const Dictionary& dictionary) {
  Keys keys;
  for (const Schema* schema : dictionary.schemas()) {
    keys.insert(schema->key());
  }
  return keys;
}

class ColumnChooser {
 public:
  ColumnChooser(const Dictionary& dictionary, const Keys& banks, bool banks_given)
      : dictionary_(dictionary), banks_given_(banks_given) {
    for (const BankKey key : banks) {
      if (const Schema* schema = dictionary.find(key)) {
        banks_.push_back(schema);
      }
    }
  }

  void add(const std::string& word) {
    // First as it is, since the name of a column may hold a point.
    if (add_from(banks_, word)) {
      return;
    }
    const std::size_t dot = word.rfind('.');
    if (dot == word.npos) {
      refuse(banks_, word);
    }
    const std::vector<const Schema*> banks = banks_matching(word.substr(0, dot));
    if (!add_from(banks, word.substr(dot + 1))) {
      refuse(banks, word.substr(dot + 1));
    }
  }

  [[nodiscard]] std::map<BankKey, std::optional<std::vector<std::size_t>>> chosen() const {
    return {columns_.begin(), columns_.end()};
  }

 private:
  [[nodiscard]] std::vector<const Schema*> banks_matching(const std::string& pattern) const {
    const Keys keys = find_banks(dictionary_, pattern);
    std::vector<const Schema*> banks;
    std::copy_if(banks_.begin(), banks_.end(), std::back_inserter(banks),
                 [&](const Schema* schema) { return keys.contains(schema->key()); });
    if (banks.empty()) {
      throw Error(ErrorCode::not_found,
                  banks_given_ ? "bank " + pattern + " is not among the banks chosen"
                               : "bank " + pattern + " has no columns in the dictionary");
    }
    return banks;
  }

  // Whether any of the banks has such a column.
  bool add_from(const std::vector<const Schema*>& banks, const std::string& pattern) {
    bool found = false;
    for (const Schema* schema : banks) {
      for (std::size_t column = 0; column < schema->columns().size(); ++column) {
        const std::string& name = schema->columns()[column].name;
        if (is_glob(pattern) ? matches_glob(pattern, name) : name == pattern) {
          append(schema->key(), column);
          found = true;
        }
      }
    }
    return found;
  }

  void append(BankKey bank, std::size_t column) {
    std::vector<std::size_t>& columns = columns_[bank];
    if (std::find(columns.begin(), columns.end(), column) == columns.end()) {
      columns.push_back(column);
    }
  }

  [[noreturn]] static void refuse(const std::vector<const Schema*>& banks,
                                  const std::string& column) {
    std::set<std::string> names;
    for (const Schema* schema : banks) {
      for (const Column& known : schema->columns()) {
        names.insert(known.name);
      }
    }
    throw Error(ErrorCode::not_found,
                (banks.size() == 1 ? "bank " + banks.front()->name() + " has no column "
                                   : "none of the banks has a column ") +
                    column + suggestion(column, {names.begin(), names.end()}));
  }

  const Dictionary& dictionary_;
  bool banks_given_;
  std::vector<const Schema*> banks_;
  std::map<BankKey, std::vector<std::size_t>> columns_;
};

}  // namespace

BankSelection BankSelection::choose(const Dictionary& dictionary,
                                    const std::vector<std::string>& banks,
                                    const std::vector<std::string>& columns) {
  const bool every_bank =
      banks.empty() || std::find(banks.begin(), banks.end(), "*") != banks.end();
  BankSelection selection;
  Keys keys = every_bank ? keys_of(dictionary) : Keys{};
  for (const std::string& pattern : banks) {
    if (pattern != "*") {
      keys.merge(find_banks(dictionary, pattern));
    }
  }
  if (every_bank && columns.empty()) {
    return selection;
  }
  selection.projection_ = Projection::nothing();
  if (columns.empty()) {
    for (const BankKey key : keys) {
      selection.banks_.emplace(key, std::nullopt);
      selection.projection_.add(key);
    }
    return selection;
  }
  ColumnChooser chooser(dictionary, keys, !every_bank);
  for (const std::string& column : columns) {
    chooser.add(column);
  }
  selection.banks_ = chooser.chosen();
  for (const auto& [key, indexes] : selection.banks_) {
    selection.projection_.add(key, {indexes->begin(), indexes->end()});
  }
  return selection;
}

const std::vector<std::size_t>* BankSelection::columns_of(BankKey key) const noexcept {
  const auto found = banks_.find(key);
  return found != banks_.end() && found->second ? &*found->second : nullptr;
}

std::vector<BankKey> BankSelection::banks() const {
  std::vector<BankKey> keys;
  for (const auto& [key, columns] : banks_) {
    keys.push_back(key);
  }
  return keys;
}

}  // namespace v0
}  // namespace hipotool
