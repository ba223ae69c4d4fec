#pragma once
// Says whether two files hold the same events, whatever their layout, codec, record size or writer
// (docs/format.md, section 13). Events are hashed record by record, in parallel if wanted, and
// chained in order.

#include "hipotool/record.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace hipotool {
inline namespace v0 {

// XXH3-128 of one event's canonical bytes.
struct EventHash {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  friend bool operator==(const EventHash&, const EventHash&) = default;
};

struct Digest {
  std::string ordered;    // 32 hex digits
  std::string unordered;  // 32 hex digits; additive over a merge of files with one dictionary
  std::uint64_t events = 0;
};

// Appends one hash per event of `record` (decoded with Projection::everything) to `hashes`.
// `scratch` is recycled. Thread-safe for different hashes and scratch.
void hash_events(const Record& record, std::vector<EventHash>& hashes, Buffer& scratch);
// The same for those events alone that are marked in `chosen`, which has event_count() elements.
void hash_events(const Record& record, const std::vector<bool>& chosen,
                 std::vector<EventHash>& hashes, Buffer& scratch);

// Collects hashes in file order. One thread at a time.
class DigestBuilder {
 public:
  DigestBuilder();
  ~DigestBuilder();
  DigestBuilder(DigestBuilder&&) noexcept;
  DigestBuilder& operator=(DigestBuilder&&) noexcept;
  DigestBuilder(const DigestBuilder&) = delete;
  DigestBuilder& operator=(const DigestBuilder&) = delete;

  void add(std::span<const EventHash> hashes);
  [[nodiscard]] Digest finish() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace v0
}  // namespace hipotool
