#include "hipotool/error.hpp"

#include "file/file_walk.hpp"
#include "format/constants.hpp"
#include "format/file_header.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace hipotool::inline v0::file {
namespace {

constexpr std::size_t kMagicAt = 28;
// The next record is often near; blocks grow while it is not.
constexpr std::uint64_t kFirstBlockBytes = std::uint64_t{4} << 10;
constexpr std::uint64_t kBlockBytes = std::uint64_t{1} << 20;

// A record that swallows others swallows the next one first; so many rows of the index behind its
// beginning are looked at.
constexpr unsigned kRowsLookedAt = 8;
// Records whose decoding must decide together have at most so many times the bytes of the file.
constexpr std::uint64_t kDecodedShare = 16;

// The magic as it stands in a file, for either byte order.
constexpr std::array<std::string_view, 2> kMagics{std::string_view("\x00\x01\xda\xc0", 4),
                                                  std::string_view("\xc0\xda\x01\x00", 4)};

// One that takes more than `most_bytes` is believed: whoever reads it will be told.
bool decodes(const ByteSource& source, const Dictionary& dictionary, const RecordEntry& entry,
             std::uint64_t most_bytes) {
  const RecordHeader& header = entry.header;
  try {
    Buffer bytes(header.record_bytes());
    source.read_at(entry.offset, bytes.span());
    const StoredRecord stored = StoredRecord::borrow(bytes.span());
    CodecContext context(most_bytes);
    RecordDirectory directory;
    Record record;
    read_directory(stored, context, directory);
    // Without schemas the columns cannot be told apart; the directory must do then.
    const bool by_column = header.layout == LayoutId::per_column;
    const bool blind = by_column && dictionary.schemas().empty();
    decode(stored, directory, dictionary, blind ? Projection::nothing() : Projection::everything(),
           context, record);
    return true;
  } catch (const OverBudget&) {
    return true;
  } catch (const Error&) {
    return false;
  }
}

// Where a magic stands in `block`, ascending.
std::vector<std::size_t> magic_positions(ByteSpan block) {
  const std::string_view text(reinterpret_cast<const char*>(block.data()), block.size());
  std::vector<std::size_t> positions;
  for (const std::string_view magic : kMagics) {
    for (std::size_t at = text.find(magic); at != text.npos; at = text.find(magic, at + 1)) {
      positions.push_back(at);
    }
  }
  std::sort(positions.begin(), positions.end());
  return positions;
}

class SalvageWalker {
 public:
  SalvageWalker(const ByteSource& source, const FileHeader& header, const Dictionary& dictionary,
                const SalvageStart& how)
      : source_(source), dictionary_(dictionary), how_(how), trailer_(header.trailer_position) {
    at_ = std::min(how.first_data, source.size());
    try {
      rows_ = trailer_rows(source, trailer_);
      has_index_ = trailer_ != 0;
      std::sort(rows_.begin(), rows_.end(),
                [](const auto& a, const auto& b) { return a.position < b.position; });
    } catch (const Error&) {
      rows_.clear();  // then nothing is known of what is lost
    }
  }

  Walk run() {
    while (at_ < source_.size()) {
      const auto header = record_at(source_, at_);
      if (header && is_trailer(*header)) {
        walk_.stray_bytes = source_.size() - at_ - header->record_bytes();
        walk_.appended = find_appended(source_, at_ + header->record_bytes());
        break;
      }
      if (header && begins_another_file(*header)) {
        end_before_another_file();
        break;
      }
      if (header && is_believable(*header)) {
        keep(*header);
      } else {
        skip(header);
      }
    }
    for (Gap& gap : walk_.gaps) {
      count_lost(gap);
    }
    const bool cut = trailer_ >= source_.size();
    walk_.index = trailer_ == 0 ? IndexState::absent : cut ? IndexState::cut : IndexState::damaged;
    walk_.index_reason = "the file is damaged; its records were looked for";
    return std::move(walk_);
  }

 private:
  // The trailer, or what is left of it: the last record, where the file header says. Anything else
  // there is data that a wrong position points to.
  [[nodiscard]] bool is_trailer(const RecordHeader& header) const {
    if (trailer_ == 0 || at_ != trailer_) {
      return false;
    }
    return has_index_ ||
           (header.event_count <= 1 && !find_record(source_, at_ + header.record_bytes()));
  }

  // Whether the record at hand is the dictionary of another file, whose header stands in front of
  // it. Where there is an index, it tells where this file ends.
  [[nodiscard]] bool begins_another_file(const RecordHeader& header) const {
    if (has_index_ || at_ < how_.first_data + format::kFileHeaderBytes) {
      return false;
    }
    const auto other = file_header_at(source_, at_ - format::kFileHeaderBytes);
    return other && std::uint64_t{4} * other->header_words == format::kFileHeaderBytes &&
           other->dictionary_bytes == header.record_bytes();
  }

  void end_before_another_file() {
    const std::uint64_t begin = at_ - format::kFileHeaderBytes;
    if (!walk_.gaps.empty() && walk_.gaps.back().offset + walk_.gaps.back().bytes == at_) {
      Gap& gap = walk_.gaps.back();
      gap.bytes = begin - std::min(begin, gap.offset);
      if (gap.bytes == 0) {
        walk_.gaps.pop_back();
      }
    }
    walk_.appended = find_appended(source_, begin);
  }

  [[nodiscard]] bool is_believable(const RecordHeader& header) {
    const std::uint64_t end = at_ + header.record_bytes();
    if (swallows_a_listed_record(header, end)) {
      return false;
    }
    if (end == source_.size() || record_at(source_, end).has_value()) {
      return true;
    }
    // Many headers that all claim the rest of a large file would keep it busy for hours.
    if (decoded_bytes_ > kDecodedShare * source_.size()) {
      return false;
    }
    decoded_bytes_ += header.record_bytes();
    return decodes(source_, dictionary_, {at_, number_, header}, how_.memory_bytes);
  }

  // Whether the index, right about a record that begins before `end`, is not about this one.
  [[nodiscard]] bool swallows_a_listed_record(const RecordHeader& header, std::uint64_t end) const {
    auto row = first_row(at_);
    if (row != rows_.end() && row->position == at_ && row->length_bytes == header.record_bytes()) {
      return false;
    }
    for (unsigned looked_at = 0;
         looked_at < kRowsLookedAt && row != rows_.end() && row->position < end;
         ++looked_at, ++row) {
      const auto listed = record_at(source_, row->position);
      if (row->position > at_ && listed && listed->record_bytes() == row->length_bytes &&
          listed->event_count == row->events) {
        return true;
      }
    }
    return false;
  }

  void keep(const RecordHeader& header) {
    const RecordEntry entry{at_, number_++, header};
    at_ += header.record_bytes();
    if (header.event_count == 0) {
      ++walk_.empty_records;
    } else if (!is_stray_trailer(source_, entry)) {
      walk_.records.push_back(entry);
    }
  }

  void skip(const std::optional<RecordHeader>& header) {
    const std::uint64_t begin =
        walk_.gaps.empty() || walk_.gaps.back().offset + walk_.gaps.back().bytes != at_
            ? at_
            : walk_.gaps.back().offset;
    at_ = find_record(source_, at_ + 1).value_or(source_.size());
    if (begin != at_ && !walk_.gaps.empty() && walk_.gaps.back().offset == begin) {
      walk_.gaps.pop_back();  // it goes on
    }
    Gap gap{begin, at_ - begin, std::nullopt, std::nullopt,
            header ? "a record that does not decode and is followed by none"
                   : "no sound record header"};
    if (at_ == source_.size() && !header) {
      gap.reason = "no sound record header up to the end of the file";
    }
    walk_.gaps.push_back(std::move(gap));
  }

  [[nodiscard]] std::vector<format::TrailerRow>::const_iterator first_row(std::uint64_t at) const {
    return std::lower_bound(rows_.begin(), rows_.end(), at,
                            [](const format::TrailerRow& row, std::uint64_t position) {
                              return row.position < position;
                            });
  }

  // What the index says of a gap.
  void count_lost(Gap& gap) const {
    if (rows_.empty()) {
      return;
    }
    gap.records = 0;
    gap.events = 0;
    for (auto row = first_row(gap.offset);
         row != rows_.end() && row->position < gap.offset + gap.bytes; ++row) {
      ++*gap.records;
      *gap.events += row->events;
    }
  }

  const ByteSource& source_;
  const Dictionary& dictionary_;
  SalvageStart how_;
  std::uint64_t trailer_;
  std::uint64_t at_ = 0;
  std::uint64_t number_ = 0;
  std::uint64_t decoded_bytes_ = 0;  // stored bytes of records decoded in doubt
  std::vector<format::TrailerRow> rows_;
  bool has_index_ = false;
  Walk walk_;
};

}  // namespace

std::optional<RecordHeader> record_at(const ByteSource& source, std::uint64_t offset) {
  if (offset > source.size() || source.size() - offset < RecordHeader::kBytes) {
    return std::nullopt;
  }
  std::array<std::byte, RecordHeader::kBytes> bytes;
  source.read_at(offset, bytes);
  try {
    const RecordHeader header = parse_record_header(bytes);
    const bool fits = header.record_bytes() <= source.size() - offset;
    const bool counts = std::uint64_t{4} * header.event_count <= header.index_bytes;
    return fits && counts ? std::optional(header) : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::optional<std::uint64_t> find_record(const ByteSource& source, std::uint64_t from) {
  Buffer block;
  std::uint64_t block_bytes = kFirstBlockBytes;
  std::uint64_t at = from + kMagicAt;
  while (at + 4 <= source.size()) {
    block.resize_discard(std::min(block_bytes, source.size() - at));
    source.read_at(at, block.span());
    for (const std::size_t hit : magic_positions(block.span())) {
      if (record_at(source, at + hit - kMagicAt)) {
        return at + hit - kMagicAt;
      }
    }
    // Blocks overlap by a magic less one byte, so that none is missed where two blocks meet.
    at += block_bytes - 3;
    block_bytes = std::min(2 * block_bytes, kBlockBytes);
  }
  return std::nullopt;
}

Walk salvage_records(const ByteSource& source, const FileHeader& header,
                     const Dictionary& dictionary, const SalvageStart& how) {
  return SalvageWalker(source, header, dictionary, how).run();
}

}  // namespace hipotool::inline v0::file
