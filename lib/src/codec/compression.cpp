#include "hipotool/compression.hpp"

#include "hipotool/error.hpp"

#include "codec/codec.hpp"

#include <array>
#include <string>
#include <utility>

namespace hipotool::inline v0 {
namespace {

// In the order of the enumerators.
constexpr std::array<std::string_view, 3> kLayoutWords{"per-chunk", "per-bank", "per-column"};
constexpr std::array<std::string_view, 3> kEncodingsWords{"none", "best", "auto"};
constexpr std::array<std::string_view, 2> kEffortWords{"full", "auto"};

template <typename Enum, typename Words>
std::optional<Enum> find_word(const Words& words, std::string_view word) noexcept {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == word) {
      return static_cast<Enum>(i);
    }
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_string(CodecId codec) noexcept {
  return codec_info(codec).name;
}

std::string_view to_string(LayoutId layout) noexcept {
  return kLayoutWords[static_cast<std::size_t>(layout)];
}

std::string_view to_string(Encodings encodings) noexcept {
  return kEncodingsWords[static_cast<std::size_t>(encodings)];
}

std::string_view to_string(Effort effort) noexcept {
  return kEffortWords[static_cast<std::size_t>(effort)];
}

std::optional<CodecId> parse_codec(std::string_view word) noexcept {
  for (const CodecInfo& info : codecs()) {
    if (info.name == word) {
      return info.id;
    }
  }
  return std::nullopt;
}

std::optional<LayoutId> parse_layout(std::string_view word) noexcept {
  return find_word<LayoutId>(kLayoutWords, word);
}

std::optional<Encodings> parse_encodings(std::string_view word) noexcept {
  return find_word<Encodings>(kEncodingsWords, word);
}

std::optional<Effort> parse_effort(std::string_view word) noexcept {
  return find_word<Effort>(kEffortWords, word);
}

std::string to_string(const Compression& compression) {
  std::string text(to_string(compression.codec));
  if (codec_info(compression.codec).max_level > 0) {
    text += ':';
    text += std::to_string(compression.level);
  }
  text += '/';
  text += to_string(compression.layout);
  if (compression.encodings != Encodings::none) {
    text += "+split";
  }
  if (compression.depends_on_data()) {
    text += "+auto";
  }
  return text;
}

void require_usable(const Compression& compression) {
  const CodecInfo& info = codec::require_codec(compression.codec).info;
  if (compression.level < info.min_level || compression.level > info.max_level) {
    const std::string name(info.name);
    const std::string given = std::to_string(compression.level);
    throw Error(ErrorCode::invalid_argument,
                info.max_level == 0
                    ? name + " has no levels, so level " + given + " means nothing"
                    : name + " has levels " + std::to_string(info.min_level) + " to " +
                          std::to_string(info.max_level) + ", not " + given);
  }
  if (compression.encodings != Encodings::none && compression.layout != LayoutId::per_column) {
    throw Error(ErrorCode::invalid_argument,
                "encodings " + std::string(to_string(compression.encodings)) +
                    " needs layout per-column, not " + std::string(to_string(compression.layout)));
  }
}

std::uint64_t default_record_bytes(LayoutId layout) noexcept {
  return std::uint64_t{layout == LayoutId::per_chunk ? 8U : 32U} << 20U;
}

ReadableBy readable_by(const Compression& compression) noexcept {
  // The C++ library takes every tag but 0 for LZ4, and Java knows the four oldest codecs; neither
  // has a notion of split layouts. Of oxihipo only release 0.9.0 was tried; it reads all 15 pairs
  // and refuses version 3, which its later sources write.
  const bool whole = compression.layout == LayoutId::per_chunk;
  const bool encoded = !whole && compression.encodings != Encodings::none;
  return {.cpp_hipo4 = whole && compression.codec <= CodecId::lz4hc,
          .java = whole && compression.codec <= CodecId::gzip,
          .oxihipo_since = encoded ? "" : "0.9.0"};
}

}  // namespace hipotool::inline v0
