#include "rewriting/tag_writing.hpp"

#include "hipotool/error.hpp"

#include "options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

namespace hipotool::app {

namespace {

std::optional<std::uint64_t> parse_bits(std::string_view text) {
  const bool is_hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  const std::string_view digits = is_hexadecimal ? text.substr(2) : text;
  std::uint64_t bits = 0;
  const char* const end = digits.data() + digits.size();
  const auto parsed = std::from_chars(digits.data(), end, bits, is_hexadecimal ? 16 : 10);
  if (parsed.ec != std::errc() || parsed.ptr != end) {
    return std::nullopt;
  }
  return bits;
}

std::string names_text(const std::vector<TagName>& names) {
  std::string text;
  for (const TagName& name : names) {
    text += (text.empty() ? "" : ", ") + name.name;
  }
  return text.empty() ? "there are none" : "known: " + text;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t";
  const auto first = text.find_first_not_of(kSpace);
  return first == std::string_view::npos
             ? std::string_view()
             : text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

// Bits that an event's tag has room for.
std::uint32_t event_bits(const std::string& text, const std::vector<TagName>& names) {
  const std::uint64_t bits = bits_of(text, names);
  if (bits > kMostTag) {
    throw UsageError(fmt::format("'{}' has bits beyond the 32 of an event's tag", text));
  }
  return static_cast<std::uint32_t>(bits);
}

TagWritingOptions::Rule parse_rule(const std::string& text) {
  constexpr std::string_view kArrow = "=>";
  const auto arrow = text.rfind(kArrow);
  if (arrow == std::string::npos) {
    throw UsageError(fmt::format("'{}' is no rule: a condition, =>, and a tag", text));
  }
  const std::string_view all(text);
  TagWritingOptions::Rule rule{std::string(trimmed(all.substr(0, arrow))),
                               std::string(trimmed(all.substr(arrow + kArrow.size())))};
  if (rule.where.empty() || rule.tag.empty()) {
    throw UsageError(fmt::format("'{}' lacks the {}", text,
                                 rule.where.empty() ? "condition before =>" : "tag after =>"));
  }
  return rule;
}

TagRule rule_of(const TagWritingOptions::Rule& rule, const std::vector<TagName>& names) {
  TagRule result{.where = rule.where};
  if (rule.tag.starts_with('+')) {
    result.bits = event_bits(rule.tag.substr(1), names);
  } else if (parse_bits(rule.tag)) {
    result.value = event_bits(rule.tag, names);
  } else {
    result.bits = event_bits(rule.tag, names);
  }
  return result;
}

// What is wrong with a name is wrong usage here.
void add_definition(std::vector<TagName>& defined, const std::string& text) {
  const auto equals = text.rfind('=');
  if (equals == std::string::npos) {
    throw UsageError(fmt::format("'{}' is not name=bit", text));
  }
  defined.push_back({text.substr(0, equals),
                     static_cast<std::uint8_t>(parse_number(text.substr(equals + 1), 0, 31))});
  try {
    std::vector<DictionaryEvent> registry;
    define_tag_names(registry, defined);
  } catch (const Error& error) {
    throw UsageError(error.message());
  }
}

}  // namespace

std::uint64_t bits_of(const std::string& text, const std::vector<TagName>& names) {
  if (const std::optional<std::uint64_t> bits = parse_bits(text)) {
    return *bits;
  }
  std::uint64_t bits = 0;
  for (const std::string& word : split_list(text)) {
    const auto found = std::find_if(names.begin(), names.end(),
                                    [&](const TagName& name) { return name.name == word; });
    if (found == names.end()) {
      throw UsageError(fmt::format("'{}' is no number and no name in the tag registry ({})", word,
                                   names_text(names)));
    }
    bits |= std::uint64_t{1} << found->bit;
  }
  return bits;
}

void add_tag_writing(Verb& verb, TagWritingOptions& options) {
  verb.section("New tags");
  verb.repeatable_option(
      "--set-tag", "RULE",
      "'CONDITION => TAG': events that meet a condition, as of --where, get a tag. TAG is a name "
      "or "
      "several (dvcs,sidis), whose bits are set; or +BITS, which are set (+0x5); or a number, "
      "which "
      "is the whole tag. Rules apply one after the other; an event that meets no condition keeps "
      "its "
      "tag.",
      [&options](const std::string& text) { options.rules.push_back(parse_rule(text)); });
  const auto keep = [](std::optional<std::string>& target) {
    return [&target](const std::string& text) { target = text; };
  };
  verb.option("--clear-bits", "BITS", "Clear these bits before the rules; spelled as for --any.",
              keep(options.clear));
  verb.option("--add-bits", "BITS", "Set these bits after the rules.", keep(options.set));
  verb.repeatable_option(
      "--define", "NAME=BIT",
      "Give a bit, 0 to 31, a name in the tag registry of the output; the options here know it.",
      [&options](const std::string& text) { add_definition(options.defined, text); });
  verb.option("--set-record-word", "event",
              "Let each record's word, by which C++ and Java readers filter, be the tag of its "
              "events. No record mixes tags then: events of one tag keep their order, but stand "
              "together.",
              [&options](const std::string& word) {
                if (word != "event") {
                  throw UsageError("'" + word + "' is not event");
                }
                options.record_words_from_tags = true;
              });
}

Tagging tagging_of(const TagWritingOptions& options, const std::vector<TagName>& names,
                   const Selection& selection) {
  Tagging tagging{.special = selection.special, .only = selection.only};
  if (options.clear) {
    tagging.clear = event_bits(*options.clear, names);
  }
  for (const TagWritingOptions::Rule& rule : options.rules) {
    tagging.rules.push_back(rule_of(rule, names));
  }
  if (options.set) {
    tagging.set = event_bits(*options.set, names);
  }
  return tagging;
}

}  // namespace hipotool::app
