#include "bench/sample.hpp"

#include "hipotool/counted.hpp"
#include "hipotool/error.hpp"
#include "hipotool/transcode.hpp"

#include "report/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace hipotool::app::bench {

namespace {

constexpr std::uint64_t kIndexEntryBytes = 4;

std::uint64_t raw_size(const Record& record) {
  std::uint64_t bytes = kIndexEntryBytes * record.event_count();
  for (const std::uint32_t event : record.event_sizes) {
    bytes += event;
  }
  return bytes;
}

}  // namespace

std::string Sample::text() const {
  const std::string raw = readable({"", Unit::bytes}, raw_bytes) + " raw";
  if (is_whole_file()) {
    return fmt::format("the whole file, {}, {}, {}", counted(indices.size(), "record"),
                       counted(events, "event"), raw);
  }
  return fmt::format("a sample of {} of {}, {} of {}, {}", indices.size(),
                     counted(file_records, "record"), events, counted(file_events, "event"), raw);
}

std::vector<std::size_t> spread_over(const FileReader& reader, std::uint64_t raw_bytes) {
  const std::size_t count = reader.records().size();
  std::uint64_t declared = 0;
  for (const RecordEntry& entry : reader.records()) {
    declared += entry.header.declared_raw_bytes();
  }
  std::vector<std::size_t> indices;
  if (declared <= raw_bytes) {
    indices.resize(count);
    std::iota(indices.begin(), indices.end(), std::size_t{0});
    return indices;
  }
  const double share = static_cast<double>(raw_bytes) / static_cast<double>(declared);
  const auto wanted = std::clamp<std::size_t>(
      static_cast<std::size_t>(share * static_cast<double>(count)), 1, count);
  for (std::size_t i = 0; i < wanted; ++i) {
    // The middle of each of `wanted` equal parts of the file.
    indices.push_back((2 * i + 1) * count / (2 * wanted));
  }
  return indices;
}

Sample take_sample(const FileReader& reader, std::uint64_t raw_bytes, std::uint64_t memory_bytes) {
  Sample sample;
  sample.file_records = reader.records().size();
  sample.file_events = reader.event_count();
  if (sample.file_records == 0) {
    throw Error(ErrorCode::not_found, "there are no events to measure with",
                {.path = reader.name()});
  }
  CodecContext context(memory_bytes);
  for (const std::size_t index : spread_over(reader, raw_bytes)) {
    const auto record = std::make_shared<Record>();
    reader.read_record(index, Projection::everything(), context, *record);
    const std::uint64_t more = raw_size(*record);
    if (!sample.records.empty() && sample.raw_bytes + more > raw_bytes) {
      break;
    }
    sample.raw_bytes += more;
    sample.stored_bytes += reader.records()[index].header.record_bytes();
    sample.events += record->event_count();
    sample.indices.push_back(index);
    sample.records.push_back(record);
  }
  return sample;
}

std::uint64_t raw_bytes_of(const FileReader& reader, std::uint64_t memory_bytes) {
  CodecContext context(memory_bytes);
  StoredRecord stored;
  RecordDirectory directory;
  std::uint64_t bytes = 0;
  for (std::size_t index = 0; index < reader.records().size(); ++index) {
    const RecordHeader& header = reader.records()[index].header;
    if (header.layout == LayoutId::per_chunk) {
      bytes += header.declared_raw_bytes();
    } else {
      reader.read_directory(index, context, stored, directory);
      bytes += directory.raw_bytes();
    }
  }
  return bytes;
}

bool is_synthetic(const FileReader& reader) {
  const auto& entries = reader.dictionary().configuration();
  return std::any_of(entries.begin(), entries.end(), [](const ConfigurationEntry& entry) {
    return entry.key == "synthetic" && entry.value == "true";
  });
}

}  // namespace hipotool::app::bench
