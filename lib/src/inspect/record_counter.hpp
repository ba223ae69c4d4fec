#pragma once
// Counts records one after the other, in one thread: reads no more of each than is needed, decides
// which events count, and notes what they hold.

#include "hipotool/reader.hpp"
#include "hipotool/statistics.hpp"
#include "hipotool/transcode.hpp"

#include "inspect/counts.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace hipotool::inline v0::inspect {

// What holds for all records of a file.
class CountingPlan {
 public:
  // Both must outlive the plan.
  CountingPlan(const FileReader& reader, const StatisticsOptions& options);

  // What must be inflated of a record in this layout.
  [[nodiscard]] const Projection& projection(LayoutId layout) const noexcept {
    return projections_[static_cast<std::size_t>(layout)];
  }
  [[nodiscard]] bool inflates(LayoutId layout) const noexcept {
    return inflates_[static_cast<std::size_t>(layout)];
  }
  [[nodiscard]] bool wants(BankKey key) const {
    return !options.wanted || options.wanted->contains(key);
  }
  [[nodiscard]] bool takes_all_events() const noexcept {
    return options.tags.empty() && options.where == nullptr;
  }
  // Number of a record's first event in the file.
  [[nodiscard]] std::uint64_t first_event(std::size_t record) const { return first_[record]; }

  // The bank that tells the run, and where in it; null where there is none.
  struct RunBank {
    const Schema* schema = nullptr;
    std::size_t run = 0;
    std::optional<std::size_t> event{};
  };

  const FileReader& reader;
  const StatisticsOptions& options;
  RunBank run_bank{};

 private:
  void find_run_bank();
  [[nodiscard]] bool inflates_wanted(LayoutId layout) const;
  void add_wanted(Projection& projection) const;
  void add_condition(Projection& projection) const;

  std::array<Projection, 3> projections_{};
  std::array<bool, 3> inflates_{};
  std::vector<std::uint64_t> first_{};
};

class RecordCounter {
 public:
  // The plan must outlive the counter.
  explicit RecordCounter(const CountingPlan& plan) : plan_(&plan) {}

  // Frees the memory of the records before; of the next ones none may take more than that.
  void begin_with(std::uint64_t most_bytes);
  // Errors carry path, record and offset; the counts are of no use afterwards, but after OverBudget
  // they lack this record alone.
  void add(std::size_t index);

  Counts counts{};

 private:
  // One bank in those events of a record that are counted together.
  struct Portion {
    std::uint64_t events = 0;
    std::uint64_t events_without_rows = 0;
    std::uint64_t rows = 0;
    std::uint64_t ragged = 0;
    std::uint64_t bytes = 0;
  };
  // How a bank of a record is stored.
  struct BankStorage {
    std::uint64_t raw_bytes = 0;  // in all events
    std::uint64_t rows = 0;
    std::optional<std::uint64_t> stored_bytes{};
    std::span<const StreamInfo> columns{};
  };

  void load(std::size_t index);
  void select_events();
  [[nodiscard]] bool is_selected(std::uint32_t event, std::uint32_t tag) const;
  void count_tags();
  void count_runs();
  void count_whole_banks();
  void count_split_banks();
  BankStorage read_bank(std::size_t bank, const Schema* schema);
  static void require_rows(const Schema& schema, const BankStorage& storage);
  void count_bank(BankKey key, const Schema* schema, std::span<const BankOccurrence> occurrences,
                  const BankStorage& storage);
  std::uint64_t count_occurrences(const Schema* schema,
                                  std::span<const BankOccurrence> occurrences);
  void count_columns(const BankBlock* block, std::uint32_t group, const Schema& schema,
                     const BankStorage& storage, BankCount& count);
  void estimate_bank(const BankBlock& block, std::uint32_t group, StoredCount& stored);
  [[nodiscard]] ByteSpan cells_of(const BankBlock& block, std::size_t column, std::uint32_t group,
                                  std::uint64_t rows);
  [[nodiscard]] StoredCount compressed(ByteSpan raw);
  void count_record(std::size_t index);
  void hash_selected(std::size_t index);

  [[nodiscard]] std::uint32_t event_count() const noexcept { return directory_.event_count; }
  [[nodiscard]] std::uint32_t tag_of(std::uint32_t event) const {
    return is_split_ ? directory_.tag(event) : record_.tag(event);
  }
  [[nodiscard]] std::uint32_t group_of(std::uint32_t event) const {
    return groups_.empty() ? 0 : groups_[event];
  }

  static constexpr std::uint32_t kLeftOut = UINT32_MAX;

  const CountingPlan* plan_;
  CodecContext context_;
  StoredRecord stored_;
  RecordDirectory directory_;
  Record record_;
  bool is_split_ = false;
  // The group in which an event counts, or kLeftOut; empty where all count in group 0.
  std::vector<std::uint32_t> groups_;
  std::vector<std::uint32_t> group_tags_;
  std::vector<BankCounts*> group_banks_;
  std::vector<Portion> portions_;  // of the bank at hand, by group
  std::uint64_t raw_bytes_ = 0;    // of all events
  std::uint64_t selected_raw_bytes_ = 0;
  BankBlock scratch_block_;
  Buffer gathered_;
  Buffer trial_;
  Buffer canonical_;
  std::vector<EventHash> hashes_;
  values::ValueScratch value_scratch_;
};

}  // namespace hipotool::inline v0::inspect
