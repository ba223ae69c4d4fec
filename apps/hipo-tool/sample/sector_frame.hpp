#pragma once
// The frames of the six forward sectors: tilted by 25 degrees, so that the planes of drift
// chambers, scintillators and calorimeters lie across the third axis.

#include "fixed_math.hpp"

#include <array>
#include <cstddef>

namespace hipotool::app::sample {

struct Frame {
  Vec3 outwards{};
  Vec3 aside{};
  Vec3 normal{};

  [[nodiscard]] Vec3 to_local(const Vec3& lab) const noexcept {
    return {dot(lab, outwards), dot(lab, aside), dot(lab, normal)};
  }
  [[nodiscard]] Vec3 to_lab(const Vec3& local) const noexcept {
    return scaled(local.x, outwards) + scaled(local.y, aside) + scaled(local.z, normal);
  }
};

namespace detail {

constexpr std::array<Frame, 6> make_frames() {
  constexpr Fixed kSinTilt = unit(0.42261826);
  constexpr Fixed kCosTilt = unit(0.90630779);
  std::array<Frame, 6> frames{};
  Turn middle = 0;
  for (Frame& frame : frames) {
    const Fixed c = cosine_of(middle);
    const Fixed s = sine(middle);
    frame = {{times(kCosTilt, c), times(kCosTilt, s), -kSinTilt},
             {-s, c, 0},
             {times(kSinTilt, c), times(kSinTilt, s), kCosTilt}};
    middle += degrees(60);
  }
  return frames;
}
inline constexpr std::array<Frame, 6> kFrames = make_frames();

}  // namespace detail

// Sectors count from 1.
[[nodiscard]] inline const Frame& frame_of(int sector) noexcept {
  return detail::kFrames[static_cast<std::size_t>(sector - 1)];
}

}  // namespace hipotool::app::sample
