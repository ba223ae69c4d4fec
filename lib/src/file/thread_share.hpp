#pragma once
// How many threads read records at once, so that the memory allowed suffices. Record headers say
// what their records take, and a directory may show that one of them lied: then fewer threads go on
// from there.

#include "hipotool/directory.hpp"
#include "hipotool/error.hpp"

#include <algorithm>
#include <cstdint>

namespace hipotool::inline v0::file {

struct MemoryAllowed {
  unsigned threads = 1;
  std::uint64_t bytes = 0;
  std::uint64_t shares = 1;  // ScanOptions::memory_shares
};

// No thread gets less, so that small records are read whatever is allowed.
inline constexpr std::uint64_t kLeastShare = std::uint64_t{1} << 20;

// What a record takes while it is worked on, judged by its header.
[[nodiscard]] inline std::uint64_t header_cost(const RecordHeader& header) noexcept {
  return header.record_bytes() + 2 * header.declared_raw_bytes();
}

[[nodiscard]] inline unsigned threads_within(std::uint64_t each, const MemoryAllowed& memory) {
  return static_cast<unsigned>(std::clamp<std::uint64_t>(
      memory.bytes / std::max<std::uint64_t>(each, 1), 1, std::max(memory.threads, 1U)));
}

// Calls pass(threads, bytes), where each thread's context may take so many bytes; again with
// fewer threads after each OverBudget, to go on where the last one ended. `largest_cost` is that of
// the largest record by its header. OverBudget where one record alone takes more than all.
template <typename Pass>
void run_within_memory(std::uint64_t largest_cost, const MemoryAllowed& memory, const Pass& pass) {
  for (unsigned threads = threads_within(largest_cost, memory);;) {
    try {
      pass(threads, std::max(memory.bytes / threads, kLeastShare));
      return;
    } catch (const OverBudget& error) {
      const unsigned fewer = threads_within(error.needed_bytes(), memory);
      if (error.needed_bytes() > memory.bytes || fewer >= threads) {
        throw OverBudget(error.needed_bytes() * memory.shares, memory.bytes * memory.shares,
                         error.context());
      }
      threads = fewer;
    }
  }
}

}  // namespace hipotool::inline v0::file
