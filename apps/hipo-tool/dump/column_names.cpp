#include "dump/column_names.hpp"

#include "report/json_text.hpp"

#include <unordered_map>
#include <unordered_set>

namespace hipotool::app {

namespace {

std::string shown(const std::string& name) {
  std::string text;
  append_json_string(text, name);
  return text;
}

// Empty where all names differ.
std::vector<std::string> distinct_names(const std::vector<Column>& columns) {
  std::unordered_set<std::string> all;
  for (const Column& column : columns) {
    all.insert(shown(column.name));
  }
  if (all.size() == columns.size()) {
    return {};
  }
  std::unordered_set<std::string> given;
  std::unordered_map<std::string, std::size_t> last;  // number behind a name
  std::vector<std::string> names;
  for (const Column& column : columns) {
    const std::string as_is = shown(column.name);
    if (given.insert(as_is).second) {
      names.push_back(column.name);
      continue;
    }
    std::size_t& number = last.try_emplace(as_is, 1).first->second;
    std::string name;
    do {
      name = column.name + "#" + std::to_string(++number);
    } while (all.contains(shown(name)) || !given.insert(shown(name)).second);
    names.push_back(name);
  }
  return names;
}

}  // namespace

ColumnNames::ColumnNames(const Dictionary& dictionary) {
  for (const Schema* schema : dictionary.schemas()) {
    // Of several schemas with one key the dictionary finds one.
    if (dictionary.find(schema->key()) != schema) {
      continue;
    }
    if (std::vector<std::string> names = distinct_names(schema->columns()); !names.empty()) {
      changed_.emplace(schema->key(), std::move(names));
    }
  }
}

std::string_view ColumnNames::name(const Schema& schema, std::size_t column) const {
  if (!changed_.empty()) {
    if (const auto found = changed_.find(schema.key()); found != changed_.end()) {
      return found->second[column];
    }
  }
  return schema.columns()[column].name;
}

}  // namespace hipotool::app
