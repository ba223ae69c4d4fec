#include "hipotool/digest.hpp"

#include "hipotool/error.hpp"

#include "base/small_copy.hpp"
#include "base/xxh3.hpp"
#include "model/block_cells.hpp"

#include <array>
#include <cstring>
#include <unordered_map>

namespace hipotool {
inline namespace v0 {
namespace {

// Writes into scratch memory whose size was ensured before.
class Pen {
 public:
  explicit Pen(Buffer& buffer) : buffer_(&buffer) { buffer.clear(); }

  void reserve(std::size_t bytes) {
    const std::size_t needed = used_ + bytes + kCopySlack;
    if (buffer_->size() < needed) {
      buffer_->resize_keep(std::max(needed, 2 * buffer_->size()));
    }
  }
  void put(const std::byte* bytes, std::size_t size) {
    copy_small(buffer_->data() + used_, bytes, size);
    used_ += size;
  }
  void put(ByteSpan bytes) { put(bytes.data(), bytes.size()); }
  // Where the next byte goes; reserve() left kCopySlack bytes of room behind what was asked for.
  [[nodiscard]] std::byte* at() { return buffer_->data() + used_; }
  void advance_to(const std::byte* end) { used_ = static_cast<std::size_t>(end - buffer_->data()); }
  template <typename T>
  void put_le(T value) {
    store_le(buffer_->data() + used_, value);
    used_ += sizeof value;
  }
  void rewind() { used_ = 0; }
  [[nodiscard]] ByteSpan written() const { return buffer_->span().first(used_); }

 private:
  Buffer* buffer_;
  std::size_t used_ = 0;
};

ByteSpan as_bytes(const std::string& text) {
  return std::as_bytes(std::span{text.data(), text.size()});
}

void append_le32(std::vector<std::byte>& out, std::uint32_t value) {
  const std::size_t at = out.size();
  out.resize(at + sizeof value);
  store_le(out.data() + at, value);
}

void append_text(std::vector<std::byte>& out, const std::string& text) {
  append_le32(out, static_cast<std::uint32_t>(text.size()));
  const ByteSpan bytes = as_bytes(text);
  out.insert(out.end(), bytes.begin(), bytes.end());
}

// A column's part of an event: what stands in front of its values, and where they lie.
struct ColumnPart {
  const std::byte* prefix = nullptr;  // with at least kCopySlack bytes to read
  std::size_t prefix_size = 0;
  ColumnCells cells{};
};

// What stands in front of a bank's values is the same for every event of a record: made once.
struct BankPrefix {
  std::vector<std::byte> name;     // length and name
  std::vector<std::byte> columns;  // for each: length, name, letter, array length
  std::vector<ColumnPart> parts;   // point into `columns`
  std::size_t bytes = 0;           // of all of them
};

BankPrefix make_prefix(const BankView& bank) {
  BankPrefix prefix;
  append_text(prefix.name, bank.name());
  if (bank.schema() != nullptr) {
    for (const ColumnCells& cells : cells_of(bank.block(), *bank.schema())) {
      const Column& column = bank.schema()->columns()[prefix.parts.size()];
      const std::size_t begin = prefix.columns.size();
      append_text(prefix.columns, column.name);
      prefix.columns.push_back(static_cast<std::byte>(letter_of(column.type)));
      append_le32(prefix.columns, column.length);
      prefix.parts.push_back({nullptr, prefix.columns.size() - begin, cells});
    }
  }
  prefix.bytes = prefix.name.size() + prefix.columns.size() + 16;
  prefix.columns.resize(prefix.columns.size() + kCopySlack);
  const std::byte* at = prefix.columns.data();
  for (ColumnPart& part : prefix.parts) {
    part.prefix = at;
    at += part.prefix_size;
  }
  return prefix;
}

// An event's cells lie in hundreds of streams, more than a processor follows by itself: each is
// told what the events after this one will want. Only a hint, so it may point behind the stream's
// end.
constexpr std::size_t kAhead = 256;

void put_table(Pen& pen, const BankPrefix& prefix, const BankView& bank) {
  const std::uint64_t rows = bank.block().rows(bank.occurrence());
  const std::uint64_t position = bank.occurrence().position;
  pen.put_le('T');
  pen.put_le(static_cast<std::uint32_t>(prefix.parts.size()));
  pen.put_le(static_cast<std::uint32_t>(rows));
  std::byte* at = pen.at();
  // By value: what is written through `at` might else be any of it, for all that the compiler
  // knows, and would be loaded again.
  for (const ColumnPart part : prefix.parts) {
    copy_run(at, part.prefix, part.prefix_size, part.prefix + kCopySlack);
    at += part.prefix_size;
    const std::size_t bytes = rows * part.cells.width;
    const std::byte* cells = part.cells.at(position, rows);
    __builtin_prefetch(cells + kAhead);
    copy_run(at, cells, bytes, part.cells.end);
    at += bytes;
  }
  pen.advance_to(at);
}

void put_bank(Pen& pen, const BankPrefix& prefix, const BankView& bank) {
  pen.reserve(prefix.bytes + bank.size());
  pen.put(prefix.name);
  switch (bank.form()) {
    case BankForm::table:
      put_table(pen, prefix, bank);
      break;
    case BankForm::composite: {
      const ByteSpan data = bank.contiguous_bytes().value();
      pen.put_le('C');
      pen.put_le(std::uint32_t{bank.format_length()});
      pen.put(data.first(bank.format_length()));
      pen.put_le(bank.size() - bank.format_length());
      pen.put(data.subspan(bank.format_length()));
      break;
    }
    case BankForm::opaque:
      pen.put_le('R');
      pen.put_le(bank.type());
      pen.put_le(bank.format_length());
      pen.put_le(bank.size());
      pen.put(bank.contiguous_bytes().value());
      break;
  }
}

void store_big_endian(std::byte* to, std::uint64_t value) {
  for (std::size_t i = 0; i < 8; ++i) {
    to[i] = static_cast<std::byte>(value >> (56 - 8 * i));
  }
}

std::string hex(std::uint64_t high, std::uint64_t low) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const std::uint64_t half : {high, low}) {
    for (int shift = 60; shift >= 0; shift -= 4) {
      text += kDigits[(half >> shift) & 0xF];
    }
  }
  return text;
}

// `wants(event)` says which events are hashed.
template <typename Wants>
void hash_wanted(const Record& record, const Wants& wants, std::vector<EventHash>& hashes,
                 Buffer& scratch) {
  std::unordered_map<const BankBlock*, BankPrefix> prefixes;
  EventCursor cursor(record, EventCursor::Order::by_name);
  Pen pen(scratch);
  for (std::uint32_t event = 0; event < record.event_count(); ++event) {
    if (!wants(event)) {
      continue;
    }
    cursor.skip_to(event);
    static_cast<void>(cursor.next());
    pen.rewind();
    pen.reserve(16);
    pen.put_le('E');
    pen.put_le('V');
    pen.put_le(cursor.tag());
    pen.put_le(static_cast<std::uint32_t>(cursor.banks().size()));
    for (const BankView& bank : cursor.banks()) {
      auto found = prefixes.find(&bank.block());
      if (found == prefixes.end()) {
        found = prefixes.emplace(&bank.block(), make_prefix(bank)).first;
      }
      put_bank(pen, found->second, bank);
    }
    const ByteSpan bytes = pen.written();
    const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
    hashes.push_back({hash.high64, hash.low64});
  }
}

}  // namespace

void hash_events(const Record& record, std::vector<EventHash>& hashes, Buffer& scratch) {
  hashes.reserve(hashes.size() + record.event_count());
  hash_wanted(
      record, [](std::uint32_t) { return true; }, hashes, scratch);
}

void hash_events(const Record& record, const std::vector<bool>& chosen,
                 std::vector<EventHash>& hashes, Buffer& scratch) {
  hash_wanted(
      record, [&](std::uint32_t event) { return chosen[event]; }, hashes, scratch);
}

struct DigestBuilder::State {
  State() : chain(XXH3_createState()) {
    if (chain == nullptr) {
      throw Error(ErrorCode::over_budget, "no memory for a hash state");
    }
    XXH3_128bits_reset(chain);
  }
  ~State() { XXH3_freeState(chain); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  State(State&&) = delete;
  State& operator=(State&&) = delete;

  XXH3_state_t* chain;
  EventHash sum{};
  std::uint64_t events = 0;
};

DigestBuilder::DigestBuilder() : state_(std::make_unique<State>()) {}
DigestBuilder::~DigestBuilder() = default;
DigestBuilder::DigestBuilder(DigestBuilder&&) noexcept = default;
DigestBuilder& DigestBuilder::operator=(DigestBuilder&&) noexcept = default;

void DigestBuilder::add(std::span<const EventHash> hashes) {
  for (const EventHash& hash : hashes) {
    std::array<std::byte, 16> bytes;
    store_big_endian(bytes.data(), hash.high);
    store_big_endian(bytes.data() + 8, hash.low);
    XXH3_128bits_update(state_->chain, bytes.data(), bytes.size());
    const std::uint64_t low = state_->sum.low + hash.low;
    state_->sum.high += hash.high + (low < hash.low ? 1 : 0);
    state_->sum.low = low;
  }
  state_->events += hashes.size();
}

Digest DigestBuilder::finish() const {
  const XXH128_hash_t chained = XXH3_128bits_digest(state_->chain);
  return {hex(chained.high64, chained.low64), hex(state_->sum.high, state_->sum.low),
          state_->events};
}

}  // namespace v0
}  // namespace hipotool
