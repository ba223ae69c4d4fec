#include "hipotool/digest.hpp"

#include "hipotool/error.hpp"

#include "base/small_copy.hpp"
#include "base/xxh3.hpp"

#include <array>
#include <cstring>
#include <unordered_map>

namespace hipotool {
inline namespace v0 {
namespace {

// Writes into scratch memory whose size was ensured before.
class Pen {
 public:
  static constexpr std::size_t kPadded = 32;

  explicit Pen(Buffer& buffer) : buffer_(&buffer) { buffer.clear(); }

  void reserve(std::size_t bytes) {
    const std::size_t needed = used_ + bytes + kPadded;
    if (buffer_->size() < needed) {
      buffer_->resize_keep(std::max(needed, 2 * buffer_->size()));
    }
  }
  void put(const std::byte* bytes, std::size_t size) {
    copy_small(buffer_->data() + used_, bytes, size);
    used_ += size;
  }
  void put(ByteSpan bytes) { put(bytes.data(), bytes.size()); }
  // Copies a fixed 32 bytes of which `size` count: one move without a call. reserve() leaves room.
  void put_padded(const std::byte* bytes, std::size_t size) {
    std::memcpy(buffer_->data() + used_, bytes, kPadded);
    used_ += size;
  }
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

// What stands in front of a column's values; padded so that a short one can be copied at once.
struct ColumnPrefix {
  std::vector<std::byte> bytes;
  std::size_t size = 0;
  std::size_t width = 0;  // of a cell
};

// What stands in front of a bank's values is the same for every event of a record: made once.
struct BankPrefix {
  std::vector<std::byte> name;        // length and name
  std::vector<ColumnPrefix> columns;  // length, name, letter, array length
  std::size_t bytes = 0;              // of all of them
};

BankPrefix make_prefix(const BankView& bank) {
  BankPrefix prefix;
  append_text(prefix.name, bank.name());
  prefix.bytes = prefix.name.size() + 16;
  if (bank.schema() != nullptr) {
    for (const Column& column : bank.schema()->columns()) {
      ColumnPrefix& head = prefix.columns.emplace_back();
      append_text(head.bytes, column.name);
      head.bytes.push_back(static_cast<std::byte>(letter_of(column.type)));
      append_le32(head.bytes, column.length);
      head.size = head.bytes.size();
      head.width = column.width();
      head.bytes.resize(std::max(head.size, Pen::kPadded));
      prefix.bytes += head.size;
    }
  }
  return prefix;
}

void put_table(Pen& pen, const BankPrefix& prefix, const BankView& bank) {
  const BankBlock& block = bank.block();
  const std::uint32_t rows = block.rows(bank.occurrence());
  pen.put_le('T');
  pen.put_le(static_cast<std::uint32_t>(prefix.columns.size()));
  pen.put_le(rows);
  for (std::size_t c = 0; c < prefix.columns.size(); ++c) {
    const ColumnPrefix& head = prefix.columns[c];
    if (head.size <= Pen::kPadded) {
      pen.put_padded(head.bytes.data(), head.size);
    } else {
      pen.put(head.bytes.data(), head.size);
    }
    pen.put(block.cells(bank.occurrence(), rows, c), rows * head.width);
  }
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
