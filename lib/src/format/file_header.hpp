#pragma once
// The first 56 bytes of a file (docs/format.md section 2).

#include "hipotool/bytes.hpp"
#include "hipotool/file_header.hpp"

namespace hipotool::inline v0::format {

// Error{truncated, bad_magic, unsupported, corrupt}.
[[nodiscard]] FileHeader parse_file_header(ByteSpan bytes);

// As this library writes it: id HIPO, 14 words, type 5, dictionary present, little-endian.
void store_file_header(const FileHeader& header, bool has_index, std::byte* to) noexcept;

}  // namespace hipotool::inline v0::format
