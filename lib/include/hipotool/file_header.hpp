#pragma once
// The first 56 bytes of a file (docs/format.md section 2). What matters in them is where the
// dictionary and the trailer are; the rest belongs to the file's user and is carried along.

#include <cstdint>
#include <string>

namespace hipotool {
inline namespace v0 {

// In host byte order.
struct FileHeader {
  std::string id;  // "HIPO" or "HREC"
  std::uint32_t file_number = 1;
  std::uint32_t header_words = 14;
  std::uint32_t bit_info = 0;
  std::uint32_t dictionary_bytes = 0;  // the "user header": a whole record, or nothing
  std::uint64_t user_register = 0;
  std::uint64_t trailer_position = 0;
  std::uint32_t user_integer_1 = 0;
  std::uint32_t user_integer_2 = 0;
  bool big_endian = false;
};

}  // namespace v0
}  // namespace hipotool
