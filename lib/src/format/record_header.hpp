#pragma once
// Writing record headers; parsing is public (directory.hpp).

#include "hipotool/bytes.hpp"
#include "hipotool/directory.hpp"

#include <cstdint>

namespace hipotool::inline v0::format {

// What a writer decides about a record; the rest of the header follows from it.
struct RecordShape {
  std::uint32_t event_count = 0;
  std::uint32_t user_header_bytes = 0;
  std::uint64_t data_bytes = 0;
  std::uint64_t stored_payload_bytes = 0;  // without padding
  CodecId codec = CodecId::none;
  LayoutId layout = LayoutId::per_chunk;
  UserWords user_words{};
};

// Header of a little-endian data record, number 0. Error{not_representable} where the format's
// 32-bit fields or the limits of the index cannot hold it.
[[nodiscard]] RecordHeader make_record_header(const RecordShape& shape);

// Stores the 56 bytes, little-endian.
void store_record_header(const RecordHeader& header, std::byte* to) noexcept;

}  // namespace hipotool::inline v0::format
