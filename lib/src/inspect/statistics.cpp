#include "hipotool/statistics.hpp"

#include "hipotool/error.hpp"

#include "file/thread_share.hpp"
#include "inspect/counts.hpp"
#include "inspect/record_counter.hpp"
#include "pipeline/ordered_pipeline.hpp"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

namespace hipotool {
inline namespace v0 {
namespace {

constexpr std::size_t kDuplicatesListed = 10;

// A bank as one or more dictionaries describe it. Without a schema the text is empty.
struct BankIdentity {
  std::uint32_t tag = 0;
  BankKey key{};
  std::string schema_text{};

  // NOLINTNEXTLINE(modernize-use-nullptr): the 0 that comparisons hold the result against
  friend auto operator<=>(const BankIdentity&, const BankIdentity&) = default;
};

struct KnownBank {
  std::shared_ptr<const Schema> schema{};
  std::string name{};
  inspect::BankCount count{};
};

// What is asked for implies what it is made of.
StatisticsOptions completed(StatisticsOptions options) {
  options.columns = options.columns || options.values;
  options.banks = options.banks || options.columns;
  return options;
}

void require_memory_for_hashes(const FileReader& reader, const StatisticsOptions& options) {
  // Twice: threads collect their own, and then they are brought together.
  const std::uint64_t each = 2 * sizeof(inspect::HashedEvent);
  if (options.duplicates && reader.event_count() > options.memory_bytes / each) {
    throw Error(ErrorCode::over_budget,
                "to find duplicates among " + std::to_string(reader.event_count()) +
                    " events takes " + std::to_string(reader.event_count() * each) +
                    " bytes of memory",
                {.path = reader.name()});
  }
}

template <typename Member>
std::optional<Spread> spread_of(const std::vector<inspect::RecordSize>& records, Member member) {
  if (records.empty()) {
    return std::nullopt;
  }
  std::vector<std::uint64_t> sizes;
  sizes.reserve(records.size());
  for (const inspect::RecordSize& record : records) {
    sizes.push_back(record.*member);
  }
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>((sizes.size() - 1) / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  const std::uint64_t median = *middle;
  const auto [min, max] = std::minmax_element(sizes.begin(), sizes.end());
  return Spread{*min, median, *max};
}

void find_duplicates(std::vector<inspect::HashedEvent> events, StatisticsSummary& summary) {
  const auto rank = [](const inspect::HashedEvent& one) {
    return std::tuple(one.hash.high, one.hash.low, one.file, one.event);
  };
  std::sort(events.begin(), events.end(),
            [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  const auto earlier = [](const DuplicateEvent& a, const DuplicateEvent& b) {
    return std::pair(a.event_in_file, a.event) < std::pair(b.event_in_file, b.event);
  };
  std::uint64_t duplicates = 0;
  std::size_t original = 0;
  for (std::size_t i = 1; i < events.size(); ++i) {
    if (!(events[i].hash == events[original].hash)) {
      original = i;
      continue;
    }
    ++duplicates;
    std::vector<DuplicateEvent>& listed = summary.duplicates;
    listed.push_back(
        {events[i].event, events[original].event, events[i].file, events[original].file});
    std::push_heap(listed.begin(), listed.end(), earlier);
    if (listed.size() > kDuplicatesListed) {
      std::pop_heap(listed.begin(), listed.end(), earlier);
      listed.pop_back();
    }
  }
  std::sort_heap(summary.duplicates.begin(), summary.duplicates.end(), earlier);
  summary.duplicate_events = duplicates;
}

// Values of a column take up to this much in every thread, most of it for different values.
constexpr std::uint64_t kBytesOfValues = std::uint64_t{18} << 10;

unsigned threads_for(const FileReader& reader, const StatisticsOptions& options) {
  std::uint64_t columns = 0;
  for (const Schema* schema : reader.dictionary().schemas()) {
    const bool wanted = !options.wanted || options.wanted->contains(schema->key());
    columns += options.values && wanted ? schema->columns().size() : 0;
  }
  const std::uint64_t affordable =
      options.memory_bytes / 2 / std::max<std::uint64_t>(columns * kBytesOfValues, 1);
  return static_cast<unsigned>(
      std::clamp<std::uint64_t>(affordable, 1, std::max(options.threads, 1U)));
}

// Runs a counter a thread over all records.
class Collector {
 public:
  Collector(const FileReader& reader, const StatisticsOptions& options)
      : options_(options), plan_(reader, options), is_counted_(reader.records().size()) {
    for (unsigned thread = 0; thread < threads_for(reader, options); ++thread) {
      counters_.emplace_back(plan_);
    }
  }

  void run() {
    std::uint64_t largest = 0;
    for (std::size_t index = 0; index < is_counted_.size(); ++index) {
      largest = std::max(largest, cost_of(index));
    }
    // Cells are brought together, and compressed, beside the record.
    const std::uint64_t shares = options_.estimate ? 3 : options_.values ? 2 : 1;
    const file::MemoryAllowed memory{static_cast<unsigned>(counters_.size()),
                                     options_.memory_bytes / shares, shares};
    file::run_within_memory(largest, memory,
                            [&](unsigned threads, std::uint64_t bytes) { count(threads, bytes); });
    plan_.reader.source().require_unchanged();
  }

  [[nodiscard]] const inspect::CountingPlan& plan() const noexcept { return plan_; }
  [[nodiscard]] const std::vector<inspect::RecordCounter>& counters() const noexcept {
    return counters_;
  }

 private:
  // Records that were counted already are passed over: the order in which they are does not matter.
  void count(unsigned threads, std::uint64_t bytes_each) {
    struct Done {
      std::size_t index = 0;
      pipeline::Ticket ticket{};
    };
    for (inspect::RecordCounter& counter : counters_) {
      counter.begin_with(bytes_each);
    }
    std::size_t next = 0;
    using Pipeline = pipeline::OrderedPipeline<std::size_t, Done, Done, Done>;
    Pipeline::StagesType stages = pipeline::one_step<std::size_t, Done>();
    stages.next = [&]() -> std::optional<std::size_t> {
      while (next < is_counted_.size() && is_counted_[next] != 0) {
        ++next;
      }
      return next < is_counted_.size() ? std::optional(next++) : std::nullopt;
    };
    stages.cost = [&](const std::size_t& index) { return cost_of(index); };
    stages.first = [&](std::size_t index, pipeline::Ticket ticket, unsigned worker) {
      counters_[worker].add(index);
      is_counted_[index] = 1;
      return Done{index, std::move(ticket)};
    };
    stages.sink = [&](const Done& done) {
      if (options_.progress) {
        options_.progress(done.index);
      }
    };
    Pipeline(std::move(stages), {threads, options_.memory_bytes, options_.stop, {}}).run();
  }

  [[nodiscard]] std::uint64_t cost_of(std::size_t index) const {
    const RecordHeader& header = plan_.reader.records()[index].header;
    const std::uint64_t raw = plan_.inflates(header.layout) ? 2 * header.declared_raw_bytes() : 0;
    return header.record_bytes() + raw;
  }

  const StatisticsOptions& options_;
  inspect::CountingPlan plan_;
  std::vector<inspect::RecordCounter> counters_;
  std::vector<char> is_counted_;  // of each record; each is written by one thread
};

}  // namespace

struct Statistics::State {
  inspect::Counts counts;
  std::map<BankIdentity, KnownBank> banks;
  std::uint64_t files = 0;
  std::uint64_t file_bytes = 0;
  std::uint64_t empty_records = 0;
  bool knows_runs = false;
  bool knows_duplicates = false;

  // Gives the counted banks their names, and lists those that are only declared.
  void name_banks(const Dictionary& dictionary,
                  const std::map<std::uint32_t, inspect::BankCounts>& counted, bool per_tag) {
    if (counted.empty() && !per_tag) {
      declare(dictionary, 0);
    }
    for (const auto& [tag, of_tag] : counted) {
      declare(dictionary, tag);
      for (const auto& [key, count] : of_tag) {
        entry(dictionary, tag, key).count.add(count);
      }
    }
  }

 private:
  void declare(const Dictionary& dictionary, std::uint32_t tag) {
    for (const Schema* schema : dictionary.schemas()) {
      static_cast<void>(entry(dictionary, tag, schema->key()));
    }
  }

  KnownBank& entry(const Dictionary& dictionary, std::uint32_t tag, BankKey key) {
    const Schema* schema = dictionary.find(key);
    const std::string text = schema == nullptr ? "" : schema->text();
    const auto [at, fresh] = banks.try_emplace(BankIdentity{tag, key, text});
    if (fresh) {
      at->second.name = dictionary.bank_name(key);
      at->second.schema = schema == nullptr ? nullptr : std::make_shared<const Schema>(*schema);
    }
    return at->second;
  }
};

Statistics::Statistics() : state_(std::make_unique<State>()) {}
Statistics::Statistics(Statistics&&) noexcept = default;
Statistics& Statistics::operator=(Statistics&&) noexcept = default;
Statistics::~Statistics() = default;

void Statistics::add(const Statistics& other) {
  const State& theirs = *other.state_;
  const std::size_t first_new_hash = state_->counts.hashes.size();
  state_->counts.add(theirs.counts);
  for (std::size_t i = first_new_hash; i < state_->counts.hashes.size(); ++i) {
    state_->counts.hashes[i].file += state_->files;
  }
  for (const auto& [identity, bank] : theirs.banks) {
    const auto [at, fresh] = state_->banks.try_emplace(identity);
    if (fresh) {
      at->second.schema = bank.schema;
      at->second.name = bank.name;
    }
    at->second.count.add(bank.count);
  }
  state_->files += theirs.files;
  state_->file_bytes += theirs.file_bytes;
  state_->empty_records += theirs.empty_records;
  state_->knows_runs = state_->knows_runs || theirs.knows_runs;
  state_->knows_duplicates = state_->knows_duplicates || theirs.knows_duplicates;
}

StatisticsSummary Statistics::summary() const {
  const inspect::Counts& counts = state_->counts;
  StatisticsSummary summary{.files = state_->files,
                            .file_bytes = state_->file_bytes,
                            .records = counts.records.size(),
                            .empty_records = state_->empty_records,
                            .events_in_file = counts.events_in_file,
                            .events = counts.events,
                            .exempt_events = counts.exempt_events,
                            .empty_events = counts.empty_events,
                            .raw_bytes = counts.raw_bytes,
                            .events_by_tag = counts.events_by_tag,
                            .events_of_other_tags = counts.events,
                            .directory_bytes = counts.directory_bytes,
                            .streams_inflated = counts.streams_inflated,
                            .bytes_read = counts.bytes_read};
  for (const auto& [tag, events] : counts.events_by_tag) {
    summary.events_of_other_tags -= events;
  }
  if (state_->knows_runs) {
    summary.events_of_other_runs = counts.events_with_run;
    summary.events_without_run = counts.events - counts.events_with_run;
    summary.runs.emplace();
    for (const auto& [run, count] : counts.runs) {
      summary.runs->push_back({run, count.events, count.lowest_event, count.highest_event});
      summary.events_of_other_runs -= count.events;
    }
  }
  if (state_->knows_duplicates) {
    find_duplicates(counts.hashes, summary);
  }
  for (const auto& [how, storage] : counts.storage) {
    summary.storage.push_back(storage);
  }
  summary.record_bytes = spread_of(counts.records, &inspect::RecordSize::stored_bytes);
  summary.record_raw_bytes = spread_of(counts.records, &inspect::RecordSize::raw_bytes);
  summary.record_events = spread_of(counts.records, &inspect::RecordSize::events);
  summary.tiny_records = static_cast<std::uint64_t>(
      std::count_if(counts.records.begin(), counts.records.end(),
                    [](const auto& record) { return record.raw_bytes < kTinyRecordBytes; }));
  return summary;
}

std::vector<BankStatistics> Statistics::banks() const {
  std::vector<BankStatistics> banks;
  banks.reserve(state_->banks.size());
  for (const auto& [identity, bank] : state_->banks) {
    const bool has_rows = bank.schema != nullptr && bank.schema->row_size() != 0;
    banks.push_back({.tag = identity.tag,
                     .key = identity.key,
                     .name = bank.name,
                     .has_schema = bank.schema != nullptr,
                     .events = bank.count.events,
                     .events_without_rows = bank.count.events_without_rows,
                     .rows = has_rows ? std::optional(bank.count.rows) : std::nullopt,
                     .ragged = bank.count.ragged,
                     .raw_bytes = bank.count.raw_bytes,
                     .stored = bank.count.stored.size()});
  }
  return banks;
}

std::vector<ColumnStatistics> Statistics::columns() const {
  std::vector<ColumnStatistics> columns;
  for (const auto& [identity, bank] : state_->banks) {
    for (std::size_t c = 0; c < bank.count.columns.size(); ++c) {
      const Column& column = bank.schema->columns()[c];
      ColumnStatistics& one = columns.emplace_back();
      one = {.tag = identity.tag,
             .key = identity.key,
             .bank = bank.name,
             .column = column,
             .rows = bank.count.rows,
             .raw_bytes = bank.count.rows * column.width(),
             .stored = bank.count.columns[c].size()};
      if (c < bank.count.values.size()) {
        one.values = bank.count.values[c].finish(column.type);
      }
    }
  }
  return columns;
}

Statistics collect_statistics(const FileReader& reader, const StatisticsOptions& options) {
  const StatisticsOptions wanted = completed(options);
  require_memory_for_hashes(reader, wanted);
  Collector collector(reader, wanted);
  collector.run();
  Statistics statistics;
  Statistics::State& state = *statistics.state_;
  std::map<std::uint32_t, inspect::BankCounts> banks;
  for (const inspect::RecordCounter& counter : collector.counters()) {
    state.counts.add(counter.counts);
    inspect::add_banks(banks, counter.counts.banks);
  }
  state.files = 1;
  state.file_bytes = reader.file_bytes();
  state.empty_records = reader.empty_records();
  state.knows_runs = collector.plan().run_bank.schema != nullptr;
  state.knows_duplicates = wanted.duplicates;
  if (wanted.banks) {
    state.name_banks(reader.dictionary(), banks, wanted.per_tag);
  }
  return statistics;
}

}  // namespace v0
}  // namespace hipotool
