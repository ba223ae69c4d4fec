#include "format/file_header.hpp"

#include "hipotool/counted.hpp"
#include "hipotool/error.hpp"

#include "format/constants.hpp"
#include "format/swap.hpp"

#include <algorithm>
#include <string>
#include <string_view>

namespace hipotool::inline v0::format {
namespace {

constexpr std::uint32_t kHasDictionary = 1U << 8;
constexpr std::uint32_t kHasIndex = 1U << 10;
constexpr std::uint32_t kHipoFileType = 5U << 28;

// A genuine big-endian writer would leave the four characters reversed (section 9).
std::string parse_file_id(ByteSpan bytes) {
  const std::string word(reinterpret_cast<const char*>(bytes.data()), 4);
  if (word == "HIPO" || word == "OPIH") {
    return "HIPO";
  }
  if (word == "HREC" || word == "CERH") {
    return "HREC";
  }
  throw Error(ErrorCode::bad_magic, "not a HIPO file: it does not begin with HIPO or HREC");
}

}  // namespace

FileHeader parse_file_header(ByteSpan bytes) {
  if (bytes.empty()) {
    throw Error(ErrorCode::bad_magic, "not a HIPO file: it is empty");
  }
  if (bytes.size() < 4) {
    throw Error(ErrorCode::bad_magic, "not a HIPO file: it has fewer than 4 bytes");
  }
  FileHeader header;
  header.id = parse_file_id(bytes);
  if (bytes.size() < kFileHeaderBytes) {
    throw Error(ErrorCode::truncated,
                "the file ends inside its header: " + counted(bytes.size(), "byte"));
  }
  const auto magic = load_le<std::uint32_t>(bytes.data() + 28);
  if (magic == kSwappedEndianMagic) {
    header.big_endian = true;
  } else if (magic != kEndianMagic) {
    throw Error(ErrorCode::corrupt, "file header: its endian magic is wrong");
  }
  const auto word = [&](std::size_t at) {
    return load<std::uint32_t>(bytes.data() + at, header.big_endian);
  };
  header.file_number = word(4);
  header.header_words = word(8);
  header.bit_info = word(20);
  header.dictionary_bytes = word(24);
  header.user_register = load<std::uint64_t>(bytes.data() + 32, header.big_endian);
  header.trailer_position = load<std::uint64_t>(bytes.data() + 40, header.big_endian);
  header.user_integer_1 = word(48);
  header.user_integer_2 = word(52);
  if ((header.bit_info & 0xFF) != kVersion) {
    throw Error(ErrorCode::unsupported, "format version " + std::to_string(header.bit_info & 0xFF) +
                                            "; only version 6 is known");
  }
  if (header.header_words < kHeaderWords) {
    throw Error(ErrorCode::corrupt,
                "file header of " + std::to_string(header.header_words) + " words; it needs 14");
  }
  return header;
}

void store_file_header(const FileHeader& header, bool has_index, std::byte* to) noexcept {
  std::fill_n(to, kFileHeaderBytes, std::byte{0});
  std::memcpy(to, "HIPO", 4);
  store_le(to + 4, header.file_number);
  store_le(to + 8, kHeaderWords);
  store_le(to + 20, kVersion | kHasDictionary | (has_index ? kHasIndex : 0U) | kHipoFileType);
  store_le(to + 24, header.dictionary_bytes);
  store_le(to + 28, kEndianMagic);
  store_le(to + 32, header.user_register);
  store_le(to + 40, header.trailer_position);
  store_le(to + 48, header.user_integer_1);
  store_le(to + 52, header.user_integer_2);
}

}  // namespace hipotool::inline v0::format
