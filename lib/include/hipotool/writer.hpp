#pragma once
// Writes a HIPO file front to back: header, dictionary record, data records, trailer with index
// (docs/format.md section 10.1). The caller commits an AtomicFile afterwards. Where the sink cannot
// be written over, the trailer position in the file header stays 0. One thread at a time.

#include "hipotool/byte_sink.hpp"
#include "hipotool/dictionary.hpp"
#include "hipotool/reader.hpp"
#include "hipotool/transcode.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace hipotool {
inline namespace v0 {

struct WriteSummary {
  std::uint64_t file_bytes = 0;
  std::uint64_t records = 0;
  std::uint64_t events = 0;
};

class FileWriter {
 public:
  // Most data records that a trailer can index (docs/format.md 6.5: 32 bytes a row, below 2^24).
  static constexpr std::uint64_t kMaxRecords = 524'287;

  // Writes header and dictionary record at once. File number, user register and user integers are
  // taken from `like`. The sink must outlive the writer.
  FileWriter(ByteSink& sink, std::span<const DictionaryEvent> dictionary,
             const FileHeader& like = {});

  // Numbers the record and appends it. Error{not_representable} beyond kMaxRecords.
  void append(EncodedRecord& record);
  // Appends trailer and index, completes the file header if it can. Nothing may follow.
  WriteSummary finish();
  [[nodiscard]] std::uint64_t records() const noexcept { return rows_.size(); }
  // What the finished file would have if one record of `record_bytes` more were its last.
  [[nodiscard]] std::uint64_t bytes_with(std::uint64_t record_bytes) const noexcept;

 private:
  struct IndexRow {
    std::uint64_t position;
    std::uint32_t length_bytes;
    std::uint32_t events;
    UserWords user_words;
  };

  ByteSink* sink_;
  FileHeader header_;
  std::vector<IndexRow> rows_;
  std::uint64_t events_ = 0;
};

}  // namespace v0
}  // namespace hipotool
