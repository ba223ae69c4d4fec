#include "file/record_stream.hpp"

#include "hipotool/counted.hpp"
#include "hipotool/error.hpp"
#include "hipotool/writer.hpp"

#include "format/constants.hpp"
#include "format/file_header.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>

namespace hipotool::inline v0::file {
namespace {

// Buffers grow by what has come, and by this much at least.
constexpr std::uint64_t kLeastStepBytes = std::uint64_t{64} << 10;
constexpr std::size_t kMagicAt = 28;
// Records whose decoding must decide together have at most so many times the bytes that came.
constexpr std::uint64_t kDecodedShare = 16;

class WindowSource final : public ByteSource {
 public:
  WindowSource(std::vector<StreamedRecord> records, std::string name)
      : records_(std::move(records)), name_(std::move(name)) {}

  void read_at(std::uint64_t offset, MutableByteSpan out) const override {
    for (const StreamedRecord& record : records_) {
      const std::uint64_t begin = record.entry.offset;
      if (offset >= begin && offset - begin <= record.bytes->size() &&
          out.size() <= record.bytes->size() - (offset - begin)) {
        std::copy_n(record.bytes->data() + (offset - begin), out.size(), out.data());
        return;
      }
    }
    throw Error(ErrorCode::truncated, "the bytes wanted are not in the record", {.path = name_});
  }
  [[nodiscard]] std::uint64_t size() const noexcept override {
    return records_.empty() ? 0 : records_.back().entry.offset + records_.back().bytes->size();
  }
  [[nodiscard]] const std::string& name() const noexcept override { return name_; }
  void require_unchanged() const override {}

 private:
  std::vector<StreamedRecord> records_;
  std::string name_;
};

// Whether these are the first bytes of a record header that makes sense.
std::optional<RecordHeader> sound_header(ByteSpan bytes) {
  try {
    const RecordHeader header = parse_record_header(bytes);
    const bool counts = std::uint64_t{4} * header.event_count <= header.index_bytes;
    return counts ? std::optional(header) : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
}

// One that takes more than `most_bytes` is believed: whoever reads it will be told.
bool decodes(ByteSpan bytes, const Dictionary& dictionary, std::uint64_t most_bytes) {
  try {
    const StoredRecord stored = StoredRecord::borrow(bytes);
    CodecContext context(most_bytes);
    RecordDirectory directory;
    Record record;
    read_directory(stored, context, directory);
    // Without schemas the columns cannot be told apart; the directory must do then.
    const bool blind = stored.header.layout == LayoutId::per_column && dictionary.schemas().empty();
    decode(stored, directory, dictionary, blind ? Projection::nothing() : Projection::everything(),
           context, record);
    return true;
  } catch (const OverBudget&) {
    return true;
  } catch (const Error&) {
    return false;
  }
}

std::string cut_record(std::uint64_t wanted, std::uint64_t available) {
  return "truncated: a record of " + counted(wanted, "byte") + ", of which " +
         std::to_string(available) + " came";
}

}  // namespace

std::shared_ptr<const ByteSource> window_source(std::vector<StreamedRecord> records,
                                                std::string name) {
  return std::make_shared<WindowSource>(std::move(records), std::move(name));
}

RecordStream::RecordStream(std::shared_ptr<ByteStream> bytes, const ReaderOptions& options)
    : bytes_(std::move(bytes)),
      salvage_(options.salvage),
      most_record_bytes_(options.stream_record_bytes),
      salvage_bytes_(options.salvage_bytes),
      pending_(buffers_.take()) {
  pending_->clear();
}

// ---- bytes

bool RecordStream::ensure(std::uint64_t bytes) {
  while (available() < bytes && !ended_) {
    if (begin_ > available()) {
      std::copy(pending_->data() + begin_, pending_->data() + pending_->size(), pending_->data());
      pending_->resize_keep(available());
      begin_ = 0;
    }
    const std::size_t had = pending_->size();
    const std::uint64_t step =
        std::min(bytes - available(), std::max<std::uint64_t>(kLeastStepBytes, had));
    pending_->resize_keep(had + step);
    const std::size_t got = bytes_->read(pending_->span().subspan(had));
    pending_->resize_keep(had + got);
    ended_ = got < step;
  }
  return available() >= bytes;
}

ByteSpan RecordStream::front(std::size_t bytes) const {
  return std::as_const(*pending_).span().subspan(begin_, bytes);
}

std::shared_ptr<const Buffer> RecordStream::consume(std::size_t bytes) {
  offset_ += bytes;
  if (begin_ == 0 && bytes == pending_->size()) {
    std::shared_ptr<const Buffer> whole = std::move(pending_);
    pending_ = buffers_.take();
    pending_->clear();
    return whole;
  }
  const std::shared_ptr<Buffer> part = buffers_.take();
  part->clear();
  part->append(front(bytes));
  begin_ += bytes;
  return part;
}

void RecordStream::discard(std::uint64_t bytes) {
  while (bytes > 0 && (available() > 0 || ensure(1))) {
    const std::size_t step = std::min<std::uint64_t>(bytes, available());
    begin_ += step;
    offset_ += step;
    bytes -= step;
    if (available() == 0) {
      pending_->clear();
      begin_ = 0;
      static_cast<void>(ensure(std::min(bytes, kLeastStepBytes)));
    }
  }
}

// ---- head

FileHead RecordStream::read_head() {
  FileHead head;
  return with_context(
      [&] { return ErrorContext{.path = name()}; },
      [&] {
        static_cast<void>(ensure(format::kFileHeaderBytes));
        try {
          head.header = format::parse_file_header(
              front(std::min<std::size_t>(available(), format::kFileHeaderBytes)));
          trailer_position_ = head.header.trailer_position;
          read_told_dictionary(head);
        } catch (const Error& error) {
          if (!salvage_ || error.code() == ErrorCode::io || error.code() == ErrorCode::cancelled) {
            throw;
          }
          read_damaged_head(head, error);
        }
        first_data_ = offset_;
        head.first_data = offset_;
        return head;
      });
}

void RecordStream::read_told_dictionary(FileHead& head) {
  discard(std::uint64_t{4} * head.header.header_words);
  const std::uint64_t bytes = head.header.dictionary_bytes;
  if (bytes == 0) {
    read_untold_dictionary(head);
    return;
  }
  const auto describe = [&] {
    return ErrorContext{.record_offset = offset_, .bank = "dictionary"};
  };
  with_context(describe, [&] {
    if (bytes > most_record_bytes_) {
      throw Error(ErrorCode::over_budget, "a dictionary of " + std::to_string(bytes) + " bytes; " +
                                              std::to_string(most_record_bytes_) +
                                              " are taken at once (--memory)");
    }
    if (!ensure(bytes)) {
      throw Error(ErrorCode::truncated, cut_record(bytes, available()));
    }
    const std::shared_ptr<Buffer> copy = std::make_shared<Buffer>();
    copy->append(front(bytes));
    head.dictionary_events =
        read_special_record(WindowSource({{{offset_, 0, {}}, copy}}, name()), offset_);
    discard(bytes);
  });
}

// One that the file header does not tell of. Its events would pass for data otherwise.
void RecordStream::read_untold_dictionary(FileHead& head) {
  std::string reason;
  const std::optional<RecordHeader> header = sound_record(reason);
  if (!header || header->layout != LayoutId::per_chunk) {
    return;
  }
  const std::shared_ptr<Buffer> copy = std::make_shared<Buffer>();
  copy->append(front(header->record_bytes()));
  try {
    std::vector<DictionaryEvent> events =
        read_special_record(WindowSource({{{offset_, 0, *header}, copy}}, name()), offset_);
    if (is_dictionary(events)) {
      head.dictionary_events = std::move(events);
      discard(header->record_bytes());
    }
  } catch (const Error&) {
    return;  // whoever reads it as data will say what is wrong
  }
}

void RecordStream::read_damaged_head(FileHead& head, const Error& error) {
  const std::uint64_t begin = offset_;
  std::string reason;
  const std::optional<RecordHeader> there = begin > 0 ? sound_record(reason) : std::nullopt;
  if (there) {
    discard(there->record_bytes());
    add_gap(begin, "the dictionary: " + error.message());
    return;
  }
  skip_to_header();
  if (available() == 0) {
    throw Error(ErrorCode::bad_magic, "no HIPO record found: " + error.message());
  }
  if (offset_ > begin) {
    add_gap(begin, begin == 0 ? "no usable file header" : "the dictionary: " + error.message());
  }
  read_untold_dictionary(head);
}

// ---- records

const RecordEntry* RecordStream::ahead() {
  if (!ahead_ && failure_ == nullptr && !is_done_) {
    advance();
  }
  if (!ahead_ && failure_ != nullptr) {
    std::rethrow_exception(failure_);
  }
  return ahead_ ? &ahead_->entry : nullptr;
}

const RecordEntry* RecordStream::glance() {
  if (!ahead_ && failure_ == nullptr && !is_done_) {
    try {
      advance();
    } catch (...) {
      failure_ = std::current_exception();
    }
  }
  return ahead_ ? &ahead_->entry : nullptr;
}

StreamedRecord RecordStream::take() {
  StreamedRecord record = std::move(*ahead_);
  ahead_.reset();
  return record;
}

void RecordStream::drain() {
  while (ahead() != nullptr) {
    ahead_.reset();
  }
}

void RecordStream::advance() {
  with_context([&] { return ErrorContext{.path = name()}; },
               [&] {
                 if (salvage_) {
                   advance_through_damage();
                 } else {
                   advance_strictly();
                 }
               });
}

void RecordStream::advance_strictly() {
  while (!ahead_) {
    if (!ensure(1)) {
      fail_without_trailer();
    }
    const auto describe = [at = offset_, number = all_.size()] {
      return ErrorContext{.record = number, .record_offset = at};
    };
    const RecordHeader header = with_context(describe, [&] {
      if (!ensure(RecordHeader::kBytes)) {
        throw Error(ErrorCode::truncated, "truncated: " + counted(available(), "byte") +
                                              " where a record header takes 56");
      }
      const RecordHeader parsed = parse_record_header(front(RecordHeader::kBytes));
      if (parsed.record_bytes() > most_record_bytes_) {
        throw Error(ErrorCode::over_budget, "a record of " + std::to_string(parsed.record_bytes()) +
                                                " bytes; " + std::to_string(most_record_bytes_) +
                                                " are taken at once (--memory)");
      }
      if (!ensure(parsed.record_bytes())) {
        throw Error(ErrorCode::truncated, cut_record(parsed.record_bytes(), available()));
      }
      return parsed;
    });
    const std::uint64_t at = offset_;
    StreamedRecord record{{at, all_.size(), header}, consume(header.record_bytes())};
    if (is_trailer(record)) {
      require_agreement(record);
      require_end();
      is_done_ = true;
      return;
    }
    keep(header, std::move(record.bytes));
  }
}

void RecordStream::keep(const RecordHeader& header, std::shared_ptr<const Buffer> bytes) {
  const RecordEntry entry{offset_ - header.record_bytes(), all_.size(), header};
  note(entry);
  if (header.event_count != 0) {
    ahead_ = StreamedRecord{entry, std::move(bytes)};
  }
}

void RecordStream::note(const RecordEntry& entry) {
  if (all_.size() >= FileWriter::kMaxRecords) {
    throw Error(ErrorCode::not_representable,
                "more than " + std::to_string(FileWriter::kMaxRecords) +
                    " records came, which no trailer can list; write the stream to a file first");
  }
  all_.push_back(entry);
  if (entry.header.event_count == 0) {
    ++walk_.empty_records;
  } else {
    walk_.records.push_back(entry);
    events_ += entry.header.event_count;
  }
}

// Where the file header says; without that, what looks like the trailer that this library writes.
bool RecordStream::is_trailer(const StreamedRecord& record) const {
  if (trailer_position_ != 0 && !salvage_) {
    return record.entry.offset == trailer_position_;
  }
  const WindowSource source({record}, name());
  if (trailer_position_ != 0 && record.entry.offset == trailer_position_) {
    try {
      static_cast<void>(trailer_rows(source, trailer_position_));
      return true;
    } catch (const Error&) {
      return false;
    }
  }
  return record.entry.header.codec == CodecId::none && is_stray_trailer(source, record.entry);
}

void RecordStream::require_agreement(const StreamedRecord& trailer) {
  const std::uint64_t at = trailer.entry.offset;
  try {
    const WindowSource source({trailer}, name());
    require_index_agrees(trailer_rows(source, at), all_, first_data_, at);
  } catch (const Error& error) {
    throw Error(ErrorCode::corrupt,
                "the trailer is not that of what came: " + error.message() +
                    " (--salvage takes what is there)",
                {.record_offset = at});
  }
}

void RecordStream::require_end() {
  if (!ensure(1)) {
    return;
  }
  throw Error(
      ErrorCode::corrupt,
      another_file_begins()
          ? "another file follows the trailer; files one behind the other are no file: give "
            "each as an operand (--salvage takes the first)"
          : "bytes follow the trailer (--salvage leaves them out)",
      {.record_offset = offset_});
}

bool RecordStream::another_file_begins() {
  static_cast<void>(ensure(4));
  const ByteSpan next = front(std::min<std::size_t>(available(), 4));
  const std::string_view word(reinterpret_cast<const char*>(next.data()), next.size());
  return word == "HIPO" || word == "HREC";
}

void RecordStream::fail_without_trailer() const {
  throw Error(ErrorCode::truncated,
              "the stream ends without its trailer, so it may have been cut: " +
                  counted(all_.size(), "record") + " with " + counted(events_, "event") +
                  " came (--salvage takes them)");
}

// ---- salvage

void RecordStream::advance_through_damage() {
  while (!ahead_ && !is_done_) {
    if (!ensure(1)) {
      end_salvage(nullptr);
      return;
    }
    std::string reason = "no sound record header";
    const std::optional<RecordHeader> header = sound_record(reason);
    if (!header || !is_believable(*header)) {
      skip(header ? "a record that does not decode and is followed by none" : reason);
      continue;
    }
    const std::uint64_t at = offset_;
    StreamedRecord record{{at, all_.size(), *header}, consume(header->record_bytes())};
    if (is_trailer(record)) {
      end_salvage(&record);
      return;
    }
    keep(*header, std::move(record.bytes));
  }
}

// The record that begins here, if its header is sound and all of it comes.
std::optional<RecordHeader> RecordStream::sound_record(std::string& reason) {
  if (!ensure(RecordHeader::kBytes)) {
    return std::nullopt;
  }
  const std::optional<RecordHeader> header = sound_header(front(RecordHeader::kBytes));
  if (!header) {
    return std::nullopt;
  }
  if (header->record_bytes() > most_record_bytes_) {
    reason = "a record of " + std::to_string(header->record_bytes()) + " bytes; " +
             std::to_string(most_record_bytes_) + " are taken at once";
    return std::nullopt;
  }
  if (!ensure(header->record_bytes())) {
    reason = cut_record(header->record_bytes(), available());
    return std::nullopt;
  }
  return header;
}

bool RecordStream::is_believable(const RecordHeader& header) {
  const std::uint64_t bytes = header.record_bytes();
  if (ensure(bytes + RecordHeader::kBytes)) {
    if (sound_header(front(bytes + RecordHeader::kBytes).subspan(bytes))) {
      return true;
    }
  } else if (available() == bytes) {
    return true;
  }
  // Many headers that all claim a large record would keep it busy for hours.
  if (decoded_bytes_ > kDecodedShare * bytes_->position()) {
    return false;
  }
  decoded_bytes_ += bytes;
  return decodes(front(bytes), *dictionary_, salvage_bytes_);
}

void RecordStream::skip(const std::string& reason) {
  const std::uint64_t begin = offset_;
  discard(1);
  skip_to_header();
  add_gap(begin, reason);
}

// To the next sound record header, or the end.
void RecordStream::skip_to_header() {
  while (ensure(RecordHeader::kBytes)) {
    const ByteSpan bytes = front(available());
    constexpr std::array<std::uint32_t, 2> kMagics{format::kEndianMagic,
                                                   format::kSwappedEndianMagic};
    for (std::size_t at = 0; at + RecordHeader::kBytes <= bytes.size(); ++at) {
      const auto magic = load_le<std::uint32_t>(bytes.data() + at + kMagicAt);
      if ((magic == kMagics[0] || magic == kMagics[1]) &&
          sound_header(bytes.subspan(at, RecordHeader::kBytes))) {
        begin_ += at;
        offset_ += at;
        return;
      }
    }
    const std::size_t looked_at = bytes.size() - RecordHeader::kBytes + 1;
    begin_ += looked_at;
    offset_ += looked_at;
    static_cast<void>(ensure(kLeastStepBytes));
  }
  discard(available());
}

// From `begin` to here; it may go on where the last one ended.
void RecordStream::add_gap(std::uint64_t begin, const std::string& reason) {
  if (!walk_.gaps.empty() && walk_.gaps.back().offset + walk_.gaps.back().bytes == begin) {
    walk_.gaps.back().bytes += offset_ - begin;
  } else {
    walk_.gaps.push_back({begin, offset_ - begin, std::nullopt, std::nullopt, reason});
  }
}

void RecordStream::end_salvage(const StreamedRecord* trailer) {
  is_done_ = true;
  if (trailer == nullptr) {
    walk_.index = IndexState::cut;
    walk_.index_reason = "the stream ended without its trailer";
    return;
  }
  const std::uint64_t at = trailer->entry.offset;
  try {
    std::vector<format::TrailerRow> rows = trailer_rows(WindowSource({*trailer}, name()), at);
    count_lost(rows);
    require_index_agrees(std::move(rows), all_, first_data_, at);
  } catch (const Error& error) {
    walk_.index = IndexState::damaged;
    walk_.index_reason = "trailer: " + error.message();
  }
  if (const std::uint64_t behind = offset_; ensure(1)) {
    const bool is_file = another_file_begins();
    discard(std::numeric_limits<std::uint64_t>::max());
    walk_.gaps.push_back({behind, offset_ - behind, std::nullopt, std::nullopt,
                          is_file ? "another HIPO file begins here; give it as an operand"
                                  : "bytes after the trailer"});
  }
}

// What the index says of the gaps.
void RecordStream::count_lost(const std::vector<format::TrailerRow>& rows) {
  for (Gap& gap : walk_.gaps) {
    gap.records = 0;
    gap.events = 0;
  }
  for (const format::TrailerRow& row : rows) {
    const auto in = std::find_if(walk_.gaps.begin(), walk_.gaps.end(), [&](const Gap& gap) {
      return row.position >= gap.offset && row.position - gap.offset < gap.bytes;
    });
    if (in != walk_.gaps.end()) {
      ++*in->records;
      *in->events += row.events;
    }
  }
}

}  // namespace hipotool::inline v0::file
