// One stream a column, over all events of the record (docs/format.md sections 8.2 and 8.3). Banks
// that are no plain tables keep one opaque stream.

#include "hipotool/error.hpp"

#include "base/small_copy.hpp"
#include "base/xxh3.hpp"
#include "layout/byte_split.hpp"
#include "layout/layout.hpp"
#include "layout/memory_need.hpp"
#include "layout/split_section.hpp"
#include "model/block_cells.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace hipotool::inline v0::layout {
namespace {

constexpr std::uint8_t kPlainVersion = 1;
constexpr std::uint8_t kEncodedVersion = 3;

std::size_t streams_of(std::size_t columns) {
  return std::max<std::size_t>(columns, 1);
}

std::uint32_t checksum_of(ByteSpan stored) {
  return static_cast<std::uint32_t>(XXH3_64bits(stored.data(), stored.size()));
}

// ---- reading

[[noreturn]] void refuse_size(const RecordDirectory& directory, std::uint64_t needed) {
  throw Error(ErrorCode::corrupt, "a per-column directory of " +
                                      std::to_string(directory.inflated.size()) +
                                      " bytes where its tables take " + std::to_string(needed));
}

// `at` is where the tables of streams begin. The counts come from the file and are checked against
// what the directory has room for before anything is made for each stream.
void parse_column_counts(std::size_t at, RecordDirectory& directory) {
  const std::size_t n = directory.banks.size();
  std::uint64_t stream = 0;
  for (std::size_t b = 0; b < n; ++b) {
    DirectoryBank& bank = directory.banks[b];
    bank.columns = load_le<std::uint16_t>(directory.inflated.data() + 4 * n + 2 * b);
    bank.first_stream = stream;
    stream += streams_of(bank.columns);
  }
  if (directory.inflated.size() < at + 8 * stream) {
    refuse_size(directory, at + 8 * stream);
  }
  directory.streams.resize(stream);
}

// The tables behind the sizes: streams, format lengths, and for version 3 encodings and checksums.
void parse_stream_tables(std::size_t at, RecordDirectory& directory) {
  const std::size_t banks = directory.banks.size();
  const std::size_t streams = directory.streams.size();
  const std::size_t formats_at = at + 8 * streams;
  const std::size_t encodings_at = formats_at + banks;
  const bool encoded = directory.version == kEncodedVersion;
  const std::size_t needed = encoded ? encodings_at + 5 * streams : encodings_at;
  // Exactly: a tail that this version does not have would change what the streams mean. Versions 1
  // and 2 may leave the format lengths out.
  const std::size_t size = directory.inflated.size();
  if (size != needed && (encoded || size != formats_at)) {
    refuse_size(directory, needed);
  }
  const std::byte* raw = directory.inflated.data();
  for (std::size_t s = 0; s < streams; ++s) {
    directory.streams[s] = {0, load_le<std::uint32_t>(raw + at + 8 * s),
                            load_le<std::uint32_t>(raw + at + 8 * s + 4)};
    if (directory.version == kEncodedVersion) {
      directory.streams[s].encoding = load_le<std::uint8_t>(raw + encodings_at + s);
      directory.streams[s].checksum = load_le<std::uint32_t>(raw + encodings_at + streams + 4 * s);
    }
  }
  if (directory.inflated.size() >= encodings_at) {
    for (std::size_t b = 0; b < banks; ++b) {
      directory.banks[b].format_length = load_le<std::uint8_t>(raw + formats_at + b);
    }
  }
}

void require_known_encodings(const RecordDirectory& directory) {
  for (const StreamInfo& stream : directory.streams) {
    const unsigned kind = stream.encoding & 0x0FU;
    const std::uint32_t width = stream.width();
    const bool known_width = width == 1 || width == 2 || width == 4 || width == 8;
    const bool unused = stream.encoding == 0 && (stream.raw_bytes == 0 || directory.version != 3);
    if (!unused && (kind > 1 || !known_width)) {
      throw Error(ErrorCode::unsupported, "directory: stream encoding " +
                                              std::to_string(stream.encoding) + " is not known");
    }
  }
}

const Schema& require_schema(const DecodeInput& input, const DirectoryBank& entry) {
  const Schema* schema = input.dictionary.find(entry.key);
  if (schema == nullptr || schema->row_size() == 0) {
    throw Error(ErrorCode::corrupt, "stored by column, but the dictionary has no schema for it");
  }
  if (schema->columns().size() != entry.columns) {
    throw Error(ErrorCode::corrupt, "stored in " + std::to_string(entry.columns) +
                                        " columns, its schema has " +
                                        std::to_string(schema->columns().size()));
  }
  if (entry.format_length != 0) {
    throw Error(ErrorCode::corrupt, "stored by column, but with a format string");
  }
  return *schema;
}

void inflate_stream(const DecodeInput& input, const StreamInfo& stream, MutableByteSpan place,
                    Record& record) {
  const ByteSpan stored = input.stored.range(stream.offset, stream.stored_bytes);
  if (stream.checksum != 0 && checksum_of(stored) != stream.checksum) {
    throw Error(ErrorCode::checksum, "stream checksum does not match",
                {.offset_in_record = stream.offset});
  }
  ++record.streams_inflated;
  const CodecId codec = input.stored.header.codec;
  if (!stream.is_split() || stream.width() == 1) {
    inflate_exactly(codec, stored, place, stream.offset, input.context);
    return;
  }
  Buffer& planes = input.context.transposed;
  planes.resize_discard(place.size());
  inflate_exactly(codec, stored, planes.span(), stream.offset, input.context);
  undo_byte_split(planes.span(), stream.width(), place.data());
}

void decode_opaque(const DecodeInput& input, std::size_t bank, StreamArena& arena, BankBlock& block,
                   Record& record) {
  const StreamInfo& stream = input.directory.streams[input.directory.banks[bank].first_stream];
  const std::uint64_t bytes = append_occurrences(input.directory, bank, std::nullopt, block);
  if (bytes != stream.raw_bytes) {
    throw Error(ErrorCode::corrupt, "directory: sizes sum to " + std::to_string(bytes) +
                                        ", the stream has " + std::to_string(stream.raw_bytes));
  }
  const MutableByteSpan place = arena.take(bytes);
  inflate_stream(input, stream, place, record);
  block.bytes = place;
}

void decode_columns(const DecodeInput& input, std::size_t bank, StreamArena& arena,
                    BankBlock& block, Record& record) {
  const DirectoryBank& entry = input.directory.banks[bank];
  const Schema& schema = require_schema(input, entry);
  block.arrangement = Arrangement::by_column;
  const std::uint64_t rows =
      append_occurrences(input.directory, bank, schema.row_size(), block) / schema.row_size();
  block.columns.assign(entry.columns, ByteSpan{});
  for (std::size_t c = 0; c < entry.columns; ++c) {
    const Column& column = schema.columns()[c];
    with_context([&] { return ErrorContext{.column = column.name}; },
                 [&] {
                   const StreamInfo& stream = input.directory.streams[entry.first_stream + c];
                   if (stream.raw_bytes != rows * column.width()) {
                     throw Error(ErrorCode::corrupt,
                                 "directory: a stream of " + std::to_string(stream.raw_bytes) +
                                     " bytes for " + std::to_string(rows) + " rows");
                   }
                   if (!input.projection.wants(entry.key, c)) {
                     return;
                   }
                   const MutableByteSpan place = arena.take(stream.raw_bytes);
                   inflate_stream(input, stream, place, record);
                   block.columns[c] = place;
                 });
  }
}

std::uint64_t wanted_bytes(const DecodeInput& input) {
  std::uint64_t bytes = 0;
  for (const DirectoryBank& bank : input.directory.banks) {
    const auto streams = input.directory.streams_of(bank);
    for (std::size_t c = 0; c < streams.size(); ++c) {
      const bool wanted = bank.columns == 0 ? input.projection.wants(bank.key)
                                            : input.projection.wants(bank.key, c);
      bytes += wanted ? streams[c].raw_bytes : 0;
    }
  }
  return bytes;
}

// ---- writing

// The bank's schema if all its occurrences are whole rows, else null.
const Schema* columnar_schema(const EncodeInput& input, const BankSource& bank) {
  const Schema* schema = input.dictionary.find(bank.key);
  if (schema == nullptr || schema->row_size() == 0 || bank.format_length != 0) {
    return nullptr;
  }
  for (const BankPiece& piece : bank.pieces) {
    for (const BankOccurrence& occurrence : piece.occurrences) {
      if (occurrence.size % schema->row_size() != 0) {
        return nullptr;
      }
    }
  }
  return schema;
}

// Where the bank already lies by column, in one run, its columns need no copy.
bool lies_by_column(const BankSource& bank, const Schema& schema) {
  return bank.pieces.size() == 1 && bank.pieces[0].block->arrangement == Arrangement::by_column &&
         *bank.pieces[0].block->schema == schema;
}

// Columns of all events, one after the other, each with room behind it for copy_run().
class ColumnGatherer {
 public:
  ColumnGatherer(const Schema& schema, std::uint64_t total_rows, Buffer& scratch)
      : schema_(schema) {
    const std::size_t columns = schema.columns().size();
    scratch.resize_discard(total_rows * schema.row_size() + columns * kCopySlack);
    std::byte* to = scratch.data();
    for (const Column& column : schema.columns()) {
      gathered_.push_back({to, total_rows * column.width()});
      ends_.push_back(to);
      to += total_rows * column.width() + kCopySlack;
    }
  }

  void add(const BankPiece& piece) {
    const std::vector<ColumnCells> cells = cells_of(*piece.block, schema_);
    std::span<const BankOccurrence> left = piece.occurrences;
    while (!left.empty()) {
      const auto together = left.first(std::min(left.size(), kTablesTogether));
      left = left.subspan(together.size());
      add(cells, together);
      for (const BankOccurrence& later : left.first(std::min(left.size(), kTablesTogether))) {
        prefetch(*piece.block, later);
      }
    }
  }
  [[nodiscard]] std::vector<ByteSpan> finish() { return std::move(gathered_); }

 private:
  void add(std::span<const ColumnCells> cells, std::span<const BankOccurrence> tables) {
    const RowCounts rows = rows_of(tables, schema_.row_size());
    for (std::size_t c = 0; c < cells.size(); ++c) {
      ends_[c] = gather_cells(cells[c], tables, rows, ends_[c]);
    }
  }

  const Schema& schema_;
  std::vector<ByteSpan> gathered_;
  std::vector<std::byte*> ends_;
};

// Brings a bank into column order in `scratch`, unless it lies so already. One span a column.
std::vector<ByteSpan> gather_columns(const BankSource& bank, const Schema& schema,
                                     Buffer& scratch) {
  const std::uint64_t total_rows = bank.total_bytes / schema.row_size();
  if (lies_by_column(bank, schema)) {
    std::vector<ByteSpan> columns;
    const BankPiece& piece = bank.pieces[0];
    const std::uint64_t first_row = piece.occurrences.front().position;
    for (std::size_t c = 0; c < schema.columns().size(); ++c) {
      const std::uint64_t width = schema.columns()[c].width();
      columns.push_back(piece.block->columns[c].subspan(first_row * width, total_rows * width));
    }
    return columns;
  }
  ColumnGatherer gatherer(schema, total_rows, scratch);
  for (const BankPiece& piece : bank.pieces) {
    gatherer.add(piece);
  }
  return gatherer.finish();
}

// Where the tables of a directory lie, for a given number of banks, events and streams.
struct Tables {
  Tables(std::size_t banks, std::size_t events, std::size_t streams, bool encoded)
      : common{.descriptors = 0,
               .tags = 6 * banks,
               .presence = 6 * banks + 4 * events,
               .sizes = 6 * banks + 4 * events + (banks + 7) / 8 * events},
        streams_at(common.sizes + 4 * banks * events),
        formats_at(streams_at + 8 * streams),
        encodings_at(formats_at + banks),
        checksums_at(encodings_at + streams),
        bytes(encoded ? checksums_at + 4 * streams : encodings_at) {}

  DirectoryTables common;
  std::size_t streams_at;
  std::size_t formats_at;
  std::size_t encodings_at;
  std::size_t checksums_at;
  std::size_t bytes;
};

// Stores banks one after the other and fills the stream tables of the directory.
class BankStore {
 public:
  BankStore(const EncodeInput& input, const Tables& tables, SectionWriter& writer)
      : input_(input), tables_(tables), writer_(writer) {}

  void store_bank(const BankSource& bank, const Schema* schema) {
    Buffer& gathered = input_.context.gathered;
    if (schema == nullptr) {
      store({.key = bank.key, .bytes = concatenated(bank, gathered)});
      return;
    }
    const std::vector<ByteSpan> columns = gather_columns(bank, *schema, gathered);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const Column& column = schema->columns()[c];
      const std::uint32_t width = column.length == 1 ? size_of(column.type) : 1;
      store({bank.key, c, width, columns[c]});
    }
  }

 private:
  void store(const RawStream& raw) {
    const StoredStream stored = writer_.store(raw);
    std::byte* directory = input_.context.directory.data();
    store_le(directory + tables_.streams_at + 8 * stream_,
             static_cast<std::uint32_t>(stored.bytes.size()));
    store_le(directory + tables_.streams_at + 8 * stream_ + 4,
             static_cast<std::uint32_t>(raw.bytes.size()));
    if (input_.compression.encodings != Encodings::none && !raw.bytes.empty()) {
      store_le(directory + tables_.encodings_at + stream_,
               static_cast<std::uint8_t>(raw.width << 4U | (stored.split ? 1U : 0U)));
      store_le(directory + tables_.checksums_at + 4 * stream_, checksum_of(stored.bytes));
    }
    ++stream_;
  }

  const EncodeInput& input_;
  const Tables& tables_;
  SectionWriter& writer_;
  std::size_t stream_ = 0;
};

class PerColumn final : public RecordLayout {
 public:
  void read_directory(const StoredRecord& stored, CodecContext::State& context,
                      RecordDirectory& directory) const override {
    const SectionHeader section = parse_section_header(stored);
    if (section.version < kPlainVersion || section.version > kEncodedVersion) {
      throw Error(ErrorCode::unsupported, "per-column format version " +
                                              std::to_string(section.version) +
                                              "; only 1, 2 and 3 are known");
    }
    const std::uint64_t fixed = section.common_tables_bytes() + 2 * section.banks;
    if (section.directory_raw_bytes < fixed) {
      throw Error(ErrorCode::corrupt, "a per-column directory of " +
                                          std::to_string(section.directory_raw_bytes) +
                                          " bytes where its tables take " + std::to_string(fixed));
    }
    inflate_directory(stored, section, context, directory);
    parse_descriptors(section, directory);
    const std::size_t tables_at = place_event_tables(section, 6 * section.banks, directory);
    parse_column_counts(tables_at, directory);
    parse_stream_tables(tables_at, directory);
    require_known_encodings(directory);
    place_streams(stored, directory);
  }

  void decode(const DecodeInput& input, Record& record) const override {
    const RecordDirectory& directory = input.directory;
    begin_events(input, record);
    StreamArena arena(wanted_bytes(input), record);
    for (std::size_t b = 0; b < directory.banks.size(); ++b) {
      const DirectoryBank& entry = directory.banks[b];
      if (!input.projection.wants(entry.key)) {
        continue;
      }
      with_context([&] { return ErrorContext{.bank = input.dictionary.bank_name(entry.key)}; },
                   [&] {
                     BankBlock& block =
                         record.add_block(entry.key, input.dictionary.find(entry.key));
                     if (entry.columns == 0) {
                       decode_opaque(input, b, arena, block, record);
                     } else {
                       decode_columns(input, b, arena, block, record);
                     }
                     if (input.projection.is_everything()) {
                       add_event_sizes(block, record);
                     }
                   });
    }
  }

  void encode(const EncodeInput& input, EncodedRecord& encoded) const override {
    const EventBatch& batch = input.batch;
    const std::vector<BankSource> banks = collect_banks(batch);
    std::vector<const Schema*> schemas;
    std::size_t streams = 0;
    std::uint64_t raw_bytes = 0;
    for (const BankSource& bank : banks) {
      schemas.push_back(columnar_schema(input, bank));
      streams += schemas.back() == nullptr ? 1 : schemas.back()->columns().size();
      raw_bytes += bank.total_bytes;
    }
    const bool encoded_version = input.compression.encodings != Encodings::none;
    const Tables tables(banks.size(), batch.event_count(), streams, encoded_version);
    require_allowed(2 * tables.bytes, input.context);
    Buffer& directory = input.context.directory;
    fill_common_tables(batch, banks, tables.common, tables.bytes, directory);
    SectionWriter writer(input, directory.size(), raw_bytes, streams, encoded);
    BankStore store(input, tables, writer);
    for (std::size_t b = 0; b < banks.size(); ++b) {
      const std::size_t columns = schemas[b] == nullptr ? 0 : schemas[b]->columns().size();
      store_le(directory.data() + 4 * banks.size() + 2 * b, static_cast<std::uint16_t>(columns));
      store_le(directory.data() + tables.formats_at + b, banks[b].format_length);
      store.store_bank(banks[b], schemas[b]);
    }
    writer.finish(encoded_version ? kEncodedVersion : kPlainVersion, banks.size(), raw_bytes);
  }
};

}  // namespace

const RecordLayout& per_column() noexcept {
  static const PerColumn layout;
  return layout;
}

}  // namespace hipotool::inline v0::layout
