#pragma once
// A record as it is stored, and what can be known of it before anything but its directory is
// inflated (docs/format.md, sections 3 and 8). The way into a record has three steps, each a place
// to stop: StoredRecord (header and bytes) -> RecordDirectory (sizes, presence, tags) -> Record.

#include "hipotool/bytes.hpp"
#include "hipotool/compression.hpp"
#include "hipotool/schema.hpp"

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace hipotool {
inline namespace v0 {

// The two u64 of a record header that belong to its writer; the first is often an event tag.
struct UserWords {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  // NOLINTNEXTLINE(modernize-use-nullptr): the 0 that comparisons hold the result against
  friend constexpr auto operator<=>(const UserWords&, const UserWords&) = default;
};

// A record header in host byte order, already checked (docs/format.md section 3): known tag, header
// of at least 14 words that is no longer than the record.
struct RecordHeader {
  static constexpr std::size_t kBytes = 56;

  std::uint32_t length_words = 0;  // the whole record
  std::uint32_t number = 0;
  std::uint32_t header_words = 0;
  std::uint32_t event_count = 0;
  std::uint32_t index_bytes = 0;
  std::uint32_t bit_info = 0;
  std::uint32_t user_header_bytes = 0;
  std::uint32_t data_bytes = 0;
  std::uint32_t compression_word = 0;
  UserWords user_words{};
  bool big_endian = false;
  CodecId codec = CodecId::none;
  LayoutId layout = LayoutId::per_chunk;

  [[nodiscard]] std::uint64_t record_bytes() const noexcept {
    return std::uint64_t{length_words} * 4;
  }
  [[nodiscard]] std::uint64_t payload_offset() const noexcept {
    return std::uint64_t{header_words} * 4;
  }
  // Stored payload without the padding at its end.
  [[nodiscard]] std::uint64_t payload_bytes() const noexcept;
  [[nodiscard]] std::uint32_t compression_tag() const noexcept { return compression_word >> 28; }
  [[nodiscard]] std::uint32_t user_header_padding() const noexcept { return (bit_info >> 20) & 3; }
  [[nodiscard]] std::uint32_t payload_padding() const noexcept { return (bit_info >> 24) & 3; }
  // What the header claims its events take per-chunk with codec none, index included. For split
  // layouts a lower bound (it leaves out event and structure headers). For planning, not for trust.
  [[nodiscard]] std::uint64_t declared_raw_bytes() const noexcept;
};

// Parses 56 bytes. Error{bad_magic, unsupported, corrupt}.
[[nodiscard]] RecordHeader parse_record_header(ByteSpan bytes);

// The bytes of one record, all of them or, for a selective read, only some ranges, each at its own
// place. `storage` is recycled from record to record.
struct StoredRecord {
  RecordHeader header{};
  std::uint64_t file_offset = 0;
  ByteSpan bytes{};              // record_bytes() long; only the loaded ranges hold content
  Buffer storage{};              // owns `bytes`, unless they are borrowed
  std::uint64_t bytes_read = 0;  // taken from the file for this record

  // A record that lies in memory whole. Error as parse_record_header, and {truncated}.
  [[nodiscard]] static StoredRecord borrow(ByteSpan record);

  void forget_ranges() { loaded_.clear(); }
  void mark_loaded(std::uint64_t offset, std::uint64_t size);
  [[nodiscard]] bool is_loaded(std::uint64_t offset, std::uint64_t size) const noexcept;
  // Error{invalid_argument} for a range that was not loaded, {corrupt} for one outside the record.
  [[nodiscard]] ByteSpan range(std::uint64_t offset, std::uint64_t size) const;

 private:
  struct Range {
    std::uint64_t begin;
    std::uint64_t end;
  };
  std::vector<Range> loaded_;  // in the order of loading; few
};

// One compressed run of bytes in a split record.
struct StreamInfo {
  std::uint64_t offset = 0;  // from the record's first byte
  std::uint32_t stored_bytes = 0;
  std::uint32_t raw_bytes = 0;
  std::uint8_t encoding = 0;   // version 3: width << 4 | kind, kind 1 = byte split; else 0
  std::uint32_t checksum = 0;  // version 3; 0 = none

  [[nodiscard]] bool is_split() const noexcept { return (encoding & 0x0F) == 1; }
  [[nodiscard]] std::uint32_t width() const noexcept { return encoding >> 4; }
};

// One bank of a split record, over all its events.
struct DirectoryBank {
  BankKey key{};
  std::uint8_t type = 0;
  std::uint8_t format_length = 0;  // composite banks only
  std::uint32_t columns = 0;       // streams it is stored in; 0: one opaque stream
  std::size_t first_stream = 0;
};

class RecordDirectory {
 public:
  LayoutId layout = LayoutId::per_chunk;
  std::uint8_t version = 0;  // of the split section; 0 for per-chunk
  std::uint32_t event_count = 0;
  std::vector<DirectoryBank> banks;   // ascending by key; empty for per-chunk
  std::vector<StreamInfo> streams;    // per-chunk: the payload alone
  std::uint64_t directory_bytes = 0;  // section header and stored directory

  // Split layouts only.
  [[nodiscard]] std::uint32_t tag(std::uint32_t event) const noexcept {
    return load_le<std::uint32_t>(inflated.data() + tags_at + std::size_t{4} * event);
  }
  [[nodiscard]] bool present(std::size_t bank, std::uint32_t event) const noexcept {
    const std::byte row =
        inflated.data()[presence_at + std::size_t{event} * presence_row + bank / 8];
    return ((std::to_integer<unsigned>(row) >> (bank % 8)) & 1U) != 0;
  }
  [[nodiscard]] std::uint32_t bank_bytes(std::size_t bank, std::uint32_t event) const noexcept {
    return load_le<std::uint32_t>(inflated.data() + sizes_at +
                                  4 * (bank * std::size_t{event_count} + event));
  }
  [[nodiscard]] const DirectoryBank* find(BankKey key) const noexcept;
  // Streams of one bank: `columns` of them, or one.
  [[nodiscard]] std::span<const StreamInfo> streams_of(const DirectoryBank& bank) const noexcept {
    return std::span{streams}.subspan(bank.first_stream, bank.columns == 0 ? 1 : bank.columns);
  }
  // Bytes that the events take per-chunk with codec none, index included. Split layouts only.
  [[nodiscard]] std::uint64_t raw_bytes() const noexcept;

  // The inflated directory and where its tables begin; filled by read_directory, which has checked
  // that they fit.
  Buffer inflated;
  std::size_t tags_at = 0;
  std::size_t presence_at = 0;
  std::size_t presence_row = 0;
  std::size_t sizes_at = 0;
};

}  // namespace v0
}  // namespace hipotool
