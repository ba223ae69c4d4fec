#ifdef HIPO_HAVE_ZSTD

#include "hipotool/counted.hpp"
#include "hipotool/error.hpp"

#include "codec/rows.hpp"

#include <zstd.h>

#include <cstdint>
#include <memory>
#include <string>

namespace hipotool::inline v0::codec::zstd {
namespace {

constexpr std::uint32_t kFrameMagic = 0xfd2fb528;

std::size_t checked(std::size_t result, ErrorCode code) {
  if (ZSTD_isError(result) != 0) {
    throw Error(code, std::string("zstd: ") + ZSTD_getErrorName(result));
  }
  return result;
}

struct Free {
  void operator()(ZSTD_CCtx* context) const noexcept { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const noexcept { ZSTD_freeDCtx(context); }
};

class FrameCompressor final : public Compressor {
 public:
  explicit FrameCompressor(int level) : context_(ZSTD_createCCtx()) {
    if (context_ == nullptr) {
      throw Error(ErrorCode::over_budget, "zstd: no memory for a compression context");
    }
    checked(ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, level),
            ErrorCode::invalid_argument);
  }

  std::size_t compress(ByteSpan raw, MutableByteSpan out) override {
    if (raw.empty()) {
      return 0;
    }
    return checked(ZSTD_compress2(context_.get(), out.data(), out.size(), raw.data(), raw.size()),
                   ErrorCode::invalid_argument);
  }

 private:
  std::unique_ptr<ZSTD_CCtx, Free> context_;
};

class FrameDecompressor final : public Decompressor {
 public:
  FrameDecompressor() : context_(ZSTD_createDCtx()) {
    if (context_ == nullptr) {
      throw Error(ErrorCode::over_budget, "zstd: no memory for a decompression context");
    }
  }

  std::size_t decompress(ByteSpan stored, MutableByteSpan out) override {
    if (stored.empty()) {
      return 0;
    }
    if (stored.size() < sizeof kFrameMagic ||
        load_le<std::uint32_t>(stored.data()) != kFrameMagic) {
      throw Error(ErrorCode::corrupt, "zstd: no frame magic");
    }
    // The library would go on with further frames; the format has one (docs/format.md section 7).
    const std::size_t frame_bytes =
        checked(ZSTD_findFrameCompressedSize(stored.data(), stored.size()), ErrorCode::corrupt);
    if (frame_bytes != stored.size()) {
      throw Error(ErrorCode::corrupt, "zstd: " + counted(stored.size() - frame_bytes, "byte") +
                                          " after the end of the frame");
    }
    return checked(
        ZSTD_decompressDCtx(context_.get(), out.data(), out.size(), stored.data(), stored.size()),
        ErrorCode::corrupt);
  }

 private:
  std::unique_ptr<ZSTD_DCtx, Free> context_;
};

}  // namespace

std::size_t bound(std::size_t raw_bytes) {
  return ZSTD_compressBound(raw_bytes);
}

std::unique_ptr<Compressor> make_compressor(int level) {
  return std::make_unique<FrameCompressor>(level);
}

std::unique_ptr<Decompressor> make_decompressor() {
  return std::make_unique<FrameDecompressor>();
}

}  // namespace hipotool::inline v0::codec::zstd

#endif
