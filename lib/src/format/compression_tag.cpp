#include "format/compression_tag.hpp"

#include <array>
#include <cstddef>

namespace hipotool::inline v0::format {
namespace {

// Rows in the order of CodecId, columns in the order of LayoutId.
constexpr std::array<std::array<std::uint8_t, 3>, 5> kTags{{
    {0, 13, 14},
    {1, 9, 10},
    {2, 6, 7},
    {3, 11, 12},
    {4, 5, 8},
}};

}  // namespace

std::optional<CodecLayout> from_compression_tag(std::uint32_t tag) noexcept {
  for (std::size_t codec = 0; codec < kTags.size(); ++codec) {
    for (std::size_t layout = 0; layout < kTags[codec].size(); ++layout) {
      if (kTags[codec][layout] == tag) {
        return CodecLayout{static_cast<CodecId>(codec), static_cast<LayoutId>(layout)};
      }
    }
  }
  return std::nullopt;
}

std::uint32_t compression_tag(CodecId codec, LayoutId layout) noexcept {
  return kTags[static_cast<std::size_t>(codec)][static_cast<std::size_t>(layout)];
}

}  // namespace hipotool::inline v0::format
