#include "file/file_head.hpp"

#include "hipotool/error.hpp"

#include "file/file_walk.hpp"
#include "format/constants.hpp"
#include "format/file_header.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace hipotool::inline v0::file {

FileHeader read_file_header(const ByteSource& source) {
  std::array<std::byte, format::kFileHeaderBytes> bytes;
  const MutableByteSpan there =
      MutableByteSpan(bytes).first(std::min<std::uint64_t>(bytes.size(), source.size()));
  source.read_at(0, there);
  return format::parse_file_header(there);
}

FileHead read_file_head(const ByteSource& source) {
  FileHead head;
  head.header = read_file_header(source);
  const std::uint64_t dictionary_at = std::uint64_t{4} * head.header.header_words;
  head.first_data = dictionary_at + head.header.dictionary_bytes;
  if (head.first_data > source.size()) {
    throw Error(ErrorCode::truncated, "truncated: the dictionary should end at byte " +
                                          std::to_string(head.first_data) + ", the file at " +
                                          std::to_string(source.size()));
  }
  if (head.header.dictionary_bytes != 0) {
    with_context([&] { return ErrorContext{.record_offset = dictionary_at, .bank = "dictionary"}; },
                 [&] { head.dictionary_events = read_special_record(source, dictionary_at); });
  }
  return head;
}

}  // namespace hipotool::inline v0::file
