#pragma once
// Finding banks and columns by the names that people type.

#include "hipotool/dictionary.hpp"

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace hipotool {
inline namespace v0 {

// "300/31".
[[nodiscard]] std::optional<BankKey> parse_bank_key(std::string_view text) noexcept;

// Whether `pattern` has a * or ?.
[[nodiscard]] bool is_glob(std::string_view pattern) noexcept;
// Whether `name` matches `pattern`: * any run of characters, ? any one, all others themselves.
[[nodiscard]] bool matches_glob(std::string_view pattern, std::string_view name) noexcept;

// The schemas whose names match any of the patterns, in dictionary order. A pattern without * and ?
// that matches nothing is Error{not_found} with the nearest names; "group/item" finds by key.
[[nodiscard]] std::vector<const Schema*> find_schemas(const Dictionary& dictionary,
                                                      const std::vector<std::string>& patterns);

// The banks that a name, a pattern or "group/item" stands for, the last with a schema or without.
// Of two schemas with one key the later describes the bank; both names lead to it. Error{not_found}
// where nothing matches.
[[nodiscard]] std::set<BankKey> find_banks(const Dictionary& dictionary,
                                           const std::string& pattern);

// Error{not_found} "no bank REC::Particl in the dictionary; the nearest names are REC::Particle,
// ...".
[[nodiscard]] const Schema& require_schema(const Dictionary& dictionary, std::string_view name);
// Index of the column. Error{not_found} with the nearest names.
[[nodiscard]] std::size_t require_column(const Schema& schema, std::string_view name);

// Up to three of `names`, nearest first by edit distance; none that has nothing in common.
[[nodiscard]] std::vector<std::string> nearest_names(std::string_view name,
                                                     const std::vector<std::string>& names);
// The same as the end of a message: "; the nearest names are A, B", or nothing.
[[nodiscard]] std::string suggestion(std::string_view name, const std::vector<std::string>& names);

}  // namespace v0
}  // namespace hipotool
