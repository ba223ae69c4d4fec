#include "hipotool/error.hpp"

#include "codec/rows.hpp"

#include <cstring>
#include <string>

namespace hipotool::inline v0::codec::none {
namespace {

std::size_t copy(ByteSpan from, MutableByteSpan to) {
  if (from.size() > to.size()) {
    throw Error(ErrorCode::corrupt, "none: " + std::to_string(from.size()) +
                                        " stored bytes where at most " + std::to_string(to.size()) +
                                        " belong");
  }
  if (!from.empty()) {
    std::memcpy(to.data(), from.data(), from.size());
  }
  return from.size();
}

class Copier final : public Compressor, public Decompressor {
 public:
  std::size_t compress(ByteSpan raw, MutableByteSpan out) override { return copy(raw, out); }
  std::size_t decompress(ByteSpan stored, MutableByteSpan out) override {
    return copy(stored, out);
  }
};

}  // namespace

std::size_t bound(std::size_t raw_bytes) {
  return raw_bytes;
}

std::unique_ptr<Compressor> make_compressor(int /*level*/) {
  return std::make_unique<Copier>();
}

std::unique_ptr<Decompressor> make_decompressor() {
  return std::make_unique<Copier>();
}

}  // namespace hipotool::inline v0::codec::none
