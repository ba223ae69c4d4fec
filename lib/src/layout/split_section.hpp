#pragma once
// What the two split layouts share (docs/format.md section 8): the section header, the directory
// that is always an LZ4 block, presence and sizes, and how banks of a batch are brought into stream
// order.

#include "layout/layout.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace hipotool::inline v0::layout {

inline constexpr std::size_t kSectionHeaderBytes = 20;

// ---- reading

struct SectionHeader {
  std::uint8_t version = 0;
  std::uint64_t banks = 0;
  std::uint64_t events = 0;
  std::uint64_t directory_stored_bytes = 0;
  std::uint64_t directory_raw_bytes = 0;
  std::uint64_t presence_row = 0;  // bytes of presence bits for one event

  // Bytes of the tables that both layouts have: descriptors, tags, presence, sizes. Cannot
  // overflow: banks and events were bounded by the directory's size.
  [[nodiscard]] std::uint64_t common_tables_bytes() const noexcept {
    return 4 * banks + 4 * events + events * presence_row + 4 * banks * events;
  }
};

// Checks the section header against record header and section.
[[nodiscard]] SectionHeader parse_section_header(const StoredRecord& stored);

// Inflates the directory into directory.inflated and sets everything known from the section header.
void inflate_directory(const StoredRecord& stored, const SectionHeader& section,
                       CodecContext::State& context, RecordDirectory& directory);

// Fills directory.banks from the descriptors at the directory's start; they must ascend strictly.
void parse_descriptors(const SectionHeader& section, RecordDirectory& directory);

// Notes where tags, presence and sizes lie, from `at`; returns the first byte after them.
std::size_t place_event_tables(const SectionHeader& section, std::size_t at,
                               RecordDirectory& directory);

// Gives each stream its offset; refuses streams that run past the section and sizes that their
// stored bytes cannot stand for, so that what is allocated for them is bounded by the file.
void place_streams(const StoredRecord& stored, RecordDirectory& directory);

// Tags and, for a full projection, event sizes start here; banks add to the sizes. OverBudget where
// the record takes more than the context may.
void begin_events(const DecodeInput& input, Record& record);

// Appends the occurrences of directory bank `bank` to `block` and returns the bytes they sum up to.
// With `row_size` positions count rows, and sizes must be whole rows. Error{corrupt}.
std::uint64_t append_occurrences(const RecordDirectory& directory, std::size_t bank,
                                 std::optional<std::uint64_t> row_size, BankBlock& block);

// Adds each occurrence with its structure header to the size of its event.
void add_event_sizes(const BankBlock& block, Record& record);

// Space for all streams wanted, in one buffer. Hands out consecutive places.
class StreamArena {
 public:
  StreamArena(std::uint64_t total_bytes, Record& record);
  [[nodiscard]] MutableByteSpan take(std::uint64_t bytes);

 private:
  Record* record_;
  std::size_t used_ = 0;
};

// ---- writing

// A bank of one run of a batch.
struct BankPiece {
  const BankBlock* block = nullptr;
  std::span<const BankOccurrence> occurrences{};
  std::uint32_t first_event = 0;  // in its record
  std::uint32_t batch_event = 0;  // of first_event, in the batch
};

// A bank over the whole batch.
struct BankSource {
  BankKey key{};
  std::uint8_t type = 0;
  std::uint8_t format_length = 0;
  std::uint64_t total_bytes = 0;
  std::vector<BankPiece> pieces{};
};

// Ascending by key. Error{not_representable} for content that a split layout cannot hold.
[[nodiscard]] std::vector<BankSource> collect_banks(const EventBatch& batch);

// The bank's bytes of all events, concatenated: borrowed where they lie so already, else gathered
// into `scratch`.
[[nodiscard]] ByteSpan concatenated(const BankSource& bank, Buffer& scratch);

// Raw directory tables under construction. Offsets are where each table begins.
struct DirectoryTables {
  std::size_t descriptors = 0;
  std::size_t tags = 0;
  std::size_t presence = 0;
  std::size_t sizes = 0;
};

// Zeroes `raw` to `bytes` and fills descriptors, tags, presence and sizes.
void fill_common_tables(const EventBatch& batch, std::span<const BankSource> banks,
                        const DirectoryTables& at, std::size_t bytes, Buffer& raw);

// A stream to be stored: a column over all events, or a bank stored whole.
struct RawStream {
  BankKey key{};
  std::size_t column = 0;
  std::uint32_t width = 1;  // of an element; 1: nothing to split
  ByteSpan bytes{};
};

struct StoredStream {
  ByteSpan bytes{};
  bool split = false;
};

// Collects the streams of a record behind room for its header and directory.
class SectionWriter {
 public:
  // `raw_stream_bytes` and `streams` bound what will be stored.
  SectionWriter(const EncodeInput& input, std::size_t directory_bytes,
                std::uint64_t raw_stream_bytes, std::size_t streams, EncodedRecord& encoded);

  // Compresses a stream behind those that are there, in the way that the compression asks for, that
  // is known for its column, or that proves best. The bytes lie where they are until the next call.
  StoredStream store(const RawStream& stream);
  // Puts header and directory in front.
  void finish(std::uint8_t version, std::size_t banks, std::uint64_t raw_stream_bytes);

 private:
  // Which of the ways to store a stream are to be tried.
  struct Trials {
    bool plain = true;
    bool split = false;
    bool high = true;
    bool quick = false;
  };
  [[nodiscard]] Trials trials_for(const RawStream& stream) const;
  ByteSpan compress_at_end(ByteSpan raw, const codec::Way& way);
  // Compresses `raw` and puts the result in the place of `stored`, the last stream, if it is at
  // least `gain` bytes smaller (negative: larger).
  bool replace_if_smaller(ByteSpan raw, const codec::Way& way, std::int64_t gain, ByteSpan& stored);

  const EncodeInput* input_;
  EncodedRecord* encoded_;
  std::size_t streams_at_;
  std::size_t end_;
};

}  // namespace hipotool::inline v0::layout
