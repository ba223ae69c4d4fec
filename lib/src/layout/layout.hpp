#pragma once
// A record layout: three operations between stored bytes and events. Implementations are stateless
// and reached through layout/transcode only; codec workers and scratch memory come with the
// context.

#include "hipotool/error.hpp"
#include "hipotool/transcode.hpp"

#include "codec/codec.hpp"
#include "format/constants.hpp"

#include <span>
#include <string>
#include <vector>

namespace hipotool::inline v0 {

struct CodecContext::State {
  // Workers are made on first use and kept.
  [[nodiscard]] codec::Decompressor& decompressor(CodecId id);
  [[nodiscard]] codec::Compressor& compressor(const codec::Way& way);

  std::uint64_t most_bytes = kNoLimit;
  Buffer gathered;    // bank bytes brought into stream order
  Buffer transposed;  // one stream, byte-split
  Buffer trial;       // a second way of storing a stream
  Buffer directory;   // raw directory of a record being encoded
  // A record on its way from file to events.
  StoredRecord stored;
  RecordDirectory record_directory;

 private:
  struct KeptCompressor {
    std::unique_ptr<codec::Compressor> worker;
    int level = 0;
  };
  std::unique_ptr<codec::Decompressor> decompressors_[5];
  std::vector<KeptCompressor> compressors_[5];  // the last two levels of each codec
};

namespace layout {

struct DecodeInput {
  const StoredRecord& stored;
  const RecordDirectory& directory;
  const Dictionary& dictionary;
  const Projection& projection;
  CodecContext::State& context;
};

struct EncodeInput {
  const EventBatch& batch;
  const Compression& compression;
  const Dictionary& dictionary;
  CodecContext::State& context;
  const StreamChoices* known = nullptr;  // null: none
  StreamChoices* chosen = nullptr;       // null: not asked for
};

class RecordLayout {
 public:
  virtual ~RecordLayout() = default;
  virtual void read_directory(const StoredRecord& stored, CodecContext::State& context,
                              RecordDirectory& directory) const = 0;
  // `record` was cleared.
  virtual void decode(const DecodeInput& input, Record& record) const = 0;
  virtual void encode(const EncodeInput& input, EncodedRecord& encoded) const = 0;
};

[[nodiscard]] const RecordLayout& layout_of(LayoutId id) noexcept;

// One each, defined in the file of that name.
[[nodiscard]] const RecordLayout& per_chunk() noexcept;
[[nodiscard]] const RecordLayout& per_bank() noexcept;
[[nodiscard]] const RecordLayout& per_column() noexcept;

// Decodes small per-chunk records that follow each other as if they were one: a Record each would
// take many times the memory of their events. All have the same user words and none a user header.
// Errors do not tell which record is damaged; decode them one by one to know.
void decode_joined(std::span<const StoredRecord> records, const Dictionary& dictionary,
                   CodecContext& context, Record& record);

// Fills the blocks, tags and oddities of a record whose payload holds event images: image_offsets
// and event_sizes say where.
void note_banks(const Dictionary& dictionary, Record& record);

// Inflates one stream exactly into `out`, after a check that its size is plausible. Errors carry
// `offset` as the place in the record.
void inflate_exactly(CodecId codec, ByteSpan stored, MutableByteSpan out, std::uint64_t offset,
                     CodecContext::State& context);

// Refuses a bank that 24 bits cannot size: written anyway, 2^24 bytes would read as none.
inline void require_bank_fits(const BankView& bank) {
  if (bank.size() > format::kMaxBankBytes) {
    throw Error(ErrorCode::not_representable,
                "a bank of " + std::to_string(bank.size()) + " bytes; the format holds " +
                    std::to_string(format::kMaxBankBytes),
                {.bank = bank.name()});
  }
}

}  // namespace layout
}  // namespace hipotool::inline v0
