#pragma once
// Numbers that look random and are the same on every machine: splitmix64.

#include "support/event_images.hpp"

#include <cstdint>

namespace hipotool::test {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  [[nodiscard]] std::uint64_t next() noexcept {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  // 0 to `limit` - 1.
  [[nodiscard]] std::uint32_t below(std::uint32_t limit) noexcept {
    return static_cast<std::uint32_t>(next() % limit);
  }
  // True in one of `n` cases.
  [[nodiscard]] bool one_in(std::uint32_t n) noexcept { return below(n) == 0; }
  [[nodiscard]] Bytes bytes(std::size_t size) {
    Bytes all(size);
    for (std::byte& one : all) {
      one = static_cast<std::byte>(next());
    }
    return all;
  }

 private:
  std::uint64_t state_;
};

}  // namespace hipotool::test
