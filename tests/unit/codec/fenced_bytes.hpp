#pragma once
// Bytes that end where the next page may not be touched: one byte read or written past them ends
// the process, with or without a sanitizer. The bytes before them are checked when asked.

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <new>
#include <span>
#include <sys/mman.h>
#include <unistd.h>

namespace hipotool::test {

class FencedBytes {
 public:
  explicit FencedBytes(std::size_t size) : size_(size) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    room_ = (size + kFrontBytes + page - 1) / page * page;
    mapped_ = room_ + page;
    void* memory =
        mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
      throw std::bad_alloc();
    }
    base_ = static_cast<std::byte*>(memory);
    mprotect(base_ + room_, page, PROT_NONE);
    std::memset(base_, kFrontValue, room_);
  }
  explicit FencedBytes(std::span<const std::byte> bytes) : FencedBytes(bytes.size()) {
    std::ranges::copy(bytes, data());
  }
  FencedBytes(const FencedBytes&) = delete;
  FencedBytes& operator=(const FencedBytes&) = delete;
  FencedBytes(FencedBytes&&) = delete;
  FencedBytes& operator=(FencedBytes&&) = delete;
  ~FencedBytes() { munmap(base_, mapped_); }

  [[nodiscard]] std::byte* data() noexcept { return base_ + (room_ - size_); }
  [[nodiscard]] std::span<std::byte> span() noexcept { return {data(), size_}; }
  [[nodiscard]] bool front_untouched() noexcept {
    for (std::size_t i = 1; i <= kFrontBytes; ++i) {
      if (*(data() - i) != static_cast<std::byte>(kFrontValue)) {
        return false;
      }
    }
    return true;
  }

 private:
  static constexpr std::size_t kFrontBytes = 64;
  static constexpr int kFrontValue = 0xa5;
  std::size_t size_;
  std::size_t room_ = 0;
  std::size_t mapped_ = 0;
  std::byte* base_ = nullptr;
};

}  // namespace hipotool::test
