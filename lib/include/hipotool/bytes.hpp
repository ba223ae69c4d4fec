#pragma once
// Bytes in memory: spans that borrow, a Buffer that owns, and little-endian loads and stores.
// Nothing in a HIPO payload is aligned (docs/format.md, section 1), so every load is a memcpy.
// Values are little-endian on disk and this library runs on little-endian machines only; the rare
// big-endian record is put right once, just after it is inflated (docs/format.md, section 9).

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

namespace hipotool {
inline namespace v0 {

static_assert(std::endian::native == std::endian::little, "big-endian hosts are not supported");

using ByteSpan = std::span<const std::byte>;
using MutableByteSpan = std::span<std::byte>;

// The `sizeof(T)` bytes at `from` as a number. The caller has checked that they exist.
template <typename T>
[[nodiscard]] inline T load_le(const std::byte* from) noexcept {
  static_assert(std::is_trivially_copyable_v<T>);
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <typename T>
inline void store_le(std::byte* to, T value) noexcept {
  static_assert(std::is_trivially_copyable_v<T>);
  std::memcpy(to, &value, sizeof value);
}

// Owned bytes that are never zero-filled and whose storage only grows, so that one Buffer serves
// record after record without touching fresh pages. Moves leave the source empty. Not copyable.
// Allocation failure throws Error{over_budget} with the size that was wanted.
class Buffer {
 public:
  Buffer() noexcept = default;
  explicit Buffer(std::size_t size) { resize_discard(size); }
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer();

  [[nodiscard]] std::byte* data() noexcept { return data_; }
  [[nodiscard]] const std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] MutableByteSpan span() noexcept { return {data_, size_}; }
  [[nodiscard]] ByteSpan span() const noexcept { return {data_, size_}; }

  void clear() noexcept { size_ = 0; }
  // Sets the size; old content is not kept and new content is indeterminate.
  void resize_discard(std::size_t size);
  // Sets the size; old content up to the smaller size is kept, new bytes are indeterminate.
  void resize_keep(std::size_t size);
  void append(ByteSpan bytes);
  template <typename T>
  void append_le(T value) {
    const std::size_t at = size_;
    resize_keep(at + sizeof value);
    store_le(data_ + at, value);
  }
  // Asks for large pages behind the storage. Only for a buffer that will be filled from end to end:
  // a large page costs as much as 512 small ones, however little of it is touched. No effect on
  // small buffers, or where the system does not offer them.
  void prefer_large_pages() noexcept;
  // Gives the storage back to the system.
  void release() noexcept;

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace v0
}  // namespace hipotool
