#include "inspect/quick_check.hpp"

#include "hipotool/dictionary.hpp"

#include "file/file_head.hpp"
#include "file/file_walk.hpp"
#include "file/record_loading.hpp"
#include "format/constants.hpp"
#include "format/trailer_index.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace hipotool::inline v0::inspect {
namespace {

// An index is one bank; a trailer that is much longer is none.
constexpr std::uint64_t kLongestTrailer = format::kMaxBankBytes + format::kPayloadSlack;
// Records without events need not be in the index. So many are looked for where it has a hole.
constexpr unsigned kUnlistedRecords = 64;

RecordHeader header_at(const ByteSource& source, std::uint64_t offset) {
  std::array<std::byte, RecordHeader::kBytes> bytes;
  source.read_at(offset, bytes);
  return parse_record_header(bytes);
}

class QuickCheck {
 public:
  QuickCheck(const ByteSource& source, std::uint64_t memory_bytes, CheckReport& report)
      : source_(source), memory_bytes_(memory_bytes), report_(report) {}

  std::optional<Appended> run() {
    head_ = file::read_file_head(source_);
    const std::uint64_t trailer = head_.header.trailer_position;
    if (trailer == 0) {
      report_.index = IndexState::absent;
      note_no_index();
    } else if (trailer >= source_.size()) {
      cut("the trailer should be at " + std::to_string(trailer) + ", the file ends at " +
          std::to_string(source_.size()));
    } else if (const std::uint64_t available = source_.size() - trailer;
               available < RecordHeader::kBytes) {
      cut("the file ends inside its trailer");
    } else {
      look_at_trailer(trailer, available);
    }
    return appended_;
  }

 private:
  void note_no_index() {
    const std::string reason = "the trailer position is 0: its writer did not finish";
    if (head_.first_data == source_.size()) {
      note(CheckVerdict::empty, "no events, and " + reason);
      return;
    }
    // Where the first record is none, the file is no better than corrupt.
    with_context([&] { return ErrorContext{.record = 0, .record_offset = head_.first_data}; },
                 [&] {
                   if (source_.size() - head_.first_data < RecordHeader::kBytes) {
                     throw Error(ErrorCode::truncated,
                                 "truncated: less than a record header is there");
                   }
                   static_cast<void>(header_at(source_, head_.first_data));
                 });
    note(CheckVerdict::no_index, reason);
  }

  void look_at_trailer(std::uint64_t trailer, std::uint64_t available) {
    std::vector<format::TrailerRow> rows;
    try {
      if (trailer < head_.first_data) {
        throw Error(ErrorCode::corrupt,
                    "its position " + std::to_string(trailer) + " is before the first data record");
      }
      const RecordHeader header = header_at(source_, trailer);
      if (header.record_bytes() > available) {
        cut("the file ends inside its trailer");
        return;
      }
      if (header.record_bytes() > kLongestTrailer) {
        throw Error(ErrorCode::corrupt, "a record of " + std::to_string(header.record_bytes()) +
                                            " bytes, longer than an index can be");
      }
      report_.stray_bytes = available - header.record_bytes();
      appended_ = file::find_appended(source_, trailer + header.record_bytes());
      rows = file::trailer_rows(source_, trailer);
      require_cover(rows, trailer);
      count(rows);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::io || error.code() == ErrorCode::changed) {
        throw;
      }
      report_.index = IndexState::damaged;
      note(CheckVerdict::index_disagrees, "trailer: " + error.message());
      return;
    }
    if (!rows.empty()) {
      look_at_last_record(rows.back(), rows.size() - 1);
    }
  }

  // Sorts the rows of data records, and holds them against the space that they must fill.
  void require_cover(std::vector<format::TrailerRow>& rows, std::uint64_t trailer) {
    std::erase_if(rows, [&](const format::TrailerRow& row) {
      return row.position < head_.first_data || row.position == trailer;
    });
    std::sort(rows.begin(), rows.end(),
              [](const auto& a, const auto& b) { return a.position < b.position; });
    std::uint64_t at = head_.first_data;
    for (const format::TrailerRow& row : rows) {
      const std::uint64_t end = row.position + row.length_bytes;  // two 63-bit numbers
      if (row.position < at || row.length_bytes < RecordHeader::kBytes || end > trailer) {
        throw Error(ErrorCode::corrupt, "its index lists a record of " +
                                            std::to_string(row.length_bytes) + " bytes at " +
                                            std::to_string(row.position) +
                                            ", where there is no room for it");
      }
      require_no_events_between(at, row.position);
      at = end;
    }
    require_no_events_between(at, trailer);
  }

  void require_no_events_between(std::uint64_t at, std::uint64_t end) {
    while (at < end && unlisted_ < kUnlistedRecords) {
      ++unlisted_;
      const auto header = file::record_at(source_, at);
      if (!header || header->event_count != 0) {
        throw Error(ErrorCode::corrupt, "its index leaves out the record at " + std::to_string(at));
      }
      at += header->record_bytes();
    }
    if (at > end) {
      throw Error(ErrorCode::corrupt, "a record without events runs past " + std::to_string(end) +
                                          ", where it must end");
    }
  }

  void count(const std::vector<format::TrailerRow>& rows) {
    std::uint64_t records = 0;
    std::uint64_t events = 0;
    for (const format::TrailerRow& row : rows) {
      if (row.events == 0) {
        continue;
      }
      ++records;
      events += row.events;
      CheckTally& tally = report_.by_user_word[row.user_words.first];
      ++tally.records;
      tally.events += row.events;
      tally.stored_bytes += row.length_bytes;
    }
    report_.records = records;
    report_.events = events;
  }

  void look_at_last_record(const format::TrailerRow& row, std::uint64_t number) {
    const auto describe = [&] {
      ErrorContext context{.record_offset = row.position};
      if (unlisted_ == 0) {
        context.record = number;
      }
      return context;
    };
    with_context(describe, [&] {
      const RecordEntry last{row.position, number, header_at(source_, row.position)};
      try {
        file::require_row_agrees(row, last);
      } catch (const Error& error) {
        report_.index = IndexState::damaged;
        note(CheckVerdict::index_disagrees, "trailer: " + error.message());
        return;
      }
      CodecContext context(memory_bytes_);
      StoredRecord stored;
      RecordDirectory directory;
      file::load_directory(source_, last, context, stored, directory);
    });
  }

  void cut(const std::string& reason) {
    report_.index = IndexState::cut;
    note(CheckVerdict::truncated, reason);
  }

  void note(CheckVerdict verdict, const std::string& message) {
    report_.findings.push_back({verdict, message, std::nullopt});
  }

  const ByteSource& source_;
  std::uint64_t memory_bytes_;
  CheckReport& report_;
  file::FileHead head_;
  std::optional<Appended> appended_;
  unsigned unlisted_ = 0;
};

}  // namespace

std::optional<Appended> check_quickly(const ByteSource& source, std::uint64_t memory_bytes,
                                      CheckReport& report) {
  return QuickCheck(source, memory_bytes, report).run();
}

}  // namespace hipotool::inline v0::inspect
