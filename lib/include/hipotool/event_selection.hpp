#pragma once
// A scan over the events of a file that a selection chooses. What lies outside is not read: records
// that hold no event wanted, as far as that can be told, records after the last event wanted, and,
// in split layouts, whatever a record holds besides its tags and the banks of the clauses, if no
// event of it is chosen.

#include "hipotool/projection.hpp"
#include "hipotool/row_condition.hpp"
#include "hipotool/scan.hpp"
#include "hipotool/selection.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace hipotool {
inline namespace v0 {

// Which events are worked on, and what of them.
struct SelectedEvents {
  // Of an input that is the file scanned.
  const EventSelector& selector;
  // What is to be decoded for the work.
  Projection banks = Projection::everything();
  // Of the events chosen only those with such a row in its bank, special ones included: who asks
  // for rows has no use for an event without. Bound to the dictionary of the file that is scanned.
  const RowCondition* rows = nullptr;
};

// Those of one record.
struct ChosenEvents {
  std::size_t record = 0;               // its index in the file
  std::uint64_t first_number = 0;       // of its first event, in the file
  std::vector<std::uint32_t> events{};  // in the record; ascending, at least one
};

// Which of them are wanted after all, once it is known what came before.
struct TakenEvents {
  std::vector<std::size_t> indices{};  // in ChosenEvents::events; ascending
  std::size_t special = 0;             // so many of them are special
};

namespace detail {
struct SelectedSteps {
  std::function<AnyResult(const Record&, const ChosenEvents&)> work;
  std::function<void(AnyResult, const TakenEvents&)> sink;
};
void scan_selected(const FileReader& reader, const SelectedEvents& selected,
                   const ScanOptions& options, const SelectedSteps& steps);
}  // namespace detail

// `work(record, chosen)` runs in a worker thread for records with events chosen, and returns a
// Result; `sink(result, taken)` runs in the calling thread, in file order, where any are taken.
// Positions are those in the file. Unlike a rewrite, a scan looks at the range alone, and ends with
// the last event of Selection::most: special events come through in there, but nothing is read to
// find those before and behind it. Of `options`,
// threads, memory, stop and on_bad_record count. The first failure in file order is thrown, after
// everything before it has reached the sink; what fails after the last event wanted is of no
// interest.
template <typename Work, typename Sink>
void scan_selected(const FileReader& reader, const SelectedEvents& selected,
                   const ScanOptions& options, const Work& work, const Sink& sink) {
  using Result = std::decay_t<decltype(work(std::declval<const Record&>(), ChosenEvents{}))>;
  detail::scan_selected(
      reader, selected, options,
      {[&](const Record& record, const ChosenEvents& chosen) -> detail::AnyResult {
         return std::make_shared<Result>(work(record, chosen));
       },
       [&](const detail::AnyResult& result, const TakenEvents& taken) {
         sink(std::move(*static_cast<Result*>(result.get())), taken);
       }});
}

}  // namespace v0
}  // namespace hipotool
