#pragma once
// How many different values there are, in bounded memory: of all hashes the smallest 1024 are kept.
// Up to that many the number is exact, beyond it follows from where the largest of them lies. What
// is kept depends on the values alone, not on their order or on how they were divided.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hipotool::inline v0::values {

// Hashes met just now; makes repeated values cheap. For one column at a time.
class RecentHashes {
 public:
  // For about so many values, since forgetting takes time, too.
  void clear(std::size_t values) noexcept {
    mask_ = std::bit_ceil(std::clamp<std::size_t>(values, 64, hashes_.size())) - 1;
    for (std::size_t slot = 0; slot <= mask_; ++slot) {
      hashes_[slot] = slot + 1;  // belongs into another slot, so that nothing is equal to it
    }
  }
  // Whether it was met already; from now on it was.
  [[nodiscard]] bool meet(std::uint64_t hash) noexcept {
    std::uint64_t& slot = hashes_[hash & mask_];
    const bool met = slot == hash;
    slot = hash;
    return met;
  }

 private:
  std::array<std::uint64_t, 4096> hashes_{};
  std::size_t mask_ = 0;
};

class DistinctCounter {
 public:
  static constexpr std::size_t kExact = 1024;

  // Different patterns are different values.
  void add(std::uint64_t pattern, RecentHashes& recent) {
    // The finalizer of splitmix64: different patterns have different hashes.
    std::uint64_t hash = pattern + 0x9e3779b97f4a7c15;
    hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9;
    hash = (hash ^ (hash >> 27)) * 0x94d049bb133111eb;
    hash ^= hash >> 31;
    if (hash < limit_ && !recent.meet(hash)) {
      keep(hash);
    }
  }
  void add(const DistinctCounter& other);
  [[nodiscard]] std::uint64_t count() const;
  [[nodiscard]] bool is_exact() const;

 private:
  void keep(std::uint64_t hash);
  void settle();

  std::vector<std::uint64_t> hashes_;  // repetitions among them until settle()
  std::uint64_t limit_ = UINT64_MAX;   // none as large is wanted any more
  bool overflowed_ = false;
};

}  // namespace hipotool::inline v0::values
