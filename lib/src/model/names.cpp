#include "hipotool/names.hpp"

#include "hipotool/error.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <numeric>
#include <set>

namespace hipotool {
inline namespace v0 {
namespace {

constexpr std::size_t kShown = 3;

char lower(char c) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

// Levenshtein distance without regard to case.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t substituted = diagonal + (lower(a[i]) == lower(b[j]) ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, substituted});
    }
  }
  return row.back();
}

std::vector<std::string> schema_names(const Dictionary& dictionary) {
  std::vector<std::string> names;
  for (const Schema* schema : dictionary.schemas()) {
    names.push_back(schema->name());
  }
  return names;
}

}  // namespace

std::optional<BankKey> parse_bank_key(std::string_view text) noexcept {
  const std::size_t slash = text.find('/');
  if (slash == text.npos) {
    return std::nullopt;
  }
  unsigned group = 0;
  unsigned item = 0;
  const auto whole = [](std::string_view digits, unsigned& value) {
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return error == std::errc{} && end == digits.data() + digits.size();
  };
  if (!whole(text.substr(0, slash), group) || !whole(text.substr(slash + 1), item) ||
      group > 0xFFFF || item > 0xFF) {
    return std::nullopt;
  }
  return BankKey{static_cast<std::uint16_t>(group), static_cast<std::uint8_t>(item)};
}

bool is_glob(std::string_view pattern) noexcept {
  return pattern.find_first_of("*?") != pattern.npos;
}

bool matches_glob(std::string_view pattern, std::string_view name) noexcept {
  std::size_t p = 0;
  std::size_t n = 0;
  std::size_t star = pattern.npos;
  std::size_t resume = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (star != pattern.npos) {
      p = star + 1;
      n = ++resume;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == pattern.npos;
}

std::vector<const Schema*> find_schemas(const Dictionary& dictionary,
                                        const std::vector<std::string>& patterns) {
  std::set<const Schema*> wanted;
  for (const std::string& pattern : patterns) {
    if (!is_glob(pattern)) {
      wanted.insert(&require_schema(dictionary, pattern));
      continue;
    }
    for (const Schema* schema : dictionary.schemas()) {
      if (matches_glob(pattern, schema->name())) {
        wanted.insert(schema);
      }
    }
  }
  std::vector<const Schema*> found = dictionary.schemas();
  std::erase_if(found, [&](const Schema* schema) { return !wanted.contains(schema); });
  return found;
}

std::set<BankKey> find_banks(const Dictionary& dictionary, const std::string& pattern) {
  const auto key = parse_bank_key(pattern);
  if (key && dictionary.find(pattern) == nullptr) {
    return {*key};
  }
  std::set<BankKey> keys;
  for (const Schema* schema : find_schemas(dictionary, {pattern})) {
    keys.insert(schema->key());
  }
  if (keys.empty()) {
    throw Error(ErrorCode::not_found, "no bank matches " + pattern + " in the dictionary");
  }
  return keys;
}

const Schema& require_schema(const Dictionary& dictionary, std::string_view name) {
  const Schema* schema = dictionary.find(name);
  if (schema == nullptr) {
    if (const auto key = parse_bank_key(name)) {
      schema = dictionary.find(*key);
    }
  }
  if (schema == nullptr) {
    throw Error(ErrorCode::not_found, "no bank " + std::string(name) + " in the dictionary" +
                                          suggestion(name, schema_names(dictionary)));
  }
  return *schema;
}

std::size_t require_column(const Schema& schema, std::string_view name) {
  const auto column = schema.find_column(name);
  if (!column) {
    std::vector<std::string> names;
    for (const Column& known : schema.columns()) {
      names.push_back(known.name);
    }
    throw Error(ErrorCode::not_found, "bank " + schema.name() + " has no column " +
                                          std::string(name) + suggestion(name, names));
  }
  return *column;
}

std::vector<std::string> nearest_names(std::string_view name,
                                       const std::vector<std::string>& names) {
  struct Candidate {
    std::size_t distance;
    const std::string* name;
  };
  std::vector<Candidate> candidates;
  for (const std::string& known : names) {
    const std::size_t distance = edit_distance(name, known);
    const bool contained = !name.empty() && known.find(name) != std::string::npos;
    if (contained || 2 * distance <= std::max(name.size(), known.size())) {
      candidates.push_back({contained ? 0 : distance, &known});
    }
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.distance < b.distance; });
  std::vector<std::string> nearest;
  for (std::size_t i = 0; i < std::min(candidates.size(), kShown); ++i) {
    nearest.push_back(*candidates[i].name);
  }
  return nearest;
}

std::string suggestion(std::string_view name, const std::vector<std::string>& names) {
  const std::vector<std::string> nearest = nearest_names(name, names);
  if (nearest.empty()) {
    return "";
  }
  std::string text = nearest.size() == 1 ? "; the nearest name is " : "; the nearest names are ";
  for (std::size_t i = 0; i < nearest.size(); ++i) {
    text += (i == 0 ? "" : ", ") + nearest[i];
  }
  return text;
}

}  // namespace v0
}  // namespace hipotool
