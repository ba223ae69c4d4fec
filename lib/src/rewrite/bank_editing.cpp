#include "rewrite/bank_editing.hpp"

#include "hipotool/counted.hpp"
#include "hipotool/error.hpp"

#include "format/constants.hpp"
#include "format/structure.hpp"
#include "layout/layout.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <set>
#include <utility>

namespace hipotool::inline v0::rewriting {
namespace {

constexpr std::uint64_t kLargest = std::numeric_limits<std::uint32_t>::max();

std::string name_of(const BankBlock& block) {
  return block.schema == nullptr ? to_string(block.key) : block.schema->name();
}

void require_size(std::uint64_t bytes) {
  if (bytes > kLargest) {
    throw Error(ErrorCode::not_representable, "with its new columns the record would have " +
                                                  std::to_string(bytes) +
                                                  " bytes; at most 4 GiB are supported");
  }
}

// The rows of a table as the new schema has them; `cells(c)` is where its column c begins.
template <typename Cells>
std::byte* lay_out(const BankFate& fate, std::uint64_t rows, const Cells& cells, std::byte* to) {
  for (std::size_t c = 0; c < fate.columns.size(); ++c) {
    const std::uint64_t bytes = rows * fate.to->columns()[c].width();
    if (fate.columns[c]) {
      std::memcpy(to, cells(*fate.columns[c]), bytes);
    } else {
      std::memset(to, 0, bytes);
    }
    to += bytes;
  }
  return to;
}

bool is_present(const RecordDirectory& directory, std::size_t bank,
                const std::vector<std::uint32_t>& events) {
  return std::any_of(events.begin(), events.end(),
                     [&](std::uint32_t event) { return directory.present(bank, event); });
}

std::set<std::size_t> sources_of(const BankFate& fate) {
  std::set<std::size_t> sources;
  for (const std::optional<std::size_t>& source : fate.columns) {
    if (source) {
      sources.insert(*source);
    }
  }
  return sources;
}

}  // namespace

// What is to be done to one block.
struct RecordEditing::BlockEdit {
  std::size_t block = 0;
  const BankFate* fate = nullptr;
  std::vector<Treatment> treatments{};  // of its occurrences
  bool filters = false;
  bool lays_out = false;
  std::uint64_t bytes = 0;  // of a new place for it; 0: it stays where it is
  std::uint64_t zeros = 0;  // of its longest new column
};

SplitEdit plan_split_edit(const BankEditor& editor, const FileReader& input,
                          const RecordDirectory& directory) {
  std::vector<std::uint32_t> special;
  std::vector<std::uint32_t> others;
  for (std::uint32_t event = 0; event < directory.event_count; ++event) {
    (editor.is_special(directory.tag(event)) ? special : others).push_back(event);
  }
  SplitEdit edit;
  Projection wanted = Projection::nothing();
  for (std::size_t b = 0; b < directory.banks.size(); ++b) {
    const BankKey key = directory.banks[b].key;
    const BankFate* fate = editor.fate(input, key);
    if (fate == nullptr) {
      wanted.add(key);
      continue;
    }
    edit.changes = edit.changes || fate->from != nullptr || fate->new_key ||
                   (!fate->kept && is_present(directory, b, others));
    if (!fate->kept && !is_present(directory, b, special)) {
      continue;
    }
    if (fate->narrows) {
      wanted.add(key, sources_of(*fate));
    } else {
      wanted.add(key);
    }
  }
  if (edit.changes) {
    edit.projection = std::move(wanted);
  }
  return edit;
}

bool RecordEditing::edit(const FileReader& input, const RecordDirectory* directory,
                         Record& record) {
  edited_ = {};
  if (!look(input, directory, record)) {
    if (record.event_sizes.empty()) {
      set_event_sizes(record);
    }
    return false;
  }
  if (directory == nullptr) {
    edit_images(record);
  } else {
    edit_blocks(record);
  }
  return true;
}

RecordEditing::Treatment RecordEditing::treatment(const BankFate& fate, const BankBlock& block,
                                                  const BankOccurrence& occurrence,
                                                  std::uint32_t tag) const {
  const bool special = editor_->is_special(tag);
  if (!fate.kept && !special) {
    return Treatment::dropped;
  }
  if (fate.from == nullptr || occurrence.format_length != 0 || occurrence.size == 0) {
    return Treatment::as_it_is;
  }
  if (!block.is_table(occurrence)) {
    if (occurrence.size % fate.to->row_size() != 0) {
      return Treatment::as_it_is;
    }
    throw Error(ErrorCode::not_representable,
                "its " + counted(occurrence.size, "byte") +
                    std::string(verb_of(occurrence.size, " is", " are")) + " no whole rows of " +
                    fate.from->text() + ", and would be read as rows of " + fate.to->text(),
                {.event = occurrence.event, .bank = name_of(block)});
  }
  if (fate.narrows && special) {
    throw Error(ErrorCode::not_representable,
                "the event is special (tag " + std::to_string(tag) +
                    ") and must come through whole, but its bank would lose columns; --only "
                    "treats special events as all others",
                {.event = occurrence.event, .bank = name_of(block)});
  }
  return Treatment::laid_out;
}

std::uint32_t RecordEditing::size_after(const BankFate& fate, const BankBlock& block,
                                        const BankOccurrence& occurrence,
                                        Treatment treatment) const {
  if (treatment != Treatment::laid_out) {
    return treatment == Treatment::dropped ? 0 : occurrence.size;
  }
  const std::uint64_t size = block.rows(occurrence) * fate.to->row_size();
  if (size > format::kMaxBankBytes) {
    throw Error(ErrorCode::not_representable,
                "with its new columns the bank has " + std::to_string(size) +
                    " bytes; the format holds " + std::to_string(format::kMaxBankBytes),
                {.event = occurrence.event, .bank = name_of(block)});
  }
  return static_cast<std::uint32_t>(size);
}

bool RecordEditing::look(const FileReader& input, const RecordDirectory* directory,
                         const Record& record) {
  fates_.clear();
  bool changes = directory != nullptr && note_undecoded(input, *directory, record);
  for (const BankBlock& block : record.blocks()) {
    fates_.push_back(editor_->fate(input, block.key));
    if (fates_.back() != nullptr) {
      changes = look_at(block, *fates_.back(), record) || changes;
    }
  }
  if (changes) {
    require_distinct(record);
  }
  return changes;
}

bool RecordEditing::look_at(const BankBlock& block, const BankFate& fate, const Record& record) {
  bool changes = fate.new_key && !block.occurrences.empty();
  const auto note = [](std::vector<std::uint32_t>& events, std::uint32_t event) {
    if (events.empty() || events.back() != event) {
      events.push_back(event);
    }
  };
  std::vector<std::uint32_t> dropped;
  std::vector<std::uint32_t> narrowed;
  for (const BankOccurrence& occurrence : block.occurrences) {
    switch (treatment(fate, block, occurrence, record.tag(occurrence.event))) {
      case Treatment::as_it_is:
        break;
      case Treatment::dropped:
        note(dropped, occurrence.event);
        changes = true;
        break;
      case Treatment::laid_out:
        if (fate.narrows) {
          note(narrowed, occurrence.event);
        }
        changes = true;
        break;
    }
  }
  if (!dropped.empty()) {
    edited_.dropped.emplace(block.key, std::move(dropped));
  }
  if (!narrowed.empty()) {
    edited_.narrowed.emplace(block.key, std::move(narrowed));
  }
  return changes;
}

// Banks that nobody needed to inflate: no special event holds them.
bool RecordEditing::note_undecoded(const FileReader& input, const RecordDirectory& directory,
                                   const Record& record) {
  for (std::size_t b = 0; b < directory.banks.size(); ++b) {
    const BankKey key = directory.banks[b].key;
    const BankFate* fate = editor_->fate(input, key);
    if (fate == nullptr || fate->kept || record.find(key) != nullptr) {
      continue;
    }
    for (std::uint32_t event = 0; event < directory.event_count; ++event) {
      if (directory.present(b, event)) {
        edited_.dropped[key].push_back(event);
      }
    }
  }
  return !edited_.dropped.empty();
}

// Two schemas do not get one id, but a bank without a schema may be where another is to go.
void RecordEditing::require_distinct(const Record& record) const {
  std::map<BankKey, std::size_t> blocks;
  for (std::size_t b = 0; b < fates_.size(); ++b) {
    const BankBlock& block = record.blocks()[b];
    const BankFate* fate = fates_[b];
    if (block.occurrences.empty()) {
      continue;
    }
    const auto [at, fresh] =
        blocks.try_emplace(fate == nullptr ? block.key : fate->new_key.value_or(block.key), b);
    if (!fresh) {
      throw Error(ErrorCode::invalid_argument,
                  "two banks of one record would have the id " + to_string(at->first),
                  {.event = block.occurrences.front().event, .bank = name_of(block)});
    }
  }
}

// ---- per-chunk: event images, structure by structure

void RecordEditing::edit_images(Record& record) {
  sizes_.assign(record.event_sizes.begin(), record.event_sizes.end());
  for (std::size_t b = 0; b < fates_.size(); ++b) {
    const BankBlock& block = record.blocks()[b];
    if (fates_[b] == nullptr) {
      continue;
    }
    for (const BankOccurrence& occurrence : block.occurrences) {
      const Treatment what = treatment(*fates_[b], block, occurrence, record.tag(occurrence.event));
      std::uint64_t& size = sizes_[occurrence.event];
      size -= what == Treatment::dropped ? format::kStructureHeaderBytes : 0;
      size += size_after(*fates_[b], block, occurrence, what);
      size -= occurrence.size;
    }
  }
  std::uint64_t bytes = record.user_header.size();
  for (const std::uint64_t size : sizes_) {
    bytes += size;
  }
  require_size(bytes);
  spare_.resize_discard(bytes);
  std::byte* at = std::copy(record.user_header.begin(), record.user_header.end(), spare_.data());
  std::vector<std::uint32_t> offsets;
  offsets.reserve(sizes_.size() + 1);
  for (std::uint32_t event = 0; event < record.event_count(); ++event) {
    offsets.push_back(static_cast<std::uint32_t>(at - spare_.data()));
    at = edit_image(record, event, at);
  }
  offsets.push_back(static_cast<std::uint32_t>(at - spare_.data()));
  const UserWords words = record.user_words;
  const std::uint32_t streams = record.streams_inflated;
  const std::size_t user_header = record.user_header.size();
  std::swap(record.payload, spare_);
  record.clear();
  record.user_words = words;
  record.streams_inflated = streams;
  record.user_header = record.payload.span().first(user_header);
  record.event_sizes.assign(sizes_.begin(), sizes_.end());
  record.image_offsets = std::move(offsets);
  layout::note_banks(*output_, record);
}

std::byte* RecordEditing::edit_image(const Record& record, std::uint32_t event,
                                     std::byte* to) const {
  const ByteSpan image =
      record.payload.span().subspan(record.image_offsets[event], record.event_sizes[event]);
  if (image.size() < format::kEventHeaderBytes) {
    return std::copy(image.begin(), image.end(), to);
  }
  std::byte* const begin = to;
  to = std::copy_n(image.begin(), format::kEventHeaderBytes, to);
  const std::uint32_t left =
      format::walk_structures(image, [&](format::StructureHeader header, std::size_t at) {
        const auto b = static_cast<std::size_t>(record.find(header.key) - record.blocks().data());
        const BankBlock& block = record.blocks()[b];
        const BankFate* fate = fates_[b];
        const BankOccurrence occurrence{event, header.size, 0, header.type, header.format_length};
        const Treatment what = fate == nullptr
                                   ? Treatment::as_it_is
                                   : treatment(*fate, block, occurrence, record.tag(event));
        if (what == Treatment::dropped) {
          return;
        }
        const std::byte* data = image.data() + at;
        const std::uint32_t stored = header.size;
        if (fate != nullptr) {
          header.key = fate->new_key.value_or(header.key);
          header.size = size_after(*fate, block, occurrence, what);
        }
        format::store_structure_header(header, to);
        to += format::kStructureHeaderBytes;
        if (what == Treatment::as_it_is) {
          to = std::copy_n(data, stored, to);
          return;
        }
        const std::uint64_t rows = block.rows(occurrence);
        const auto cells = [&](std::size_t column) {
          return data + rows * fate->from->columns()[column].row_offset;
        };
        to = lay_out(*fate, rows, cells, to);
      });
  to = std::copy(image.end() - left, image.end(), to);
  store_le(begin + 4, static_cast<std::uint32_t>(to - begin));
  return to;
}

// ---- split layouts: bank by bank, most of them where they are

void RecordEditing::edit_blocks(Record& record) {
  std::vector<BlockEdit> edits;
  std::uint64_t bytes = 0;
  std::uint64_t zeros = 0;
  for (std::size_t b = 0; b < fates_.size(); ++b) {
    if (fates_[b] != nullptr) {
      edits.push_back(plan_block(record, b));
      bytes += edits.back().bytes;
      zeros = std::max(zeros, edits.back().zeros);
    }
  }
  std::uint64_t at = record.payload.size();
  if (bytes + zeros > 0) {
    grow(bytes + zeros, record);
    std::memset(record.payload.data() + at, 0, zeros);
  }
  const ByteSpan nothing = record.payload.span().subspan(at, zeros);
  at += zeros;
  for (const BlockEdit& edit : edits) {
    BankBlock& block = record.blocks()[edit.block];
    if (edit.bytes > 0) {
      const BankBlock source = std::exchange(block, BankBlock{});
      block.key = source.key;
      block.schema = source.schema;
      const MutableByteSpan place = record.payload.span().subspan(at, edit.bytes);
      block.bytes = place;
      std::byte* to = place.data();
      for (std::size_t i = 0; i < source.occurrences.size(); ++i) {
        if (edit.treatments[i] == Treatment::dropped) {
          continue;
        }
        BankOccurrence occurrence = source.occurrences[i];
        occurrence.position = static_cast<std::uint32_t>(to - place.data());
        occurrence.size = size_after(*edit.fate, source, source.occurrences[i], edit.treatments[i]);
        if (edit.treatments[i] == Treatment::as_it_is) {
          BankView(source, source.occurrences[i]).copy_bytes(to);
          to += occurrence.size;
        } else {
          const std::uint64_t rows = source.rows(source.occurrences[i]);
          to = lay_out(
              *edit.fate, rows,
              [&](std::size_t column) { return source.cells(source.occurrences[i], rows, column); },
              to);
        }
        block.occurrences.push_back(occurrence);
      }
      at += edit.bytes;
    }
    apply(edit, nothing, record);
  }
  std::sort(record.blocks().begin(), record.blocks().end(),
            [](const BankBlock& a, const BankBlock& b) { return a.key < b.key; });
  set_event_sizes(record);
}

RecordEditing::BlockEdit RecordEditing::plan_block(const Record& record, std::size_t b) const {
  const BankBlock& block = record.blocks()[b];
  BlockEdit edit{.block = b, .fate = fates_[b]};
  std::uint64_t bytes = 0;
  std::uint64_t rows = 0;
  for (const BankOccurrence& occurrence : block.occurrences) {
    const Treatment what = treatment(*edit.fate, block, occurrence, record.tag(occurrence.event));
    edit.treatments.push_back(what);
    edit.filters = edit.filters || what == Treatment::dropped;
    edit.lays_out = edit.lays_out || what == Treatment::laid_out;
    bytes += size_after(*edit.fate, block, occurrence, what);
    rows += what == Treatment::laid_out ? block.rows(occurrence) : 0;
  }
  const bool by_column = block.arrangement == Arrangement::by_column;
  if (by_column && edit.lays_out && !edit.filters) {
    for (std::size_t c = 0; c < edit.fate->columns.size(); ++c) {
      if (!edit.fate->columns[c]) {
        edit.zeros = std::max(edit.zeros, rows * edit.fate->to->columns()[c].width());
      }
    }
  } else if (edit.lays_out || (by_column && edit.filters)) {
    edit.bytes = bytes;
  }
  return edit;
}

// More payload, with everything that borrows from it led to its new place.
void RecordEditing::grow(std::uint64_t bytes, Record& record) {
  const std::size_t before = record.payload.size();
  require_size(before + bytes);
  spare_.resize_discard(before + bytes);
  std::copy_n(record.payload.data(), before, spare_.data());
  const auto lead = [&](ByteSpan& span) {
    if (span.data() != nullptr) {
      span = spare_.span().subspan(static_cast<std::size_t>(span.data() - record.payload.data()),
                                   span.size());
    }
  };
  for (BankBlock& block : record.blocks()) {
    lead(block.bytes);
    for (ByteSpan& column : block.columns) {
      lead(column);
    }
  }
  std::swap(record.payload, spare_);
}

void RecordEditing::apply(const BlockEdit& edit, ByteSpan zeros, Record& record) const {
  BankBlock& block = record.blocks()[edit.block];
  const BankFate& fate = *edit.fate;
  if (edit.bytes == 0 && edit.filters) {
    std::size_t next = 0;
    std::erase_if(block.occurrences, [&](const BankOccurrence&) {
      return edit.treatments[next++] == Treatment::dropped;
    });
  } else if (edit.bytes == 0 && edit.lays_out) {
    std::vector<ByteSpan> columns;
    std::uint64_t rows = 0;
    for (BankOccurrence& occurrence : block.occurrences) {
      rows += block.rows(occurrence);
      occurrence.size = static_cast<std::uint32_t>(block.rows(occurrence) * fate.to->row_size());
    }
    for (std::size_t c = 0; c < fate.columns.size(); ++c) {
      columns.push_back(fate.columns[c] ? block.columns[*fate.columns[c]]
                                        : zeros.first(rows * fate.to->columns()[c].width()));
    }
    block.columns = std::move(columns);
  }
  block.key = fate.new_key.value_or(block.key);
  if (fate.to != nullptr) {
    block.schema = fate.to;
  }
}

void RecordEditing::set_event_sizes(Record& record) {
  record.event_sizes.assign(record.event_count(), format::kEventHeaderBytes);
  for (const BankBlock& block : record.blocks()) {
    for (const BankOccurrence& occurrence : block.occurrences) {
      std::uint32_t& size = record.event_sizes[occurrence.event];
      const std::uint32_t added = occurrence.size + format::kStructureHeaderBytes;
      if (size > kLargest - added) {
        throw Error(ErrorCode::not_representable, "an event of more than 4 GiB",
                    {.event = occurrence.event});
      }
      size += added;
    }
  }
}

}  // namespace hipotool::inline v0::rewriting
