#include "bench/bare_codec.hpp"

#include "hipotool/stream_codec.hpp"

#include <fmt/format.h>

#ifdef HIPO_HAVE_LZMA
#include "hipotool/error.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <lzma.h>
#endif

namespace hipotool::app::bench {

namespace {

class LibraryCodec final : public BareCodec {
 public:
  LibraryCodec(CodecId codec, int level) : codec_(codec, level) {}
  [[nodiscard]] std::size_t bound(std::size_t raw_bytes) const override {
    return codec_.bound(raw_bytes);
  }
  std::size_t compress(ByteSpan raw, MutableByteSpan out) override {
    return codec_.compress(raw, out);
  }
  std::size_t decompress(ByteSpan stored, MutableByteSpan out) override {
    return codec_.decompress(stored, out);
  }

 private:
  StreamCodec codec_;
};

#ifdef HIPO_HAVE_LZMA
constexpr std::uint32_t kMostXzLevel = 9;

class XzCodec final : public BareCodec {
 public:
  explicit XzCodec(std::uint32_t level) : level_(level) {}

  [[nodiscard]] std::size_t bound(std::size_t raw_bytes) const override {
    return ::lzma_stream_buffer_bound(raw_bytes);
  }

  std::size_t compress(ByteSpan raw, MutableByteSpan out) override {
    ::lzma_options_lzma options{};
    ::lzma_lzma_preset(&options, level_);
    // A dictionary of the level's 64 MiB for a stream of some kilobytes would be all that is timed.
    options.dict_size =
        std::clamp(static_cast<std::uint32_t>(std::min<std::size_t>(raw.size(), options.dict_size)),
                   std::uint32_t{LZMA_DICT_SIZE_MIN}, options.dict_size);
    std::array<::lzma_filter, 2> filters{{{.id = LZMA_FILTER_LZMA2, .options = &options},
                                          {.id = LZMA_VLI_UNKNOWN, .options = nullptr}}};
    std::size_t used = 0;
    require(::lzma_stream_buffer_encode(filters.data(), LZMA_CHECK_NONE, nullptr, bytes_of(raw),
                                        raw.size(), bytes_of(out), &used, out.size()));
    return used;
  }

  std::size_t decompress(ByteSpan stored, MutableByteSpan out) override {
    std::uint64_t memory = UINT64_MAX;
    std::size_t taken = 0;
    std::size_t used = 0;
    require(::lzma_stream_buffer_decode(&memory, 0, nullptr, bytes_of(stored), &taken,
                                        stored.size(), bytes_of(out), &used, out.size()));
    return used;
  }

 private:
  static const std::uint8_t* bytes_of(ByteSpan bytes) {
    return reinterpret_cast<const std::uint8_t*>(bytes.data());
  }
  static std::uint8_t* bytes_of(MutableByteSpan bytes) {
    return reinterpret_cast<std::uint8_t*>(bytes.data());
  }
  static void require(::lzma_ret result) {
    if (result != LZMA_OK) {
      throw Error(ErrorCode::corrupt, fmt::format("xz: error {}", static_cast<int>(result)));
    }
  }

  std::uint32_t level_;
};
#endif

}  // namespace

BareCodecRow library_codec(CodecId codec, int level) {
  const std::string name(to_string(codec));
  return {.name = level == 0 ? name : fmt::format("{}:{}", name, level),
          .make = [codec, level] { return std::make_unique<LibraryCodec>(codec, level); }};
}

std::vector<BareCodecRow> all_bare_codecs() {
  std::vector<BareCodecRow> rows;
  for (const CodecInfo& info : codecs()) {
    if (info.available && info.id != CodecId::none) {
      for (int level = info.min_level; level <= info.max_level; ++level) {
        rows.push_back(library_codec(info.id, level));
      }
    }
  }
#ifdef HIPO_HAVE_LZMA
  for (std::uint32_t level = 0; level <= kMostXzLevel; ++level) {
    rows.push_back({.name = fmt::format("xz:{}", level),
                    .make = [level] { return std::make_unique<XzCodec>(level); },
                    .what_if = true});
  }
#endif
  return rows;
}

}  // namespace hipotool::app::bench
