#pragma once
// Arithmetic of the sample: integers that stand for fractions, so that every CPU and compiler
// computes the same. Unless a name says otherwise: lengths in cm, times in ns and angles of
// rotation at 16 fractional bits, GeV at 20, direction cosines at 30. Angles are turns: 2^32 is the
// full circle, and wraps as an angle should.

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace hipotool::app::sample {

using Fixed = std::int64_t;
using Turn = std::uint32_t;

inline constexpr int kLengthBits = 16;
inline constexpr int kTimeBits = 16;
inline constexpr int kEnergyBits = 20;
inline constexpr int kUnitBits = 30;
inline constexpr Fixed kOne = Fixed{1} << kUnitBits;

// `value` x 2^-kBits. The division by a power of two is exact, and the conversion rounds as IEEE
// 754 says where more than 24 bits are significant.
template <int kBits>
[[nodiscard]] constexpr float to_float(Fixed value) noexcept {
  return static_cast<float>(value) * (1.0F / static_cast<float>(std::uint64_t{1} << kBits));
}

// Rounds from kFrom fractional bits to the grid of kTo bits, which is what a detector resolves.
template <int kFrom, int kTo>
[[nodiscard]] constexpr float on_grid(Fixed value) noexcept {
  static_assert(kFrom > kTo);
  return to_float<kTo>((value + (Fixed{1} << (kFrom - kTo - 1))) >> (kFrom - kTo));
}

template <int kTo>
[[nodiscard]] constexpr float length(Fixed value) noexcept {
  return on_grid<kLengthBits, kTo>(value);
}
template <int kTo>
[[nodiscard]] constexpr float time(Fixed value) noexcept {
  return on_grid<kTimeBits, kTo>(value);
}
template <int kTo>
[[nodiscard]] constexpr float gev(Fixed value) noexcept {
  return on_grid<kEnergyBits, kTo>(value);
}
template <int kTo>
[[nodiscard]] constexpr float cosine(Fixed value) noexcept {
  return on_grid<kUnitBits, kTo>(value);
}

// A constant in fixed point, rounded; for values known when this is compiled.
[[nodiscard]] constexpr Fixed fixed(double value, int bits) {
  const double scaled = value * static_cast<double>(std::uint64_t{1} << bits);
  return static_cast<Fixed>(scaled < 0 ? scaled - 0.5 : scaled + 0.5);
}
[[nodiscard]] constexpr Fixed cm(double value) {
  return fixed(value, kLengthBits);
}
[[nodiscard]] constexpr Fixed ns(double value) {
  return fixed(value, kTimeBits);
}
[[nodiscard]] constexpr Fixed gev_of(double value) {
  return fixed(value, kEnergyBits);
}
[[nodiscard]] constexpr Fixed unit(double value) {
  return fixed(value, kUnitBits);
}
[[nodiscard]] constexpr Turn degrees(double value) {
  return static_cast<Turn>(fixed(value / 360, 32));
}

// a x b where b is a fraction at 30 bits.
[[nodiscard]] constexpr Fixed times(Fixed a, Fixed b) noexcept {
  return (a * b) >> kUnitBits;
}

// floor(sqrt(value)) below 2^52. IEEE 754 fixes every bit of a square root, unlike those of a sine.
[[nodiscard]] inline Fixed root(Fixed value) noexcept {
  return value <= 0 ? 0 : static_cast<Fixed>(std::sqrt(static_cast<double>(value)));
}

namespace detail {

inline constexpr int kQuarterSteps = 1024;

// sin over a quarter turn at 30 bits, by its series; one entry more than needed for interpolation.
constexpr std::array<Fixed, kQuarterSteps + 2> make_sines() {
  std::array<Fixed, kQuarterSteps + 2> sines{};
  for (std::size_t i = 0; i < sines.size(); ++i) {
    const Fixed x = static_cast<Fixed>(i) * unit(1.5707963267948966) / kQuarterSteps;
    Fixed term = x;
    for (Fixed k = 1; k < 18; k += 2) {
      sines[i] += term;
      term = -times(times(term, x), x) / ((k + 1) * (k + 2));
    }
  }
  return sines;
}
inline constexpr auto kSines = make_sines();

inline constexpr std::size_t kTurnSteps = 24;

// atan(2^-k) in turns at 32 bits, by its series; an eighth of a turn for k = 0.
constexpr std::array<Fixed, kTurnSteps> make_turns() {
  std::array<Fixed, kTurnSteps> turns{Fixed{1} << 29};
  for (std::size_t i = 1; i < kTurnSteps; ++i) {
    const Fixed x = kOne >> i;
    Fixed power = x;
    Fixed sum = 0;
    for (Fixed k = 1; k < 40; k += 2) {
      sum += k % 4 == 1 ? power / k : -(power / k);
      power = times(times(power, x), x);
    }
    turns[i] = times(sum * 4, unit(0.15915494309189535));
  }
  return turns;
}
inline constexpr auto kTurns = make_turns();

}  // namespace detail

[[nodiscard]] constexpr Fixed sine(Turn angle) noexcept {
  constexpr int kStepBits = 20;
  const Turn within = angle & 0x3fffffffU;
  const Turn rising = (angle & 0x40000000U) != 0 ? 0x40000000U - within : within;
  const std::size_t step = rising >> kStepBits;
  const Fixed fraction = rising & ((1U << kStepBits) - 1);
  const Fixed low = detail::kSines[step];
  const Fixed value = low + (((detail::kSines[step + 1] - low) * fraction) >> kStepBits);
  return (angle & 0x80000000U) != 0 ? -value : value;
}
[[nodiscard]] constexpr Fixed cosine_of(Turn angle) noexcept {
  return sine(angle + 0x40000000U);
}

// The angle of the direction (x, y), by CORDIC rotation. Both below 2^40.
[[nodiscard]] inline Turn angle_of(Fixed x, Fixed y) noexcept {
  Fixed angle = 0;
  if (x < 0) {
    x = -x;
    y = -y;
    angle = Fixed{1} << 31;
  }
  for (std::size_t k = 0; k < detail::kTurnSteps; ++k) {
    const Fixed turn = y < 0 ? -detail::kTurns[k] : detail::kTurns[k];
    const Fixed next_x = y < 0 ? x - (y >> k) : x + (y >> k);
    y = y < 0 ? y + (x >> k) : y - (x >> k);
    x = next_x;
    angle += turn;
  }
  return static_cast<Turn>(angle);
}

struct Vec3 {
  Fixed x = 0;
  Fixed y = 0;
  Fixed z = 0;

  friend constexpr Vec3 operator+(const Vec3& a, const Vec3& b) noexcept {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
  }
};

// a x b summed over the components; b is a unit vector.
[[nodiscard]] constexpr Fixed dot(const Vec3& a, const Vec3& b) noexcept {
  return (a.x * b.x + a.y * b.y + a.z * b.z) >> kUnitBits;
}
// `factor` x `along`, a unit vector.
[[nodiscard]] constexpr Vec3 scaled(Fixed factor, const Vec3& along) noexcept {
  return {times(factor, along.x), times(factor, along.y), times(factor, along.z)};
}

}  // namespace hipotool::app::sample
