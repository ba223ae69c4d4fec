#pragma once
// Bytes in memory that count what is read of them, below everything that the library does.

#include "hipotool/byte_source.hpp"

#include "support/event_images.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace hipotool::test {

class CountingSource final : public ByteSource {
 public:
  explicit CountingSource(ByteSpan bytes, std::string name = "counted.hipo")
      : source_(memory_source(buffer_of(bytes), std::move(name))) {}

  void read_at(std::uint64_t offset, MutableByteSpan out) const override {
    bytes_ += out.size();
    ++calls_;
    source_->read_at(offset, out);
  }
  [[nodiscard]] std::uint64_t size() const noexcept override { return source_->size(); }
  [[nodiscard]] const std::string& name() const noexcept override { return source_->name(); }
  void require_unchanged() const override { source_->require_unchanged(); }

  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::uint64_t calls() const noexcept { return calls_; }
  void reset() const noexcept {
    bytes_ = 0;
    calls_ = 0;
  }

 private:
  std::shared_ptr<const ByteSource> source_;
  mutable std::atomic<std::uint64_t> bytes_ = 0;
  mutable std::atomic<std::uint64_t> calls_ = 0;
};

}  // namespace hipotool::test
