#include "hipotool/selection.hpp"

#include "hipotool/error.hpp"
#include "hipotool/names.hpp"

#include <algorithm>

namespace hipotool {
inline namespace v0 {
namespace {

// A well mixed function of seed and position (the finalizer of SplitMix64), so that a sample does
// not depend on threads, layout or record size.
std::uint64_t mixed(std::uint64_t seed, std::uint64_t position) {
  std::uint64_t bits = seed + (position + 1) * 0x9E3779B97F4A7C15U;
  bits = (bits ^ (bits >> 30U)) * 0xBF58476D1CE4E5B9U;
  bits = (bits ^ (bits >> 27U)) * 0x94D049BB133111EBU;
  return bits ^ (bits >> 31U);
}

Outlook outlook_of(bool holds) {
  return holds ? Outlook::yes : Outlook::no;
}

// What clauses say together, added one by one. No clause says yes.
class Joined {
 public:
  explicit Joined(const Selection& selection)
      : decisive_(selection.any_clause ? Outlook::yes : Outlook::no), invert_(selection.invert) {}

  void add(Outlook clause) {
    if (empty_ || clause == decisive_ || (clause == Outlook::open && outlook_ != decisive_)) {
      outlook_ = clause;
    }
    empty_ = false;
  }
  [[nodiscard]] Outlook outlook() const {
    if (empty_) {
      return Outlook::yes;
    }
    return invert_ && outlook_ != Outlook::open ? outlook_of(outlook_ == Outlook::no) : outlook_;
  }

 private:
  Outlook decisive_;  // one such clause decides
  bool invert_;
  bool empty_ = true;
  Outlook outlook_ = Outlook::yes;
};

}  // namespace

bool TagClause::holds(std::uint64_t tag) const noexcept {
  const bool listed = values.empty() || contains(values, tag);
  return listed && (!any || (tag & *any) != 0) && (!all || (tag & *all) == *all) &&
         (!none || (tag & *none) == 0);
}

EventSelector::EventSelector(const Selection& selection, std::span<const FileReader* const> inputs)
    : selection_(selection) {
  if (!(selection.share >= 0 && selection.share <= 1) || selection.every == 0) {
    throw Error(ErrorCode::invalid_argument,
                "a share lies between 0 and 1, and every first event is the least");
  }
  for (const FileReader* input : inputs) {
    const auto [at, is_new] = bound_.try_emplace(&input->dictionary());
    if (!is_new) {
      throw Error(ErrorCode::invalid_argument, "an input is given twice", {.path = input->name()});
    }
    Bound& bound = at->second;
    with_context([&] { return ErrorContext{.path = input->name()}; },
                 [&] {
                   const Dictionary& dictionary = input->dictionary();
                   if (!selection.where.empty()) {
                     bound.where = Expression::parse(selection.where, dictionary);
                     bound.projection = bound.where->projection();
                   }
                   for (const std::string& bank : selection.required) {
                     for (const BankKey key : find_banks(dictionary, bank)) {
                       bound.required.push_back(key);
                       // Whether it is there is known once any part of it is.
                       bound.projection.add(key);
                     }
                   }
                 });
  }
}

const Projection& EventSelector::projection(const FileReader& input) const {
  return bound_.at(&input.dictionary()).projection;
}

bool EventSelector::holds(const TagClause& clause, std::uint32_t tag,
                          std::uint64_t record_word) const noexcept {
  switch (selection_.by) {
    case TagSource::event:
      return clause.holds(tag);
    case TagSource::record:
      return clause.holds(record_word);
    case TagSource::either:
      break;
  }
  return clause.holds(tag) || clause.holds(record_word);
}

bool EventSelector::is_placed(std::uint64_t position) const {
  if (position < selection_.begin || position >= selection_.end) {
    return false;
  }
  constexpr double kAll = 18446744073709551616.0;  // 2^64
  return selection_.share >= 1 ||
         static_cast<double>(mixed(selection_.seed, position)) < selection_.share * kAll;
}

Outlook EventSelector::outlook(std::uint32_t tag, std::uint64_t record_word,
                               std::uint64_t position) const {
  Joined clauses(selection_);
  for (const TagClause& clause : selection_.tags) {
    clauses.add(outlook_of(holds(clause, tag, record_word)));
  }
  if (is_special(tag)) {
    return clauses.outlook();
  }
  if (!is_placed(position)) {
    return Outlook::no;
  }
  if (!selection_.where.empty() || !selection_.required.empty()) {
    clauses.add(Outlook::open);
  }
  return clauses.outlook();
}

bool EventSelector::excludes(std::uint64_t record_word, std::uint64_t position,
                             std::uint64_t events) const {
  const bool may_be_special = !selection_.only && !selection_.special.empty();
  if (!may_be_special && (position >= selection_.end || position + events <= selection_.begin)) {
    return true;
  }
  // Both kinds of events need the tags where all clauses must hold.
  return selection_.by == TagSource::record && !selection_.any_clause && !selection_.invert &&
         std::any_of(selection_.tags.begin(), selection_.tags.end(),
                     [&](const TagClause& clause) { return !clause.holds(record_word); });
}

bool EventSelector::chooses(const FileReader& input, const Record& record, std::uint32_t event,
                            std::uint64_t position) const {
  const std::uint32_t tag = record.tag(event);
  const std::uint64_t record_word = record.user_words.first;
  const Outlook known = outlook(tag, record_word, position);
  if (known != Outlook::open) {
    return known == Outlook::yes;
  }
  const Bound& bound = bound_.at(&input.dictionary());
  Joined clauses(selection_);
  for (const TagClause& clause : selection_.tags) {
    clauses.add(outlook_of(holds(clause, tag, record_word)));
  }
  if (bound.where) {
    clauses.add(outlook_of(bound.where->holds(record, event)));
  }
  for (const BankKey key : bound.required) {
    clauses.add(outlook_of(record.bank(event, key).has_value()));
  }
  return clauses.outlook() == Outlook::yes;
}

}  // namespace v0
}  // namespace hipotool
