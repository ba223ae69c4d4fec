#include "hipotool/bank_edit.hpp"

#include "hipotool/error.hpp"
#include "hipotool/names.hpp"

#include "format/constants.hpp"
#include "format/structure.hpp"
#include "model/bank_references.hpp"

#include <algorithm>
#include <utility>

namespace hipotool {
inline namespace v0 {
namespace {

ByteSpan as_bytes(const std::string& text) {
  return std::as_bytes(std::span{text.data(), text.size()});
}

// A schema's dictionary event with another schema in it: text where there was text, JSON where
// there was JSON, in that order, and everything else as it was.
DictionaryEvent with_schema(const DictionaryEvent& event, const Schema& schema) {
  DictionaryEvent changed(event.begin(), event.begin() + format::kEventHeaderBytes);
  const std::uint32_t left = format::walk_structures(
      ByteSpan(event), [&](const format::StructureHeader& header, std::size_t at) {
        if (header.key == format::kSchemaTextKey) {
          format::append_structure(changed, header.key, header.type, as_bytes(schema.text()));
        } else if (header.key == format::kSchemaJsonKey) {
          format::append_structure(changed, header.key, header.type, as_bytes(schema.json_text()));
        } else {
          const auto begin =
              event.begin() + static_cast<std::ptrdiff_t>(at - format::kStructureHeaderBytes);
          changed.insert(changed.end(), begin,
                         event.begin() + static_cast<std::ptrdiff_t>(at + header.size));
        }
      });
  changed.insert(changed.end(), event.end() - left, event.end());
  store_le(changed.data() + 4, static_cast<std::uint32_t>(changed.size()));
  return changed;
}

std::optional<Schema> schema_of(const DictionaryEvent& event) {
  if (kind_of(event) != DictionaryEventKind::schema) {
    return std::nullopt;
  }
  const Dictionary one(std::span{&event, 1});
  const auto schemas = one.schemas();
  return schemas.empty() ? std::nullopt : std::optional(*schemas.front());
}

bool has_json(const std::vector<DictionaryEvent>& events) {
  return std::any_of(events.begin(), events.end(), [](const DictionaryEvent& event) {
    bool json = false;
    if (kind_of(event) == DictionaryEventKind::schema) {
      format::walk_structures(ByteSpan(event),
                              [&](const format::StructureHeader& header, std::size_t /*at*/) {
                                json = json || header.key == format::kSchemaJsonKey;
                              });
    }
    return json;
  });
}

bool is_same_column(const Column& a, const Column& b) {
  return a.name == b.name && a.type == b.type && a.length == b.length;
}

// Where each column of `to` lies in `from`; nullopt where `to` does more than add columns.
std::optional<std::vector<std::optional<std::size_t>>> widening(const Schema& from,
                                                                const Schema& to) {
  std::vector<std::optional<std::size_t>> columns;
  std::size_t next = 0;
  for (const Column& column : to.columns()) {
    const bool known = next < from.columns().size() && is_same_column(from.columns()[next], column);
    columns.push_back(known ? std::optional(next++) : std::nullopt);
  }
  return next == from.columns().size() ? std::optional(std::move(columns)) : std::nullopt;
}

bool matches(const std::string& pattern, const std::string& name) {
  return is_glob(pattern) ? matches_glob(pattern, name) : pattern == name;
}

// A bank's name, or a pattern, or "group/item".
bool matches(const std::string& pattern, const Schema& schema) {
  return pattern == "*" || matches(pattern, schema.name()) ||
         parse_bank_key(pattern) == std::optional(schema.key());
}

bool any_matches(const std::vector<std::string>& patterns, const Schema& schema) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return matches(pattern, schema); });
}

// The schemas that describe banks: of a key that has several the last.
std::vector<const Schema*> effective_schemas(const Dictionary& dictionary) {
  std::vector<const Schema*> schemas = dictionary.schemas();
  std::erase_if(schemas,
                [&](const Schema* schema) { return dictionary.find(schema->key()) != schema; });
  return schemas;
}

std::string list_of(const std::vector<std::string>& words, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < std::min(words.size(), most); ++i) {
    text += (i == 0 ? "" : ", ") + words[i];
  }
  return words.size() > most ? text + " and " + std::to_string(words.size() - most) + " more"
                             : text;
}

}  // namespace

// Finds out, once, what an edit means for each input.
class BankEditor::Binder {
 public:
  explicit Binder(BankEditor& editor) : editor_(editor), edit_(editor.edit_) {
    for (const FileReader* input : editor.inputs_) {
      for (const Schema* schema : effective_schemas(input->dictionary())) {
        names_.push_back(schema->name());
      }
    }
  }

  void run() {
    note_keys();
    require_matches();
    for (const FileReader* input : editor_.inputs_) {
      with_context([&] { return ErrorContext{.path = input->name()}; }, [&] { bind(*input); });
    }
    warn_of_references();
  }

 private:
  void note_keys() {
    editor_.keeps_unnamed_ =
        (edit_.keep.empty() || std::count(edit_.keep.begin(), edit_.keep.end(), "*") != 0) &&
        std::count(edit_.drop.begin(), edit_.drop.end(), "*") == 0;
    const auto note = [](const std::vector<std::string>& patterns, std::set<BankKey>& keys) {
      for (const std::string& pattern : patterns) {
        if (const auto key = parse_bank_key(pattern)) {
          keys.insert(*key);
        }
      }
    };
    note(edit_.keep, editor_.kept_keys_);
    note(edit_.drop, editor_.dropped_keys_);
    editor_.dropped_.kept = false;
  }

  // Whether the pattern names a bank of any input; a key may be one without a schema.
  [[nodiscard]] bool matches_any(const std::string& pattern) const {
    if (pattern == "*" || parse_bank_key(pattern)) {
      return true;
    }
    return std::any_of(names_.begin(), names_.end(),
                       [&](const std::string& name) { return matches(pattern, name); });
  }

  // A list made for all files of an experiment names banks that some do not have; but one that
  // keeps nothing, and columns of nothing, are mistakes.
  void require_matches() {
    std::vector<std::string> unmatched;
    for (const std::string& pattern : edit_.keep) {
      if (!matches_any(pattern)) {
        unmatched.push_back(pattern);
      }
    }
    if (!edit_.keep.empty() && unmatched.size() == edit_.keep.size()) {
      throw Error(ErrorCode::not_found, "no bank matches " + list_of(unmatched, 5) +
                                            ", so nothing would be kept" +
                                            suggestion(unmatched.front(), names_));
    }
    for (const std::string& pattern : edit_.drop) {
      if (!matches_any(pattern)) {
        unmatched.push_back(pattern);
      }
    }
    for (const std::string& pattern : unmatched) {
      editor_.warnings_.push_back("no bank matches " + pattern + suggestion(pattern, names_));
    }
    for (const BankRename& rename : edit_.renames) {
      if (std::find(names_.begin(), names_.end(), rename.from) == names_.end()) {
        throw Error(ErrorCode::not_found,
                    "no bank " + rename.from + " to rename" + suggestion(rename.from, names_));
      }
    }
    for (const ColumnChoice& choice : edit_.columns) {
      require_columns(choice);
    }
  }

  void require_columns(const ColumnChoice& choice) const {
    std::set<std::string> columns;
    std::string left_out;
    for (const FileReader* input : editor_.inputs_) {
      for (const Schema* schema : effective_schemas(input->dictionary())) {
        if (matches(choice.bank, *schema) && !keeps(*schema)) {
          left_out = schema->name();
        } else if (matches(choice.bank, *schema)) {
          const Schema whole = widened(renamed(*schema));
          for (const Column& column : whole.columns()) {
            columns.insert(column.name);
          }
        }
      }
    }
    if (columns.empty() && !left_out.empty()) {
      throw Error(
          ErrorCode::invalid_argument,
          "columns of " + choice.bank + " are asked for, but bank " + left_out + " is left out");
    }
    if (columns.empty()) {
      throw Error(ErrorCode::not_found,
                  "no bank " + choice.bank + " with columns" + suggestion(choice.bank, names_));
    }
    for (const std::string& pattern : choice.columns) {
      if (std::none_of(columns.begin(), columns.end(),
                       [&](const std::string& name) { return matches(pattern, name); })) {
        throw Error(ErrorCode::not_found,
                    "bank " + choice.bank + " has no column " + pattern +
                        suggestion(pattern, {columns.begin(), columns.end()}));
      }
    }
  }

  void bind(const FileReader& input) {
    Bound& bound = editor_.bound_[&input.dictionary()];
    const std::vector<const Schema*> schemas = effective_schemas(input.dictionary());
    for (const Schema* schema : schemas) {
      add_fate(*schema, bound);
    }
    require_distinct(schemas, bound);
    write_dictionary(input, bound);
  }

  void add_fate(const Schema& schema, Bound& bound) {
    BankFate fate;
    fate.kept = keeps(schema);
    if (!fate.kept) {
      editor_.banks_dropped_.emplace(schema.key(), schema.name());
    }
    const Schema whole = widened(renamed(schema));
    const Schema after = fate.kept ? narrowed(schema, whole) : whole;
    if (after.key() != schema.key()) {
      fate.new_key = after.key();
    }
    // Without columns it described nothing, and its banks have no rows.
    if (after.columns() != schema.columns() && schema.row_size() != 0) {
      lay_out(schema, whole, after, fate);
    }
    if (after != schema) {
      bound.schemas.emplace(schema.key(), after);
    }
    if (fate.from != nullptr) {
      fate.to = &bound.schemas.at(schema.key());
    }
    if (!fate.kept || fate.from != nullptr || fate.new_key) {
      bound.fates.emplace(schema.key(), std::move(fate));
    }
  }

  [[nodiscard]] bool keeps(const Schema& schema) const {
    return (edit_.keep.empty() || any_matches(edit_.keep, schema)) &&
           !any_matches(edit_.drop, schema);
  }

  // The schema under its new name.
  [[nodiscard]] Schema renamed(const Schema& schema) const {
    for (const BankRename& rename : edit_.renames) {
      if (rename.from == schema.name() && is_renamed(schema)) {
        return Schema(rename.to, rename.key.value_or(schema.key()), schema.columns());
      }
    }
    return schema;
  }

  // All change their name where all are equal; else the first keeps it.
  [[nodiscard]] bool is_renamed(const Schema& schema) const {
    const Schema* first = nullptr;
    bool differ = false;
    for (const FileReader* other : editor_.inputs_) {
      const Schema* known = other->dictionary().find(schema.name());
      if (known == nullptr) {
        continue;
      }
      first = first == nullptr ? known : first;
      differ = differ || *known != *first;
    }
    return !differ || schema != *first;
  }

  // The schema with the columns that its newer definition adds.
  [[nodiscard]] Schema widened(const Schema& schema) const {
    for (const Schema& definition : edit_.definitions) {
      const bool named = definition.name() == schema.name();
      if (!named && definition.key() != schema.key()) {
        continue;
      }
      if (!named || definition.key() != schema.key() || !widening(schema, definition)) {
        throw Error(ErrorCode::invalid_argument,
                    "the new definition " + definition.text() + " does not only add columns to " +
                        schema.text(),
                    {.bank = schema.name()});
      }
      return definition;
    }
    return schema;
  }

  // `whole`, which is what `schema` has become, with the columns that are asked for, in its order.
  [[nodiscard]] Schema narrowed(const Schema& schema, const Schema& whole) const {
    std::vector<bool> wanted(whole.columns().size());
    for (const ColumnChoice& choice : edit_.columns) {
      for (std::size_t c = 0; matches(choice.bank, schema) && c < wanted.size(); ++c) {
        for (const std::string& pattern : choice.columns) {
          wanted[c] = wanted[c] || matches(pattern, whole.columns()[c].name);
        }
      }
    }
    std::vector<Column> columns;
    for (std::size_t c = 0; c < wanted.size(); ++c) {
      if (wanted[c]) {
        columns.push_back(whole.columns()[c]);
      }
    }
    return columns.empty() ? whole : Schema(whole.name(), whole.key(), std::move(columns));
  }

  void lay_out(const Schema& before, const Schema& whole, const Schema& after, BankFate& fate) {
    fate.from = &before;
    const std::vector<std::optional<std::size_t>> sources = widening(before, whole).value();
    std::set<std::size_t> used;
    std::size_t next = 0;
    for (const Column& column : after.columns()) {
      while (!is_same_column(whole.columns()[next], column)) {
        ++next;
      }
      fate.columns.push_back(sources[next]);
      if (sources[next]) {
        used.insert(*sources[next]);
      }
      ++next;
    }
    fate.narrows = used.size() < before.columns().size();
    for (std::size_t c = 0; c < before.columns().size(); ++c) {
      const std::string& name = before.columns()[c].name;
      if (!used.contains(c) && noted_columns_.emplace(before.name(), name).second) {
        editor_.columns_dropped_.push_back({before.name(), before.key(), name});
      }
    }
    editor_.growth_ = std::max(editor_.growth_, static_cast<double>(after.row_size()) /
                                                    static_cast<double>(before.row_size()));
  }

  // A new name or id must be free; contradictions that an input came with are carried.
  static void require_distinct(const std::vector<const Schema*>& schemas, const Bound& bound) {
    const auto after = [&](const Schema* schema) -> const Schema& {
      const auto changed = bound.schemas.find(schema->key());
      return changed == bound.schemas.end() ? *schema : changed->second;
    };
    for (const Schema* schema : schemas) {
      const Schema& mine = after(schema);
      if (mine.name() == schema->name() && mine.key() == schema->key()) {
        continue;
      }
      for (const Schema* other : schemas) {
        const Schema& theirs = after(other);
        if (other != schema && (theirs.name() == mine.name() || theirs.key() == mine.key())) {
          throw Error(ErrorCode::invalid_argument,
                      schema->name() + " cannot become " + mine.name() + ", " +
                          to_string(mine.key()) + ": that is " + theirs.name() + ", " +
                          to_string(theirs.key()) + " already",
                      {.bank = schema->name()});
        }
      }
    }
  }

  void write_dictionary(const FileReader& input, Bound& bound) const {
    std::set<std::string> names;
    for (const DictionaryEvent& event : input.dictionary_events()) {
      const std::optional<Schema> schema = schema_of(event);
      const auto changed = schema ? bound.schemas.find(schema->key()) : bound.schemas.end();
      if (changed == bound.schemas.end()) {
        bound.dictionary.push_back(event);
        if (schema) {
          names.insert(schema->name());
        }
      } else if (const Schema* known = input.dictionary().find(schema->key()); *known == *schema) {
        bound.dictionary.push_back(with_schema(event, changed->second));
        names.insert(changed->second.name());
      }  // else an older definition, which was of no effect and would contradict
    }
    const bool json = has_json(input.dictionary_events());
    for (const Schema& definition : edit_.definitions) {
      if (names.insert(definition.name()).second) {
        bound.dictionary.push_back(schema_event(definition, json));
      }
    }
  }

  // Columns that stay and count rows of banks that do not.
  void warn_of_references() {
    std::map<std::string, std::set<std::string>> pointers;
    for (const FileReader* input : editor_.inputs_) {
      const Dictionary& dictionary = input->dictionary();
      for (const Schema* schema : effective_schemas(dictionary)) {
        const BankFate* fate = editor_.fate(*input, schema->key());
        if (fate != nullptr && !fate->kept) {
          continue;
        }
        const Schema& after = fate != nullptr && fate->to != nullptr ? *fate->to : *schema;
        for (const Column& column : after.columns()) {
          const auto target = model::referenced_bank(schema->name(), column.name);
          const Schema* known = target ? dictionary.find(*target) : nullptr;
          const BankFate* theirs = known == nullptr ? nullptr : editor_.fate(*input, known->key());
          if (theirs != nullptr && !theirs->kept) {
            pointers[*target].insert(schema->name() + "." + column.name);
          }
        }
      }
    }
    for (const auto& [target, columns] : pointers) {
      editor_.warnings_.push_back(list_of({columns.begin(), columns.end()}, 4) +
                                  (columns.size() == 1 ? " points" : " point") + " into " + target +
                                  ", which is left out");
    }
  }

  BankEditor& editor_;
  const BankEdit& edit_;
  std::vector<std::string> names_;  // of the banks of all inputs
  std::set<std::pair<std::string, std::string>> noted_columns_;
};

BankEditor::BankEditor(const BankEdit& edit, std::span<const FileReader* const> inputs)
    : edit_(edit), inputs_(inputs.begin(), inputs.end()) {
  Binder(*this).run();
}

const std::vector<DictionaryEvent>& BankEditor::dictionary_events(const FileReader& input) const {
  return bound_.at(&input.dictionary()).dictionary;
}

bool BankEditor::keeps_unnamed(BankKey key) const {
  return (keeps_unnamed_ || kept_keys_.contains(key)) && !dropped_keys_.contains(key);
}

const BankFate* BankEditor::fate(const FileReader& input, BankKey key) const {
  const Bound& bound = bound_.at(&input.dictionary());
  const auto found = bound.fates.find(key);
  if (found != bound.fates.end()) {
    return &found->second;
  }
  if (input.dictionary().find(key) == nullptr && !keeps_unnamed(key)) {
    return &dropped_;
  }
  return nullptr;
}

}  // namespace v0
}  // namespace hipotool
