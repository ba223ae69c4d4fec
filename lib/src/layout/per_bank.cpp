// One stream a bank: its data of all events, concatenated (docs/format.md section 8.1).

#include "hipotool/error.hpp"

#include "layout/layout.hpp"
#include "layout/memory_need.hpp"
#include "layout/split_section.hpp"

#include <algorithm>
#include <string>

namespace hipotool::inline v0::layout {
namespace {

constexpr std::uint8_t kWrittenVersion = 2;  // readers accept 3 for the same bytes

void require_known_version(std::uint8_t version) {
  if (version != 2 && version != 3) {
    throw Error(ErrorCode::unsupported,
                "per-bank format version " + std::to_string(version) + "; only 2 and 3 are known");
  }
}

class PerBank final : public RecordLayout {
 public:
  void read_directory(const StoredRecord& stored, CodecContext::State& context,
                      RecordDirectory& directory) const override {
    const SectionHeader section = parse_section_header(stored);
    require_known_version(section.version);
    const std::uint64_t base = section.common_tables_bytes() + 8 * section.banks;
    const std::uint64_t raw = section.directory_raw_bytes;
    if (raw != base && raw != base + section.banks) {
      throw Error(ErrorCode::corrupt, "a per-bank directory of " + std::to_string(raw) +
                                          " bytes where its tables take " + std::to_string(base));
    }
    inflate_directory(stored, section, context, directory);
    parse_descriptors(section, directory);
    const std::size_t banks = directory.banks.size();
    const std::byte* stored_sizes = directory.inflated.data() + 4 * banks;
    const std::byte* raw_sizes = stored_sizes + 4 * banks;
    const std::size_t tail = place_event_tables(section, 12 * banks, directory);
    directory.streams.resize(banks);
    for (std::size_t b = 0; b < banks; ++b) {
      directory.streams[b] = {0, load_le<std::uint32_t>(stored_sizes + 4 * b),
                              load_le<std::uint32_t>(raw_sizes + 4 * b)};
      directory.banks[b].first_stream = b;
      if (raw != base) {
        directory.banks[b].format_length =
            load_le<std::uint8_t>(directory.inflated.data() + tail + b);
      }
    }
    place_streams(stored, directory);
  }

  void decode(const DecodeInput& input, Record& record) const override {
    const RecordDirectory& directory = input.directory;
    begin_events(input, record);
    std::uint64_t wanted_bytes = 0;
    for (std::size_t b = 0; b < directory.banks.size(); ++b) {
      if (input.projection.wants(directory.banks[b].key)) {
        wanted_bytes += directory.streams[b].raw_bytes;
      }
    }
    StreamArena arena(wanted_bytes, record);
    for (std::size_t b = 0; b < directory.banks.size(); ++b) {
      if (input.projection.wants(directory.banks[b].key)) {
        decode_bank(input, b, arena, record);
      }
    }
  }

  void encode(const EncodeInput& input, EncodedRecord& encoded) const override {
    const EventBatch& batch = input.batch;
    const std::vector<BankSource> banks = collect_banks(batch);
    const std::size_t n = banks.size();
    const std::size_t presence = 12 * n + std::size_t{4} * batch.event_count();
    const std::size_t sizes = presence + (n + 7) / 8 * batch.event_count();
    const std::size_t tail = sizes + 4 * n * batch.event_count();
    require_allowed(2 * (tail + n), input.context);
    Buffer& directory = input.context.directory;
    fill_common_tables(batch, banks,
                       {.descriptors = 0, .tags = 12 * n, .presence = presence, .sizes = sizes},
                       tail + n, directory);
    std::uint64_t raw_bytes = 0;
    for (const BankSource& bank : banks) {
      raw_bytes += bank.total_bytes;
    }
    SectionWriter writer(input, directory.size(), raw_bytes, n, encoded);
    for (std::size_t b = 0; b < n; ++b) {
      const ByteSpan raw = concatenated(banks[b], input.context.gathered);
      const StoredStream stored = writer.store({.key = banks[b].key, .bytes = raw});
      store_le(directory.data() + 4 * (n + b), static_cast<std::uint32_t>(stored.bytes.size()));
      store_le(directory.data() + 4 * (2 * n + b), static_cast<std::uint32_t>(raw.size()));
      store_le(directory.data() + tail + b, banks[b].format_length);
    }
    writer.finish(kWrittenVersion, n, raw_bytes);
  }

 private:
  static void decode_bank(const DecodeInput& input, std::size_t bank, StreamArena& arena,
                          Record& record) {
    const DirectoryBank& entry = input.directory.banks[bank];
    const StreamInfo& stream = input.directory.streams[bank];
    with_context([&] { return ErrorContext{.bank = input.dictionary.bank_name(entry.key)}; },
                 [&] {
                   BankBlock& block = record.add_block(entry.key, input.dictionary.find(entry.key));
                   const std::uint64_t bytes =
                       append_occurrences(input.directory, bank, std::nullopt, block);
                   if (bytes != stream.raw_bytes) {
                     throw Error(ErrorCode::corrupt,
                                 "directory: sizes sum to " + std::to_string(bytes) +
                                     ", the stream has " + std::to_string(stream.raw_bytes));
                   }
                   const MutableByteSpan place = arena.take(bytes);
                   inflate_exactly(input.stored.header.codec,
                                   input.stored.range(stream.offset, stream.stored_bytes), place,
                                   stream.offset, input.context);
                   block.bytes = place;
                   ++record.streams_inflated;
                   if (input.projection.is_everything()) {
                     add_event_sizes(block, record);
                   }
                 });
  }
};

}  // namespace

const RecordLayout& per_bank() noexcept {
  static const PerBank layout;
  return layout;
}

}  // namespace hipotool::inline v0::layout
