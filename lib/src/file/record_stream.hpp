#pragma once
// The records of a file that comes through a pipe, one after the other. Nothing is read twice and
// nothing is kept but the headers, so that the trailer can be held against what came: a stream that
// ends without a trailer that agrees may have been cut, and is an Error.
//
// With salvage damage is passed over as in a file (docs/format.md 12), as far as that can be done
// without an index: the trailer comes last.

#include "hipotool/byte_source.hpp"
#include "hipotool/byte_stream.hpp"
#include "hipotool/reader.hpp"

#include "file/file_head.hpp"
#include "file/file_walk.hpp"
#include "pipeline/recycler.hpp"

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace hipotool::inline v0::file {

struct StreamedRecord {
  RecordEntry entry{};
  std::shared_ptr<const Buffer> bytes{};
};

// Positional reads from some records of a stream.
[[nodiscard]] std::shared_ptr<const ByteSource> window_source(std::vector<StreamedRecord> records,
                                                              std::string name);

// One thread at a time but for abandon().
class RecordStream {
 public:
  RecordStream(std::shared_ptr<ByteStream> bytes, const ReaderOptions& options);

  // What comes before the records. First of all, and once. `dictionary` is what salvage decodes
  // with; it may be filled after this call, and must outlive the stream.
  [[nodiscard]] FileHead read_head();
  void decode_with(const Dictionary& dictionary) { dictionary_ = &dictionary; }

  // The data record that comes next; null at the end. Valid until take(). Errors carry path, record
  // and offset.
  [[nodiscard]] const RecordEntry* ahead();
  // The same, but a failure waits for the next ahead(), and here looks like the end.
  [[nodiscard]] const RecordEntry* glance();
  // Whether the end is reached and in order.
  [[nodiscard]] bool is_done() const noexcept { return is_done_; }
  // The record that ahead() showed.
  [[nodiscard]] StreamedRecord take();
  // Reads on to the end and checks what is to be checked there.
  void drain();
  // Any thread: reading ends with Error{cancelled}.
  void abandon() noexcept { bytes_->abandon(); }

  // What has come so far.
  [[nodiscard]] const Walk& walk() const noexcept { return walk_; }
  [[nodiscard]] std::uint64_t event_count() const noexcept { return events_; }
  [[nodiscard]] std::uint64_t byte_count() const noexcept { return offset_; }
  [[nodiscard]] const std::string& name() const noexcept { return bytes_->name(); }

 private:
  void advance();
  void advance_strictly();
  void advance_through_damage();

  // ---- bytes not used yet; the first of them is at offset_
  [[nodiscard]] std::size_t available() const noexcept { return pending_->size() - begin_; }
  // Whether so many can be had.
  [[nodiscard]] bool ensure(std::uint64_t bytes);
  [[nodiscard]] ByteSpan front(std::size_t bytes) const;
  std::shared_ptr<const Buffer> consume(std::size_t bytes);
  void discard(std::uint64_t bytes);

  void read_told_dictionary(FileHead& head);
  void read_untold_dictionary(FileHead& head);
  void read_damaged_head(FileHead& head, const Error& error);

  void note(const RecordEntry& entry);
  void keep(const RecordHeader& header, std::shared_ptr<const Buffer> bytes);
  [[nodiscard]] bool is_trailer(const StreamedRecord& record) const;
  void require_agreement(const StreamedRecord& trailer);
  void require_end();
  [[nodiscard]] bool another_file_begins();
  [[noreturn]] void fail_without_trailer() const;
  // Salvage.
  [[nodiscard]] std::optional<RecordHeader> sound_record(std::string& reason);
  [[nodiscard]] bool is_believable(const RecordHeader& header);
  void skip(const std::string& reason);
  void skip_to_header();
  void add_gap(std::uint64_t begin, const std::string& reason);
  void end_salvage(const StreamedRecord* trailer);
  void count_lost(const std::vector<format::TrailerRow>& rows);

  std::shared_ptr<ByteStream> bytes_;
  bool salvage_;
  std::uint64_t most_record_bytes_;
  std::uint64_t salvage_bytes_;
  const Dictionary* dictionary_ = nullptr;

  pipeline::Recycler<Buffer> buffers_;
  std::shared_ptr<Buffer> pending_;
  std::size_t begin_ = 0;
  bool ended_ = false;        // no more bytes come
  std::uint64_t offset_ = 0;  // in the stream, of the first byte not used yet

  std::uint64_t trailer_position_ = 0;
  std::uint64_t first_data_ = 0;
  std::vector<RecordEntry> all_{};  // records without events too
  std::uint64_t events_ = 0;
  std::uint64_t decoded_bytes_ = 0;  // stored bytes of records decoded in doubt
  Walk walk_{};
  std::optional<StreamedRecord> ahead_{};
  std::exception_ptr failure_{};
  bool is_done_ = false;
};

}  // namespace hipotool::inline v0::file
