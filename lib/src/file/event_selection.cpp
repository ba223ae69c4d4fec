#include "hipotool/event_selection.hpp"

#include "hipotool/error.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <stop_token>

namespace hipotool {
inline namespace v0 {
namespace detail {
namespace {

// The numbers of each record's first event and of one past the last.
std::vector<std::uint64_t> first_numbers(const FileReader& reader) {
  std::vector<std::uint64_t> numbers{0};
  numbers.reserve(reader.records().size() + 1);
  for (const RecordEntry& entry : reader.records()) {
    numbers.push_back(numbers.back() + entry.header.event_count);
  }
  return numbers;
}

// Decides about events; const members may be called by any thread.
class Chooser {
 public:
  Chooser(const FileReader& reader, const EventSelection& selection)
      : selection_(selection), first_(first_numbers(reader)) {
    const std::uint64_t all = first_.back();
    begin_ = std::min(selection.begin, all);
    end_ = std::clamp(selection.end.value_or(all), begin_, all);
    if (!looks_into_events() && selection.count) {
      end_ = begin_ + std::min(end_ - begin_, *selection.count);
    }
  }

  // Whether a record must be decoded to know which of its events are chosen.
  [[nodiscard]] bool looks_into_events() const noexcept {
    return !selection_.tags.empty() || selection_.where != nullptr || selection_.rows != nullptr;
  }
  [[nodiscard]] bool is_empty() const noexcept { return begin_ == end_; }
  [[nodiscard]] bool wants_record(std::size_t index) const noexcept {
    return first_[index] < end_ && first_[index + 1] > begin_;
  }

  [[nodiscard]] ChosenEvents choose(const Record& record, std::size_t index) const {
    ChosenEvents chosen{index, first_[index], {}};
    const std::uint64_t begin = std::max(begin_, first_[index]) - first_[index];
    const std::uint64_t end = std::min(end_, first_[index + 1]) - first_[index];
    for (auto event = static_cast<std::uint32_t>(begin); event < end; ++event) {
      if (has_wanted_tag(record.tag(event)) && meets_conditions(record, event)) {
        chosen.events.push_back(event);
      }
    }
    return chosen;
  }

 private:
  [[nodiscard]] bool has_wanted_tag(std::uint32_t tag) const {
    return selection_.tags.empty() || contains(selection_.tags, tag);
  }
  [[nodiscard]] bool meets_conditions(const Record& record, std::uint32_t event) const {
    return (selection_.where == nullptr || selection_.where->holds(record, event)) &&
           (selection_.rows == nullptr || selection_.rows->holds_for_any(record, event));
  }

  const EventSelection& selection_;
  std::vector<std::uint64_t> first_;
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0;
};

// Carries what a first look chose to the work on the same record.
class Notes {
 public:
  void keep(std::size_t index, ChosenEvents chosen) {
    const std::scoped_lock lock(mutex_);
    notes_.insert_or_assign(index, std::move(chosen));
  }
  ChosenEvents take(std::size_t index) {
    const std::scoped_lock lock(mutex_);
    return std::move(notes_.extract(index).mapped());
  }

 private:
  std::mutex mutex_;
  std::map<std::size_t, ChosenEvents> notes_;
};

struct Worked {
  AnyResult result;
  std::size_t events = 0;
};

}  // namespace

std::uint64_t scan_selected(const FileReader& reader, const EventSelection& selection,
                            const ScanOptions& options, const SelectedSteps& steps) {
  const Chooser chooser(reader, selection);
  const std::uint64_t most = selection.count.value_or(UINT64_MAX);
  if (chooser.is_empty() || most == 0) {
    return 0;
  }
  Notes notes;
  std::uint64_t wanted = 0;
  // Ended by us after the last event wanted, or from outside.
  std::stop_source enough;
  const std::stop_callback outer(options.stop, [&enough] { enough.request_stop(); });
  std::atomic<bool> complete = false;
  ScanOptions inner{.threads = options.threads,
                    .memory_bytes = options.memory_bytes,
                    .memory_shares = options.memory_shares,
                    .stop = enough.get_token()};
  inner.on_bad_record = options.on_bad_record;
  inner.wants_record = [&](std::size_t index) { return !complete && chooser.wants_record(index); };
  if (chooser.looks_into_events()) {
    inner.first_look = [&](const Record& record, std::size_t index) {
      ChosenEvents chosen = chooser.choose(record, index);
      const bool any = !chosen.events.empty();
      if (any) {
        notes.keep(index, std::move(chosen));
      }
      return any;
    };
    if (selection.where != nullptr) {
      inner.first_projection.add(selection.where->projection());
    }
    if (selection.rows != nullptr) {
      inner.first_projection.add(selection.rows->projection());
    }
  }
  try {
    scan(
        reader, selection.banks, inner,
        [&](const Record& record, std::size_t index) {
          const ChosenEvents chosen =
              inner.first_look ? notes.take(index) : chooser.choose(record, index);
          return Worked{steps.work(record, chosen), chosen.events.size()};
        },
        [&](Worked worked, std::size_t /*index*/) {
          if (complete) {
            return;
          }
          const std::size_t events = std::min<std::uint64_t>(worked.events, most - wanted);
          steps.sink(std::move(worked.result), events);
          wanted += events;
          if (wanted == most) {
            complete = true;
            enough.request_stop();
          }
        });
  } catch (const Error&) {
    if (!complete) {
      throw;
    }
  }
  return wanted;
}

}  // namespace detail
}  // namespace v0
}  // namespace hipotool
