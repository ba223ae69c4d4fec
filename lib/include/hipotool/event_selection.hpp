#pragma once
// A scan over some of a file's events. What lies outside is not read: records outside the range of
// events, records after the last event wanted, and, in split layouts, whatever a record holds
// besides its tags and the banks of the condition, if no event of it meets that.

#include "hipotool/expression.hpp"
#include "hipotool/projection.hpp"
#include "hipotool/row_condition.hpp"
#include "hipotool/scan.hpp"
#include "hipotool/tag_range.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace hipotool {
inline namespace v0 {

// Events that meet all of this. Without anything set: all.
struct EventSelection {
  // Numbers of events in their file, from 0; `end` excluded.
  std::uint64_t begin = 0;
  std::optional<std::uint64_t> end{};
  // In any of these. Empty: any tag.
  std::vector<TagRange> tags{};
  // Bound to the dictionary of the file that is scanned.
  const Expression* where = nullptr;
  // With such a row in its bank. Bound in the same way.
  const RowCondition* rows = nullptr;
  // The first so many of those that meet the rest.
  std::optional<std::uint64_t> count{};
  // What of them is to be decoded for the work.
  Projection banks = Projection::everything();
};

// Those of one record.
struct ChosenEvents {
  std::size_t record = 0;               // its index in the file
  std::uint64_t first_number = 0;       // of its first event, in the file
  std::vector<std::uint32_t> events{};  // in the record; ascending, at least one
};

namespace detail {
struct SelectedSteps {
  std::function<AnyResult(const Record&, const ChosenEvents&)> work;
  std::function<void(AnyResult, std::size_t)> sink;
};
std::uint64_t scan_selected(const FileReader& reader, const EventSelection& selection,
                            const ScanOptions& options, const SelectedSteps& steps);
}  // namespace detail

// `work(record, chosen)` runs in a worker thread for records with events chosen, and returns a
// Result; `sink(result, events)` runs in the calling thread, in file order. `events` is how many of
// those that work saw are wanted after all: less than it saw where `count` is reached in between.
// Returns how many were wanted in all. Of `options`, threads, memory, stop and on_bad_record count.
// The first failure in file order is thrown, after everything before it has reached the sink; what
// fails after the last event wanted is of no interest.
template <typename Work, typename Sink>
std::uint64_t scan_selected(const FileReader& reader, const EventSelection& selection,
                            const ScanOptions& options, const Work& work, const Sink& sink) {
  using Result = std::decay_t<decltype(work(std::declval<const Record&>(), ChosenEvents{}))>;
  return detail::scan_selected(
      reader, selection, options,
      {[&](const Record& record, const ChosenEvents& chosen) -> detail::AnyResult {
         return std::make_shared<Result>(work(record, chosen));
       },
       [&](const detail::AnyResult& result, std::size_t events) {
         sink(std::move(*static_cast<Result*>(result.get())), events);
       }});
}

}  // namespace v0
}  // namespace hipotool
