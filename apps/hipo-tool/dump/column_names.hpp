#pragma once
// What columns are called in output. A schema may have two columns of one name, and names whose
// bytes are no UTF-8 may look alike in JSON; keys of an object and fields of a line of names have
// to differ. So all but the first get "#2", "#3", ... behind their name, whatever is chosen to be
// shown.

#include "hipotool/dictionary.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace hipotool::app {

class ColumnNames {
 public:
  // The dictionary must outlive the names.
  explicit ColumnNames(const Dictionary& dictionary);

  [[nodiscard]] std::string_view name(const Schema& schema, std::size_t column) const;

 private:
  std::map<BankKey, std::vector<std::string>> changed_;  // of schemas with alike names
};

}  // namespace hipotool::app
