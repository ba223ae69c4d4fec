#pragma once
// Codecs without a layout, for the table of levels. An interface because a codec that HIPO does not
// have may be looked at too, and because a test must be able to bring a faulty one.

#include "hipotool/bytes.hpp"
#include "hipotool/compression.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace hipotool::app::bench {

class BareCodec {
 public:
  BareCodec() = default;
  BareCodec(const BareCodec&) = delete;
  BareCodec& operator=(const BareCodec&) = delete;
  BareCodec(BareCodec&&) = delete;
  BareCodec& operator=(BareCodec&&) = delete;
  virtual ~BareCodec() = default;

  [[nodiscard]] virtual std::size_t bound(std::size_t raw_bytes) const = 0;
  virtual std::size_t compress(ByteSpan raw, MutableByteSpan out) = 0;
  virtual std::size_t decompress(ByteSpan stored, MutableByteSpan out) = 0;
};

struct BareCodecRow {
  std::string name{};  // "lz4hc:4"
  std::function<std::unique_ptr<BareCodec>()> make{};
  bool what_if = false;  // HIPO has no such codec
};

[[nodiscard]] BareCodecRow library_codec(CodecId codec, int level);
// Every level of every codec of this build, and those of xz where liblzma was there.
[[nodiscard]] std::vector<BareCodecRow> all_bare_codecs();

}  // namespace hipotool::app::bench
