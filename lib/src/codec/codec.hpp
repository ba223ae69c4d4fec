#pragma once
// A codec as the rest of the library sees it: a row of facts and two small workers. Workers keep
// the compression library's context, because a per-column record has hundreds of small streams and
// a new context each would cost as much as the work; they belong to one thread. Codecs know bytes
// only.

#include "hipotool/bytes.hpp"
#include "hipotool/compression.hpp"

#include <cstddef>
#include <memory>
#include <optional>

namespace hipotool::inline v0::codec {

class Compressor {
 public:
  virtual ~Compressor() = default;
  // Compresses `raw` into `out`, which has at least bound(raw.size()) bytes; returns the bytes
  // used. The result is a function of `raw` and the level alone, never of what was compressed
  // before. Throws Error{not_representable} where raw is too large for the codec's block.
  virtual std::size_t compress(ByteSpan raw, MutableByteSpan out) = 0;
};

class Decompressor {
 public:
  virtual ~Decompressor() = default;
  // Inflates `stored` into `out` and returns the bytes produced, at most out.size(). Throws
  // Error{corrupt} ("lz4: corrupt block") where `stored` is damaged or holds more than fits.
  virtual std::size_t decompress(ByteSpan stored, MutableByteSpan out) = 0;
};

struct Codec {
  CodecInfo info;
  // Largest raw bytes that one stored byte can stand for (docs/format.md section 7).
  std::uint64_t max_ratio;
  // Largest stored size for `raw_bytes`. Null where this build lacks the library, like the makers.
  std::size_t (*bound)(std::size_t raw_bytes);
  std::unique_ptr<Compressor> (*make_compressor)(int level);
  std::unique_ptr<Decompressor> (*make_decompressor)();
};

// Throws Error{unsupported} "this build has no zstd (...)" where the codec is not available.
[[nodiscard]] const Codec& require_codec(CodecId id);
[[nodiscard]] const Codec& codec_row(CodecId id) noexcept;

// What compresses a stream: a codec and its level.
struct Way {
  CodecId codec = CodecId::none;
  int level = 0;
};
// A way that costs a fraction of the given one and yields what the same decompressor reads; none
// where there is no such way.
[[nodiscard]] std::optional<Way> quick_way(const Way& way) noexcept;

// Refuses a raw size that `stored_bytes` cannot stand for: Error{corrupt}. Call before allocating.
void require_plausible(CodecId id, std::uint64_t raw_bytes, std::uint64_t stored_bytes);

}  // namespace hipotool::inline v0::codec
