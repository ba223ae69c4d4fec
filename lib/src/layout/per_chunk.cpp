// The whole record as one block: index array, user header, events (docs/format.md section 4).

#include "hipotool/error.hpp"

#include "base/prefetch.hpp"
#include "format/constants.hpp"
#include "format/record_header.hpp"
#include "format/structure.hpp"
#include "layout/big_endian.hpp"
#include "layout/layout.hpp"
#include "layout/memory_need.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <unordered_map>

namespace hipotool::inline v0::layout {
namespace {

constexpr std::uint64_t kLargestPayload = std::numeric_limits<std::uint32_t>::max();

std::uint64_t events_offset(const RecordHeader& header) {
  return std::uint64_t{header.index_bytes} + header.user_header_bytes +
         header.user_header_padding();
}

struct Inflated {
  std::size_t surplus = 0;         // bytes beyond what the header declares
  std::uint64_t memory_bytes = 0;  // counted so far
  bool inflated = false;           // false where nothing was compressed
};

Inflated inflate_payload(const StoredRecord& record, CodecContext::State& context,
                         Buffer& payload) {
  const RecordHeader& header = record.header;
  const std::uint64_t declared = events_offset(header) + header.data_bytes;
  const ByteSpan stored = record.range(header.payload_offset(), header.payload_bytes());
  if (declared > kLargestPayload - format::kPayloadSlack) {
    throw Error(ErrorCode::unsupported, "a record that inflates to " + std::to_string(declared) +
                                            " bytes; at most 4 GiB are supported");
  }
  codec::require_plausible(header.codec, declared, stored.size());
  const std::uint64_t memory =
      require_payload_fits(record, declared + format::kPayloadSlack, context);
  if (declared == 0) {
    payload.clear();
    return {0, memory, false};
  }
  if (header.codec == CodecId::none) {
    // What is stored beyond the declared size is padding.
    payload.resize_discard(declared);
    std::copy_n(stored.begin(), declared, payload.data());
    return {0, memory, false};
  }
  payload.resize_discard(declared + format::kPayloadSlack);
  payload.prefer_large_pages();
  const std::size_t produced = with_context(
      [&] { return ErrorContext{.offset_in_record = header.payload_offset()}; },
      [&] { return context.decompressor(header.codec).decompress(stored, payload.span()); });
  if (produced < declared) {
    throw Error(ErrorCode::corrupt,
                std::string(to_string(header.codec)) + ": inflates to " + std::to_string(produced) +
                    " bytes where " + std::to_string(declared) + " are declared",
                {.offset_in_record = header.payload_offset()});
  }
  payload.resize_keep(produced);
  return {produced - declared, memory, true};
}

// Notes where the events of `payload` begin, judged by its index array. Offsets count from `base`
// where the payload's first event will lie.
void locate_events(const RecordHeader& header, ByteSpan payload, std::uint64_t base,
                   Record& record) {
  const std::uint64_t first = events_offset(header);
  std::uint64_t at = first;
  for (std::uint32_t event = 0; event < header.event_count; ++event) {
    const auto size = load_le<std::uint32_t>(payload.data() + std::size_t{4} * event);
    if (size > payload.size() - at) {
      throw Error(ErrorCode::corrupt,
                  "an event of " + std::to_string(size) + " bytes runs past its record's payload",
                  {.event = event});
    }
    record.image_offsets.push_back(static_cast<std::uint32_t>(base + at - first));
    record.event_sizes.push_back(size);
    at += size;
  }
}

// Closes the list of offsets with where the last event ends.
void close_offsets(Record& record) {
  const bool none = record.image_offsets.empty();
  record.image_offsets.push_back(none ? 0
                                      : record.image_offsets.back() + record.event_sizes.back());
}

// Finds the block of a structure. Events repeat the same banks in the same order, so the bank that
// followed last time is tried first; a map answers the rest.
class BlockFinder {
 public:
  static constexpr std::size_t kUnwanted = std::numeric_limits<std::size_t>::max();

  struct Entry {
    BankKey key;
    std::size_t block = kUnwanted;
    std::uint32_t last_event_plus_one = 0;
    std::size_t successor = 0;
  };

  BlockFinder(const Dictionary& dictionary, const Projection& projection, NotesAllowed& allowed,
              Record& record)
      : dictionary_(&dictionary), projection_(&projection), allowed_(&allowed), record_(&record) {}

  void begin_event() { previous_ = kNone; }

  Entry& find(BankKey key) {
    const std::size_t guess = previous_ == kNone ? first_ : entries_[previous_].successor;
    std::size_t slot = guess;
    if (guess >= entries_.size() || entries_[guess].key != key) {
      slot = look_up(key);
      (previous_ == kNone ? first_ : entries_[previous_].successor) = slot;
    }
    previous_ = slot;
    return entries_[slot];
  }

 private:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  std::size_t look_up(BankKey key) {
    const std::uint32_t packed = std::uint32_t{key.group} << 8 | key.item;
    const auto [at, fresh] = slots_.try_emplace(packed, entries_.size());
    if (fresh) {
      allowed_->require_block(*record_, entries_.size() + 1);
      Entry& entry = entries_.emplace_back(Entry{key});
      if (projection_->wants(key)) {
        entry.block = record_->blocks().size();
        record_->add_block(key, dictionary_->find(key)).bytes = record_->payload.span();
      }
    }
    return at->second;
  }

  const Dictionary* dictionary_;
  const Projection* projection_;
  NotesAllowed* allowed_;
  Record* record_;
  std::vector<Entry> entries_;
  std::unordered_map<std::uint32_t, std::size_t> slots_;
  std::size_t first_ = 0;
  std::size_t previous_ = kNone;
};

constexpr std::uint32_t kChains = 8;

// Asks for the structure headers of some events. They form a chain in each event, every one telling
// where the next one is, so walking an event waits for one after the other; here the processor
// waits for those of all events at once. Nothing that is read is trusted: it is checked on its
// turn.
void prefetch_structures(const Record& record, std::uint32_t first) {
  const ByteSpan payload = record.payload.span();
  const std::uint32_t count = std::min(kChains, record.event_count() - first);
  std::array<std::size_t, kChains> at{};
  for (std::uint32_t i = 0; i < count; ++i) {
    at[i] = std::size_t{record.image_offsets[first + i]} + format::kEventHeaderBytes;
  }
  bool is_done = false;
  while (!is_done) {
    is_done = true;
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t end = record.image_offsets[first + i + 1];
      if (at[i] + format::kStructureHeaderBytes <= end) {
        const std::byte* header = payload.data() + at[i];
        at[i] += format::kStructureHeaderBytes + format::load_structure_header(header).size;
        prefetch(payload.data() + at[i]);
        is_done = false;
      }
    }
  }
}

// One pass over all structures notes where each wanted bank lies.
void walk_events(const Dictionary& dictionary, const Projection& projection, NotesAllowed& allowed,
                 Record& record) {
  BlockFinder finder(dictionary, projection, allowed, record);
  record.tags.resize(record.event_sizes.size());
  for (std::uint32_t event = 0; event < record.event_count(); ++event) {
    if (event % kChains == 0) {
      prefetch_structures(record, event);
    }
    const std::uint32_t begin = record.image_offsets[event];
    const ByteSpan bytes = record.payload.span().subspan(begin, record.event_sizes[event]);
    EventOddity oddity{event};
    const auto note = [&](Oddity kind) {
      oddity.kinds = static_cast<std::uint8_t>(oddity.kinds | static_cast<std::uint8_t>(kind));
    };
    finder.begin_event();
    const std::uint32_t left =
        with_context([&] { return ErrorContext{.event = event}; },
                     [&] {
                       return format::walk_structures(
                           bytes, [&](const format::StructureHeader& header, std::size_t at) {
                             BlockFinder::Entry& entry = finder.find(header.key);
                             if (entry.last_event_plus_one == event + 1) {
                               note(Oddity::repeated_bank);
                             }
                             entry.last_event_plus_one = event + 1;
                             if (entry.block != BlockFinder::kUnwanted) {
                               record.blocks()[entry.block].occurrences.push_back(
                                   {event, header.size, static_cast<std::uint32_t>(begin + at),
                                    header.type, header.format_length});
                             }
                           });
                     });
    if (bytes.size() < format::kEventHeaderBytes) {
      note(Oddity::short_event);
      record.tags[event] = 0;
    } else {
      record.tags[event] = load_le<std::uint32_t>(bytes.data() + 8);
      if (load_le<std::uint32_t>(bytes.data() + 12) != 0) {
        note(Oddity::reserved_word);
      }
      if (left != 0) {
        note(Oddity::trailing_bytes);
        oddity.trailing_bytes = static_cast<std::uint8_t>(left);
      }
    }
    if (oddity.kinds != 0) {
      record.oddities.push_back(oddity);
    }
  }
  const auto blocks = record.blocks();
  std::sort(blocks.begin(), blocks.end(),
            [](const BankBlock& a, const BankBlock& b) { return a.key < b.key; });
}

// The event as bytes, whatever arrangement it comes from.
void store_event(const Record& record, std::uint32_t event, std::span<const BankView> banks,
                 std::byte* to) {
  const std::uint32_t size = record.event_bytes(event);
  if (const auto image = record.image(event)) {
    std::copy(image->begin(), image->end(), to);
    if (size >= format::kEventHeaderBytes) {
      const auto reserved = load_le<std::uint32_t>(to + 12);
      format::store_event_header(size, record.tag(event), reserved, to);
    }
    return;
  }
  format::store_event_header(size, record.tag(event), 0, to);
  to += format::kEventHeaderBytes;
  for (const BankView& bank : banks) {
    require_bank_fits(bank);
    format::store_structure_header({bank.key(), bank.type(), bank.format_length(), bank.size()},
                                   to);
    to += format::kStructureHeaderBytes;
    bank.copy_bytes(to);
    to += bank.size();
  }
}

void store_run(const EventRun& run, std::byte* index, std::byte* events) {
  const Record& record = *run.record;
  const bool images = !record.image_offsets.empty();
  EventCursor cursor(record);
  if (!images) {
    cursor.skip_to(run.first);
  }
  for (std::uint32_t event = run.first; event < run.first + run.count; ++event) {
    std::span<const BankView> banks;
    if (!images) {
      static_cast<void>(cursor.next());
      banks = cursor.banks();
    }
    store_event(record, event, banks, events);
    store_le(index, record.event_bytes(event));
    index += 4;
    events += record.event_bytes(event);
  }
}

ByteSpan common_user_header(const EventBatch& batch) {
  const ByteSpan first = batch.empty() ? ByteSpan{} : batch.runs().front().record->user_header;
  for (const EventRun& run : batch.runs()) {
    if (!std::equal(first.begin(), first.end(), run.record->user_header.begin(),
                    run.record->user_header.end())) {
      throw Error(ErrorCode::not_representable,
                  "events of records with different user headers in one record");
    }
  }
  return first;
}

class PerChunk final : public RecordLayout {
 public:
  void read_directory(const StoredRecord& stored, CodecContext::State& /*context*/,
                      RecordDirectory& directory) const override {
    const RecordHeader& header = stored.header;
    if (std::uint64_t{4} * header.event_count > header.index_bytes) {
      throw Error(ErrorCode::corrupt, std::to_string(header.event_count) +
                                          " events, but an index of " +
                                          std::to_string(header.index_bytes) + " bytes");
    }
    directory.layout = LayoutId::per_chunk;
    directory.version = 0;
    directory.event_count = header.event_count;
    directory.banks.clear();
    directory.directory_bytes = 0;
    directory.streams.assign(
        1, {header.payload_offset(), static_cast<std::uint32_t>(header.payload_bytes()),
            static_cast<std::uint32_t>(
                std::min(events_offset(header) + header.data_bytes, kLargestPayload))});
    directory.inflated.clear();
  }

  void decode(const DecodeInput& input, Record& record) const override {
    const RecordHeader& header = input.stored.header;
    const Inflated inflated = inflate_payload(input.stored, input.context, record.payload);
    record.payload_surplus = inflated.surplus;
    record.streams_inflated += inflated.inflated ? 1 : 0;
    if (header.big_endian) {
      normalise_big_endian(header, input.dictionary, record.payload.span());
    }
    record.event_sizes.reserve(header.event_count);
    record.image_offsets.reserve(std::size_t{header.event_count} + 1);
    locate_events(header, record.payload.span(), events_offset(header), record);
    close_offsets(record);
    record.user_header =
        record.payload.span().subspan(header.index_bytes, header.user_header_bytes);
    NotesAllowed allowed(record, inflated.memory_bytes, input.context);
    walk_events(input.dictionary, input.projection, allowed, record);
  }

  void encode(const EncodeInput& input, EncodedRecord& encoded) const override {
    const EventBatch& batch = input.batch;
    const ByteSpan user_header = common_user_header(batch);
    const std::size_t padding = -user_header.size() & 3U;
    const std::size_t index_bytes = std::size_t{4} * batch.event_count();
    const std::uint64_t data_bytes = batch.raw_bytes() - index_bytes;
    Buffer& raw = input.context.gathered;
    raw.resize_discard(index_bytes + user_header.size() + padding + data_bytes);
    raw.prefer_large_pages();
    std::byte* index = raw.data();
    std::byte* at = std::copy(user_header.begin(), user_header.end(), index + index_bytes);
    at = std::fill_n(at, padding, std::byte{0});
    for (const EventRun& run : batch.runs()) {
      store_run(run, index, at);
      index += std::size_t{4} * run.count;
      for (std::uint32_t event = run.first; event < run.first + run.count; ++event) {
        at += run.record->event_bytes(event);
      }
    }
    store_record(input,
                 {.event_count = batch.event_count(),
                  .user_header_bytes = static_cast<std::uint32_t>(user_header.size()),
                  .data_bytes = data_bytes},
                 encoded);
  }

 private:
  static void store_record(const EncodeInput& input, format::RecordShape shape,
                           EncodedRecord& encoded) {
    const ByteSpan raw = input.context.gathered.span();
    const CodecId codec = input.compression.codec;
    const std::size_t bound = raw.empty() ? 0 : codec::require_codec(codec).bound(raw.size());
    encoded.begin = 0;
    encoded.storage.resize_discard(RecordHeader::kBytes + bound + 3);
    encoded.storage.prefer_large_pages();
    std::byte* payload = encoded.storage.data() + RecordHeader::kBytes;
    const std::size_t used = raw.empty()
                                 ? 0
                                 : input.context.compressor({codec, input.compression.level})
                                       .compress(raw, {payload, bound});
    std::fill_n(payload + used, 3, std::byte{0});
    shape.stored_payload_bytes = used;
    shape.codec = codec;
    shape.layout = LayoutId::per_chunk;
    shape.user_words = input.batch.user_words;
    encoded.header = format::make_record_header(shape);
    format::store_record_header(encoded.header, encoded.storage.data());
  }
};

}  // namespace

const RecordLayout& per_chunk() noexcept {
  static const PerChunk layout;
  return layout;
}

void note_banks(const Dictionary& dictionary, Record& record) {
  NotesAllowed any;
  walk_events(dictionary, Projection::everything(), any, record);
}

void decode_joined(std::span<const StoredRecord> records, const Dictionary& dictionary,
                   CodecContext& context, Record& record) {
  record.clear();
  record.user_words = records.front().header.user_words;
  record.payload.clear();
  RecordDirectory& directory = context.state().record_directory;
  Buffer& payload = context.state().gathered;
  std::uint64_t memory = 0;
  for (const StoredRecord& stored : records) {
    const RecordHeader& header = stored.header;
    per_chunk().read_directory(stored, context.state(), directory);
    const Inflated inflated = inflate_payload(stored, context.state(), payload);
    memory += inflated.memory_bytes;
    require_allowed(memory, context.state());
    record.streams_inflated += inflated.inflated ? 1 : 0;
    if (header.big_endian) {
      normalise_big_endian(header, dictionary, payload.span());
    }
    const std::size_t before = record.event_sizes.size();
    locate_events(header, payload.span(), record.payload.size(), record);
    std::uint64_t bytes = 0;
    for (std::size_t event = before; event < record.event_sizes.size(); ++event) {
      bytes += record.event_sizes[event];
    }
    if (record.payload.size() + bytes > kLargestPayload) {
      throw Error(ErrorCode::unsupported, "more than 4 GiB of events in one piece");
    }
    record.payload.append(payload.span().subspan(events_offset(header), bytes));
  }
  close_offsets(record);
  NotesAllowed allowed(record, memory, context.state());
  walk_events(dictionary, Projection::everything(), allowed, record);
}

}  // namespace hipotool::inline v0::layout
