#pragma once
// Small inputs for rewrites, and what their results are held against.

#include "hipotool/rewrite.hpp"

#include "support/library.hpp"
#include "support/oracle.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace hipotool::test {

inline constexpr BankKey kBank{1, 2};
inline constexpr const char* kSchema = "{t/1/2}{n/I}";

inline EventImage event_of(std::uint32_t tag, std::uint32_t bytes = 8) {
  return {tag, {{kBank, Bytes(bytes, static_cast<std::byte>(tag))}}};
}

inline FileImage file_of(const std::vector<std::vector<EventImage>>& records) {
  FileImage file;
  file.schemas = {kSchema};
  for (const std::vector<EventImage>& events : records) {
    file.records.push_back(whole_record(images(events)));
  }
  return file;
}

inline RewriteOptions per_column(std::uint64_t record_bytes = 8U << 20) {
  RewriteOptions options;
  options.compression = compression_of(CodecId::lz4, LayoutId::per_column);
  options.record_bytes = record_bytes;
  return options;
}

// "2 1 3": the events of each record.
inline std::string record_events(const std::filesystem::path& path) {
  std::string text;
  const FileReader reader(path);
  for (const RecordEntry& entry : reader.records()) {
    text += (text.empty() ? "" : " ") + std::to_string(entry.header.event_count);
  }
  return text;
}

inline void expect_same_events(const FileReader& source, const std::filesystem::path& target,
                               const RewriteSummary& summary) {
  const std::string digest = digest_text(content_digest(source));
  EXPECT_EQ(digest_text(content_digest(target)), digest);
  EXPECT_EQ(digest_text(summary.digest.value()), digest);
}

// Two records of ten events with 4 rows each; raw size 10 * (4 + 16 + 8 + 16) = 440.
inline FileImage two_full_records(const Compression& stored) {
  FileImage file;
  file.schemas = {kSchema};
  const Dictionary dictionary = dictionary_of(file.schemas);
  for (std::uint32_t record = 0; record < 2; ++record) {
    std::vector<EventImage> events;
    for (std::uint32_t event = 0; event < 10; ++event) {
      events.push_back(event_of(10 * record + event, 16));
    }
    file.records.push_back(stored_record(images(events), stored, dictionary));
  }
  return file;
}

}  // namespace hipotool::test
