#pragma once
// What becomes of banks on their way from files to a file: some are left out, some lose columns,
// some get columns that newer definitions have, some get another name or id.
//
// A bank is left out, or narrowed, in events that are not special (hipotool/selection.hpp) or with
// `only` in all. A schema holds for a whole file, so a special event whose bank would lose columns
// is an Error: nothing of it is lost silently. New columns and names are for all events.
//
// Bytes never come to mean something else: rows are laid out anew where columns come or go, new
// columns are zeros, and a bank that is no table by its schema (a composite, or bytes that are no
// whole rows) stays as it is, or is an Error if the new schema would read it as a table.

#include "hipotool/dictionary.hpp"
#include "hipotool/reader.hpp"
#include "hipotool/schema.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace hipotool {
inline namespace v0 {

// Patterns as in bank_selection.hpp.
struct ColumnChoice {
  std::string bank{};
  std::vector<std::string> columns{};
};

struct BankRename {
  std::string from{};
  std::string to{};
  std::optional<BankKey> key{};  // its own stays if none is given
};

// Banks are named as in the inputs.
struct BankEdit {
  std::vector<std::string> keep{};  // patterns as in bank_selection.hpp; none: every bank
  std::vector<std::string> drop{};  // of those
  std::vector<ColumnChoice> columns{};
  bool drop_empty = false;  // events that hold no bank then; a bank without rows is one
  // Where inputs define `from` differently the first one keeps the name; else all change.
  std::vector<BankRename> renames{};
  // Newer schemas, which may have more columns than those of the inputs, and more banks.
  std::vector<Schema> definitions{};
  std::set<std::uint32_t> special{1};
  bool only = false;  // special events are treated as all others

  [[nodiscard]] bool is_nothing() const noexcept {
    return keep.empty() && drop.empty() && columns.empty() && !drop_empty && renames.empty() &&
           definitions.empty();
  }
};

// What an edit does to one bank of one input.
struct BankFate {
  bool kept = true;                  // in events that are not special
  std::optional<BankKey> new_key{};  // none: its own
  // Where its rows are laid out anew: by which schema, and to which.
  const Schema* from = nullptr;
  const Schema* to = nullptr;
  // Of each column of `to` the index in `from`; none: zeros.
  std::vector<std::optional<std::size_t>> columns{};
  bool narrows = false;  // a column of `from` is left out
};

// An edit bound to its inputs. Thread-safe.
class BankEditor {
 public:
  // Error{not_found} where no pattern of `keep` matches in any input, or where a bank or column of
  // `columns`, or a bank of `renames`, is in none. Error{invalid_argument} where a definition is
  // none that only adds columns, naming both, and for a new name or id that is taken. The inputs
  // must outlive the editor.
  BankEditor(const BankEdit& edit, std::span<const FileReader* const> inputs);
  BankEditor(const BankEditor&) = delete;
  BankEditor& operator=(const BankEditor&) = delete;
  BankEditor(BankEditor&&) = delete;
  BankEditor& operator=(BankEditor&&) = delete;
  ~BankEditor() = default;

  // Those of the input as the edit leaves them: a schema that changes in the forms that it had.
  [[nodiscard]] const std::vector<DictionaryEvent>& dictionary_events(
      const FileReader& input) const;
  // Leaves out the schemas of banks that no event holds as the edit leaves it; reads all inputs,
  // those with split records no further than their directories.
  void drop_unused_schemas(unsigned threads, std::uint64_t memory_bytes, std::stop_token stop);

  // Null: the bank stays as it is.
  [[nodiscard]] const BankFate* fate(const FileReader& input, BankKey key) const;
  [[nodiscard]] bool is_special(std::uint32_t tag) const {
    return !edit_.only && edit_.special.contains(tag);
  }
  [[nodiscard]] bool drops_empty() const noexcept { return edit_.drop_empty; }
  // By how much the bytes of any event may grow, at most.
  [[nodiscard]] double growth() const noexcept { return growth_; }

  // By the inputs' dictionaries, each once.
  struct BankColumn {
    std::string bank{};
    BankKey key{};
    std::string column{};
  };
  [[nodiscard]] const std::map<BankKey, std::string>& banks_dropped() const noexcept {
    return banks_dropped_;
  }
  [[nodiscard]] const std::vector<BankColumn>& columns_dropped() const noexcept {
    return columns_dropped_;
  }
  // Patterns that match nothing, columns that point into banks left out.
  [[nodiscard]] const std::vector<std::string>& warnings() const noexcept { return warnings_; }

 private:
  struct Bound {
    std::map<BankKey, Schema> schemas{};  // those that change, as they become
    std::map<BankKey, BankFate> fates{};
    std::vector<DictionaryEvent> dictionary{};
  };
  class Binder;

  [[nodiscard]] bool keeps_unnamed(BankKey key) const;

  BankEdit edit_;
  std::vector<const FileReader*> inputs_;
  std::map<const Dictionary*, Bound> bound_;  // by the input's own
  std::set<BankKey> kept_keys_;               // named by "group/item"
  std::set<BankKey> dropped_keys_;            // the same
  bool keeps_unnamed_ = true;                 // banks that no dictionary names
  BankFate dropped_{};                        // the fate of those that are not kept
  double growth_ = 1;
  std::map<BankKey, std::string> banks_dropped_;
  std::vector<BankColumn> columns_dropped_;
  std::vector<std::string> warnings_;
};

}  // namespace v0
}  // namespace hipotool
