#pragma once
// An open HIPO file: its header, dictionary and data records. Opening walks every record header and
// holds the trailer's index against that walk, so records() is what the file holds and index() says
// what its index is worth (docs/format.md 6.5, 6.6 and 12). All const members are thread-safe.

#include "hipotool/byte_source.hpp"
#include "hipotool/byte_stream.hpp"
#include "hipotool/dictionary.hpp"
#include "hipotool/directory.hpp"
#include "hipotool/file_header.hpp"
#include "hipotool/projection.hpp"
#include "hipotool/transcode.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hipotool {
inline namespace v0 {

namespace file {
class RecordStream;
struct StreamedRecord;
}  // namespace file
namespace rewriting {
class InputSequence;
}  // namespace rewriting

// What the trailer's index is worth. Only `valid` means that it agrees with the records.
enum class IndexState {
  valid,
  absent,   // trailer position 0: the writer did not finish; records were found by walking
  cut,      // the trailer should lie past the end: the file was longer once
  damaged,  // there, but unreadable or in contradiction to the records
};
[[nodiscard]] std::string_view to_string(IndexState state) noexcept;

struct RecordEntry {
  std::uint64_t offset = 0;
  std::uint64_t number = 0;  // among all data records, those without events included, from 0
  RecordHeader header{};
};

// Bytes that salvage could make no record of, or a record that it had to drop.
struct Gap {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  // What is known to be lost: from the file's index or from the record's own header.
  std::optional<std::uint64_t> records{};
  std::optional<std::uint64_t> events{};
  std::string reason{};
};

// Records behind the trailer of a complete file, which its index does not list: another file was
// put behind it, say.
struct Appended {
  std::uint64_t offset = 0;  // where they begin
  bool is_file = false;      // with a file header
  std::uint64_t bytes = 0;   // from there to the end
  // With events, as far as sound headers tell.
  std::uint64_t records = 0;
  std::uint64_t events = 0;
  // Of files with the same dictionary, with salvage: what could be read of them is among
  // FileReader::records(), and the rest is a Gap.
  bool is_taken = false;
};
// "another HIPO file begins at byte 43284: 4 records with 240 events, which no index lists".
[[nodiscard]] std::string to_string(const Appended& appended);

struct ReaderOptions {
  // Reads what can be read (docs/format.md section 12): where a header is damaged, the next sound
  // record is looked for, and what lies between becomes a Gap. Off, damage is an Error.
  bool salvage = false;
  // A last record that the file does not hold whole is left out, and the index called cut or
  // absent; off, it is Error{truncated}. For those who only look.
  bool accept_cut_record = false;
  // What a record may take that salvage decodes to know whether it is one.
  std::uint64_t salvage_bytes = std::uint64_t{1} << 30;
  // Dictionary events used where the file has no schema of its own. May be empty.
  std::vector<DictionaryEvent> borrowed_dictionary{};
  // Of a stream: the largest record, and the largest dictionary, that is taken into memory.
  std::uint64_t stream_record_bytes = std::uint64_t{1} << 30;
};

class FileReader {
 public:
  // Error{io, bad_magic, unsupported, truncated, corrupt} with path, record and offset.
  explicit FileReader(const std::filesystem::path& path, const ReaderOptions& options = {});
  explicit FileReader(std::shared_ptr<const ByteSource> source, const ReaderOptions& options = {});
  // A file that comes through a pipe, as an input of rewrite(), which reads it to its end: header
  // and dictionary are read at once, the records as they are needed. Until then records() and what
  // is said of index, gaps and numbers are about what has come; nothing can be read by record.
  explicit FileReader(std::shared_ptr<ByteStream> stream, const ReaderOptions& options = {});
  FileReader(FileReader&&) noexcept;
  FileReader& operator=(FileReader&&) noexcept;
  FileReader(const FileReader&) = delete;
  FileReader& operator=(const FileReader&) = delete;
  ~FileReader();

  [[nodiscard]] const std::string& name() const noexcept;
  [[nodiscard]] std::uint64_t file_bytes() const noexcept;
  [[nodiscard]] const FileHeader& header() const noexcept;
  [[nodiscard]] const Dictionary& dictionary() const noexcept;
  // The dictionary record's events, byte for byte (little-endian).
  [[nodiscard]] const std::vector<DictionaryEvent>& dictionary_events() const noexcept;
  // Data records with events, in file order.
  [[nodiscard]] std::span<const RecordEntry> records() const noexcept;
  [[nodiscard]] std::uint64_t event_count() const noexcept;
  // Data records without events; skipped everywhere.
  [[nodiscard]] std::uint64_t empty_records() const noexcept;
  [[nodiscard]] IndexState index() const noexcept;
  // Why the index is not valid; empty if it is.
  [[nodiscard]] const std::string& index_reason() const noexcept;
  // In file order. Always empty without ReaderOptions::salvage.
  [[nodiscard]] std::span<const Gap> gaps() const noexcept;
  // Whether the dictionary was borrowed.
  [[nodiscard]] bool has_borrowed_dictionary() const noexcept;
  // Bytes after the trailer that belong to nothing.
  [[nodiscard]] std::uint64_t stray_bytes() const noexcept;
  // Where they hold records. With salvage they are taken, or a Gap.
  [[nodiscard]] const std::optional<Appended>& appended() const noexcept;
  // Of a stream: one that cannot be read.
  [[nodiscard]] const ByteSource& source() const noexcept;
  [[nodiscard]] bool is_stream() const noexcept;

  // All bytes of record `index`.
  void read(std::size_t index, StoredRecord& stored) const;
  // Header and, in split layouts, directory: the first 4096 bytes and what is missing then.
  void read_directory(std::size_t index, CodecContext& context, StoredRecord& stored,
                      RecordDirectory& directory) const;
  // The byte ranges of the streams that `projection` needs, close neighbours in one read; at most
  // 4 KiB a record beyond directory and streams are read in total.
  void read_streams(StoredRecord& stored, const RecordDirectory& directory,
                    const Projection& projection) const;
  // All of it: fetches and inflates what `projection` needs. Errors carry path, record and offset.
  void read_record(std::size_t index, const Projection& projection, CodecContext& context,
                   Record& record) const;
  // What an Error about record `index` must say.
  [[nodiscard]] ErrorContext context_of(std::size_t index) const;

 private:
  friend class rewriting::InputSequence;
  struct State;
  explicit FileReader(std::unique_ptr<State> state);
  // Null for a file.
  [[nodiscard]] file::RecordStream* stream() const noexcept;
  // Of a stream: these of its records alone, with its name and the same dictionary object.
  [[nodiscard]] std::shared_ptr<const FileReader> window(
      std::vector<file::StreamedRecord> records) const;

  std::unique_ptr<State> state_;
};

}  // namespace v0
}  // namespace hipotool
