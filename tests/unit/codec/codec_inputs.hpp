#pragma once
// Bytes to feed codecs with: of every kind that streams of real records show, from runs to noise.

#include "hipotool/compression.hpp"

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace hipotool::test {

using Bytes = std::vector<std::byte>;

enum class Kind { zeros, noise, ramp, small_integers, floats, text, repeats };
inline constexpr std::size_t kKinds = 7;

inline Bytes make_bytes(Kind kind, std::size_t size, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Bytes bytes(size);
  std::uint32_t word = 0;
  for (std::size_t i = 0; i < size; ++i) {
    switch (kind) {
      case Kind::zeros:
        break;
      case Kind::noise:
        bytes[i] = static_cast<std::byte>(random());
        break;
      case Kind::ramp:  // a column of ascending 32-bit numbers
        bytes[i] = static_cast<std::byte>((i / 4 * 3) >> (8 * (i % 4)));
        break;
      case Kind::small_integers:
        bytes[i] = i % 2 == 0 ? static_cast<std::byte>(random() % 7) : std::byte{0};
        break;
      case Kind::floats:
        if (i % 4 == 0) {
          word = 0x3f000000U + static_cast<std::uint32_t>(random() % 5000) * 2048;
        }
        bytes[i] = static_cast<std::byte>(word >> (8 * (i % 4)));
        break;
      case Kind::text:
        bytes[i] = static_cast<std::byte>("electron pi+ pi- proton "[(i + random() % 3) % 24]);
        break;
      case Kind::repeats:  // pieces of what came before, at all distances
        bytes[i] = i > 100 && i % 97 != 0 ? bytes[i - 1 - (seed + i / 97 * 31) % 100]
                                          : static_cast<std::byte>(random());
        break;
    }
  }
  return bytes;
}

// Sizes at which block formats change their minds: all small ones, and the neighbours of powers
// of 2.
inline std::vector<std::size_t> interesting_sizes(std::size_t largest) {
  std::vector<std::size_t> sizes;
  for (std::size_t size = 0; size <= 80 && size <= largest; ++size) {
    sizes.push_back(size);
  }
  for (std::size_t power = 128; power <= largest; power *= 2) {
    sizes.insert(sizes.end(), {power - 1, power, power + 1, power + power / 3});
  }
  return sizes;
}

inline std::vector<CodecId> available_codecs() {
  std::vector<CodecId> ids;
  for (const CodecInfo& info : codecs()) {
    if (info.available) {
      ids.push_back(info.id);
    }
  }
  return ids;
}

}  // namespace hipotool::test
