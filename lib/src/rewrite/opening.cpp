#include "rewrite/opening.hpp"

#include "hipotool/error.hpp"

#include "format/constants.hpp"
#include "layout/layout.hpp"
#include "rewrite/bad_record.hpp"
#include "rewrite/lanes.hpp"
#include "rewrite/plan.hpp"

#include <algorithm>
#include <utility>

namespace hipotool::inline v0::rewriting {
namespace {

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

// Events whose tag, where it is known without inflating, is not the record word.
void count_mismatches(const StoredRecord& stored, const RecordDirectory& directory,
                      OpenedRecord& opened) {
  for (std::uint32_t event = 0;
       directory.layout != LayoutId::per_chunk && event < directory.event_count; ++event) {
    opened.tag_mismatches += directory.tag(event) != stored.header.user_words.first ? 1U : 0U;
  }
}

bool is_all(const std::optional<std::vector<bool>>& chosen) {
  return !chosen || std::find(chosen->begin(), chosen->end(), false) == chosen->end();
}

void describe_unopened(const StoredRecord& stored, const RecordDirectory& directory,
                       OpenedRecord& opened) {
  count_mismatches(stored, directory, opened);
  if (directory.layout == LayoutId::per_chunk) {
    opened.raw_bytes = stored.header.declared_raw_bytes();
    return;
  }
  opened.raw_bytes = directory.raw_bytes();
  opened.events_by_tag.emplace();
  for (std::uint32_t event = 0; event < directory.event_count; ++event) {
    opened.events_by_tag->add(directory.tag(event), 1);
  }
}

// What is known of a split record's events before more than its directory is inflated.
std::vector<Outlook> outlooks_of(const RewriteOptions& options, const RecordHeader& header,
                                 const RecordDirectory& directory, std::uint64_t position) {
  std::vector<Outlook> outlooks(directory.event_count, Outlook::open);
  for (std::uint32_t event = 0; event < directory.event_count; ++event) {
    const std::optional<std::uint32_t> tag = options.tagger != nullptr
                                                 ? options.tagger->known_tag(directory.tag(event))
                                                 : directory.tag(event);
    if (tag) {
      outlooks[event] = options.selector->outlook(*tag, header.user_words.first, position + event);
    }
  }
  return outlooks;
}

// What must be decoded to settle which events are wanted.
Projection deciding_projection(const RewriteOptions& options, const FileReader& input) {
  Projection projection = options.selector->projection(input);
  if (options.tagger != nullptr) {
    projection.add(options.tagger->projection(input));
  }
  return projection;
}

bool has(const std::vector<Outlook>& outlooks, Outlook wanted) {
  return std::find(outlooks.begin(), outlooks.end(), wanted) != outlooks.end();
}

// Whether all events of a record have one tag, which is its word where words are to be tags.
bool has_one_tag(const Record& record, const RewriteOptions& options) {
  const std::uint32_t tag = record.tag(0);
  return std::all_of(record.tags.begin(), record.tags.end(),
                     [&](std::uint32_t other) { return other == tag; }) &&
         (!options.record_words_from_tags || record.user_words.first == tag);
}

// Whether the headers alone say that no event of these records is wanted.
bool excludes(const EventSelector& selector, const InputRecords& item) {
  std::uint64_t position = item.position;
  for (const auto& [offset, number, header] : item.entries()) {
    if (!selector.excludes(header.user_words.first, position, header.event_count)) {
      return false;
    }
    position += header.event_count;
  }
  return true;
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
  InputRecords one{item.input, item.first, 1, item.position, item.alone && item.count == 1};
  one.read_before = item.read_before;
  for (; one.first < item.first + item.count; ++one.first) {
    opened.push_back(open_one(one, ticket, scratch));
    one.position += one.entries().front().header.event_count;
  }
  return opened;
}

void RecordOpener::read_ahead(InputRecords& item, std::uint64_t most_bytes) noexcept {
  if (item.count != 1 || item.window || options_.selector != nullptr ||
      options_.editor != nullptr || item.entries().front().header.record_bytes() > most_bytes) {
    return;
  }
  try {
    std::shared_ptr<StoredRecord> stored = read_before_.take();
    item.input->read(item.first, *stored);
    item.read_before = std::move(stored);
  } catch (const std::exception&) {
    item.read_before.reset();
  }
}

OpenedRecord RecordOpener::open_joined(const InputRecords& item, const pipeline::Ticket& ticket,
                                       OpenerScratch& scratch) {
  OpenedRecord opened;
  opened.records = item.count;
  if (options_.selector != nullptr && excludes(*options_.selector, item)) {
    opened.passed_over = true;
    for (std::size_t index = item.first; index < item.first + item.count; ++index) {
      opened.stored_bytes += item.input->records()[index].header.record_bytes();
    }
    return opened;
  }
  scratch.joined.resize(item.count);
  for (std::size_t i = 0; i < item.count; ++i) {
    item.input->read(item.first + i, scratch.joined[i]);
    opened.events += scratch.joined[i].header.event_count;
    opened.stored_bytes += scratch.joined[i].header.record_bytes();
  }
  const std::shared_ptr<Record> record = records_.take(ticket);
  layout::decode_joined(scratch.joined, item.input->dictionary(), scratch.context, *record);
  opened.compression = output_compression(RecordDirectory{}, scratch.joined.front().header.codec);
  apply_tags(*item.input, *record, opened);
  if (options_.selector != nullptr) {
    choose(*item.input, *record, item.position, opened);
  }
  edit(*item.input, nullptr, *record, scratch, opened);
  adopt_schemas(policy_.output_dictionary(), *record);
  describe(*record, scratch, opened);
  forget_word(*record);
  opened.record = record;
  return opened;
}

OpenedRecord RecordOpener::open_one(const InputRecords& one, const pipeline::Ticket& ticket,
                                    OpenerScratch& scratch) {
  const FileReader& input = *one.input;
  const std::size_t index = one.first;
  try {
    if (options_.selector != nullptr || options_.editor != nullptr) {
      return with_context([&] { return input.context_of(index); },
                          [&] { return open_chosen(one, ticket, scratch); });
    }
    if (one.read_before) {
      std::swap(scratch.stored, *one.read_before);
    } else {
      input.read(index, scratch.stored);
    }
    return with_context([&] { return input.context_of(index); },
                        [&] {
                          read_directory(scratch.stored, scratch.context, scratch.directory);
                          return open_stored(one, ticket, scratch, std::nullopt);
                        });
  } catch (const Error& error) {
    if (!options_.skip_bad || !is_bad_record(input.records()[index].header, error)) {
      throw;
    }
    return drop(input, index, error);
  }
}

// From the outside in: tags, then the banks that the clauses look at, then everything; and no
// further than needed.
OpenedRecord RecordOpener::open_chosen(const InputRecords& one, const pipeline::Ticket& ticket,
                                       OpenerScratch& scratch) {
  const FileReader& input = *one.input;
  const std::size_t index = one.first;
  const EventSelector* selector = options_.selector;
  StoredRecord& stored = scratch.stored;
  const RecordDirectory& directory = scratch.directory;
  input.read_directory(index, scratch.context, stored, scratch.directory);
  OpenedRecord opened;
  opened.stored_bytes = stored.header.record_bytes();
  if (selector != nullptr && excludes(*selector, one)) {
    opened.passed_over = true;
    count_mismatches(stored, directory, opened);
    return opened;
  }
  if (directory.layout == LayoutId::per_chunk) {
    input.read(index, stored);
    return open_stored(one, ticket, scratch, std::nullopt);
  }
  if (selector == nullptr) {
    fetch(input, index, scratch);
    return open_stored(one, ticket, scratch, std::nullopt);
  }
  const std::uint64_t position = one.position;
  std::vector<Outlook> outlooks = outlooks_of(options_, stored.header, directory, position);
  std::uint64_t streams_inflated = 0;
  if (has(outlooks, Outlook::open)) {
    const Projection projection = deciding_projection(options_, input);
    input.read_streams(stored, directory, projection);
    decode(stored, directory, input.dictionary(), projection, scratch.context, scratch.narrow);
    streams_inflated = scratch.narrow.streams_inflated;
    if (options_.tagger != nullptr) {
      options_.tagger->apply(input, scratch.narrow);
    }
    for (std::uint32_t event = 0; event < directory.event_count; ++event) {
      outlooks[event] = selector->chooses(input, scratch.narrow, event, position + event)
                            ? Outlook::yes
                            : Outlook::no;
    }
  }
  if (has(outlooks, Outlook::yes)) {
    std::vector<bool> chosen(outlooks.size());
    std::transform(outlooks.begin(), outlooks.end(), chosen.begin(),
                   [](Outlook outlook) { return outlook == Outlook::yes; });
    fetch(input, index, scratch);
    opened = open_stored(one, ticket, scratch, std::move(chosen));
  } else {
    opened.passed_over = true;
    count_mismatches(stored, directory, opened);
  }
  opened.streams_inflated += streams_inflated;
  return opened;
}

OpenedRecord RecordOpener::open_stored(const InputRecords& one, const pipeline::Ticket& ticket,
                                       OpenerScratch& scratch,
                                       std::optional<std::vector<bool>> chosen) {
  const FileReader& input = *one.input;
  StoredRecord& stored = scratch.stored;
  OpenedRecord opened;
  opened.events = stored.header.event_count;
  opened.stored_bytes = stored.header.record_bytes();
  opened.compression = output_compression(scratch.directory, stored.header.codec);
  opened.chosen = std::move(chosen);
  const EventSelector* selector = options_.selector;
  const bool is_settled = selector == nullptr || opened.chosen;
  const bool may_stay_whole = selector == nullptr || !selector->selection().thins();
  const BankEditor* editor = options_.editor;
  const bool is_split = scratch.directory.layout != LayoutId::per_chunk;
  const bool is_edited = editor != nullptr && is_split && scratch.split_edit.changes;
  // Where tags go different ways, its neighbours are not those that it will have.
  const bool alone = one.alone && !parts_tags(options_);
  bool copy = may_stay_whole && !is_edited && is_all(opened.chosen) &&
              policy_.may_copy(input, stored, scratch.directory, alone);
  const bool goes_by_events = parts_tags(options_) || options_.splitting.events != 0;
  // What is dropped where it does not decode must be decoded.
  const bool must_open = options_.discard != 0 || options_.table_types || options_.skip_bad ||
                         options_.tagger != nullptr || goes_by_events ||
                         (editor != nullptr && (!is_split || editor->drops_empty()));
  if (copy && is_settled && options_.verify == Verify::none && !must_open) {
    describe_unopened(stored, scratch.directory, opened);
  } else {
    const std::shared_ptr<Record> record = records_.take(ticket);
    decode(stored, scratch.directory, input.dictionary(),
           is_edited ? scratch.split_edit.projection : Projection::everything(), scratch.context,
           *record);
    if (opened.chosen && opened.chosen->size() != record->event_count()) {
      throw Error(ErrorCode::corrupt,
                  "the record holds another number of events than its header says");
    }
    apply_tags(input, *record, opened);
    if (!is_settled) {
      choose(input, *record, one.position, opened);
    }
    const bool changed =
        edit(input, is_split ? &scratch.directory : nullptr, *record, scratch, opened);
    copy = copy && !changed && (editor == nullptr || policy_.keeps_schemas(input, *record));
    adopt_schemas(policy_.output_dictionary(), *record);
    require_room_to_encode(*record, scratch);
    describe(*record, scratch, opened);
    copy = copy && is_all(opened.chosen) && !opened.altered && record->payload_surplus == 0 &&
           (!parts_tags(options_) || has_one_tag(*record, options_));
    if (!copy || goes_by_events) {
      opened.record = record;
    }
    forget_word(*record);
  }
  if (copy) {
    opened.chosen.reset();
    opened.copied = take_over(stored);
    opened.ticket = ticket;
  }
  return opened;
}

// Compares tags and record word as they were read, then gives the tags that are to be written.
void RecordOpener::apply_tags(const FileReader& input, Record& record, OpenedRecord& opened) const {
  for (const std::uint32_t tag : record.tags) {
    opened.tag_mismatches += tag != record.user_words.first ? 1U : 0U;
  }
  if (options_.tagger != nullptr) {
    opened.old_tags = record.tags;
    opened.altered = options_.tagger->apply(input, record);
  }
}

// Events of one tag go into one record, whatever word they were found under.
void RecordOpener::forget_word(Record& record) const {
  if (options_.record_words_from_tags) {
    record.user_words.first = 0;
  }
}

// A record that has been decoded for everything.
void RecordOpener::choose(const FileReader& input, const Record& record, std::uint64_t position,
                          OpenedRecord& opened) const {
  std::vector<bool> chosen(record.event_count());
  for (std::uint32_t event = 0; event < record.event_count(); ++event) {
    chosen[event] = options_.selector->chooses(input, record, event, position + event);
  }
  opened.chosen = std::move(chosen);
}

// All of a record, or what an edit leaves of it.
void RecordOpener::fetch(const FileReader& input, std::size_t index, OpenerScratch& scratch) const {
  if (options_.editor != nullptr) {
    scratch.split_edit = plan_split_edit(*options_.editor, input, scratch.directory);
    if (options_.tagger != nullptr) {
      scratch.split_edit.projection.add(options_.tagger->projection(input));
    }
    if (scratch.split_edit.changes) {
      input.read_streams(scratch.stored, scratch.directory, scratch.split_edit.projection);
      return;
    }
  }
  input.read(index, scratch.stored);
}

// Whether the record, which has been decoded, is no longer what is stored.
bool RecordOpener::edit(const FileReader& input, const RecordDirectory* directory, Record& record,
                        OpenerScratch& scratch, OpenedRecord& opened) const {
  if (options_.editor == nullptr) {
    return false;
  }
  if (!scratch.editing) {
    scratch.editing.emplace(*options_.editor, policy_.output_dictionary());
  }
  // What an event may lose depends on the tag that it came with.
  std::vector<std::uint32_t> new_tags;
  if (!opened.old_tags.empty()) {
    new_tags = std::exchange(record.tags, opened.old_tags);
  }
  const bool changes = scratch.editing->edit(input, directory, record);
  opened.edited = std::move(scratch.editing->edited());
  if (!new_tags.empty()) {
    record.tags = opened.old_tags;  // event images have the new ones
  }
  if (options_.editor->drops_empty()) {
    leave_out_empty(record, opened);
  }
  if (!new_tags.empty()) {
    record.tags = std::move(new_tags);
  }
  return changes;
}

void RecordOpener::leave_out_empty(const Record& record, OpenedRecord& opened) const {
  std::vector<bool> holds(record.event_count());
  for (const BankBlock& block : record.blocks()) {
    for (const BankOccurrence& occurrence : block.occurrences) {
      holds[occurrence.event] = true;
    }
  }
  for (std::uint32_t event = 0; event < record.event_count(); ++event) {
    if (holds[event] || options_.editor->is_special(record.tag(event)) ||
        (opened.chosen && !(*opened.chosen)[event])) {
      continue;
    }
    if (!opened.chosen) {
      opened.chosen.emplace(record.event_count(), true);
    }
    (*opened.chosen)[event] = false;
    ++opened.events_without_banks;
  }
}

Compression RecordOpener::output_compression(const RecordDirectory& directory,
                                             CodecId codec) const {
  return options_.keep_compression ? stored_compression(directory, codec) : options_.compression;
}

void RecordOpener::describe(Record& record, OpenerScratch& scratch, OpenedRecord& opened) const {
  if (options_.discard != 0) {
    discard_oddities(record, opened);
    opened.altered = opened.altered || !opened.discarded.empty();
  }
  if (options_.table_types) {
    opened.altered = record.set_table_types() != 0 || opened.altered;
  }
  opened.streams_inflated += record.streams_inflated;
  opened.events_by_tag.emplace();
  for (const std::uint32_t tag : record.tags) {
    opened.events_by_tag->add(tag, 1);
  }
  for (const std::uint32_t size : record.event_sizes) {
    opened.raw_bytes += std::uint64_t{4} + size;
  }
  if (options_.verify == Verify::none) {
    return;
  }
  if (opened.chosen) {
    hash_events(record, *opened.chosen, opened.hashes, scratch.canonical);
  } else {
    hash_events(record, opened.hashes, scratch.canonical);
  }
}

// An event that is larger than a record gets one of its own, which is encoded and proved beside its
// source. No plan knows of it.
void RecordOpener::require_room_to_encode(const Record& record, OpenerScratch& scratch) const {
  const auto largest = std::max_element(record.event_sizes.begin(), record.event_sizes.end());
  if (largest == record.event_sizes.end() || *largest <= most_record_bytes(options_)) {
    return;
  }
  const std::uint64_t most_bytes = scratch.context.state().most_bytes;
  const std::uint64_t needed =
      record.payload.size() + std::uint64_t{*largest} + std::uint64_t{*largest} / 2;
  if (needed > most_bytes) {
    throw OverBudget(needed, most_bytes);
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

}  // namespace hipotool::inline v0::rewriting
