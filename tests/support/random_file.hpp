#pragma once
// Random files with every feature of docs/format.md sections 5 and 6, described so that they can be
// made here (FileImage) and by the independent encoder (JSON).

#include "support/library.hpp"
#include "support/random.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hipotool::test {

struct RandomRecord {
  std::vector<EventImage> events{};
  UserWords words{};
  Bytes user_header{};
  Compression compression{};  // of the independent encoder's record
  bool big_endian = false;
  bool force_split = false;        // every column that may be
  bool zstd_content_size = false;  // in the frame header
  bool older_version = false;  // 3 for per-bank, 2 for per-column: other bytes for the same thing
  bool format_tail = true;     // the optional table of format lengths
  bool indexed = true;         // a record without events need not be
};

struct RandomFile {
  std::vector<std::string> schemas{};
  std::vector<std::pair<std::string, std::string>> configuration{};
  std::vector<TagName> tag_names{};
  std::vector<RandomRecord> records{};
  bool json = false;        // schemas as JSON too
  bool json_only = false;   // ... and not as text
  bool old_id = false;      // HREC
  bool big_endian = false;  // file header, dictionary and trailer
  bool trailer = true;
  CodecId dictionary_codec = CodecId::none;
  CodecId trailer_codec = CodecId::none;

  // Whether a strict reader may complain: bytes after the last structure, or an event without
  // header.
  [[nodiscard]] bool is_odd() const;
};

// `with_oddities`: also what no split layout can hold, in per-chunk records.
[[nodiscard]] RandomFile random_file(Random& random, bool with_oddities);

// One list of events without oddities and with banks in order of their keys, and its dictionary.
struct PlainContent {
  std::vector<std::string> schemas{};
  std::vector<Bytes> events{};
};
[[nodiscard]] PlainContent plain_content(Random& random, std::uint32_t events);

// The same events and user words, put together here: per-chunk records stored with codec none.
[[nodiscard]] FileImage by_hand(const RandomFile& file);

// For tests/property/make_files.py.
[[nodiscard]] std::string description(const std::vector<RandomFile>& files);

// From HIPO_SEED, or the given one; printed for the test's record.
[[nodiscard]] std::uint64_t test_seed(std::uint64_t otherwise);

}  // namespace hipotool::test
