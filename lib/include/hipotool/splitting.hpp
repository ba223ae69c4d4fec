#pragma once
// One rewrite into several files: each event goes to exactly one of them, in order. All of them are
// written before the first one gets its name.

#include "hipotool/atomic_file.hpp"
#include "hipotool/digest.hpp"
#include "hipotool/event_counts.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace hipotool {
inline namespace v0 {

// Where one file ends and the next begins. At most one of these is set.
struct Splitting {
  bool by_tag = false;       // a file for each event tag
  std::uint64_t events = 0;  // so many in each file but the last; 0: no limit
  // At most so many bytes in each file, unless a single record takes more; 0: no limit.
  std::uint64_t bytes = 0;

  [[nodiscard]] bool any() const noexcept { return by_tag || events != 0 || bytes != 0; }
};

// Files that a rewrite by tag writes at most, since all of them are open at once.
inline constexpr std::size_t kMostTagOutputs = 512;

// Makes the file for a tag, or for a number that counts from 0. Called in the calling thread.
using TargetMaker = std::function<AtomicFile(std::uint64_t)>;

// Complete but for its name: the caller commits it.
struct WrittenOutput {
  std::uint64_t key = 0;  // its tag or number
  AtomicFile file;
  std::uint64_t file_bytes = 0;
  std::uint64_t records = 0;
  std::uint64_t events = 0;
  std::optional<Digest> digest{};  // none with Verify::none
  // Nullopt where per-chunk records were copied without being opened (Verify::none).
  std::optional<EventCounts<std::uint32_t>> events_by_tag{};
};

// Commits all, in order. If one fails, those before it that replaced nothing are removed again; the
// Error says which others stay.
void commit_all(std::span<WrittenOutput> outputs);

}  // namespace v0
}  // namespace hipotool
