#include "hipotool/error.hpp"

#include "format/constants.hpp"
#include "format/record_header.hpp"
#include "layout/byte_split.hpp"
#include "layout/split_section.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <string>

namespace hipotool::inline v0::layout {
namespace {

// The level pays where it saves more than this part of a stream's raw bytes. With less, columns of
// full-precision floats count, where lz4hc takes a third of its time to save some 0.6 %; with more,
// cooked events come to more than 1 % over lz4hc:9 (docs/benchmarks.md).
constexpr std::size_t kWorthwhileShare = 128;

[[noreturn]] void refuse(Oddity oddity, BankKey key) {
  throw Error(ErrorCode::not_representable,
              "a split layout cannot hold this: " + std::string(to_string(oddity)),
              {.bank = to_string(key)});
}

void add_piece(BankSource& bank, const BankPiece& piece) {
  const BankOccurrence* previous = nullptr;
  for (const BankOccurrence& occurrence : piece.occurrences) {
    if (previous != nullptr && previous->event == occurrence.event) {
      refuse(Oddity::repeated_bank, bank.key);
    }
    if (occurrence.type != bank.type) {
      refuse(Oddity::type_byte, bank.key);
    }
    if (occurrence.format_length != bank.format_length) {
      refuse(Oddity::format_length, bank.key);
    }
    require_bank_fits(BankView(*piece.block, occurrence));
    bank.total_bytes += occurrence.size;
    previous = &occurrence;
  }
  bank.pieces.push_back(piece);
}

void require_plain_events(const EventRun& run) {
  const Record& record = *run.record;
  if (!record.user_header.empty()) {
    refuse(Oddity::record_user_header, {});
  }
  for (const EventOddity& oddity : record.oddities) {
    if (oddity.event >= run.first && oddity.event - run.first < run.count) {
      for (const Oddity kind : kOddities) {
        if (oddity.has(kind)) {
          refuse(kind, {});
        }
      }
    }
  }
}

}  // namespace

std::vector<BankSource> collect_banks(const EventBatch& batch) {
  std::map<BankKey, BankSource> banks;
  std::uint32_t at = 0;
  for (const EventRun& run : batch.runs()) {
    require_plain_events(run);
    for (const BankBlock& block : run.record->blocks()) {
      const auto occurrences = block.in_events(run.first, run.count);
      if (occurrences.empty()) {
        continue;
      }
      const auto [slot, fresh] = banks.try_emplace(block.key);
      if (fresh) {
        slot->second = {block.key, occurrences.front().type, occurrences.front().format_length};
      }
      add_piece(slot->second, {&block, occurrences, run.first, at});
    }
    at += run.count;
  }
  std::vector<BankSource> sorted;
  sorted.reserve(banks.size());
  for (auto& [key, bank] : banks) {
    if (bank.total_bytes > UINT32_MAX) {
      throw Error(ErrorCode::not_representable, "a bank of more than 4 GiB in one record",
                  {.bank = to_string(key)});
    }
    sorted.push_back(std::move(bank));
  }
  return sorted;
}

ByteSpan concatenated(const BankSource& bank, Buffer& scratch) {
  if (bank.pieces.size() == 1 && bank.pieces[0].block->arrangement == Arrangement::by_event) {
    const auto& occurrences = bank.pieces[0].occurrences;
    const BankOccurrence& last = occurrences.back();
    if (last.position + std::uint64_t{last.size} - occurrences.front().position ==
        bank.total_bytes) {
      return bank.pieces[0].block->bytes.subspan(occurrences.front().position, bank.total_bytes);
    }
  }
  scratch.resize_discard(bank.total_bytes);
  std::byte* to = scratch.data();
  for (const BankPiece& piece : bank.pieces) {
    for (const BankOccurrence& occurrence : piece.occurrences) {
      BankView(*piece.block, occurrence).copy_bytes(to);
      to += occurrence.size;
    }
  }
  return scratch.span();
}

void fill_common_tables(const EventBatch& batch, std::span<const BankSource> banks,
                        const DirectoryTables& at, std::size_t bytes, Buffer& raw) {
  raw.resize_discard(bytes);
  std::fill_n(raw.data(), bytes, std::byte{0});
  std::byte* tag = raw.data() + at.tags;
  for (const EventRun& run : batch.runs()) {
    std::memcpy(tag, run.record->tags.data() + run.first, std::size_t{4} * run.count);
    tag += std::size_t{4} * run.count;
  }
  const std::size_t presence_row = (banks.size() + 7) / 8;
  for (std::size_t b = 0; b < banks.size(); ++b) {
    const BankSource& bank = banks[b];
    std::byte* descriptor = raw.data() + at.descriptors + 4 * b;
    store_le(descriptor, bank.key.group);
    store_le(descriptor + 2, bank.key.item);
    store_le(descriptor + 3, bank.type);
    std::byte* sizes = raw.data() + at.sizes + 4 * b * batch.event_count();
    const auto presence_bit = static_cast<std::byte>(1U << (b % 8));
    for (const BankPiece& piece : bank.pieces) {
      for (const BankOccurrence& occurrence : piece.occurrences) {
        const std::size_t event = piece.batch_event + occurrence.event - piece.first_event;
        store_le(sizes + 4 * event, occurrence.size);
        raw.data()[at.presence + event * presence_row + b / 8] |= presence_bit;
      }
    }
  }
}

SectionWriter::SectionWriter(const EncodeInput& input, std::size_t directory_bytes,
                             std::uint64_t raw_stream_bytes, std::size_t streams,
                             EncodedRecord& encoded)
    : input_(&input), encoded_(&encoded) {
  const auto bound = codec::require_codec(input.compression.codec).bound;
  const std::size_t directory_bound = codec::require_codec(CodecId::lz4).bound(directory_bytes);
  streams_at_ = RecordHeader::kBytes + kSectionHeaderBytes + directory_bound;
  end_ = streams_at_;
  // Bounds grow faster than in proportion, so many streams need at most one bound of the whole
  // plus the constant part for each.
  encoded.storage.resize_discard(streams_at_ + bound(raw_stream_bytes) + streams * bound(0) + 3 +
                                 streams * 64);
  encoded.storage.prefer_large_pages();
}

ByteSpan SectionWriter::compress_at_end(ByteSpan raw, const codec::Way& way) {
  const std::size_t bound = codec::require_codec(way.codec).bound(raw.size());
  if (encoded_->storage.size() - end_ < bound) {
    encoded_->storage.resize_keep(end_ + bound + 3);
  }
  std::byte* to = encoded_->storage.data() + end_;
  const std::size_t used = input_->context.compressor(way).compress(raw, {to, bound});
  end_ += used;
  return {to, used};
}

bool SectionWriter::replace_if_smaller(ByteSpan raw, const codec::Way& way, std::int64_t gain,
                                       ByteSpan& stored) {
  Buffer& trial = input_->context.trial;
  trial.resize_discard(codec::require_codec(way.codec).bound(raw.size()));
  const std::size_t used = input_->context.compressor(way).compress(raw, trial.span());
  if (static_cast<std::int64_t>(used) + gain > static_cast<std::int64_t>(stored.size())) {
    return false;
  }
  end_ -= stored.size();
  if (encoded_->storage.size() - end_ < used) {
    encoded_->storage.resize_keep(end_ + used + 3);
  }
  std::byte* to = encoded_->storage.data() + end_;
  std::copy_n(trial.data(), used, to);
  end_ += used;
  stored = {to, used};
  return true;
}

SectionWriter::Trials SectionWriter::trials_for(const RawStream& stream) const {
  const Compression& compression = input_->compression;
  const bool has_quick_way = codec::quick_way({compression.codec, compression.level}).has_value() &&
                             compression.effort == Effort::automatic;
  Trials trials;
  trials.split = stream.width > 1 && compression.encodings != Encodings::none;
  trials.quick = has_quick_way;
  const StreamChoice* choice =
      input_->known == nullptr ? nullptr : input_->known->find(stream.key, stream.column);
  if (choice == nullptr) {
    return trials;
  }
  if (compression.encodings == Encodings::automatic && trials.split) {
    trials.split = choice->split;
    trials.plain = !choice->split;
  }
  if (has_quick_way) {
    trials.quick = choice->quick;
    trials.high = !choice->quick;
  }
  return trials;
}

StoredStream SectionWriter::store(const RawStream& stream) {
  if (stream.bytes.empty()) {
    return {};
  }
  const Compression& compression = input_->compression;
  const codec::Way high{compression.codec, compression.level};
  const Trials trials = trials_for(stream);
  const codec::Way first = trials.high ? high : codec::quick_way(high).value_or(high);
  ByteSpan planes;
  if (trials.split) {
    Buffer& transposed = input_->context.transposed;
    transposed.resize_discard(stream.bytes.size());
    byte_split(stream.bytes, stream.width, transposed.data());
    planes = transposed.span();
  }
  StoredStream stored;
  if (trials.plain) {
    stored.bytes = compress_at_end(stream.bytes, first);
    stored.split = trials.split && replace_if_smaller(planes, first, 1, stored.bytes);
  } else {
    stored.bytes = compress_at_end(planes, first);
    stored.split = true;
  }
  StreamChoice choice{!trials.high, stored.split};
  if (trials.high && trials.quick) {
    const auto worth = static_cast<std::int64_t>(stream.bytes.size() / kWorthwhileShare);
    choice.quick = replace_if_smaller(stored.split ? planes : stream.bytes,
                                      codec::quick_way(high).value_or(high), -worth, stored.bytes);
  }
  if (input_->chosen != nullptr) {
    input_->chosen->set(stream.key, stream.column, choice);
  }
  return stored;
}

void SectionWriter::finish(std::uint8_t version, std::size_t banks,
                           std::uint64_t raw_stream_bytes) {
  const ByteSpan raw = input_->context.directory.span();
  Buffer& packed = input_->context.trial;
  std::size_t packed_bytes = 0;
  if (!raw.empty()) {
    packed.resize_discard(codec::require_codec(CodecId::lz4).bound(raw.size()));
    packed_bytes = input_->context.compressor({CodecId::lz4, 0}).compress(raw, packed.span());
  }
  std::byte* storage = encoded_->storage.data();
  encoded_->begin = streams_at_ - packed_bytes - kSectionHeaderBytes - RecordHeader::kBytes;
  std::byte* section = storage + encoded_->begin + RecordHeader::kBytes;
  store_le(section, std::uint32_t{version});
  store_le(section + 4, static_cast<std::uint32_t>(banks));
  store_le(section + 8, input_->batch.event_count());
  store_le(section + 12, static_cast<std::uint32_t>(packed_bytes));
  store_le(section + 16, static_cast<std::uint32_t>(raw.size()));
  std::copy_n(packed.data(), packed_bytes, section + kSectionHeaderBytes);
  std::fill_n(storage + end_, 3, std::byte{0});
  encoded_->header = format::make_record_header(
      {.event_count = input_->batch.event_count(),
       .data_bytes = raw_stream_bytes,
       .stored_payload_bytes = static_cast<std::uint64_t>(storage + end_ - section),
       .codec = input_->compression.codec,
       .layout = input_->compression.layout,
       .user_words = input_->batch.user_words});
  format::store_record_header(encoded_->header, storage + encoded_->begin);
}

}  // namespace hipotool::inline v0::layout
