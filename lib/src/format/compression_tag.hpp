#pragma once
// The one place that knows how codec and layout share four bits (docs/format.md section 7).

#include "hipotool/compression.hpp"

#include <cstdint>
#include <optional>

namespace hipotool::inline v0::format {

struct CodecLayout {
  CodecId codec;
  LayoutId layout;
};

// Nullopt for 15, which is unassigned.
[[nodiscard]] std::optional<CodecLayout> from_compression_tag(std::uint32_t tag) noexcept;
[[nodiscard]] std::uint32_t compression_tag(CodecId codec, LayoutId layout) noexcept;

}  // namespace hipotool::inline v0::format
