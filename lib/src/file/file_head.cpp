#include "file/file_head.hpp"

#include "hipotool/error.hpp"

#include "file/file_walk.hpp"
#include "format/constants.hpp"
#include "format/file_header.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace hipotool::inline v0::file {

FileHeader read_file_header(const ByteSource& source) {
  std::array<std::byte, format::kFileHeaderBytes> bytes;
  const MutableByteSpan there =
      MutableByteSpan(bytes).first(std::min<std::uint64_t>(bytes.size(), source.size()));
  source.read_at(0, there);
  return format::parse_file_header(there);
}

bool is_dictionary(const std::vector<DictionaryEvent>& events) {
  return !events.empty() &&
         std::none_of(events.begin(), events.end(), [](const DictionaryEvent& event) {
           return kind_of(event) == DictionaryEventKind::other;
         });
}

namespace {

// A dictionary that the file header does not tell of. Its events would pass for data otherwise.
void find_untold_dictionary(const ByteSource& source, FileHead& head) {
  const auto record = record_at(source, head.first_data);
  if (!record || record->layout != LayoutId::per_chunk) {
    return;
  }
  try {
    std::vector<DictionaryEvent> events = read_special_record(source, head.first_data);
    if (is_dictionary(events)) {
      head.dictionary_events = std::move(events);
      head.first_data += record->record_bytes();
    }
  } catch (const Error&) {
    return;  // whoever reads it as data will say what is wrong
  }
}

}  // namespace

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
  } else {
    find_untold_dictionary(source, head);
  }
  return head;
}

}  // namespace hipotool::inline v0::file
