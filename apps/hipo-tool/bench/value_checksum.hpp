#pragma once
// A checksum over values read, the same for every layout, record size and number of threads: for
// each column of each bank the sum of the values and the sum of all prefix sums, which notices
// order. Two additions a value, so that a reading is what is measured and not its proof. A wrong
// value, a missing or repeated one, or two that have changed places make another checksum; made to
// notice faults, not forgery.

#include "hipotool/projection.hpp"
#include "hipotool/record.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hipotool::app::bench {

// Of a sequence of numbers.
struct SequenceSum {
  std::uint64_t count = 0;
  std::uint64_t sum = 0;
  std::uint64_t prefixes = 0;  // the sum of the sums so far

  void add(std::uint64_t value) {
    ++count;
    sum += value;
    prefixes += sum;
  }
  // What follows this sequence.
  void append(const SequenceSum& next);
};

class ValueChecksum {
 public:
  // Forgets everything but the memory.
  void clear();
  // Numbers of a record that belong to no bank: of events, or tags.
  void add_number(std::uint64_t value) { numbers_.add(value); }
  // The number 1, so often.
  void add_ones(std::uint64_t count);
  // Every wanted value of `record`; of banks that do not read as tables every byte. `first_event`
  // is the number of its first event.
  void add(const Record& record, const Projection& projection, std::uint64_t first_event);
  // What was read after this.
  void append(const ValueChecksum& next);
  [[nodiscard]] std::uint64_t value() const;
  [[nodiscard]] std::uint64_t values() const;  // how many were read

 private:
  struct Bank {
    BankKey key{};
    SequenceSum shape{};  // events and sizes
    SequenceSum bytes{};  // of what is no table
    std::vector<SequenceSum> columns{};
  };

  Bank& bank_for(BankKey key, std::size_t columns);
  static void add_tables(const BankBlock& block, Bank& bank, const std::vector<bool>& wanted);

  SequenceSum numbers_{};
  std::vector<Bank> banks_{};  // ascending by key
};

// Over bytes, eight at a time.
[[nodiscard]] std::uint64_t checksum_of(ByteSpan bytes);

}  // namespace hipotool::app::bench
