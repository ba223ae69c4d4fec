#include "hipotool/record.hpp"

#include "base/small_copy.hpp"
#include "format/constants.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

namespace hipotool {
inline namespace v0 {
namespace {

struct OddityName {
  Oddity oddity;
  std::string_view name;
};

constexpr std::array<OddityName, std::size(kOddities)> kOddityNames{{
    {Oddity::reserved_word, "reserved-word"},
    {Oddity::repeated_bank, "repeated-bank"},
    {Oddity::trailing_bytes, "trailing-bytes"},
    {Oddity::short_event, "short-event"},
    {Oddity::type_byte, "type-byte"},
    {Oddity::format_length, "format-length"},
    {Oddity::record_user_header, "record-user-header"},
}};

}  // namespace

std::string_view to_string(Oddity oddity) noexcept {
  const auto* found = std::find_if(kOddityNames.begin(), kOddityNames.end(),
                                   [&](const OddityName& entry) { return entry.oddity == oddity; });
  return found == kOddityNames.end() ? std::string_view{} : found->name;
}

std::optional<Oddity> parse_oddity(std::string_view word) noexcept {
  const auto* found = std::find_if(kOddityNames.begin(), kOddityNames.end(),
                                   [&](const OddityName& entry) { return entry.name == word; });
  return found == kOddityNames.end() ? std::nullopt : std::optional(found->oddity);
}

std::vector<ColumnType> composite_fields(ByteSpan format) {
  constexpr std::string_view kLetters = "bsifdl";
  std::vector<ColumnType> fields;
  for (const std::byte letter : format) {
    if (letter == std::byte{0}) {
      break;  // text ends at the first NUL; what follows is padding
    }
    const std::size_t at = kLetters.find(static_cast<char>(letter));
    if (at != kLetters.npos) {
      fields.push_back(static_cast<ColumnType>(at));
    }
  }
  return fields;
}

std::string BankBlock::name() const {
  return schema == nullptr ? to_string(key) : schema->name();
}

std::span<const BankOccurrence> BankBlock::in_events(std::uint32_t first,
                                                     std::uint32_t count) const noexcept {
  const auto before = [](const BankOccurrence& occurrence, std::uint64_t event) {
    return occurrence.event < event;
  };
  const auto begin = std::lower_bound(occurrences.begin(), occurrences.end(), first, before);
  const auto end = std::lower_bound(begin, occurrences.end(), std::uint64_t{first} + count, before);
  return {begin, end};
}

std::string BankView::name() const {
  return block_->name();
}

BankForm BankView::form() const noexcept {
  if (block_->is_table(*occurrence_)) {
    return BankForm::table;
  }
  if (occurrence_->format_length == 0) {
    return BankForm::opaque;
  }
  // A bank with a format string always lies by event.
  const ByteSpan data = block_->bytes.subspan(occurrence_->position, occurrence_->size);
  std::uint64_t row = 0;
  for (const ColumnType field : composite_fields(data.first(occurrence_->format_length))) {
    row += size_of(field);
  }
  const bool whole_rows = row != 0 && (occurrence_->size - occurrence_->format_length) % row == 0;
  return whole_rows ? BankForm::composite : BankForm::opaque;
}

std::size_t BankView::rows() const {
  if (!block_->is_table(*occurrence_)) {
    throw Error(ErrorCode::type_mismatch, "bank " + name() + " is not a table in this event");
  }
  return block_->rows(*occurrence_);
}

ByteSpan BankView::column_bytes(std::size_t column) const {
  const std::size_t row_count = rows();
  const std::vector<Column>& columns = block_->schema->columns();
  const bool inflated =
      block_->arrangement == Arrangement::by_event ||
      (column < block_->columns.size() && block_->columns[column].data() != nullptr);
  if (column >= columns.size() || !inflated) {
    throw Error(ErrorCode::not_found, "bank " + name() + ": column " + std::to_string(column) +
                                          " does not exist or was not read");
  }
  return {block_->cells(*occurrence_, row_count, column), row_count * columns[column].width()};
}

std::optional<ByteSpan> BankView::contiguous_bytes() const noexcept {
  if (block_->arrangement == Arrangement::by_column) {
    return std::nullopt;
  }
  return block_->bytes.subspan(occurrence_->position, occurrence_->size);
}

void BankView::copy_bytes(std::byte* out) const {
  if (const auto whole = contiguous_bytes()) {
    copy_small(out, whole->data(), whole->size());
    return;
  }
  const std::uint32_t row_count = block_->rows(*occurrence_);
  const std::vector<Column>& columns = block_->schema->columns();
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const std::size_t size = row_count * columns[c].width();
    copy_small(out, block_->cells(*occurrence_, row_count, c), size);
    out += size;
  }
}

const BankBlock* Record::find(BankKey key) const noexcept {
  const auto all = blocks();
  const auto found =
      std::lower_bound(all.begin(), all.end(), key,
                       [](const BankBlock& block, BankKey wanted) { return block.key < wanted; });
  return found != all.end() && found->key == key ? &*found : nullptr;
}

std::optional<BankView> Record::bank(std::uint32_t event, BankKey key) const noexcept {
  const BankBlock* block = find(key);
  if (block == nullptr) {
    return std::nullopt;
  }
  const auto here = block->in_events(event, 1);
  if (here.empty()) {
    return std::nullopt;
  }
  return BankView(*block, here.front());
}

std::optional<ByteSpan> Record::image(std::uint32_t event) const noexcept {
  if (image_offsets.empty()) {
    return std::nullopt;
  }
  const std::uint32_t begin = image_offsets[event];
  if (image_offsets[event + 1] - begin < event_sizes[event]) {
    return std::nullopt;  // a discarded short event: an empty one takes its place
  }
  return payload.span().subspan(begin, event_sizes[event]);
}

const EventOddity* Record::oddity(std::uint32_t event) const noexcept {
  const auto found = std::lower_bound(
      oddities.begin(), oddities.end(), event,
      [](const EventOddity& oddity, std::uint32_t wanted) { return oddity.event < wanted; });
  return found != oddities.end() && found->event == event ? &*found : nullptr;
}

void Record::discard(std::uint8_t kinds) {
  const auto drops = [&](Oddity oddity) {
    return (kinds & static_cast<std::uint8_t>(oddity)) != 0;
  };
  for (EventOddity& oddity : oddities) {
    const std::uint32_t event = oddity.event;
    if (drops(Oddity::reserved_word) && oddity.has(Oddity::reserved_word)) {
      store_le(payload.data() + image_offsets[event] + 12, std::uint32_t{0});
    }
    if (drops(Oddity::trailing_bytes) && oddity.has(Oddity::trailing_bytes)) {
      event_sizes[event] -= oddity.trailing_bytes;
    }
    if (drops(Oddity::short_event) && oddity.has(Oddity::short_event)) {
      event_sizes[event] = format::kEventHeaderBytes;
    }
    oddity.kinds = static_cast<std::uint8_t>(oddity.kinds & ~kinds);
  }
  std::erase_if(oddities, [](const EventOddity& oddity) { return oddity.kinds == 0; });
  if (drops(Oddity::record_user_header)) {
    user_header = {};
  }
}

std::uint64_t Record::set_table_types() {
  constexpr std::uint32_t kTypeBeforeData =
      5;  // in a structure header of 8 bytes, the type is byte 3
  std::uint64_t changed = 0;
  for (BankBlock& block : blocks()) {
    for (BankOccurrence& occurrence : block.occurrences) {
      if (occurrence.type == format::kTableType || !block.is_table(occurrence)) {
        continue;
      }
      occurrence.type = format::kTableType;
      ++changed;
      if (!image_offsets.empty()) {
        payload.data()[occurrence.position - kTypeBeforeData] =
            static_cast<std::byte>(format::kTableType);
      }
    }
  }
  return changed;
}

void Record::clear() {
  user_words = {};
  tags.clear();
  event_sizes.clear();
  oddities.clear();
  user_header = {};
  image_offsets.clear();
  payload_surplus = 0;
  streams_inflated = 0;
  block_count_ = 0;
}

std::uint64_t Record::memory_bytes() const noexcept {
  const auto of = [](const auto& vector) { return vector.capacity() * sizeof(vector[0]); };
  std::uint64_t bytes = payload.capacity() + of(tags) + of(event_sizes) + of(oddities) +
                        of(image_offsets) + of(blocks_);
  for (const BankBlock& block : blocks_) {
    bytes += of(block.occurrences) + of(block.columns);
  }
  return bytes;
}

BankBlock& Record::add_block(BankKey key, const Schema* schema) {
  if (block_count_ == blocks_.size()) {
    blocks_.emplace_back();
  }
  BankBlock& block = blocks_[block_count_++];
  block.key = key;
  block.schema = schema != nullptr && schema->row_size() != 0 ? schema : nullptr;
  block.arrangement = Arrangement::by_event;
  block.occurrences.clear();
  block.bytes = {};
  block.columns.clear();
  return block;
}

EventCursor::EventCursor(const Record& record, Order order) : record_(&record), order_(order) {
  blocks_.reserve(record.blocks().size());
  for (const BankBlock& block : record.blocks()) {
    blocks_.push_back(&block);
  }
  positions_.assign(blocks_.size(), 0);
}

void EventCursor::skip_to(std::uint32_t event) {
  if (event == next_) {
    return;
  }
  next_ = event;
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const auto& occurrences = blocks_[b]->occurrences;
    positions_[b] = occurrences.size() - blocks_[b]->in_events(event, UINT32_MAX).size();
  }
}

bool EventCursor::next() {
  if (next_ >= record_->event_count()) {
    return false;
  }
  event_ = next_++;
  banks_.clear();
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const std::vector<BankOccurrence>& occurrences = blocks_[b]->occurrences;
    std::size_t& at = positions_[b];
    while (at < occurrences.size() && occurrences[at].event == event_) {
      banks_.emplace_back(*blocks_[b], occurrences[at++]);
    }
  }
  if (order_ == Order::as_stored && !record_->image_offsets.empty()) {
    std::sort(banks_.begin(), banks_.end(), [](const BankView& a, const BankView& b) {
      return a.occurrence().position < b.occurrence().position;
    });
  }
  return true;
}

}  // namespace v0
}  // namespace hipotool
