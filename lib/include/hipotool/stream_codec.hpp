#pragma once
// One codec at one level, on bare streams of bytes: what lies below the layouts, for those who
// measure codecs or look at single streams. Keeps the compression library's context. One thread at
// a time.

#include "hipotool/bytes.hpp"
#include "hipotool/compression.hpp"

#include <cstddef>
#include <memory>

namespace hipotool {
inline namespace v0 {

class StreamCodec {
 public:
  // Level 0 is the default of codecs that have levels. Error{invalid_argument, unsupported} as
  // require_usable().
  explicit StreamCodec(CodecId codec, int level = 0);
  StreamCodec(StreamCodec&&) noexcept;
  StreamCodec& operator=(StreamCodec&&) noexcept;
  StreamCodec(const StreamCodec&) = delete;
  StreamCodec& operator=(const StreamCodec&) = delete;
  ~StreamCodec();

  // Most bytes that `raw_bytes` can become.
  [[nodiscard]] std::size_t bound(std::size_t raw_bytes) const;
  // Returns the bytes used of `out`, which has at least bound(raw.size()).
  std::size_t compress(ByteSpan raw, MutableByteSpan out);
  // Returns the bytes produced, at most out.size(). Error{corrupt}.
  std::size_t decompress(ByteSpan stored, MutableByteSpan out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace v0
}  // namespace hipotool
