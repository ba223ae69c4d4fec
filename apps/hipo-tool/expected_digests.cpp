#include "expected_digests.hpp"

#include "hipotool/check.hpp"

#include "arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <iterator>
#include <set>

namespace hipotool::app {

namespace {

constexpr std::size_t kDigestDigits = 32;

// Undoes tsv_field().
std::string unescaped(std::string_view field) {
  std::string text;
  for (std::size_t i = 0; i < field.size(); ++i) {
    if (field[i] != '\\' || i + 1 == field.size()) {
      text += field[i];
      continue;
    }
    const char letter = field[++i];
    text += letter == 't' ? '\t' : letter == 'n' ? '\n' : letter == 'r' ? '\r' : letter;
  }
  return text;
}

bool is_bad_verdict(std::string_view word) {
  for (int number = 0; number <= static_cast<int>(CheckVerdict::tags_inconsistent); ++number) {
    const auto verdict = static_cast<CheckVerdict>(number);
    if (!is_good(verdict) && to_string(verdict) == word) {
      return true;
    }
  }
  return false;
}

// Takes verdict and reason of a bad file off the end of what follows the number of events.
std::string_view without_verdict(std::string_view rest) {
  const std::size_t reason = rest.rfind('\t');
  if (reason == rest.npos || reason == 0) {
    return rest;
  }
  const std::size_t verdict = rest.rfind('\t', reason - 1);
  if (verdict == rest.npos || !is_bad_verdict(rest.substr(verdict + 1, reason - verdict - 1))) {
    return rest;
  }
  return rest.substr(0, verdict);
}

bool is_digest(std::string_view text) {
  return text.size() == kDigestDigits && std::all_of(text.begin(), text.end(), [](char digit) {
           return std::isxdigit(static_cast<unsigned char>(digit)) != 0;
         });
}

}  // namespace

std::string parse_digest(std::string_view text) {
  if (!is_digest(text)) {
    throw UsageError(fmt::format("'{}' is no digest, which has 32 hexadecimal digits", text));
  }
  std::string digest(text);
  std::transform(digest.begin(), digest.end(), digest.begin(),
                 [](unsigned char digit) { return static_cast<char>(std::tolower(digit)); });
  return digest;
}

void ExpectedDigests::read(const std::string& list) {
  std::ifstream file(list, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file.is_open() || file.bad() || std::filesystem::is_directory(list)) {
    throw UsageError(fmt::format("--expect-file: {} cannot be read", list));
  }
  const bool has_nul = text.find('\0') != text.npos;
  const char end = has_nul ? '\0' : '\n';
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t stop = std::min(text.find(end, begin), text.size());
    ++number;
    try {
      add_line(std::string_view(text).substr(begin, stop - begin), !has_nul);
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("--expect-file: {}, line {}: {}", list, number, error.what()));
    }
    begin = stop + 1;
  }
}

void ExpectedDigests::add_line(std::string_view line, bool escaped) {
  if (line.empty()) {
    return;
  }
  std::array<std::string_view, 3> fields;
  std::string_view rest = line;
  for (std::string_view& field : fields) {
    const std::size_t tab = rest.find('\t');
    if (tab == rest.npos) {
      throw UsageError("no line of `check --digest`: digest, unordered digest, events, path");
    }
    field = rest.substr(0, tab);
    rest.remove_prefix(tab + 1);
  }
  rest = without_verdict(rest);
  Entry entry{escaped ? unescaped(rest) : std::string(rest)};
  if (fields[0] != "-") {
    entry.digest = parse_digest(fields[0]);
  }
  entries_.push_back(std::move(entry));
}

template <typename Wanted>
std::optional<ExpectedDigests::Match> ExpectedDigests::match(const Wanted& wanted) {
  std::set<std::optional<std::string>> digests;
  for (Entry& entry : entries_) {
    if (wanted(entry.path)) {
      entry.used = true;
      digests.insert(entry.digest);
    }
  }
  if (digests.empty()) {
    return std::nullopt;
  }
  if (digests.size() > 1) {
    return Match{std::nullopt, "the list has several digests for it"};
  }
  const std::optional<std::string>& digest = *digests.begin();
  return Match{digest, digest ? "" : "the list has no digest for it, since it was bad then"};
}

ExpectedDigests::Match ExpectedDigests::find(const std::filesystem::path& path) {
  if (const auto as_given =
          match([&](const std::string& entry) { return entry == path.string(); })) {
    return *as_given;
  }
  const std::filesystem::path name = path.filename();
  const auto by_name = match(
      [&](const std::string& entry) { return std::filesystem::path(entry).filename() == name; });
  return by_name.value_or(Match{std::nullopt, "the list has no digest for it"});
}

std::size_t ExpectedDigests::unused() const {
  return static_cast<std::size_t>(std::count_if(entries_.begin(), entries_.end(),
                                                [](const Entry& entry) { return !entry.used; }));
}

}  // namespace hipotool::app
