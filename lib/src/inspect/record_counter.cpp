#include "inspect/record_counter.hpp"

#include "hipotool/counted.hpp"
#include "hipotool/error.hpp"

#include "base/small_copy.hpp"
#include "format/constants.hpp"
#include "layout/split_section.hpp"

#include <algorithm>
#include <string>
#include <tuple>

namespace hipotool::inline v0::inspect {
namespace {

constexpr std::uint64_t kEventOverhead = format::kEventHeaderBytes + 4;  // its index entry, too

std::int64_t load_integer(ColumnType type, const std::byte* from) {
  switch (type) {
    case ColumnType::i8:
      return load_le<std::int8_t>(from);
    case ColumnType::i16:
      return load_le<std::int16_t>(from);
    case ColumnType::i32:
      return load_le<std::int32_t>(from);
    default:
      return load_le<std::int64_t>(from);
  }
}

// Null where the bank has no rows that a schema describes.
const Schema* table_schema(const Dictionary& dictionary, BankKey key) {
  const Schema* schema = dictionary.find(key);
  return schema != nullptr && schema->row_size() != 0 ? schema : nullptr;
}

// What a part of a stream takes in it: nothing, all, or something that cannot be told.
StoredCount share_of(std::uint64_t part, std::uint64_t whole,
                     std::optional<std::uint64_t> stored_bytes) {
  if (part == whole && stored_bytes) {
    return {.bytes = *stored_bytes};
  }
  return {.is_known = part == 0};
}

}  // namespace

void RecordCounter::begin_with(std::uint64_t most_bytes) {
  context_ = CodecContext(most_bytes);
  stored_ = {};
  directory_ = {};
  record_ = {};
  gathered_ = {};
  trial_ = {};
}

void RecordCounter::add(std::size_t index) {
  load(index);
  with_context([&] { return plan_->reader.context_of(index); },
               [&] {
                 select_events();
                 raw_bytes_ = kEventOverhead * event_count();
                 if (is_split_) {
                   count_split_banks();
                 } else {
                   count_whole_banks();
                 }
                 count_tags();
                 count_record(index);
                 if (plan_->run_bank.schema != nullptr) {
                   count_runs();
                 }
                 if (plan_->options.duplicates) {
                   hash_selected(index);
                 }
               });
}

void RecordCounter::load(std::size_t index) {
  const FileReader& reader = plan_->reader;
  const LayoutId layout = reader.records()[index].header.layout;
  const Projection& projection = plan_->projection(layout);
  is_split_ = layout != LayoutId::per_chunk;
  record_.clear();
  if (is_split_) {
    reader.read_directory(index, context_, stored_, directory_);
  } else {
    reader.read(index, stored_);
  }
  with_context([&] { return reader.context_of(index); },
               [&] {
                 if (!is_split_) {
                   read_directory(stored_, context_, directory_);
                 } else if (plan_->inflates(layout)) {
                   reader.read_streams(stored_, directory_, projection);
                 }
                 if (plan_->inflates(layout)) {
                   decode(stored_, directory_, reader.dictionary(), projection, context_, record_);
                 }
               });
  counts.directory_bytes += directory_.directory_bytes;
  counts.streams_inflated += record_.streams_inflated;
  counts.bytes_read += stored_.bytes_read;
}

void RecordCounter::select_events() {
  const bool apart = plan_->options.per_tag;
  groups_.clear();
  group_tags_.clear();
  if (plan_->takes_all_events() && !apart) {
    group_tags_.push_back(0);
  } else {
    groups_.reserve(event_count());
    for (std::uint32_t event = 0; event < event_count(); ++event) {
      const std::uint32_t tag = tag_of(event);
      if (!is_selected(event, tag)) {
        groups_.push_back(kLeftOut);
        continue;
      }
      const bool unasked = plan_->options.where != nullptr && contains(plan_->options.exempt, tag);
      counts.exempt_events += unasked ? 1U : 0U;
      const std::uint32_t group_tag = apart ? tag : 0;
      const auto known = std::find(group_tags_.begin(), group_tags_.end(), group_tag);
      groups_.push_back(static_cast<std::uint32_t>(known - group_tags_.begin()));
      if (known == group_tags_.end()) {
        group_tags_.push_back(group_tag);
        require_few_groups(group_tags_.size());
      }
    }
  }
  group_banks_.clear();
  for (const std::uint32_t tag : group_tags_) {
    group_banks_.push_back(&counts.banks[tag]);
  }
  require_few_groups(counts.banks.size());
}

bool RecordCounter::is_selected(std::uint32_t event, std::uint32_t tag) const {
  const StatisticsOptions& options = plan_->options;
  if (!options.tags.empty() && !contains(options.tags, tag)) {
    return false;
  }
  return options.where == nullptr || contains(options.exempt, tag) ||
         options.where->holds(record_, event);
}

void RecordCounter::count_tags() {
  std::uint32_t run_tag = 0;
  std::uint64_t run_length = 0;
  const auto close = [&] {
    if (run_length != 0) {
      counts.events += run_length;
      if (std::uint64_t* count = value_of(counts.events_by_tag, run_tag)) {
        *count += run_length;
      }
    }
  };
  for (std::uint32_t event = 0; event < event_count(); ++event) {
    if (group_of(event) == kLeftOut) {
      continue;
    }
    const std::uint32_t tag = tag_of(event);
    if (run_length == 0 || tag != run_tag) {
      close();
      run_tag = tag;
      run_length = 0;
    }
    ++run_length;
  }
  close();
}

void RecordCounter::count_runs() {
  const CountingPlan::RunBank& bank = plan_->run_bank;
  const BankBlock* block = record_.find(bank.schema->key());
  if (block == nullptr) {
    return;
  }
  const std::vector<Column>& columns = bank.schema->columns();
  std::uint64_t done = UINT64_MAX;
  for (const BankOccurrence& occurrence : block->occurrences) {
    if (occurrence.event == done || group_of(occurrence.event) == kLeftOut ||
        !block->is_table(occurrence) || occurrence.size == 0) {
      continue;
    }
    done = occurrence.event;
    ++counts.events_with_run;
    const std::uint32_t rows = block->rows(occurrence);
    const std::int64_t run =
        load_integer(columns[bank.run].type, block->cells(occurrence, rows, bank.run));
    RunCount* count = value_of(counts.runs, run);
    if (count == nullptr) {
      continue;
    }
    RunCount one{.events = 1};
    if (bank.event) {
      one.lowest_event =
          load_integer(columns[*bank.event].type, block->cells(occurrence, rows, *bank.event));
      one.highest_event = one.lowest_event;
    }
    count->add(one);
  }
}

void RecordCounter::count_whole_banks() {
  for (std::uint32_t event = 0; event < event_count(); ++event) {
    const std::uint64_t size = record_.event_bytes(event);
    raw_bytes_ += size;
    if (group_of(event) == kLeftOut) {
      continue;
    }
    selected_raw_bytes_ += size + 4;
    const bool has_structure = size >= format::kEventHeaderBytes + format::kStructureHeaderBytes;
    counts.empty_events += has_structure ? 0U : 1U;
  }
  raw_bytes_ -= std::uint64_t{format::kEventHeaderBytes} * event_count();
  if (!plan_->options.banks) {
    return;
  }
  for (const BankBlock& block : record_.blocks()) {
    count_bank(block.key, block.schema, block.occurrences, {});
  }
}

void RecordCounter::count_split_banks() {
  const Dictionary& dictionary = plan_->reader.dictionary();
  std::vector<bool> has_bank(event_count());
  for (std::size_t b = 0; b < directory_.banks.size(); ++b) {
    const BankKey key = directory_.banks[b].key;
    const Schema* schema = table_schema(dictionary, key);
    const BankStorage storage =
        with_context([&] { return ErrorContext{.bank = dictionary.bank_name(key)}; },
                     [&] { return read_bank(b, schema); });
    const std::vector<BankOccurrence>& occurrences = scratch_block_.occurrences;
    for (const BankOccurrence& occurrence : occurrences) {
      const std::uint64_t size = occurrence.size + format::kStructureHeaderBytes;
      raw_bytes_ += size;
      has_bank[occurrence.event] = true;
      selected_raw_bytes_ += group_of(occurrence.event) == kLeftOut ? std::uint64_t{0} : size;
    }
    if (plan_->options.banks) {
      count_bank(key, schema, occurrences, storage);
    }
  }
  for (std::uint32_t event = 0; event < event_count(); ++event) {
    if (group_of(event) != kLeftOut) {
      selected_raw_bytes_ += kEventOverhead;
      counts.empty_events += has_bank[event] ? 0U : 1U;
    }
  }
}

// Puts the occurrences of a bank of the directory into `scratch_block_`. Insists on what decoding
// would insist on.
RecordCounter::BankStorage RecordCounter::read_bank(std::size_t bank, const Schema* schema) {
  const DirectoryBank& entry = directory_.banks[bank];
  const auto streams = directory_.streams_of(entry);
  const bool by_column = entry.columns != 0;
  if (by_column && (schema == nullptr || schema->columns().size() != entry.columns)) {
    throw Error(ErrorCode::corrupt, "stored in " + counted(entry.columns, "column") +
                                        ", which its schema does not have");
  }
  if (by_column && entry.format_length != 0) {
    throw Error(ErrorCode::corrupt, "stored by column, but with a format string");
  }
  scratch_block_.occurrences.clear();
  BankStorage storage{.stored_bytes = 0};
  storage.raw_bytes = layout::append_occurrences(
      directory_, bank, by_column ? std::optional(schema->row_size()) : std::nullopt,
      scratch_block_);
  if (by_column) {
    storage.rows = storage.raw_bytes / schema->row_size();
    storage.columns = streams;
    require_rows(*schema, storage);
  } else if (streams.front().raw_bytes != storage.raw_bytes) {
    throw Error(ErrorCode::corrupt, "directory: sizes sum to " + std::to_string(storage.raw_bytes) +
                                        ", the stream has " +
                                        std::to_string(streams.front().raw_bytes));
  }
  for (const StreamInfo& stream : streams) {
    *storage.stored_bytes += stream.stored_bytes;
  }
  return storage;
}

void RecordCounter::require_rows(const Schema& schema, const BankStorage& storage) {
  for (std::size_t c = 0; c < storage.columns.size(); ++c) {
    const Column& column = schema.columns()[c];
    const std::uint64_t raw_bytes = storage.columns[c].raw_bytes;
    if (raw_bytes != storage.rows * column.width()) {
      throw Error(ErrorCode::corrupt,
                  "directory: a stream of " + counted(raw_bytes, "byte") + " for " +
                      counted(storage.rows, "row"),
                  {.column = column.name});
    }
  }
}

void RecordCounter::count_bank(BankKey key, const Schema* schema,
                               std::span<const BankOccurrence> occurrences,
                               const BankStorage& storage) {
  const StatisticsOptions& options = plan_->options;
  const std::uint64_t all_bytes = count_occurrences(schema, occurrences);
  const bool wanted = plan_->wants(key);
  const BankBlock* block =
      wanted && (options.values || options.estimate) ? record_.find(key) : nullptr;
  for (std::uint32_t group = 0; group < portions_.size(); ++group) {
    const Portion& portion = portions_[group];
    if (portion.events == 0) {
      continue;
    }
    BankCount& count = (*group_banks_[group])[key];
    count.events += portion.events;
    count.events_without_rows += portion.events_without_rows;
    count.rows += portion.rows;
    count.ragged += portion.ragged;
    count.raw_bytes += portion.bytes;
    StoredCount stored = share_of(portion.bytes, all_bytes, storage.stored_bytes);
    if (!stored.is_known && options.estimate && block != nullptr) {
      estimate_bank(*block, group, stored);
    }
    count.stored.add(stored);
    if (options.columns && wanted && schema != nullptr) {
      count_columns(block, group, *schema, storage, count);
    }
  }
}

// Fills `portions_`, one for each group; returns the bytes of all events, counted or not.
std::uint64_t RecordCounter::count_occurrences(const Schema* schema,
                                               std::span<const BankOccurrence> occurrences) {
  std::uint64_t all_bytes = 0;
  portions_.assign(group_tags_.size(), {});
  const std::uint64_t row_size = schema == nullptr ? 0 : schema->row_size();
  std::uint64_t previous = UINT64_MAX;
  bool is_empty = false;  // the bank in that event, so far
  for (const BankOccurrence& occurrence : occurrences) {
    const std::uint32_t group = group_of(occurrence.event);
    all_bytes += occurrence.size;
    if (group == kLeftOut) {
      continue;
    }
    Portion& portion = portions_[group];
    if (occurrence.event != previous) {
      previous = occurrence.event;
      is_empty = true;
      ++portion.events;
      ++portion.events_without_rows;
    }
    if (is_empty && occurrence.size != 0) {
      is_empty = false;
      --portion.events_without_rows;
    }
    portion.bytes += occurrence.size;
    if (row_size == 0) {
      continue;
    }
    if (occurrence.format_length != 0) {
      continue;  // a composite says itself what it is
    }
    if (occurrence.size % row_size == 0) {
      portion.rows += occurrence.size / row_size;
    } else {
      ++portion.ragged;
    }
  }
  return all_bytes;
}

void RecordCounter::count_columns(const BankBlock* block, std::uint32_t group, const Schema& schema,
                                  const BankStorage& storage, BankCount& count) {
  const StatisticsOptions& options = plan_->options;
  const std::uint64_t rows = portions_[group].rows;
  count.columns.resize(schema.columns().size());
  if (options.values) {
    count.values.resize(schema.columns().size());
  }
  for (std::size_t c = 0; c < schema.columns().size(); ++c) {
    StoredCount stored = share_of(
        rows, storage.rows,
        storage.columns.empty() ? std::nullopt
                                : std::optional<std::uint64_t>(storage.columns[c].stored_bytes));
    const bool estimates = !stored.is_known && options.estimate;
    if (block != nullptr && rows != 0 && (options.values || estimates)) {
      const ByteSpan cells = cells_of(*block, c, group, rows);
      if (options.values) {
        count.values[c].add(schema.columns()[c].type, cells, value_scratch_);
      }
      if (estimates) {
        stored = compressed(cells);
      }
    }
    count.columns[c].add(stored);
  }
}

void RecordCounter::estimate_bank(const BankBlock& block, std::uint32_t group,
                                  StoredCount& stored) {
  gathered_.resize_discard(portions_[group].bytes);
  std::byte* to = gathered_.data();
  for (const BankOccurrence& occurrence : block.occurrences) {
    if (group_of(occurrence.event) == group) {
      BankView(block, occurrence).copy_bytes(to);
      to += occurrence.size;
    }
  }
  stored = compressed(gathered_.span());
}

// The cells of one column in the events of a group, which have `rows` rows.
ByteSpan RecordCounter::cells_of(const BankBlock& block, std::size_t column, std::uint32_t group,
                                 std::uint64_t rows) {
  const std::uint64_t width = block.schema->columns()[column].width();
  if (block.arrangement == Arrangement::by_column && block.columns[column].size() == rows * width) {
    return block.columns[column];
  }
  gathered_.resize_discard(rows * width);
  std::byte* to = gathered_.data();
  for (const BankOccurrence& occurrence : block.occurrences) {
    if (group_of(occurrence.event) == group && block.is_table(occurrence)) {
      const std::uint32_t here = block.rows(occurrence);
      copy_small(to, block.cells(occurrence, here, column), here * width);
      to += here * width;
    }
  }
  return gathered_.span();
}

StoredCount RecordCounter::compressed(ByteSpan raw) {
  const CodecId codec = stored_.header.codec;
  StoredCount stored{.is_estimate = true};
  if (raw.empty()) {
    return stored;
  }
  try {
    trial_.resize_discard(codec::require_codec(codec).bound(raw.size()));
    stored.bytes = context_.state()
                       .compressor({codec, codec_info(codec).default_level})
                       .compress(raw, trial_.span());
  } catch (const Error& error) {
    if (error.code() != ErrorCode::not_representable) {
      throw;
    }
    stored.is_known = false;  // too large for one block of this codec
  }
  return stored;
}

void RecordCounter::count_record(std::size_t index) {
  const RecordHeader& header = plan_->reader.records()[index].header;
  const bool encoded = header.layout == LayoutId::per_column && directory_.version == 3;
  const Encodings encodings = encoded ? Encodings::best : Encodings::none;
  StorageStatistics& storage = counts.storage[std::tuple(header.codec, header.layout, encodings)];
  storage.compression = {.codec = header.codec, .layout = header.layout, .encodings = encodings};
  ++storage.records;
  storage.events += event_count();
  storage.stored_bytes += header.record_bytes();
  storage.raw_bytes += raw_bytes_;
  counts.records.push_back({header.record_bytes(), raw_bytes_, event_count()});
  counts.events_in_file += event_count();
  counts.raw_bytes += selected_raw_bytes_;
  selected_raw_bytes_ = 0;
}

void RecordCounter::hash_selected(std::size_t index) {
  hashes_.clear();
  hash_events(record_, hashes_, canonical_);
  for (std::uint32_t event = 0; event < event_count(); ++event) {
    if (group_of(event) != kLeftOut) {
      counts.hashes.push_back({hashes_[event], plan_->first_event(index) + event});
    }
  }
}

}  // namespace hipotool::inline v0::inspect
