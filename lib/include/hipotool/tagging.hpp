#pragma once
// New tags for events, while files are rewritten: bits are cleared, rules give tags by content,
// bits are set, in this order. Events with a special tag (1: scalers) keep it, unless `only`; so do
// events that are shorter than an event header, since they have no place for a tag.
//
// A selection sees the tags that events have then, so that one rewrite which tags and chooses gives
// the same as one that only tags followed by one that only chooses.

#include "hipotool/expression.hpp"
#include "hipotool/projection.hpp"
#include "hipotool/reader.hpp"
#include "hipotool/record.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace hipotool {
inline namespace v0 {

// What an event gets for which `where` holds.
struct TagRule {
  std::string where{};                   // expression.hpp; `tag` in it is the tag that was read
  std::optional<std::uint32_t> value{};  // the whole tag
  std::uint32_t bits = 0;                // set in it then
};

struct Tagging {
  std::uint32_t clear = 0;       // bits
  std::vector<TagRule> rules{};  // each applied to what those before it left
  std::uint32_t set = 0;         // bits
  std::set<std::uint32_t> special{1};
  bool only = false;  // special events are treated as all others
};

// A Tagging bound to the files whose events it is to be applied to. Thread-safe.
class EventTagger {
 public:
  // Error{not_found, invalid_argument} for an expression that an input's dictionary does not bear,
  // with its path. The inputs must outlive the tagger.
  EventTagger(const Tagging& tagging, std::span<const FileReader* const> inputs);

  // The banks and columns that the rules look at.
  [[nodiscard]] const Projection& projection(const FileReader& input) const;
  // The new tag of an event, where it does not depend on its banks.
  [[nodiscard]] std::optional<std::uint32_t> known_tag(std::uint32_t tag) const;
  // Gives the events of `record`, decoded for at least projection(), their new tags. Whether any
  // tag is another one now.
  bool apply(const FileReader& input, Record& record) const;
  // Whether a tag is one of those that are special unless `only` says otherwise.
  [[nodiscard]] bool is_special(std::uint32_t tag) const { return tagging_.special.contains(tag); }

 private:
  struct Bound {
    std::vector<Expression> rules{};
    Projection projection = Projection::nothing();
  };

  [[nodiscard]] std::uint32_t new_tag(const Bound& bound, const Record& record,
                                      std::uint32_t event) const;

  Tagging tagging_;
  std::map<const Dictionary*, Bound> bound_;  // by the input's own
};

// ---- names of tag bits (docs/format.md 6.4)

// Puts `names` into the registry of dictionary events, which is made where there is none. A name
// that is there already with its bit changes nothing. Error{invalid_argument} for a name that
// cannot be stored, and for one with two bits or a bit with two names.
void define_tag_names(std::vector<DictionaryEvent>& dictionary, std::span<const TagName> names);

}  // namespace v0
}  // namespace hipotool
