#pragma once
// How two events differ: bank by bank, row by row, cell by cell.

#include "hipotool/compare.hpp"
#include "hipotool/record.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hipotool::inline v0::inspect {

// Which differences count.
class DifferenceRules {
 public:
  // Tolerances and `ignored` of the options; Error{not_found} for a bank or column to be ignored
  // that neither dictionary has, {invalid_argument} for a tolerance that is none.
  DifferenceRules(const CompareOptions& options, const Dictionary& a, const Dictionary& b);

  [[nodiscard]] bool ignores(std::string_view bank) const;
  [[nodiscard]] bool ignores(std::string_view bank, std::string_view column) const;
  [[nodiscard]] bool tolerates(double a, double b) const noexcept;

 private:
  struct Ignored {
    std::string bank;    // name or pattern
    std::string column;  // empty: the whole bank
  };
  double absolute_;
  double relative_;
  std::vector<Ignored> ignored_;
};

// The blocks of one record by name, so that two events' banks are met in one order whatever their
// keys. Lives as long as the record stays as it is.
class NamedBlocks {
 public:
  void assign(const Record& record, const DifferenceRules& rules);

  struct Bank {
    const std::string* name;
    BankView view;
  };
  // By name; a bank that the event holds twice in stored order.
  void banks_of(std::uint32_t event, std::vector<Bank>& banks) const;
  [[nodiscard]] const Record& record() const noexcept { return *record_; }

 private:
  const Record* record_ = nullptr;
  std::vector<std::pair<std::string, const BankBlock*>> blocks_;
};

// What was found in a number of events.
struct FoundDifferences {
  std::uint64_t kept = 0;  // of single differences, at most
  std::uint64_t events = 0;
  std::vector<Difference> differences{};
  std::map<std::pair<std::string, std::string>, ColumnDifferences> columns{};

  void keep(Difference difference) {
    if (differences.size() < kept) {
      differences.push_back(std::move(difference));
    }
  }
};

struct PlacedEvent {
  const NamedBlocks* blocks;
  std::uint32_t event;   // in its record
  std::uint64_t number;  // in its file
};

// Appends to `found` what differs; counts the event if anything does.
void compare_events(const PlacedEvent& a, const PlacedEvent& b, const DifferenceRules& rules,
                    FoundDifferences& found);

}  // namespace hipotool::inline v0::inspect
