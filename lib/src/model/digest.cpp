#include "hipotool/digest.hpp"

#include "hipotool/error.hpp"

#include "base/xxh3.hpp"
#include "model/canonical_events.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace hipotool {
inline namespace v0 {
namespace {

void store_big_endian(std::byte* to, std::uint64_t value) {
  for (std::size_t i = 0; i < 8; ++i) {
    to[i] = static_cast<std::byte>(value >> (56 - 8 * i));
  }
}

std::string hex(std::uint64_t high, std::uint64_t low) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const std::uint64_t half : {high, low}) {
    for (int shift = 60; shift >= 0; shift -= 4) {
      text += kDigits[(half >> shift) & 0xF];
    }
  }
  return text;
}

void hash_wanted(const Record& record, std::span<const std::uint32_t> wanted,
                 std::vector<EventHash>& hashes, Buffer& scratch) {
  hashes.reserve(hashes.size() + wanted.size());
  CanonicalEvents canonical(record, scratch);
  while (!wanted.empty()) {
    const auto together = wanted.first(std::min(wanted.size(), canonical.most_together()));
    for (const ByteSpan bytes : canonical.write(together)) {
      const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
      hashes.push_back({hash.high64, hash.low64});
    }
    wanted = wanted.subspan(together.size());
  }
}

}  // namespace

void hash_events(const Record& record, std::vector<EventHash>& hashes, Buffer& scratch) {
  std::vector<std::uint32_t> all(record.event_count());
  std::iota(all.begin(), all.end(), std::uint32_t{0});
  hash_wanted(record, all, hashes, scratch);
}

void hash_events(const Record& record, const std::vector<bool>& chosen,
                 std::vector<EventHash>& hashes, Buffer& scratch) {
  std::vector<std::uint32_t> wanted;
  for (std::uint32_t event = 0; event < record.event_count(); ++event) {
    if (chosen[event]) {
      wanted.push_back(event);
    }
  }
  hash_wanted(record, wanted, hashes, scratch);
}

struct DigestBuilder::State {
  State() : chain(XXH3_createState()) {
    if (chain == nullptr) {
      throw Error(ErrorCode::over_budget, "no memory for a hash state");
    }
    XXH3_128bits_reset(chain);
  }
  ~State() { XXH3_freeState(chain); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  State(State&&) = delete;
  State& operator=(State&&) = delete;

  XXH3_state_t* chain;
  EventHash sum{};
  std::uint64_t events = 0;
};

DigestBuilder::DigestBuilder() : state_(std::make_unique<State>()) {}
DigestBuilder::~DigestBuilder() = default;
DigestBuilder::DigestBuilder(DigestBuilder&&) noexcept = default;
DigestBuilder& DigestBuilder::operator=(DigestBuilder&&) noexcept = default;

void DigestBuilder::add(std::span<const EventHash> hashes) {
  for (const EventHash& hash : hashes) {
    std::array<std::byte, 16> bytes;
    store_big_endian(bytes.data(), hash.high);
    store_big_endian(bytes.data() + 8, hash.low);
    XXH3_128bits_update(state_->chain, bytes.data(), bytes.size());
    const std::uint64_t low = state_->sum.low + hash.low;
    state_->sum.high += hash.high + (low < hash.low ? 1 : 0);
    state_->sum.low = low;
  }
  state_->events += hashes.size();
}

Digest DigestBuilder::finish() const {
  const XXH128_hash_t chained = XXH3_128bits_digest(state_->chain);
  return {hex(chained.high64, chained.low64), hex(state_->sum.high, state_->sum.low),
          state_->events};
}

}  // namespace v0
}  // namespace hipotool
