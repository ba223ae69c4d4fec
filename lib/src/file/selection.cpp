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

Outlook either(Outlook a, Outlook b) {
  if (a == Outlook::yes || b == Outlook::yes) {
    return Outlook::yes;
  }
  return a == Outlook::open || b == Outlook::open ? Outlook::open : Outlook::no;
}

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
  std::uint64_t position = 0;
  for (const FileReader* input : inputs) {
    const auto [at, is_new] = bound_.try_emplace(input);
    if (!is_new) {
      throw Error(ErrorCode::invalid_argument, "an input is given twice", {.path = input->name()});
    }
    Bound& bound = at->second;
    for (const RecordEntry& entry : input->records()) {
      bound.first_events.push_back(position);
      position += entry.header.event_count;
    }
    with_context([&] { return ErrorContext{.path = input->name()}; },
                 [&] {
                   const Dictionary& dictionary = input->dictionary();
                   if (!selection.where.empty()) {
                     bound.where = Expression::parse(selection.where, dictionary);
                     bound.projection = bound.where->projection();
                   }
                   for (const std::string& bank : selection.required) {
                     for (const Schema* schema : find_schemas(dictionary, {bank})) {
                       bound.required.push_back(schema->key());
                       // Whether it is there is known once any part of it is.
                       bound.projection.add(schema->key());
                     }
                   }
                 });
  }
}

const Projection& EventSelector::projection(const FileReader& input) const {
  return bound_.at(&input).projection;
}

std::uint64_t EventSelector::position_of(const FileReader& input, std::size_t record) const {
  return bound_.at(&input).first_events.at(record);
}

Outlook EventSelector::tag_outlook(const TagClause& clause, std::optional<std::uint32_t> tag,
                                   std::uint64_t record_word) const {
  const Outlook by_record = outlook_of(clause.holds(record_word));
  if (selection_.by == TagSource::record) {
    return by_record;
  }
  const Outlook by_event = tag ? outlook_of(clause.holds(*tag)) : Outlook::open;
  return selection_.by == TagSource::either ? either(by_event, by_record) : by_event;
}

bool EventSelector::is_placed(std::uint64_t position) const {
  if (position < selection_.begin || position >= selection_.end) {
    return false;
  }
  constexpr double kAll = 18446744073709551616.0;  // 2^64
  return selection_.share >= 1 ||
         static_cast<double>(mixed(selection_.seed, position)) < selection_.share * kAll;
}

Outlook EventSelector::combined(std::span<const Outlook> clauses) const {
  if (clauses.empty()) {
    return Outlook::yes;
  }
  const Outlook decisive = selection_.any_clause ? Outlook::yes : Outlook::no;
  Outlook outlook = selection_.any_clause ? Outlook::no : Outlook::yes;
  for (const Outlook clause : clauses) {
    if (clause == decisive) {
      outlook = decisive;
      break;
    }
    outlook = clause == Outlook::open ? Outlook::open : outlook;
  }
  if (selection_.invert && outlook != Outlook::open) {
    return outlook_of(outlook == Outlook::no);
  }
  return outlook;
}

Outlook EventSelector::outlook(std::optional<std::uint32_t> tag, std::uint64_t record_word,
                               std::uint64_t position) const {
  std::vector<Outlook> clauses;
  clauses.reserve(selection_.tags.size() + 1);
  for (const TagClause& clause : selection_.tags) {
    clauses.push_back(tag_outlook(clause, tag, record_word));
  }
  const bool may_be_special = !selection_.only && !selection_.special.empty();
  if (!tag && may_be_special) {
    // Both kinds of events need the tags, if all clauses must hold: only that settles it.
    const bool settled =
        !selection_.any_clause && !selection_.invert && combined(clauses) == Outlook::no;
    return settled ? Outlook::no : Outlook::open;
  }
  if (tag && is_special(*tag)) {
    return combined(clauses);
  }
  if (!is_placed(position)) {
    return Outlook::no;
  }
  if (!selection_.where.empty() || !selection_.required.empty()) {
    clauses.push_back(Outlook::open);
  }
  return combined(clauses);
}

bool EventSelector::chooses(const FileReader& input, const Record& record, std::uint32_t event,
                            std::uint64_t position) const {
  const std::uint64_t record_word = record.user_words.first;
  const Outlook known = outlook(record.tag(event), record_word, position);
  if (known != Outlook::open) {
    return known == Outlook::yes;
  }
  const Bound& bound = bound_.at(&input);
  std::vector<Outlook> clauses;
  for (const TagClause& clause : selection_.tags) {
    clauses.push_back(tag_outlook(clause, record.tag(event), record_word));
  }
  if (bound.where) {
    clauses.push_back(outlook_of(bound.where->holds(record, event)));
  }
  for (const BankKey key : bound.required) {
    clauses.push_back(outlook_of(record.bank(event, key).has_value()));
  }
  return combined(clauses) == Outlook::yes;
}

}  // namespace v0
}  // namespace hipotool
