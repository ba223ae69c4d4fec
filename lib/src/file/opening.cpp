#include "file/opening.hpp"

#include "hipotool/error.hpp"

#include "format/constants.hpp"
#include "layout/layout.hpp"

#include <utility>

namespace hipotool::inline v0::file {
namespace {

// Records up to this size are worth joining, up to that size together.
constexpr std::uint64_t kSmallRecordBytes = std::uint64_t{64} << 10;
constexpr std::uint64_t kJoinedBytes = std::uint64_t{1} << 20;

bool is_damage(ErrorCode code) {
  return code == ErrorCode::corrupt || code == ErrorCode::checksum ||
         code == ErrorCode::unsupported || code == ErrorCode::truncated;
}

OpenedRecord drop(const FileReader& input, std::size_t index, const Error& error) {
  const RecordEntry& entry = input.records()[index];
  OpenedRecord opened;
  opened.stored_bytes = entry.header.record_bytes();
  opened.dropped = DroppedRecord{
      input.name(),
      entry.number,
      {entry.offset, entry.header.record_bytes(), 1, entry.header.event_count, error.message()}};
  return opened;
}

void describe_unopened(const StoredRecord& stored, const RecordDirectory& directory,
                       OpenedRecord& opened) {
  if (directory.layout == LayoutId::per_chunk) {
    opened.raw_bytes = stored.header.declared_raw_bytes();
    return;
  }
  opened.raw_bytes = directory.raw_bytes();
  opened.events_by_tag.emplace();
  for (std::uint32_t event = 0; event < directory.event_count; ++event) {
    ++(*opened.events_by_tag)[directory.tag(event)];
  }
}

// From here on the output's dictionary says what the banks are: a merge may give a name and columns
// to one that its input's dictionary does not know.
void adopt_schemas(const Dictionary& dictionary, Record& record) {
  for (BankBlock& block : record.blocks()) {
    const Schema* schema = dictionary.find(block.key);
    if (schema != nullptr && schema->row_size() == 0) {
      schema = nullptr;
    }
    if (block.arrangement == Arrangement::by_column &&
        (schema == nullptr || schema->columns() != block.schema->columns())) {
      throw Error(ErrorCode::invalid_argument,
                  "the output's dictionary has other columns for this bank than its input's",
                  {.bank = block.schema->name()});
    }
    block.schema = schema;
  }
}

}  // namespace

bool is_bad_record(const RecordHeader& header, const Error& error) {
  return is_damage(error.code()) && codec_info(header.codec).available;
}

std::optional<InputRecords> InputSequence::next() {
  while (at_input_ < inputs_.size() && at_record_ >= inputs_[at_input_]->records().size()) {
    ++at_input_;
    at_record_ = 0;
  }
  if (at_input_ == inputs_.size()) {
    return std::nullopt;
  }
  InputRecords item{inputs_[at_input_], at_record_, 0};
  const auto records = item.input->records();
  std::uint64_t bytes = 0;
  do {
    bytes += records[at_record_].header.declared_raw_bytes();
    ++item.count;
    ++at_record_;
  } while (at_record_ < records.size() && bytes < kJoinedBytes &&
           is_joinable(records[at_record_ - 1], records[item.first]) &&
           is_joinable(records[at_record_], records[item.first]));
  return item;
}

// Small enough to be packed, too small to be copied, and of the same group as `other`.
bool InputSequence::is_joinable(const RecordEntry& entry, const RecordEntry& other) const {
  const RecordHeader& header = entry.header;
  const std::uint64_t bytes = header.declared_raw_bytes();
  return header.layout == LayoutId::per_chunk && header.user_header_bytes == 0 &&
         bytes <= kSmallRecordBytes && 2 * bytes < target_record_bytes_ &&
         header.user_words == other.header.user_words;
}

std::vector<OpenedRecord> RecordOpener::open(const InputRecords& item,
                                             const pipeline::Ticket& ticket,
                                             OpenerScratch& scratch) {
  std::vector<OpenedRecord> opened;
  if (item.count > 1) {
    try {
      opened.push_back(open_joined(item, ticket, scratch));
      return opened;
    } catch (const Error& error) {
      if (!is_damage(error.code())) {
        throw;
      }
      // One by one it will show which record is meant.
    }
  }
  for (std::size_t index = item.first; index < item.first + item.count; ++index) {
    opened.push_back(open_one(*item.input, index, ticket, scratch));
  }
  return opened;
}

OpenedRecord RecordOpener::open_joined(const InputRecords& item, const pipeline::Ticket& ticket,
                                       OpenerScratch& scratch) {
  OpenedRecord opened;
  opened.records = item.count;
  scratch.joined.resize(item.count);
  for (std::size_t i = 0; i < item.count; ++i) {
    item.input->read(item.first + i, scratch.joined[i]);
    opened.events += scratch.joined[i].header.event_count;
    opened.stored_bytes += scratch.joined[i].header.record_bytes();
  }
  const std::shared_ptr<Record> record = records_.take(ticket);
  layout::decode_joined(scratch.joined, item.input->dictionary(), scratch.context, *record);
  adopt_schemas(policy_.output_dictionary(), *record);
  describe(*record, scratch, opened);
  opened.record = record;
  return opened;
}

OpenedRecord RecordOpener::open_one(const FileReader& input, std::size_t index,
                                    const pipeline::Ticket& ticket, OpenerScratch& scratch) {
  try {
    input.read(index, scratch.stored);
    return with_context([&] { return input.context_of(index); },
                        [&] { return open_stored(input, ticket, scratch); });
  } catch (const Error& error) {
    if (!options_.skip_bad || !is_bad_record(input.records()[index].header, error)) {
      throw;
    }
    return drop(input, index, error);
  }
}

OpenedRecord RecordOpener::open_stored(const FileReader& input, const pipeline::Ticket& ticket,
                                       OpenerScratch& scratch) {
  StoredRecord& stored = scratch.stored;
  read_directory(stored, scratch.context, scratch.directory);
  OpenedRecord opened;
  opened.events = stored.header.event_count;
  opened.stored_bytes = stored.header.record_bytes();
  bool copy = policy_.may_copy(input, stored, scratch.directory);
  // What is dropped where it does not decode must be decoded.
  const bool must_open = options_.discard != 0 || options_.table_types || options_.skip_bad;
  if (copy && options_.verify == Verify::none && !must_open) {
    describe_unopened(stored, scratch.directory, opened);
  } else {
    const std::shared_ptr<Record> record = records_.take(ticket);
    decode(stored, scratch.directory, input.dictionary(), Projection::everything(), scratch.context,
           *record);
    adopt_schemas(policy_.output_dictionary(), *record);
    describe(*record, scratch, opened);
    copy = copy && !opened.altered && record->payload_surplus == 0;
    if (!copy) {
      opened.record = record;
    }
  }
  if (copy) {
    opened.copied = take_over(stored);
    opened.ticket = ticket;
  }
  return opened;
}

void RecordOpener::describe(Record& record, OpenerScratch& scratch, OpenedRecord& opened) const {
  if (options_.discard != 0) {
    discard_oddities(record, opened);
    opened.altered = !opened.discarded.empty();
  }
  if (options_.table_types) {
    opened.altered = record.set_table_types() != 0 || opened.altered;
  }
  opened.events_by_tag.emplace();
  for (const std::uint32_t tag : record.tags) {
    ++(*opened.events_by_tag)[tag];
  }
  for (const std::uint32_t size : record.event_sizes) {
    opened.raw_bytes += std::uint64_t{4} + size;
  }
  if (options_.verify != Verify::none) {
    hash_events(record, opened.hashes, scratch.canonical);
  }
}

void RecordOpener::discard_oddities(Record& record, OpenedRecord& opened) const {
  for (const EventOddity& oddity : record.oddities) {
    for (const Oddity kind : kOddities) {
      if (oddity.has(kind) && (options_.discard & static_cast<std::uint8_t>(kind)) != 0) {
        ++opened.discarded[kind];
      }
    }
  }
  if (!record.user_header.empty() &&
      (options_.discard & static_cast<std::uint8_t>(Oddity::record_user_header)) != 0) {
    opened.discarded[Oddity::record_user_header] += record.event_count();
  }
  record.discard(options_.discard);
}

// The stored bytes under a header of ours: type, flags and payload length as this library writes
// them. The number follows when the record is appended.
std::shared_ptr<EncodedRecord> RecordOpener::take_over(StoredRecord& stored) {
  std::shared_ptr<EncodedRecord> copied = encoded_.take();
  std::swap(copied->storage, stored.storage);
  copied->begin = 0;
  copied->header = stored.header;
  RecordHeader& header = copied->header;
  constexpr std::uint32_t kPads = (3U << 20) | (3U << 24);
  header.bit_info = format::kVersion | (header.bit_info & kPads) | (4U << 28);
  header.compression_word =
      (header.compression_tag() << 28) | (header.length_words - header.header_words);
  return copied;
}

}  // namespace hipotool::inline v0::file
