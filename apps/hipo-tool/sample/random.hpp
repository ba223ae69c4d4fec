#pragma once
// Random numbers of the sample. The generator is xoshiro256++ (Blackman and Vigna), seeded by
// splitmix64 from the sample's seed and an event number, so that an event needs no history.
// Distributions come from integer tables: those of the standard library differ between
// implementations.

#include "fixed_math.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace hipotool::app::sample {

// A well mixed function of both; also for quantities that must be the same in several events.
[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t seed, std::uint64_t value) noexcept {
  std::uint64_t z = seed + value * 0x9e3779b97f4a7c15U + 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

// Values of an inverse cumulative distribution at equal steps of probability, to be interpolated.
template <std::size_t kPoints>
using Quantiles = std::array<Fixed, kPoints>;

namespace detail {

// -ln(u) at 16 bits for u = i/256; u = 0 stands for half a step. ln comes from log2, and that bit
// by bit from squaring.
constexpr Quantiles<257> make_exponential() {
  Quantiles<257> values{};
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::uint64_t x = i == 0 ? 1 : 2 * i;
    Fixed log2 = 0;  // at 24 bits
    const int shift = 32 - static_cast<int>(std::bit_width(x));
    x <<= shift;
    log2 = Fixed{31 - shift - 9} << 24;  // u = x / 512
    for (int bit = 23; bit >= 0; --bit) {
      x = (x * x) >> 31;
      if ((x >> 32) != 0) {
        x >>= 1;
        log2 += Fixed{1} << bit;
      }
    }
    values[i] = -(log2 * fixed(0.6931471805599453, 16)) >> 24;
  }
  return values;
}
inline constexpr auto kExponential = make_exponential();

}  // namespace detail

// The order of evaluation of a call's arguments and of a sum's terms is the compiler's choice, so
// no expression outside braces may draw twice.
class Random {
 public:
  Random(std::uint64_t seed, std::uint64_t event) noexcept {
    const std::uint64_t start = mix(seed, event);
    for (std::size_t i = 0; i < state_.size(); ++i) {
      state_[i] = mix(start, i);
    }
  }

  std::uint64_t next() noexcept {
    const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  // 0 .. limit - 1. The bias of at most limit / 2^32 does not matter here.
  Fixed below(Fixed limit) noexcept {
    return static_cast<Fixed>(((next() >> 32) * static_cast<std::uint64_t>(limit)) >> 32);
  }
  // low .. high, both included.
  Fixed between(Fixed low, Fixed high) noexcept { return low + below(high - low + 1); }
  Turn turn() noexcept { return static_cast<Turn>(next() >> 32); }
  bool chance(int per_mille) noexcept { return below(1000) < per_mille; }

  // Close to a normal distribution around 0: the sum of four uniform numbers, cut at 3.5 sigma.
  Fixed normal(Fixed sigma) noexcept {
    const std::uint64_t bits = next();
    const auto sum = static_cast<Fixed>((bits & 0xffff) + ((bits >> 16) & 0xffff) +
                                        ((bits >> 32) & 0xffff) + (bits >> 48));
    // The sum's own sigma is 2^16 x sqrt(4 / 12) = 37837.
    return ((sum - 131070) * sigma) / 37837;
  }

  // Not above 6.2 x mean.
  Fixed exponential(Fixed mean) noexcept { return (draw(detail::kExponential) * mean) >> 16; }

  template <std::size_t kPoints>
  Fixed draw(const Quantiles<kPoints>& quantiles) noexcept {
    const std::uint64_t at = (next() >> 32) * (kPoints - 1);
    const std::size_t step = at >> 32;
    const auto fraction = static_cast<Fixed>((at & 0xffffffffU) >> 16);
    const Fixed low = quantiles[step];
    return low + (((quantiles[step + 1] - low) * fraction) >> 16);
  }

  // An index drawn by weight. The weights sum to 1000.
  template <std::size_t kChoices>
  std::size_t pick(const std::array<int, kChoices>& per_mille) noexcept {
    Fixed left = below(1000);
    std::size_t index = 0;
    while (index + 1 < kChoices && left >= per_mille[index]) {
      left -= per_mille[index];
      ++index;
    }
    return index;
  }

 private:
  std::array<std::uint64_t, 4> state_{};
};

}  // namespace hipotool::app::sample
