#pragma once
// What stands before a file's data: its header and its dictionary record (docs/format.md, sections
// 2 and 6.1).

#include "hipotool/byte_source.hpp"
#include "hipotool/dictionary.hpp"
#include "hipotool/file_header.hpp"

#include <cstdint>
#include <vector>

namespace hipotool::inline v0::file {

struct FileHead {
  FileHeader header{};
  std::vector<DictionaryEvent> dictionary_events{};
  std::uint64_t first_data = 0;  // where data records begin; not past the end
};

// Error{truncated, bad_magic, unsupported, corrupt}.
[[nodiscard]] FileHeader read_file_header(const ByteSource& source);
// A dictionary record that the file header does not tell of is taken, too.
[[nodiscard]] FileHead read_file_head(const ByteSource& source);
// Whether these are events of a dictionary record: schemas, configuration, tag names. At least one.
[[nodiscard]] bool is_dictionary(const std::vector<DictionaryEvent>& events);

}  // namespace hipotool::inline v0::file
