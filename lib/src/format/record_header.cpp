#include "format/record_header.hpp"

#include "hipotool/error.hpp"

#include "format/compression_tag.hpp"
#include "format/constants.hpp"
#include "format/swap.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <string>

namespace hipotool {
inline namespace v0 {

std::uint64_t RecordHeader::payload_bytes() const noexcept {
  const std::uint64_t padded = record_bytes() - payload_offset();
  // For an uncompressed whole record the declared sizes exclude the padding already (section 3).
  const bool uncompressed_whole = codec == CodecId::none && layout == LayoutId::per_chunk;
  const std::uint64_t padding = uncompressed_whole ? 0 : payload_padding();
  return padded < padding ? 0 : padded - padding;
}

std::uint64_t RecordHeader::declared_raw_bytes() const noexcept {
  return std::uint64_t{4} * event_count + data_bytes;
}

RecordHeader parse_record_header(ByteSpan bytes) {
  if (bytes.size() < RecordHeader::kBytes) {
    throw Error(ErrorCode::truncated, "record header cut short");
  }
  RecordHeader header;
  const auto magic = load_le<std::uint32_t>(bytes.data() + 28);
  if (magic == format::kSwappedEndianMagic) {
    header.big_endian = true;
  } else if (magic != format::kEndianMagic) {
    throw Error(ErrorCode::corrupt, "no record here: its endian magic is wrong");
  }
  const auto word = [&](std::size_t at) {
    return format::load<std::uint32_t>(bytes.data() + at, header.big_endian);
  };
  header.length_words = word(0);
  header.number = word(4);
  header.header_words = word(8);
  header.event_count = word(12);
  header.index_bytes = word(16);
  header.bit_info = word(20);
  header.user_header_bytes = word(24);
  header.data_bytes = word(32);
  header.compression_word = word(36);
  header.user_words.first = format::load<std::uint64_t>(bytes.data() + 40, header.big_endian);
  header.user_words.second = format::load<std::uint64_t>(bytes.data() + 48, header.big_endian);
  const auto pair = format::from_compression_tag(header.compression_tag());
  if (!pair) {
    throw Error(ErrorCode::unsupported, "compression tag 15 is not assigned");
  }
  header.codec = pair->codec;
  header.layout = pair->layout;
  if (header.header_words < format::kHeaderWords || header.header_words > header.length_words) {
    throw Error(ErrorCode::corrupt, "record header of " + std::to_string(header.header_words) +
                                        " words in a record of " +
                                        std::to_string(header.length_words));
  }
  return header;
}

namespace format {

RecordHeader make_record_header(const RecordShape& shape) {
  const auto padding = static_cast<std::uint32_t>(-shape.stored_payload_bytes & 3U);
  const std::uint64_t payload = shape.stored_payload_bytes + padding;
  const std::uint64_t total = payload + kFileHeaderBytes;
  const std::uint64_t index_bytes = std::uint64_t{4} * shape.event_count;
  if (payload >= kMaxPayloadBytes || total >= kMaxRecordBytes ||
      shape.data_bytes > std::numeric_limits<std::uint32_t>::max() ||
      index_bytes > std::numeric_limits<std::uint32_t>::max()) {
    throw Error(ErrorCode::not_representable,
                "a record of " + std::to_string(total) +
                    " stored bytes exceeds what the format can index; use smaller records");
  }
  RecordHeader header;
  header.length_words = static_cast<std::uint32_t>(total / 4);
  header.header_words = kHeaderWords;
  header.event_count = shape.event_count;
  header.index_bytes = static_cast<std::uint32_t>(index_bytes);
  const std::uint32_t user_padding = -shape.user_header_bytes & 3U;
  header.bit_info = kVersion | (user_padding << 20) | (padding << 24) | (4U << 28);
  header.user_header_bytes = shape.user_header_bytes;
  header.data_bytes = static_cast<std::uint32_t>(shape.data_bytes);
  header.compression_word =
      (compression_tag(shape.codec, shape.layout) << 28) | static_cast<std::uint32_t>(payload / 4);
  header.user_words = shape.user_words;
  header.codec = shape.codec;
  header.layout = shape.layout;
  return header;
}

void store_record_header(const RecordHeader& header, std::byte* to) noexcept {
  const std::array<std::uint32_t, 10> words{
      header.length_words, header.number,          header.header_words,      header.event_count,
      header.index_bytes,  header.bit_info,        header.user_header_bytes, kEndianMagic,
      header.data_bytes,   header.compression_word};
  for (std::size_t i = 0; i < words.size(); ++i) {
    store_le(to + 4 * i, words[i]);
  }
  store_le(to + 40, header.user_words.first);
  store_le(to + 48, header.user_words.second);
}

}  // namespace format
}  // namespace v0
}  // namespace hipotool
