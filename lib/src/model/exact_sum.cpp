#include "model/exact_sum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace hipotool::inline v0::values {
namespace {

constexpr int kChunkBits = 32;
constexpr std::int64_t kChunk = std::int64_t{1} << kChunkBits;
constexpr int kLowestExponent = -1075;  // of a double's last bit, one below the smallest
// A chunk changes by less than 2^53 in one addition, so its 63 bits last for 1023.
constexpr unsigned kAdditionsBetweenCarries = 1000;
constexpr int kChunksUsed = 4;  // at least 97 bits from the first one that is not 0

}  // namespace

void ExactSum::make_room(std::size_t chunk) {
  if (chunks_.empty()) {
    first_ = chunk;
  } else if (chunk < first_) {
    chunks_.insert(chunks_.begin(), first_ - chunk, 0);
    first_ = chunk;
  }
  if (chunks_.size() < chunk + 2 - first_) {
    chunks_.resize(chunk + 2 - first_);
  }
}

void ExactSum::add(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  std::uint64_t mantissa = bits & ((std::uint64_t{1} << 52) - 1);
  std::uint64_t exponent = (bits >> 52) & 0x7FF;
  if (exponent == 0) {
    if (mantissa == 0) {
      return;
    }
    exponent = 1;
  } else {
    mantissa |= std::uint64_t{1} << 52;
  }
  const std::size_t chunk = exponent / kChunkBits;
  const unsigned shift = exponent % kChunkBits;
  if (chunk < first_ || chunks_.size() < chunk + 2 - first_) {
    make_room(chunk);
  }
  const auto low = static_cast<std::int64_t>((mantissa << shift) & 0xFFFFFFFF);
  const auto high = static_cast<std::int64_t>(mantissa >> (kChunkBits - shift));
  std::int64_t* at = chunks_.data() + (chunk - first_);
  if (std::signbit(value)) {
    at[0] -= low;
    at[1] -= high;
  } else {
    at[0] += low;
    at[1] += high;
  }
  if (++pending_ == kAdditionsBetweenCarries) {
    carry();
  }
}

void ExactSum::add_scaled(std::uint64_t value, int shift) {
  add(std::ldexp(static_cast<double>(value >> kChunkBits), kChunkBits + shift));
  add(std::ldexp(static_cast<double>(value & 0xFFFFFFFF), shift));
}

void ExactSum::add(const ExactSum& other) {
  if (other.chunks_.empty()) {
    return;
  }
  ExactSum addend = other;
  addend.carry();
  carry();
  make_room(addend.first_);
  make_room(addend.first_ + addend.chunks_.size() - 1);
  for (std::size_t i = 0; i < addend.chunks_.size(); ++i) {
    chunks_[addend.first_ + i - first_] += addend.chunks_[i];
  }
  carry();
}

// Afterwards all chunks but the highest are in [0, 2^32), and the highest has the sign.
void ExactSum::carry() {
  pending_ = 0;
  for (std::size_t i = 0; i < chunks_.size(); ++i) {
    const std::int64_t excess = chunks_[i] >> kChunkBits;
    if (i + 1 == chunks_.size()) {
      if (excess == 0 || excess == -1) {
        return;
      }
      chunks_.push_back(0);
    }
    chunks_[i] -= excess * kChunk;
    chunks_[i + 1] += excess;
  }
}

double ExactSum::value() const {
  ExactSum sum = *this;
  sum.carry();
  const bool negative = !sum.chunks_.empty() && sum.chunks_.back() < 0;
  if (negative) {
    for (std::int64_t& chunk : sum.chunks_) {
      chunk = -chunk;
    }
    sum.carry();
  }
  double high = 0;
  double low = 0;  // what does not fit into `high`
  int used = 0;
  for (std::size_t i = sum.chunks_.size(); i-- > 0 && used < kChunksUsed;) {
    if (sum.chunks_[i] == 0 && used == 0) {
      continue;
    }
    ++used;
    const double term = std::ldexp(static_cast<double>(sum.chunks_[i]),
                                   kChunkBits * static_cast<int>(sum.first_ + i) + kLowestExponent);
    const double total = high + term;
    if (!std::isfinite(total)) {
      return negative ? -total : total;
    }
    low += term - (total - high);
    high = total;
  }
  return negative ? -(high + low) : high + low;
}

std::vector<double> ExactSum::terms() const {
  std::vector<double> terms;
  ExactSum rest = *this;
  for (double term = rest.value(); term != 0 && std::isfinite(term); term = rest.value()) {
    terms.push_back(term);
    rest.add(-term);
  }
  return terms;
}

}  // namespace hipotool::inline v0::values
