#include "hipotool/bytes.hpp"

#include "hipotool/error.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <sys/mman.h>
#include <utility>

namespace hipotool::inline v0 {

namespace {

constexpr std::size_t kLargePage = std::size_t{2} << 20;

[[noreturn]] void throw_no_memory(std::size_t wanted_bytes) {
  throw Error(ErrorCode::over_budget, fmt::format("no memory for {} bytes", wanted_bytes));
}

}  // namespace

Buffer::Buffer(Buffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      capacity_(std::exchange(other.capacity_, 0)) {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  if (this != &other) {
    release();
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }
  return *this;
}

Buffer::~Buffer() {
  std::free(data_);
}

void Buffer::resize_discard(std::size_t size) {
  if (size > capacity_) {
    // Free first: nothing is kept, so old and new storage need never exist together.
    release();
    data_ = static_cast<std::byte*>(std::malloc(size));
    if (data_ == nullptr) {
      throw_no_memory(size);
    }
    capacity_ = size;
  }
  size_ = size;
}

void Buffer::resize_keep(std::size_t size) {
  if (size > capacity_) {
    const bool can_double = capacity_ <= std::numeric_limits<std::size_t>::max() / 2;
    const std::size_t wanted = can_double && size < 2 * capacity_ ? 2 * capacity_ : size;
    void* grown = std::realloc(data_, wanted);
    if (grown == nullptr) {
      throw_no_memory(wanted);
    }
    data_ = static_cast<std::byte*>(grown);
    capacity_ = wanted;
  }
  size_ = size;
}

void Buffer::append(ByteSpan bytes) {
  if (bytes.empty()) {
    return;
  }
  if (bytes.size() > std::numeric_limits<std::size_t>::max() - size_) {
    throw_no_memory(std::numeric_limits<std::size_t>::max());
  }
  const std::size_t at = size_;
  resize_keep(at + bytes.size());
  std::memcpy(data_ + at, bytes.data(), bytes.size());
}

void Buffer::prefer_large_pages() noexcept {
  const auto begin = reinterpret_cast<std::uintptr_t>(data_);
  const std::uintptr_t first = (begin + kLargePage - 1) / kLargePage * kLargePage;
  const std::uintptr_t last = (begin + capacity_) / kLargePage * kLargePage;
  if (first < last) {
    // A wish: what the system does with it changes no result.
    static_cast<void>(
        ::madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE));  // NOLINT
  }
}

void Buffer::release() noexcept {
  std::free(data_);
  data_ = nullptr;
  size_ = 0;
  capacity_ = 0;
}

}  // namespace hipotool::inline v0
