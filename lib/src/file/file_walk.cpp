#include "file/file_walk.hpp"

#include "hipotool/counted.hpp"
#include "hipotool/error.hpp"

#include "format/constants.hpp"
#include "format/structure.hpp"
#include "format/trailer_index.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace hipotool::inline v0::file {
namespace {

// A full index takes 16 MiB, and a dictionary a tenth of that.
constexpr std::uint64_t kMostSpecialBytes = std::uint64_t{128} << 20;

std::string past_the_end(const RecordHeader& header, std::uint64_t available) {
  return "truncated: a record of " + std::to_string(header.record_bytes()) + " bytes, of which " +
         std::to_string(available) + " are there";
}

RecordHeader read_header(const ByteSource& source, std::uint64_t offset) {
  std::array<std::byte, RecordHeader::kBytes> bytes;
  source.read_at(offset, bytes);
  return parse_record_header(bytes);
}

// The data of structure 32111/1, or nullopt. `has_structures` tells an empty event from another
// one.
struct IndexBank {
  std::optional<ByteSpan> data;
  bool has_structures = false;
};

IndexBank find_index_bank(const std::vector<DictionaryEvent>& events) {
  IndexBank found;
  for (const DictionaryEvent& event : events) {
    const ByteSpan bytes(event);
    format::walk_structures(bytes, [&](const format::StructureHeader& header, std::size_t at) {
      found.has_structures = true;
      if (header.key == format::kFileIndexKey && !found.data) {
        found.data = bytes.subspan(at, header.size);
      }
    });
  }
  return found;
}

class Walker {
 public:
  Walker(const ByteSource& source, const FileHeader& header, std::uint64_t first_data,
         CutRecord cut)
      : source_(source), trailer_(header.trailer_position), first_data_(first_data), cut_(cut) {}

  Walk run() {
    std::uint64_t at = first_data_;
    while (at < source_.size()) {
      if (trailer_ != 0 && at == trailer_) {
        at_trailer(at);
        return std::move(walk_);
      }
      if (cut_ == CutRecord::accept && is_cut_at(at)) {
        end_ = "; it ends inside record " + std::to_string(all_.size()) + ", which begins at " +
               std::to_string(at);
        break;
      }
      at += with_context([&] { return ErrorContext{.record = all_.size(), .record_offset = at}; },
                         [&] { return add_record(at); });
    }
    conclude_without_trailer();
    return std::move(walk_);
  }

 private:
  void conclude_without_trailer() {
    if (trailer_ == 0) {
      demote(IndexState::absent,
             ends_with_trailer()
                 ? "the trailer position is 0, as in a file that went through a pipe; it ends with "
                   "a trailer that agrees with its records"
                 : "the trailer position is 0: its writer did not finish" + end_);
    } else if (trailer_ >= source_.size()) {
      demote(IndexState::cut, "the trailer should be at " + std::to_string(trailer_) +
                                  ", the file ends at " + std::to_string(source_.size()) + end_);
    } else {
      demote(IndexState::damaged,
             "the trailer position " + std::to_string(trailer_) + " is not where a record begins");
    }
  }

  // Whether the file ends before the record that begins here does, as one that was cut would: its
  // trailer would lie further on, and no other record comes.
  [[nodiscard]] bool is_cut_at(std::uint64_t at) const {
    if (trailer_ != 0 && trailer_ < source_.size()) {
      return false;
    }
    const std::uint64_t available = source_.size() - at;
    if (available >= RecordHeader::kBytes) {
      try {
        if (read_header(source_, at).record_bytes() <= available) {
          return false;
        }
      } catch (const Error&) {
        return false;
      }
    }
    return !find_record(source_, at + 1);
  }

  // Returns the record's length.
  std::uint64_t add_record(std::uint64_t at) {
    const std::uint64_t available = source_.size() - at;
    if (available < RecordHeader::kBytes) {
      throw Error(ErrorCode::truncated,
                  "truncated: " + counted(available, "byte") + " where a record header takes 56");
    }
    const RecordHeader header = read_header(source_, at);
    if (header.record_bytes() > available) {
      throw Error(ErrorCode::truncated, past_the_end(header, available));
    }
    all_.push_back({at, all_.size(), header});
    return header.record_bytes();
  }

  void at_trailer(std::uint64_t at) {
    const std::uint64_t available = source_.size() - at;
    std::optional<RecordHeader> header;
    std::string reason;
    if (available >= RecordHeader::kBytes) {
      try {
        header = read_header(source_, at);
      } catch (const Error& error) {
        reason = error.message();
      }
    }
    if (available < RecordHeader::kBytes || (header && header->record_bytes() > available)) {
      demote(IndexState::cut, "the file ends inside its trailer");
      return;
    }
    if (!header) {
      if (find_record(source_, at + 1)) {
        fail_at(at);  // no trailer: data goes on behind it
      }
      demote(IndexState::damaged, "trailer: " + reason);
      return;
    }
    walk_.stray_bytes = available - header->record_bytes();
    try {
      require_index_agrees(trailer_rows(source_, at), all_, first_data_, at);
      walk_.appended = find_appended(source_, at + header->record_bytes());
      keep_records();
    } catch (const Error& error) {
      walk_past_trailer(at, *header);
      demote(IndexState::damaged, "trailer: " + error.message());
    }
  }

  // What stands where the trailer should may be data that a wrong position points to, with more
  // data behind it. A trailer is the last record of its file and holds one event.
  void walk_past_trailer(std::uint64_t at, const RecordHeader& header) {
    std::uint64_t next = at + header.record_bytes();
    const bool is_last = !find_record(source_, next).has_value();
    const bool is_whole = header.layout == LayoutId::per_chunk;
    const bool is_trailer = is_last && (header.event_count <= 1 || (is_whole && !is_readable(at)));
    if (!is_trailer) {
      all_.push_back({at, all_.size(), header});
    }
    while (const auto follower = record_at(source_, next)) {
      all_.push_back({next, all_.size(), *follower});
      next += follower->record_bytes();
    }
    if (find_record(source_, next)) {
      fail_at(next);
    }
    walk_.stray_bytes = source_.size() - next;
  }

  // A record that is damaged, since sound ones come behind it. Throws.
  void fail_at(std::uint64_t at) {
    with_context([&] { return ErrorContext{.record = all_.size(), .record_offset = at}; },
                 [&] {
                   static_cast<void>(add_record(at));
                   throw Error(ErrorCode::corrupt, "a record that claims too many events");
                 });
  }

  [[nodiscard]] bool is_readable(std::uint64_t at) const {
    try {
      static_cast<void>(read_special_record(source_, at));
      return true;
    } catch (const Error&) {
      return false;
    }
  }

  // Whether the last record is a trailer that no position leads to, and right.
  [[nodiscard]] bool ends_with_trailer() const {
    if (all_.empty() || !is_stray_trailer(source_, all_.back())) {
      return false;
    }
    const std::uint64_t at = all_.back().offset;
    try {
      require_index_agrees(trailer_rows(source_, at), {all_.begin(), all_.end() - 1}, first_data_,
                           at);
      return true;
    } catch (const Error&) {
      return false;
    }
  }

  void keep_records() {
    for (const RecordEntry& entry : all_) {
      if (entry.header.event_count == 0) {
        ++walk_.empty_records;
      } else {
        walk_.records.push_back(entry);
      }
    }
  }

  void demote(IndexState state, std::string reason) {
    walk_.index = state;
    walk_.index_reason = std::move(reason);
    std::erase_if(all_, [&](const RecordEntry& entry) { return is_stray_trailer(source_, entry); });
    keep_records();
  }

  const ByteSource& source_;
  std::uint64_t trailer_;
  std::uint64_t first_data_;
  CutRecord cut_;
  std::string end_;  // where the file ends, if inside a record
  std::vector<RecordEntry> all_;
  Walk walk_;
};

}  // namespace

Walk walk_records(const ByteSource& source, const FileHeader& header, std::uint64_t first_data,
                  CutRecord cut) {
  return Walker(source, header, first_data, cut).run();
}

void require_index_agrees(std::vector<format::TrailerRow> rows,
                          const std::vector<RecordEntry>& records, std::uint64_t first_data,
                          std::uint64_t trailer) {
  std::erase_if(rows, [&](const format::TrailerRow& row) {
    return row.position < first_data || row.position == trailer;
  });
  std::sort(rows.begin(), rows.end(),
            [](const auto& a, const auto& b) { return a.position < b.position; });
  auto row = rows.begin();
  for (const RecordEntry& entry : records) {
    if (row != rows.end() && row->position == entry.offset) {
      require_row_agrees(*row, entry);
      ++row;
    } else if (entry.header.event_count != 0) {
      throw Error(ErrorCode::corrupt,
                  "its index leaves out the record at " + std::to_string(entry.offset));
    }
  }
  if (row != rows.end()) {
    throw Error(ErrorCode::corrupt, "its index lists a record at " + std::to_string(row->position) +
                                        ", where none begins");
  }
}

void require_row_agrees(const format::TrailerRow& row, const RecordEntry& entry) {
  const RecordHeader& header = entry.header;
  if (row.length_bytes != header.record_bytes() || row.events != header.event_count ||
      row.user_words != header.user_words) {
    throw Error(ErrorCode::corrupt, "its index contradicts the record at " +
                                        std::to_string(entry.offset) +
                                        " (length, events or user words)");
  }
}

std::vector<format::TrailerRow> trailer_rows(const ByteSource& source, std::uint64_t trailer) {
  const std::vector<DictionaryEvent> events = read_special_record(source, trailer);
  const IndexBank bank = find_index_bank(events);
  if (bank.data) {
    return format::parse_trailer_index(*bank.data);
  }
  if (bank.has_structures || events.empty()) {
    throw Error(ErrorCode::corrupt, "it holds no file index");
  }
  return {};  // C++ leaves an index without rows out
}

bool is_stray_trailer(const ByteSource& source, const RecordEntry& entry) {
  if (entry.header.event_count != 1 || entry.header.layout != LayoutId::per_chunk) {
    return false;
  }
  try {
    return find_index_bank(read_special_record(source, entry.offset)).data.has_value();
  } catch (const Error&) {
    return false;  // a damaged data record: whoever reads it will say so
  }
}

std::vector<DictionaryEvent> read_special_record(const ByteSource& source, std::uint64_t offset) {
  const RecordHeader header = read_header(source, offset);
  if (header.layout != LayoutId::per_chunk) {
    throw Error(ErrorCode::corrupt, "a split record where a whole one must be");
  }
  if (header.record_bytes() > source.size() - offset) {
    throw Error(ErrorCode::truncated, past_the_end(header, source.size() - offset));
  }
  Buffer bytes(header.record_bytes());
  source.read_at(offset, bytes.span());
  const StoredRecord stored = StoredRecord::borrow(bytes.span());
  CodecContext context(kMostSpecialBytes);
  RecordDirectory directory;
  Record record;
  read_directory(stored, context, directory);
  try {
    decode(stored, directory, Dictionary(), Projection::nothing(), context, record);
  } catch (const OverBudget&) {
    throw Error(ErrorCode::unsupported, "a dictionary or trailer that takes more than " +
                                            std::to_string(kMostSpecialBytes >> 20) +
                                            " MiB of memory");
  }
  std::vector<DictionaryEvent> events;
  events.reserve(record.event_count());
  for (std::uint32_t event = 0; event < record.event_count(); ++event) {
    const ByteSpan image = record.image(event).value();
    events.emplace_back(image.begin(), image.end());
  }
  return events;
}

}  // namespace hipotool::inline v0::file
