#pragma once
// Decoded events of one record, in one neutral form for every layout: event tags plus one block for
// each bank. A HIPO bank is column-major inside an event, so one event's column is one contiguous
// span whether a block keeps banks by event or columns over all events; no layout is privileged.
// A Record is filled by decode() and then only read, from any number of threads. Views borrow from
// it and from the Dictionary that it was decoded with.

#include "hipotool/bytes.hpp"
#include "hipotool/directory.hpp"
#include "hipotool/error.hpp"
#include "hipotool/schema.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace hipotool {
inline namespace v0 {

// One bank in one event.
struct BankOccurrence {
  std::uint32_t event = 0;
  std::uint32_t size = 0;      // data bytes, a composite's format string included; below 2^24
  std::uint32_t position = 0;  // by_event: byte in BankBlock::bytes; by_column: first row
  std::uint8_t type = 0;
  std::uint8_t format_length = 0;
};

enum class Arrangement : std::uint8_t { by_event, by_column };

// One bank over all events of a record.
struct BankBlock {
  BankKey key{};
  const Schema* schema = nullptr;  // null: the dictionary has none with a row size
  Arrangement arrangement = Arrangement::by_event;
  // Ascending by event. A bank that an event holds twice comes twice, in stored order.
  std::vector<BankOccurrence> occurrences{};
  ByteSpan bytes{};                 // by_event
  std::vector<ByteSpan> columns{};  // by_column: one span a column, all events; null if not wanted

  // The schema's, or "group/item".
  [[nodiscard]] std::string name() const;
  // Whether `occurrence` reads as a table: a schema, no format string, whole rows.
  [[nodiscard]] bool is_table(const BankOccurrence& occurrence) const noexcept {
    return schema != nullptr && occurrence.format_length == 0 &&
           occurrence.size % schema->row_size() == 0;
  }
  // Rows of an occurrence that reads as a table.
  [[nodiscard]] std::uint32_t rows(const BankOccurrence& occurrence) const noexcept {
    return static_cast<std::uint32_t>(occurrence.size / schema->row_size());
  }
  // Where the cells of `column` begin for a table occurrence of `row_count` rows. Unchecked: the
  // occurrence is a table and the column was read.
  [[nodiscard]] const std::byte* cells(const BankOccurrence& occurrence, std::uint64_t row_count,
                                       std::size_t column) const noexcept {
    const Column& shape = schema->columns()[column];
    return arrangement == Arrangement::by_column
               ? columns[column].data() + occurrence.position * shape.width()
               : bytes.data() + occurrence.position + row_count * shape.row_offset;
  }
  // The occurrences of events [first, first + count).
  [[nodiscard]] std::span<const BankOccurrence> in_events(std::uint32_t first,
                                                          std::uint32_t count) const noexcept;
};

// What a split layout has no place for (docs/format.md 8.4). Bits of EventOddity::kinds.
enum class Oddity : std::uint8_t {
  reserved_word = 1,   // the event header's fourth word is not 0
  repeated_bank = 2,   // a bank twice in the event
  trailing_bytes = 4,  // fewer than 8 bytes after the last structure
  short_event = 8,     // fewer than 16 bytes: no event header
  type_byte = 16,      // a bank's type byte differs within the record
  format_length = 32,  // a bank's format length differs within the record
  record_user_header = 64,
};
[[nodiscard]] std::string_view to_string(Oddity oddity) noexcept;  // "reserved-word"
[[nodiscard]] std::optional<Oddity> parse_oddity(std::string_view word) noexcept;
inline constexpr Oddity kOddities[] = {
    Oddity::reserved_word, Oddity::repeated_bank, Oddity::trailing_bytes,    Oddity::short_event,
    Oddity::type_byte,     Oddity::format_length, Oddity::record_user_header};

// Those that an event can do without (bits); the others are whole banks.
inline constexpr std::uint8_t kDiscardableOddities =
    static_cast<std::uint8_t>(Oddity::reserved_word) |
    static_cast<std::uint8_t>(Oddity::trailing_bytes) |
    static_cast<std::uint8_t>(Oddity::short_event) |
    static_cast<std::uint8_t>(Oddity::record_user_header);

struct EventOddity {
  std::uint32_t event = 0;
  std::uint8_t kinds = 0;  // bits of Oddity
  std::uint8_t trailing_bytes = 0;

  [[nodiscard]] bool has(Oddity oddity) const noexcept {
    return (kinds & static_cast<std::uint8_t>(oddity)) != 0;
  }
};

template <typename T>
class ColumnView {
 public:
  ColumnView() = default;
  explicit ColumnView(ByteSpan bytes) noexcept : bytes_(bytes) {}
  // Elements: rows times the array length of the column.
  [[nodiscard]] std::size_t size() const noexcept { return bytes_.size() / sizeof(T); }
  // `index` below size(); any alignment.
  [[nodiscard]] T operator[](std::size_t index) const noexcept {
    return load_le<T>(bytes_.data() + index * sizeof(T));
  }

 private:
  ByteSpan bytes_{};
};

enum class BankForm : std::uint8_t { table, composite, opaque };

// One bank of one event. Cheap to copy; lives as long as its Record.
class BankView {
 public:
  BankView(const BankBlock& block, const BankOccurrence& occurrence) noexcept
      : block_(&block), occurrence_(&occurrence) {}

  [[nodiscard]] BankKey key() const noexcept { return block_->key; }
  [[nodiscard]] const Schema* schema() const noexcept { return block_->schema; }
  [[nodiscard]] std::string name() const;
  [[nodiscard]] std::uint8_t type() const noexcept { return occurrence_->type; }
  [[nodiscard]] std::uint32_t size() const noexcept { return occurrence_->size; }
  [[nodiscard]] std::uint8_t format_length() const noexcept { return occurrence_->format_length; }
  // How its bytes read (docs/format.md sections 5.3, 5.4 and 13).
  [[nodiscard]] BankForm form() const noexcept;

  // Tables: rows, and the bytes of one column (rows * width). Error{type_mismatch} for another
  // form, {not_found} for a column that is not there or was not part of the projection.
  [[nodiscard]] std::size_t rows() const;
  [[nodiscard]] ByteSpan column_bytes(std::size_t column) const;
  template <typename T>
  [[nodiscard]] ColumnView<T> column(std::size_t index) const {
    const ByteSpan bytes = column_bytes(index);
    if (size_of(schema()->columns()[index].type) != sizeof(T)) {
      throw Error(ErrorCode::type_mismatch, "the column has elements of another size");
    }
    return ColumnView<T>(bytes);
  }

  // The whole data, contiguous, where the block keeps banks by event; else nullopt.
  [[nodiscard]] std::optional<ByteSpan> contiguous_bytes() const noexcept;
  // The whole data in its per-chunk form, written to `out`, which has size() bytes. Needs all
  // columns.
  void copy_bytes(std::byte* out) const;

  [[nodiscard]] const BankBlock& block() const noexcept { return *block_; }
  [[nodiscard]] const BankOccurrence& occurrence() const noexcept { return *occurrence_; }

 private:
  const BankBlock* block_;
  const BankOccurrence* occurrence_;
};

class Record {
 public:
  Record() = default;
  Record(Record&&) = default;
  Record& operator=(Record&&) = default;
  Record(const Record&) = delete;
  Record& operator=(const Record&) = delete;
  ~Record() = default;

  [[nodiscard]] std::uint32_t event_count() const noexcept {
    return static_cast<std::uint32_t>(tags.size());
  }
  [[nodiscard]] std::uint32_t tag(std::uint32_t event) const { return tags[event]; }
  // Bytes of one event per-chunk with codec none, header included, index entry not.
  [[nodiscard]] std::uint32_t event_bytes(std::uint32_t event) const { return event_sizes[event]; }
  // Null where no event of the record holds the bank, or it was not wanted.
  [[nodiscard]] const BankBlock* find(BankKey key) const noexcept;
  [[nodiscard]] std::optional<BankView> bank(std::uint32_t event, BankKey key) const noexcept;
  // The event as it was stored, where the record was per-chunk; else nullopt. Header included.
  [[nodiscard]] std::optional<ByteSpan> image(std::uint32_t event) const noexcept;
  [[nodiscard]] const EventOddity* oddity(std::uint32_t event) const noexcept;
  // Leaves out what the given kinds (bits of Oddity) stand for: reserved words become 0, trailing
  // bytes and the record's user header go, a short event becomes an empty one with tag 0. The other
  // kinds are whole banks and stay.
  void discard(std::uint8_t kinds);

  // Gives every table bank the type byte 11, in the image too; returns how many had another one.
  // C++ and oxihipo ignore it, Java reads a table only so (docs/format.md 5.2).
  std::uint64_t set_table_types();

  // For another decode into the same memory.
  void clear();
  // What it keeps, used or not.
  [[nodiscard]] std::uint64_t memory_bytes() const noexcept;
  // Takes over `count` blocks, keeping the memory of those that are there.
  BankBlock& add_block(BankKey key, const Schema* schema);

  UserWords user_words{};
  std::vector<std::uint32_t> tags;
  std::vector<std::uint32_t> event_sizes;
  std::span<const BankBlock> blocks() const noexcept { return {blocks_.data(), block_count_}; }
  std::span<BankBlock> blocks() noexcept { return {blocks_.data(), block_count_}; }
  std::vector<EventOddity> oddities;  // ascending by event; usually none
  ByteSpan user_header{};             // of the record; per-chunk only
  // Per-chunk only: where each event begins in `payload`, and one past the last.
  std::vector<std::uint32_t> image_offsets;
  Buffer payload;                     // the inflated bytes that everything above borrows
  std::uint64_t payload_surplus = 0;  // inflated bytes beyond what the header declared
  std::uint32_t streams_inflated = 0;

 private:
  std::vector<BankBlock> blocks_;
  std::size_t block_count_ = 0;
};

// Walks the events of a Record in order and gives each one's banks.
class EventCursor {
 public:
  enum class Order {
    by_key,     // ascending (group, item); a repeated bank in stored order
    as_stored,  // as in the file; for split layouts the same as by_key
  };

  explicit EventCursor(const Record& record, Order order = Order::by_key);
  // To the next event; to the first one at the beginning. False at the end.
  [[nodiscard]] bool next();
  // Lets next() go to `event`, which lies ahead.
  void skip_to(std::uint32_t event);
  [[nodiscard]] std::uint32_t event() const noexcept { return event_; }
  [[nodiscard]] std::uint32_t tag() const { return record_->tag(event_); }
  // Valid until next().
  [[nodiscard]] std::span<const BankView> banks() const noexcept { return banks_; }

 private:
  const Record* record_;
  Order order_;
  std::uint32_t event_ = 0;
  std::uint32_t next_ = 0;
  std::vector<const BankBlock*> blocks_;
  std::vector<std::size_t> positions_;
  std::vector<BankView> banks_;
};

// The known field letters of a composite's format string, as column types (docs/format.md 5.4).
[[nodiscard]] std::vector<ColumnType> composite_fields(ByteSpan format);

}  // namespace v0
}  // namespace hipotool
