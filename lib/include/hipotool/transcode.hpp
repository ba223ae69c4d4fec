#pragma once
// One record, one thread: stored bytes to directory to events, and events to stored bytes. Which
// layout and codec a record has is found from its compression tag; callers never branch on it.

#include "hipotool/compression.hpp"
#include "hipotool/dictionary.hpp"
#include "hipotool/directory.hpp"
#include "hipotool/event_batch.hpp"
#include "hipotool/projection.hpp"
#include "hipotool/record.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <utility>

namespace hipotool {
inline namespace v0 {

// Codec workers and scratch memory, kept from record to record. One thread at a time.
//
// A few stored bytes can stand for a record that fills any memory. So a context may have a limit:
// what reading a record takes (its stored bytes, its directory, its decoded form) is worked out
// before it is allocated, and OverBudget thrown where that is more.
class CodecContext {
 public:
  static constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

  explicit CodecContext(std::uint64_t most_bytes = kNoLimit);
  ~CodecContext();
  CodecContext(CodecContext&&) noexcept;
  CodecContext& operator=(CodecContext&&) noexcept;
  CodecContext(const CodecContext&) = delete;
  CodecContext& operator=(const CodecContext&) = delete;

  void limit(std::uint64_t most_bytes) noexcept;

  struct State;
  [[nodiscard]] State& state() noexcept { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

// Inflates and checks the directory of a split record (docs/format.md section 8); for a per-chunk
// record only what the header says. Needs the record's first bytes up to the directory's end.
// Error{corrupt, unsupported, truncated}.
void read_directory(const StoredRecord& stored, CodecContext& context, RecordDirectory& directory);

// Inflates the streams that `projection` needs, and no other, into `record`, whose memory is
// recycled. Checks every size against what was really produced. The record keeps pointers to
// schemas of `dictionary`. Error{corrupt, checksum, unsupported} with event, bank and column,
// OverBudget.
void decode(const StoredRecord& stored, const RecordDirectory& directory,
            const Dictionary& dictionary, const Projection& projection, CodecContext& context,
            Record& record);

// A record ready to be appended to a file. The bytes lie somewhere inside `storage`.
struct EncodedRecord {
  RecordHeader header{};
  Buffer storage{};
  std::size_t begin = 0;

  [[nodiscard]] ByteSpan bytes() const noexcept {
    return storage.span().subspan(begin, header.record_bytes());
  }
  [[nodiscard]] MutableByteSpan bytes() noexcept {
    return storage.span().subspan(begin, header.record_bytes());
  }
};

// How a stream is stored where that depends on the data.
struct StreamChoice {
  bool quick = false;  // by the codec's quick way: the level does not pay
  bool split = false;  // byte-split
};

// The choices for the columns of one record. A bank stored whole has column 0 alone.
class StreamChoices {
 public:
  void set(BankKey key, std::size_t column, StreamChoice choice);
  // Null where the record had no such column.
  [[nodiscard]] const StreamChoice* find(BankKey key, std::size_t column) const noexcept;

 private:
  std::map<std::pair<BankKey, std::size_t>, StreamChoice> choices_;
};

// How to store a record. Where that depends on the data (Compression::depends_on_data), streams are
// stored as `known` has them; those that it lacks are tried both ways. `chosen`, where set, gets
// what was done with each.
struct Storing {
  Compression compression{};
  const StreamChoices* known = nullptr;
  StreamChoices* chosen = nullptr;
};

// Stores a batch as one record; pulls bank or column bytes from whatever arrangement they are in.
// Bytes are a function of the events, the dictionary and `compression` alone.
// Error{not_representable} for what the layout or the format cannot hold.
void encode(const EventBatch& batch, const Compression& compression, const Dictionary& dictionary,
            CodecContext& context, EncodedRecord& encoded);
// The same with choices: bytes are then a function of `storing.known`, too.
void encode_choosing(const EventBatch& batch, const Storing& storing, const Dictionary& dictionary,
                     CodecContext& context, EncodedRecord& encoded);

}  // namespace v0
}  // namespace hipotool
