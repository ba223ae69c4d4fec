#pragma once
// What sweeps of changed bytes begin with: small files of every kind, and which of their bytes no
// check of the format covers.

#include "hipotool/error.hpp"

#include "support/error_of.hpp"
#include "support/fixtures.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace hipotool::test {

struct Sample {
  std::string name;
  Bytes file;

  [[nodiscard]] bool is_zstd() const { return name.starts_with("zstd"); }
  friend std::ostream& operator<<(std::ostream& out, const Sample& sample) {
    return out << sample.name;
  }
};

// The fixtures, and what is not among them: a big-endian record, oddities, no trailer.
[[nodiscard]] inline std::vector<Sample> samples() {
  std::vector<Sample> all;
  for (const Compression& compression : fixture_compressions()) {
    if (codec_info(compression.codec).available) {
      const std::string name = fixture_name(compression);
      all.push_back({name, read_bytes(std::filesystem::path(HIPO_TEST_DATA_DIR) / name)});
    }
  }
  FileImage content = fixture_content();
  const Dictionary dictionary(content.dictionary_events());
  std::vector<Bytes> events;
  const auto record = decoded(content.records[0], dictionary);
  for (std::uint32_t event = 0; event < record->event_count(); ++event) {
    const ByteSpan image = record->image(event).value();
    events.emplace_back(image.begin(), image.end());
  }
  FileImage big = content;
  big.records = {big_endian_record(events, dictionary)};
  all.push_back({"big_endian.hipo", big.bytes()});
  FileImage odd = content;
  events.push_back(
      EventImage{9, {{{1, 1}, packed(1)}, {{1, 1}, packed(2)}}, 77, packed('x')}.bytes());
  events.push_back(packed(std::uint32_t{1}));
  odd.records = {whole_record(events, {.user_header = packed(1, '2')}), content.records[1]};
  all.push_back({"oddities.hipo", odd.bytes()});
  FileImage unfinished = content;
  unfinished.trailer = false;
  all.push_back({"no_trailer.hipo", unfinished.bytes()});
  return all;
}

// Bytes that no check of the format covers: changed, they give other events that nobody can tell
// from the true ones. All others must be noticed.
class Unchecked {
 public:
  explicit Unchecked(const FileReader& reader) {
    const std::uint64_t dictionary_at = 56;
    ranges_.push_back({dictionary_at + 56, dictionary_at + reader.header().dictionary_bytes});
    for (std::size_t index = 0; index < reader.records().size(); ++index) {
      add_record(reader, index);
    }
  }

  [[nodiscard]] bool contains(std::uint64_t offset) const {
    return std::any_of(ranges_.begin(), ranges_.end(), [&](const Range& range) {
      return range.begin <= offset && offset < range.end;
    });
  }

 private:
  struct Range {
    std::uint64_t begin;
    std::uint64_t end;
  };

  void add_record(const FileReader& reader, std::size_t index) {
    const RecordEntry& entry = reader.records()[index];
    const std::uint64_t payload = entry.offset + 56;
    const std::uint64_t end = entry.offset + entry.header.record_bytes();
    if (reader.index() != IndexState::valid) {
      // Without an index an event count may be lowered: nothing says that there were more.
      ranges_.push_back({entry.offset + 12, entry.offset + 16});
    }
    if (entry.header.layout == LayoutId::per_chunk) {
      // A gzip member has a checksum; the index array is held against the events.
      if (entry.header.codec != CodecId::gzip) {
        const bool plain = entry.header.codec == CodecId::none;
        ranges_.push_back({payload + (plain ? entry.header.index_bytes : 0), end});
      }
      return;
    }
    CodecContext context;
    StoredRecord stored;
    RecordDirectory directory;
    reader.read_directory(index, context, stored, directory);
    const std::uint64_t streams = payload + directory.directory_bytes;
    ranges_.push_back({payload + 20, streams});
    if (entry.header.codec != CodecId::gzip && directory.version != 3) {
      ranges_.push_back({streams, end});
    }
  }

  std::vector<Range> ranges_;
};

// The Error that work ends with, if it does. Anything else that is thrown, or an Error that memory
// ran out, ends the sweep.
template <typename Work>
std::optional<ErrorCode> failure_of(Work&& work) {
  try {
    work();
    return std::nullopt;
  } catch (const Error& error) {
    if (error.message().starts_with("no memory for")) {
      throw std::runtime_error(error.what());
    }
    return error.code();
  }
}

}  // namespace hipotool::test
