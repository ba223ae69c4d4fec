#include "hipotool/compression.hpp"
#include "hipotool/counted.hpp"
#include "hipotool/error.hpp"

#include "codec/codec.hpp"
#include "codec/rows.hpp"

#include <lz4.h>

#include <array>
#include <string>

#ifdef HIPO_HAVE_LIBDEFLATE
#include <libdeflate.h>
#else
#include <zlib.h>
#endif
#ifdef HIPO_HAVE_ZSTD
#include <zstd.h>
#endif

namespace hipotool::inline v0 {
namespace {

#ifdef HIPO_HAVE_LIBDEFLATE
constexpr std::string_view kGzipLibrary = "libdeflate " LIBDEFLATE_VERSION_STRING;
#else
constexpr std::string_view kGzipLibrary = "zlib " ZLIB_VERSION;
#endif

#ifdef HIPO_HAVE_ZSTD
constexpr bool kHaveZstd = true;
constexpr std::string_view kZstdLibrary = "zstd " ZSTD_VERSION_STRING;
#else
constexpr bool kHaveZstd = false;
constexpr std::string_view kZstdLibrary = "";
#endif

constexpr std::string_view kLz4Library = "lz4 " LZ4_VERSION_STRING;

constexpr std::array<CodecInfo, 5> kInfos{{
    {CodecId::none, "none", 0, 0, 0, 0, false, true, ""},
    {CodecId::lz4, "lz4", 0, 0, 0, 0, false, true, kLz4Library},
    {CodecId::lz4hc, "lz4hc", 3, 12, 9, 6, true, true, kLz4Library},
    {CodecId::gzip, "gzip", 1, 9, 6, 6, false, true, kGzipLibrary},
    {CodecId::zstd, "zstd", 1, 19, 3, 3, true, kHaveZstd, kZstdLibrary},
}};

}  // namespace

std::span<const CodecInfo> codecs() noexcept {
  return kInfos;
}

const CodecInfo& codec_info(CodecId codec) noexcept {
  return kInfos[static_cast<std::size_t>(codec)];
}

namespace codec {
namespace {

// Above these, on both sides of the real maxima: 255 for an LZ4 block, 1032 for deflate, and for
// zstd a run of 128 KiB in 4 bytes.
constexpr std::uint64_t kLz4Ratio = 256;
constexpr std::uint64_t kGzipRatio = 1056;
constexpr std::uint64_t kZstdRatio = 32768;
// Small units are allowed this much whatever they claim; it bounds the harm and spares a special
// case.
constexpr std::uint64_t kSlackBytes = 65536;

constexpr std::array<Codec, 5> kRows{{
    {kInfos[0], 1, none::bound, none::make_compressor, none::make_decompressor},
    {kInfos[1], kLz4Ratio, lz4::bound, lz4::make_fast_compressor, lz4::make_fast_decompressor},
    {kInfos[2], kLz4Ratio, lz4::bound, lz4::make_high_compressor, lz4::make_high_decompressor},
    {kInfos[3], kGzipRatio, gzip::bound, gzip::make_compressor, gzip::make_decompressor},
#ifdef HIPO_HAVE_ZSTD
    {kInfos[4], kZstdRatio, zstd::bound, zstd::make_compressor, zstd::make_decompressor},
#else
    {kInfos[4], kZstdRatio, nullptr, nullptr, nullptr},
#endif
}};

}  // namespace

const Codec& codec_row(CodecId id) noexcept {
  return kRows[static_cast<std::size_t>(id)];
}

const Codec& require_codec(CodecId id) {
  const Codec& row = codec_row(id);
  if (!row.info.available) {
    const std::string name(row.info.name);
    throw Error(ErrorCode::unsupported,
                "this build has no " + name + " (it was configured without lib" + name + ")");
  }
  return row;
}

std::optional<Way> quick_way(const Way& way) noexcept {
  switch (way.codec) {
    case CodecId::lz4hc:
      return Way{CodecId::lz4, 0};
    case CodecId::zstd:
      return way.level > 1 ? std::optional(Way{CodecId::zstd, 1}) : std::nullopt;
    default:
      return std::nullopt;
  }
}

void require_plausible(CodecId id, std::uint64_t raw_bytes, std::uint64_t stored_bytes) {
  const std::uint64_t slack = id == CodecId::none ? 0 : kSlackBytes;
  if (raw_bytes <= slack) {
    return;
  }
  // raw - slack > ratio * stored, written so that no product can overflow.
  if ((raw_bytes - slack - 1) / codec_row(id).max_ratio >= stored_bytes) {
    throw Error(ErrorCode::corrupt, std::string(to_string(id)) + ": " +
                                        counted(stored_bytes, "stored byte") + " cannot hold the " +
                                        counted(raw_bytes, "byte") + " announced");
  }
}

}  // namespace codec
}  // namespace hipotool::inline v0
