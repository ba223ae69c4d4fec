#include "hipotool/tagging.hpp"

#include "hipotool/error.hpp"

#include "format/constants.hpp"

#include <algorithm>
#include <string>

namespace hipotool {
inline namespace v0 {
namespace {

constexpr std::size_t kTagInEvent = 8;  // docs/format.md 5.1

// Only a per-chunk record holds such events; of others their sizes need not be known.
bool is_headless(const Record& record, std::uint32_t event) {
  return !record.image_offsets.empty() && record.event_bytes(event) < format::kEventHeaderBytes;
}

void store_tag(Record& record, std::uint32_t event, std::uint32_t tag) {
  record.tags[event] = tag;
  if (!record.image_offsets.empty()) {
    store_le(record.payload.data() + record.image_offsets[event] + kTagInEvent, tag);
  }
}

}  // namespace

EventTagger::EventTagger(const Tagging& tagging, std::span<const FileReader* const> inputs)
    : tagging_(tagging) {
  for (const FileReader* input : inputs) {
    Bound& bound = bound_[&input->dictionary()];
    with_context([&] { return ErrorContext{.path = input->name()}; },
                 [&] {
                   for (const TagRule& rule : tagging.rules) {
                     bound.rules.push_back(Expression::parse(rule.where, input->dictionary()));
                     bound.projection.add(bound.rules.back().projection());
                   }
                 });
  }
}

const Projection& EventTagger::projection(const FileReader& input) const {
  return bound_.at(&input.dictionary()).projection;
}

std::optional<std::uint32_t> EventTagger::known_tag(std::uint32_t tag) const {
  if (!tagging_.only && is_special(tag)) {
    return tag;
  }
  return tagging_.rules.empty() ? std::optional((tag & ~tagging_.clear) | tagging_.set)
                                : std::nullopt;
}

std::uint32_t EventTagger::new_tag(const Bound& bound, const Record& record,
                                   std::uint32_t event) const {
  if (const std::optional<std::uint32_t> known = known_tag(record.tag(event))) {
    return *known;
  }
  std::uint32_t tag = record.tag(event) & ~tagging_.clear;
  for (std::size_t i = 0; i < bound.rules.size(); ++i) {
    if (bound.rules[i].holds(record, event)) {
      tag = tagging_.rules[i].value.value_or(tag) | tagging_.rules[i].bits;
    }
  }
  return tag | tagging_.set;
}

bool EventTagger::apply(const FileReader& input, Record& record) const {
  const Bound& bound = bound_.at(&input.dictionary());
  bool changed = false;
  for (std::uint32_t event = 0; event < record.event_count(); ++event) {
    if (is_headless(record, event)) {
      continue;
    }
    const std::uint32_t tag = new_tag(bound, record, event);
    if (tag != record.tag(event)) {
      store_tag(record, event, tag);
      changed = true;
    }
  }
  return changed;
}

void define_tag_names(std::vector<DictionaryEvent>& dictionary, std::span<const TagName> names) {
  static_cast<void>(tag_names_event(names));  // each for itself can be stored
  std::vector<TagName> known = Dictionary(dictionary).tag_names();
  bool grew = false;
  for (const TagName& name : names) {
    if (std::find(known.begin(), known.end(), name) != known.end()) {
      continue;
    }
    const auto rival = std::find_if(known.begin(), known.end(), [&](const TagName& other) {
      return other.name == name.name || other.bit == name.bit;
    });
    if (rival != known.end()) {
      throw Error(ErrorCode::invalid_argument, "the tag name " + name.name + "=" +
                                                   std::to_string(name.bit) + " contradicts " +
                                                   rival->name + "=" + std::to_string(rival->bit));
    }
    known.push_back(name);
    grew = true;
  }
  if (!grew) {
    return;
  }
  const auto is_registry = [](const DictionaryEvent& event) {
    return kind_of(event) == DictionaryEventKind::tag_names;
  };
  const auto place = std::find_if(dictionary.begin(), dictionary.end(), is_registry);
  if (place == dictionary.end()) {
    dictionary.push_back(tag_names_event(known));
    return;
  }
  *place = tag_names_event(known);
  dictionary.erase(std::remove_if(std::next(place), dictionary.end(), is_registry),
                   dictionary.end());
}

}  // namespace v0
}  // namespace hipotool
