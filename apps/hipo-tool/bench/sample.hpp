#pragma once
// The part of a file that a benchmark works on: whole records, spread evenly over the file, decoded
// once and kept in memory. And what is read of each file in a reading cell.

#include "hipotool/reader.hpp"
#include "hipotool/record.hpp"
#include "hipotool/transcode.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace hipotool::app::bench {

// Enough for two records of the usual 32 MiB.
inline constexpr std::uint64_t kSampleBytes = std::uint64_t{64} << 20U;

struct Sample {
  std::vector<std::size_t> indices{};  // of records in the file, ascending
  std::vector<std::shared_ptr<const Record>> records{};
  std::uint64_t raw_bytes = 0;  // per-chunk, codec none, index included
  std::uint64_t stored_bytes = 0;
  std::uint64_t events = 0;
  std::uint64_t file_records = 0;  // of the whole file
  std::uint64_t file_events = 0;

  [[nodiscard]] bool is_whole_file() const noexcept { return indices.size() == file_records; }
  // "2 of 7 records, 8,120 of 20,011 events, 62.1 MB raw"
  [[nodiscard]] std::string text() const;
};

// Indices of records, spread evenly, that hold about `raw_bytes` together; all where the file has
// no more. At least one, if there is one.
[[nodiscard]] std::vector<std::size_t> spread_over(const FileReader& reader,
                                                   std::uint64_t raw_bytes);

// Decodes them; at most `raw_bytes`, but at least one record. Error{not_found} for a file without
// events.
[[nodiscard]] Sample take_sample(const FileReader& reader, std::uint64_t raw_bytes,
                                 std::uint64_t memory_bytes = CodecContext::kNoLimit);

// What all events of the file take per-chunk with codec none, index included: from the directories
// of split records, and from the headers of others.
[[nodiscard]] std::uint64_t raw_bytes_of(const FileReader& reader,
                                         std::uint64_t memory_bytes = CodecContext::kNoLimit);

// Whether the file says that its events were generated.
[[nodiscard]] bool is_synthetic(const FileReader& reader);

}  // namespace hipotool::app::bench
