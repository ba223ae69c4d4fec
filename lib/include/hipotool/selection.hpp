#pragma once
// Which events of files are wanted: by tag, by content, by position. An event tag is the word in
// the event's header; the record word is the first user word of the record that it lies in, which
// C++ and Java readers filter on (docs/format.md 3 and 5.1). Some tags are special (1: scalers):
// their events come through whole, whatever is asked of the others' content or position, unless
// `only`.

#include "hipotool/expression.hpp"
#include "hipotool/projection.hpp"
#include "hipotool/reader.hpp"
#include "hipotool/tag_range.hpp"

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace hipotool {
inline namespace v0 {

enum class TagSource : std::uint8_t { event, record, either };

// A condition on one tag: all that are given must hold.
struct TagClause {
  std::vector<TagRange> values{};
  std::optional<std::uint64_t> any{};   // at least one of these bits
  std::optional<std::uint64_t> all{};   // every one of these bits
  std::optional<std::uint64_t> none{};  // not one of these bits

  [[nodiscard]] bool holds(std::uint64_t tag) const noexcept;
};

struct Selection {
  // Clauses: one for each tag condition, one for `where`, one for each bank required.
  std::vector<TagClause> tags{};
  TagSource by = TagSource::event;
  std::string where{};  // expression.hpp; empty: none
  // Banks that must be there: names, patterns, "group/item" with a schema or without.
  std::vector<std::string> required{};
  bool any_clause = false;  // one clause is enough; else all must hold
  bool invert = false;      // what the clauses say is turned round
  // Of what the clauses choose. Positions are counted over all events of all inputs.
  std::uint64_t begin = 0;
  std::uint64_t end = std::numeric_limits<std::uint64_t>::max();  // excluded
  double share = 1;                                               // kept by a hash of the position
  std::uint64_t seed = 0;
  std::uint64_t every = 1;  // of those left over, the first and every so manieth after it
  std::uint64_t most = std::numeric_limits<std::uint64_t>::max();  // of those left over then
  std::set<std::uint32_t> special{1};
  bool only = false;  // special events are treated as all others

  [[nodiscard]] bool has_clauses() const noexcept {
    return !tags.empty() || !where.empty() || !required.empty();
  }
  // Whether the choice depends on an event's position.
  [[nodiscard]] bool is_placed() const noexcept {
    return begin > 0 || end != std::numeric_limits<std::uint64_t>::max() || share < 1;
  }
  // Whether the choice depends on events chosen before.
  [[nodiscard]] bool thins() const noexcept {
    return every > 1 || most != std::numeric_limits<std::uint64_t>::max();
  }
};

// What can be said of an event before its banks are looked at.
enum class Outlook : std::uint8_t { no, yes, open };

// A selection bound to the files that it is to choose from. Thread-safe. Does all but the thinning.
class EventSelector {
 public:
  // Error{not_found, invalid_argument} for an expression or bank that an input's dictionary does
  // not have, with its path. The inputs must outlive the selector.
  EventSelector(const Selection& selection, std::span<const FileReader* const> inputs);

  // The banks and columns that chooses() needs.
  [[nodiscard]] const Projection& projection(const FileReader& input) const;
  [[nodiscard]] Outlook outlook(std::uint32_t tag, std::uint64_t record_word,
                                std::uint64_t position) const;
  // Whether only the header of a record says that none of its `events` is wanted, however many it
  // claims. `position` is that of the first.
  [[nodiscard]] bool excludes(std::uint64_t record_word, std::uint64_t position,
                              std::uint64_t events) const;
  // The same as outlook(), which it settles. `record` was decoded for at least projection().
  [[nodiscard]] bool chooses(const FileReader& input, const Record& record, std::uint32_t event,
                             std::uint64_t position) const;
  [[nodiscard]] bool is_special(std::uint32_t tag) const {
    return !selection_.only && selection_.special.contains(tag);
  }
  [[nodiscard]] const Selection& selection() const noexcept { return selection_; }

 private:
  struct Bound {
    std::optional<Expression> where{};
    std::vector<BankKey> required{};
    Projection projection = Projection::nothing();
  };

  [[nodiscard]] bool holds(const TagClause& clause, std::uint32_t tag,
                           std::uint64_t record_word) const noexcept;
  [[nodiscard]] bool is_placed(std::uint64_t position) const;

  Selection selection_;
  std::map<const Dictionary*, Bound> bound_;  // by the input's own
};

}  // namespace v0
}  // namespace hipotool
