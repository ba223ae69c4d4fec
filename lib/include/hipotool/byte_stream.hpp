#pragma once
// Bytes that come one after the other and once: standard input, a pipe. One thread at a time reads;
// abandon() may come from any.

#include "hipotool/bytes.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>

namespace hipotool {
inline namespace v0 {

class ByteStream {
 public:
  // The descriptor stays the caller's, and open as long as the stream is read. `name` is for
  // messages.
  ByteStream(int descriptor, std::string name, std::stop_token stop = {});

  // Fills `out` as far as bytes come, and returns how many did: fewer than wanted only at the end.
  // Error{io} where the system refuses; Error{cancelled} on a stop or abandon(), which also end a
  // wait for bytes.
  [[nodiscard]] std::size_t read(MutableByteSpan out);
  // Bytes read so far.
  [[nodiscard]] std::uint64_t position() const noexcept { return position_; }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  // Nobody wants any more.
  void abandon() noexcept { abandoned_ = true; }

 private:
  void wait();

  int descriptor_;
  std::string name_;
  std::stop_token stop_;
  std::uint64_t position_ = 0;
  std::atomic<bool> abandoned_ = false;
};

}  // namespace v0
}  // namespace hipotool
