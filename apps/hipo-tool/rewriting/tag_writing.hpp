#pragma once
// Options that give events other tags: new tags, names of bits, record words. How bits are spelled,
// in the options that choose events by them too.

#include "hipotool/dictionary.hpp"
#include "hipotool/selection.hpp"
#include "hipotool/tagging.hpp"

#include "arguments.hpp"
#include "log.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hipotool::app {

// A number of bits (5, 0x5), or the bits of some names (dvcs,sidis). Throws UsageError for a name
// that is not in the registry, with those that are.
[[nodiscard]] std::uint64_t bits_of(const std::string& text, const std::vector<TagName>& names);

struct TagWritingOptions {
  // As they were written, since the names of bits are known later.
  struct Rule {
    std::string where{};
    std::string tag{};
  };
  std::vector<Rule> rules{};
  std::optional<std::string> set{};
  std::optional<std::string> clear{};
  std::vector<TagName> defined{};
  bool record_words_from_tags = false;

  [[nodiscard]] bool any() const noexcept {
    return changes_tags() || !defined.empty() || record_words_from_tags;
  }
  [[nodiscard]] bool changes_tags() const noexcept { return !rules.empty() || set || clear; }
};

void add_tag_writing(Verb& verb, TagWritingOptions& options);

// What `options` ask for, with the bits of `names`. Special tags are those of `selection`.
[[nodiscard]] Tagging tagging_of(const TagWritingOptions& options,
                                 const std::vector<TagName>& names, const Selection& selection);

}  // namespace hipotool::app
