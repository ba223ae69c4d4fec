#include "hipotool/event_selection.hpp"

#include "hipotool/error.hpp"

#include "file/thinning.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>
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

// Decides about events, but for the thinning; const members may be called by any thread.
class Chooser {
 public:
  Chooser(const FileReader& reader, const EventSelector& selector, const RowCondition* rows)
      : reader_(reader), selector_(selector), rows_(rows), first_(first_numbers(reader)) {
    const std::uint64_t all = first_.back();
    begin_ = std::min(selector.selection().begin, all);
    end_ = std::clamp(selector.selection().end, begin_, all);
  }

  // Whether a record must be looked at to know which of its events in the range are chosen.
  [[nodiscard]] bool looks_into_events() const noexcept {
    const Selection& selection = selector_.selection();
    return selection.has_clauses() || selection.share < 1 || rows_ != nullptr;
  }
  // How many events of a record lie in the range.
  [[nodiscard]] std::uint64_t event_count(std::size_t index) const noexcept {
    const std::uint64_t begin = std::max(begin_, first_[index]);
    const std::uint64_t end = std::min(end_, first_[index + 1]);
    return begin < end ? end - begin : 0;
  }
  [[nodiscard]] bool wants_record(std::size_t index) const {
    return event_count(index) > 0 &&
           !selector_.excludes(reader_.records()[index].header.user_words.first, first_[index],
                               first_[index + 1] - first_[index]);
  }
  [[nodiscard]] Projection projection() const {
    Projection wanted = selector_.projection(reader_);
    if (rows_ != nullptr) {
      wanted.add(rows_->projection());
    }
    return wanted;
  }

  [[nodiscard]] ChosenEvents choose(const Record& record, std::size_t index) const {
    ChosenEvents chosen{index, first_[index], {}};
    const std::uint64_t begin = std::max(begin_, first_[index]) - first_[index];
    const std::uint64_t end = begin + event_count(index);
    for (auto event = static_cast<std::uint32_t>(begin); event < end; ++event) {
      if (selector_.chooses(reader_, record, event, first_[index] + event) &&
          (rows_ == nullptr || rows_->holds_for_any(record, event))) {
        chosen.events.push_back(event);
      }
    }
    return chosen;
  }

 private:
  const FileReader& reader_;
  const EventSelector& selector_;
  const RowCondition* rows_;
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
  std::vector<std::uint32_t> tags;  // of the events chosen
};

// One scan, in as many passes over successive records as it takes.
class SelectedScan {
 public:
  SelectedScan(const FileReader& reader, const SelectedEvents& selected, const ScanOptions& options,
               const SelectedSteps& steps)
      : reader_(reader),
        selector_(selected.selector),
        banks_(selected.banks),
        options_(options),
        steps_(steps),
        chooser_(reader, selected.selector, selected.rows),
        thinner_(&selected.selector) {}

  void run() {
    const std::size_t records = reader_.records().size();
    std::size_t begin = 0;
    std::uint64_t least = 0;
    while (begin < records && !thinner_.has_most()) {
      std::uint64_t events = 0;
      const std::size_t end = end_of_pass(begin, least, events);
      pass(begin, end);
      begin = end;
      least += events;
    }
  }

 private:
  // Where nothing but their number limits the events, records are not read ahead of the last one
  // wanted: a pass has as many events as are still missing. Special ones among them make another
  // pass, of at least as many events as all before, so that there are few.
  std::size_t end_of_pass(std::size_t begin, std::uint64_t least, std::uint64_t& events) const {
    const std::size_t records = reader_.records().size();
    const std::uint64_t left = thinner_.left();
    if (chooser_.looks_into_events() || left == Selection{}.most ||
        selector_.selection().every > 1) {
      return records;
    }
    std::size_t end = begin;
    while (end < records && events < std::max(left, least)) {
      events += chooser_.event_count(end++);
    }
    return end;
  }

  void pass(std::size_t begin, std::size_t end) {
    // Ended by us after the last event wanted, or from outside.
    std::stop_source enough;
    const std::stop_callback outer(options_.stop, [&enough] { enough.request_stop(); });
    std::atomic<bool> complete = false;
    Notes notes;
    ScanOptions inner{.threads = options_.threads,
                      .memory_bytes = options_.memory_bytes,
                      .memory_shares = options_.memory_shares,
                      .stop = enough.get_token()};
    inner.on_bad_record = options_.on_bad_record;
    inner.wants_record = [&](std::size_t index) {
      return !complete && index >= begin && index < end && chooser_.wants_record(index);
    };
    if (chooser_.looks_into_events()) {
      inner.first_look = [&](const Record& record, std::size_t index) {
        ChosenEvents chosen = chooser_.choose(record, index);
        const bool any = !chosen.events.empty();
        if (any) {
          notes.keep(index, std::move(chosen));
        }
        return any;
      };
      inner.first_projection = chooser_.projection();
    }
    const auto work = [&](const Record& record, std::size_t index) {
      const ChosenEvents chosen =
          inner.first_look ? notes.take(index) : chooser_.choose(record, index);
      Worked worked{steps_.work(record, chosen), {}};
      for (const std::uint32_t event : chosen.events) {
        worked.tags.push_back(record.tag(event));
      }
      return worked;
    };
    const auto sink = [&](Worked worked, std::size_t /*index*/) {
      if (complete) {
        return;
      }
      const TakenEvents taken = take(worked.tags);
      if (!taken.indices.empty()) {
        steps_.sink(std::move(worked.result), taken);
      }
      if (thinner_.has_most()) {
        complete = true;
        enough.request_stop();
      }
    };
    try {
      scan(reader_, banks_, inner, work, sink);
    } catch (const Error&) {
      if (!complete) {
        throw;
      }
    }
  }

  TakenEvents take(const std::vector<std::uint32_t>& tags) {
    TakenEvents taken;
    for (std::size_t i = 0; i < tags.size() && !thinner_.has_most(); ++i) {
      if (thinner_.takes(tags[i])) {
        taken.indices.push_back(i);
        taken.special += selector_.is_special(tags[i]) ? 1U : 0U;
      }
    }
    return taken;
  }

  const FileReader& reader_;
  const EventSelector& selector_;
  const Projection& banks_;
  const ScanOptions& options_;
  const SelectedSteps& steps_;
  Chooser chooser_;
  file::Thinner thinner_;
};

}  // namespace

void scan_selected(const FileReader& reader, const SelectedEvents& selected,
                   const ScanOptions& options, const SelectedSteps& steps) {
  SelectedScan(reader, selected, options, steps).run();
}

}  // namespace detail
}  // namespace v0
}  // namespace hipotool
