#include "hipotool/reader.hpp"

#include "hipotool/error.hpp"

#include "file/file_head.hpp"
#include "file/file_walk.hpp"
#include "file/record_loading.hpp"
#include "file/record_stream.hpp"
#include "format/constants.hpp"
#include "layout/layout.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace hipotool {
inline namespace v0 {
namespace {

struct Range {
  std::uint64_t begin;
  std::uint64_t end;
};

// Byte ranges of wanted streams that are not loaded yet, ascending, neighbours joined.
std::vector<Range> missing_ranges(const StoredRecord& stored, const RecordDirectory& directory,
                                  const Projection& projection) {
  std::vector<Range> ranges;
  for (const DirectoryBank& bank : directory.banks) {
    const auto streams = directory.streams_of(bank);
    for (std::size_t c = 0; c < streams.size(); ++c) {
      const bool wanted =
          bank.columns == 0 ? projection.wants(bank.key) : projection.wants(bank.key, c);
      const StreamInfo& stream = streams[c];
      if (!wanted || stream.stored_bytes == 0 ||
          stored.is_loaded(stream.offset, stream.stored_bytes)) {
        continue;
      }
      if (!ranges.empty() && ranges.back().end == stream.offset) {
        ranges.back().end += stream.stored_bytes;
      } else {
        ranges.push_back({stream.offset, stream.offset + stream.stored_bytes});
      }
    }
  }
  return ranges;
}

// Reads across the smallest gaps first would save most calls; gaps are joined in file order, which
// is simpler and nearly as good, while `spare` bytes last.
std::vector<Range> join_across_gaps(const std::vector<Range>& ranges, std::uint64_t spare) {
  std::vector<Range> joined;
  for (const Range& range : ranges) {
    if (!joined.empty() && range.begin - joined.back().end <= spare) {
      spare -= range.begin - joined.back().end;
      joined.back().end = range.end;
    } else {
      joined.push_back(range);
    }
  }
  return joined;
}

// What stands for the bytes of a stream, which cannot be read at a position.
class PassingBytes final : public ByteSource {
 public:
  explicit PassingBytes(const file::RecordStream& stream) : stream_(&stream) {}

  void read_at(std::uint64_t /*offset*/, MutableByteSpan /*out*/) const override {
    throw Error(ErrorCode::invalid_argument, "a stream cannot be read at a position",
                {.path = name()});
  }
  [[nodiscard]] std::uint64_t size() const noexcept override { return stream_->byte_count(); }
  [[nodiscard]] const std::string& name() const noexcept override { return stream_->name(); }
  void require_unchanged() const override {}

 private:
  const file::RecordStream* stream_;
};

// A file that begins inside another one and goes on to its end.
class TailBytes final : public ByteSource {
 public:
  TailBytes(std::shared_ptr<const ByteSource> whole, std::uint64_t begin)
      : whole_(std::move(whole)), begin_(begin) {}

  void read_at(std::uint64_t offset, MutableByteSpan out) const override {
    whole_->read_at(begin_ + offset, out);
  }
  [[nodiscard]] std::uint64_t size() const noexcept override { return whole_->size() - begin_; }
  [[nodiscard]] const std::string& name() const noexcept override { return whole_->name(); }
  void require_unchanged() const override { whole_->require_unchanged(); }

 private:
  std::shared_ptr<const ByteSource> whole_;
  std::uint64_t begin_;
};

// Each file costs a look at all headers behind it.
constexpr std::size_t kMostAppendedFiles = 256;

}  // namespace

std::string_view to_string(IndexState state) noexcept {
  switch (state) {
    case IndexState::valid:
      return "valid";
    case IndexState::absent:
      return "absent";
    case IndexState::cut:
      return "cut";
    case IndexState::damaged:
      break;
  }
  return "damaged";
}

struct FileReader::State {
  std::unique_ptr<file::RecordStream> stream;  // null for a file
  std::shared_ptr<const ByteSource> source;
  FileHeader header;
  std::vector<DictionaryEvent> dictionary_events;
  std::shared_ptr<const Dictionary> dictionary;
  file::Walk walk;
  std::uint64_t events = 0;

  bool borrowed = false;

  [[nodiscard]] const file::Walk& found() const { return stream ? stream->walk() : walk; }

  void open_stream(const ReaderOptions& options) {
    source = std::make_shared<PassingBytes>(*stream);
    file::FileHead head = stream->read_head();
    header = head.header;
    dictionary_events = std::move(head.dictionary_events);
    take_dictionary(options);
    stream->decode_with(*dictionary);
  }

  void open(const ReaderOptions& options) {
    if (!options.salvage) {
      open_strictly(options);
      return;
    }
    open_salvaging(options);
    take_appended(options);
    count_events();
  }

 private:
  void open_salvaging(const ReaderOptions& options) {
    try {
      const std::uint64_t first_data = open_strictly(options);
      if (walk.index == IndexState::damaged) {
        walk_with_index({first_data, options.salvage_bytes});
      }
    } catch (const Error& error) {
      if (error.code() == ErrorCode::io || error.code() == ErrorCode::changed) {
        throw;
      }
      open_damaged(options);
    }
  }

  // Files behind this one, one after the other.
  void take_appended(const ReaderOptions& options) {
    std::optional<Appended> next = walk.appended;
    for (std::size_t files = 0; next; ++files) {
      if (!next->is_file || files == kMostAppendedFiles) {
        walk.gaps.push_back(file::gap_of(
            *next, next->is_file
                       ? "with " + std::to_string(kMostAppendedFiles) + " others before it"
                       : ""));
        return;
      }
      State other;
      try {
        other.source = std::make_shared<TailBytes>(source, next->offset);
        other.open_salvaging(options);
      } catch (const Error& error) {
        if (error.code() == ErrorCode::io || error.code() == ErrorCode::changed) {
          throw;
        }
        walk.gaps.push_back(file::gap_of(*next, error.message()));
        return;
      }
      if (other.dictionary_events != dictionary_events) {
        walk.gaps.push_back(file::gap_of(*next, "with another dictionary"));
        return;
      }
      next = take_records(std::move(other.walk), next->offset);
    }
  }

  // Returns what comes behind them in turn.
  std::optional<Appended> take_records(file::Walk other, std::uint64_t offset) {
    const std::uint64_t number =
        walk.records.empty() ? walk.empty_records : walk.records.back().number + 1;
    for (RecordEntry& entry : other.records) {
      entry.offset += offset;
      entry.number += number;
      walk.records.push_back(entry);
    }
    for (Gap& gap : other.gaps) {
      gap.offset += offset;
      walk.gaps.push_back(std::move(gap));
    }
    walk.empty_records += other.empty_records;
    walk.stray_bytes = other.stray_bytes;
    walk.appended->is_taken = true;
    // No index is about all of them.
    const std::string begin = std::to_string(offset);
    if (other.index != IndexState::valid) {
      walk.index = other.index;
      walk.index_reason = "in the file that begins at byte " + begin + ": " + other.index_reason;
    } else if (walk.index == IndexState::valid) {
      walk.index = IndexState::damaged;
      walk.index_reason = "it ends at byte " + begin + ", where another HIPO file begins";
    }
    if (other.appended) {
      other.appended->offset += offset;
    }
    return other.appended;
  }

  // Returns where data begins.
  std::uint64_t open_strictly(const ReaderOptions& options) {
    file::FileHead head = file::read_file_head(*source);
    header = head.header;
    dictionary_events = std::move(head.dictionary_events);
    take_dictionary(options);
    walk = file::walk_records(
        *source, header, head.first_data,
        options.accept_cut_record ? file::CutRecord::accept : file::CutRecord::refuse);
    count_events();
    return head.first_data;
  }

  // A record whose length is damaged may have swallowed others; the index still tells where they
  // are.
  void walk_with_index(const file::SalvageStart& how) {
    try {
      static_cast<void>(file::trailer_rows(*source, header.trailer_position));
    } catch (const Error&) {
      return;
    }
    std::string reason = std::move(walk.index_reason);
    walk = file::salvage_records(*source, header, *dictionary, how);
    walk.index_reason = std::move(reason);
    count_events();
  }

  void open_damaged(const ReaderOptions& options) {
    walk = {};
    std::uint64_t dictionary_at = 0;
    try {
      header = file::read_file_header(*source);
      dictionary_at = std::uint64_t{4} * header.header_words;
    } catch (const Error& error) {
      header = {};
      const auto first = file::find_record(*source, 0);
      if (!first) {
        throw Error(ErrorCode::bad_magic, "no HIPO record found: " + error.message());
      }
      dictionary_at = *first;
    }
    if (!file::record_at(*source, dictionary_at)) {
      dictionary_at =
          format::kFileHeaderBytes;  // the length of the file header may be what is wrong
    }
    const std::uint64_t first_data = read_damaged_dictionary(dictionary_at);
    take_dictionary(options);
    std::vector<Gap> before = std::move(walk.gaps);
    walk = file::salvage_records(*source, header, *dictionary, {first_data, options.salvage_bytes});
    walk.gaps.insert(walk.gaps.begin(), before.begin(), before.end());
    count_events();
  }

  // Returns where data begins: after the dictionary, or with it where it is none.
  std::uint64_t read_damaged_dictionary(std::uint64_t dictionary_at) {
    dictionary_events.clear();
    if (dictionary_at > 0) {
      const std::uint64_t header_end = std::min<std::uint64_t>(dictionary_at, source->size());
      if (header_end > format::kFileHeaderBytes && header.dictionary_bytes == 0) {
        walk.gaps.push_back({0, header_end, {}, {}, "no usable file header"});
      }
    }
    const auto record = file::record_at(*source, dictionary_at);
    if (record) {
      try {
        std::vector<DictionaryEvent> found = file::read_special_record(*source, dictionary_at);
        if (file::is_dictionary(found) || (found.empty() && header.dictionary_bytes != 0)) {
          dictionary_events = std::move(found);
          return dictionary_at + record->record_bytes();
        }
      } catch (const Error& error) {
        if (header.dictionary_bytes != 0) {
          walk.gaps.push_back({dictionary_at,
                               record->record_bytes(),
                               {},
                               {},
                               "the dictionary: " + error.message()});
          return dictionary_at + record->record_bytes();
        }
      }
    }
    return dictionary_at;
  }

  void take_dictionary(const ReaderOptions& options) {
    dictionary = std::make_shared<const Dictionary>(dictionary_events);
    if (dictionary->schemas().empty() && !options.borrowed_dictionary.empty()) {
      dictionary_events.insert(dictionary_events.begin(), options.borrowed_dictionary.begin(),
                               options.borrowed_dictionary.end());
      dictionary = std::make_shared<const Dictionary>(dictionary_events);
      borrowed = true;
    }
  }

  void count_events() {
    events = std::accumulate(
        walk.records.begin(), walk.records.end(), std::uint64_t{0},
        [](std::uint64_t sum, const RecordEntry& entry) { return sum + entry.header.event_count; });
  }
};

FileReader::FileReader(const std::filesystem::path& path, const ReaderOptions& options)
    : FileReader(open_file(path), options) {}

FileReader::FileReader(std::shared_ptr<const ByteSource> source, const ReaderOptions& options)
    : state_(std::make_unique<State>()) {
  state_->source = std::move(source);
  with_context([&] { return ErrorContext{.path = state_->source->name()}; },
               [&] { state_->open(options); });
}

FileReader::FileReader(std::shared_ptr<ByteStream> stream, const ReaderOptions& options)
    : state_(std::make_unique<State>()) {
  state_->stream = std::make_unique<file::RecordStream>(std::move(stream), options);
  state_->open_stream(options);
}

FileReader::FileReader(std::unique_ptr<State> state) : state_(std::move(state)) {}

FileReader::FileReader(FileReader&&) noexcept = default;
FileReader& FileReader::operator=(FileReader&&) noexcept = default;
FileReader::~FileReader() = default;

const std::string& FileReader::name() const noexcept {
  return state_->source->name();
}
std::uint64_t FileReader::file_bytes() const noexcept {
  return state_->source->size();
}
const FileHeader& FileReader::header() const noexcept {
  return state_->header;
}
const Dictionary& FileReader::dictionary() const noexcept {
  return *state_->dictionary;
}
const std::vector<DictionaryEvent>& FileReader::dictionary_events() const noexcept {
  return state_->dictionary_events;
}
std::span<const RecordEntry> FileReader::records() const noexcept {
  return state_->found().records;
}
std::uint64_t FileReader::event_count() const noexcept {
  return state_->stream ? state_->stream->event_count() : state_->events;
}
std::uint64_t FileReader::empty_records() const noexcept {
  return state_->found().empty_records;
}
IndexState FileReader::index() const noexcept {
  return state_->found().index;
}
const std::string& FileReader::index_reason() const noexcept {
  return state_->found().index_reason;
}
std::span<const Gap> FileReader::gaps() const noexcept {
  return state_->found().gaps;
}
bool FileReader::has_borrowed_dictionary() const noexcept {
  return state_->borrowed;
}
std::uint64_t FileReader::stray_bytes() const noexcept {
  return state_->found().stray_bytes;
}
const std::optional<Appended>& FileReader::appended() const noexcept {
  return state_->found().appended;
}
const ByteSource& FileReader::source() const noexcept {
  return *state_->source;
}
bool FileReader::is_stream() const noexcept {
  return state_->stream != nullptr;
}
file::RecordStream* FileReader::stream() const noexcept {
  return state_->stream.get();
}

std::shared_ptr<const FileReader> FileReader::window(
    std::vector<file::StreamedRecord> records) const {
  auto state = std::make_unique<State>();
  state->header = state_->header;
  state->dictionary = state_->dictionary;
  state->borrowed = state_->borrowed;
  for (const file::StreamedRecord& record : records) {
    state->walk.records.push_back(record.entry);
  }
  state->source = file::window_source(std::move(records), name());
  return std::shared_ptr<const FileReader>(new FileReader(std::move(state)));
}

ErrorContext FileReader::context_of(std::size_t index) const {
  const RecordEntry& entry = records()[index];
  return {.path = name(), .record = entry.number, .record_offset = entry.offset};
}

void FileReader::read(std::size_t index, StoredRecord& stored) const {
  with_context([&] { return context_of(index); },
               [&] { file::load_record(source(), records()[index], stored); });
}

void FileReader::read_directory(std::size_t index, CodecContext& context, StoredRecord& stored,
                                RecordDirectory& directory) const {
  with_context(
      [&] { return context_of(index); },
      [&] { file::load_directory(source(), records()[index], context, stored, directory); });
}

void FileReader::read_streams(StoredRecord& stored, const RecordDirectory& directory,
                              const Projection& projection) const {
  const std::vector<Range> ranges = missing_ranges(stored, directory, projection);
  std::uint64_t needed = 0;
  for (const Range& range : ranges) {
    needed += range.end - range.begin;
  }
  const std::uint64_t allowed = directory.directory_bytes + file::kPrefixBytes + needed;
  const std::uint64_t planned = stored.bytes_read + needed;
  for (const Range& range : join_across_gaps(ranges, allowed - std::min(allowed, planned))) {
    file::load(source(), range.begin, range.end, stored);
  }
}

void FileReader::read_record(std::size_t index, const Projection& projection, CodecContext& context,
                             Record& record) const {
  with_context([&] { return context_of(index); },
               [&] {
                 StoredRecord& stored = context.state().stored;
                 RecordDirectory& directory = context.state().record_directory;
                 const RecordHeader& header = records()[index].header;
                 if (projection.is_everything() || header.layout == LayoutId::per_chunk) {
                   read(index, stored);
                   hipotool::read_directory(stored, context, directory);
                 } else {
                   read_directory(index, context, stored, directory);
                   read_streams(stored, directory, projection);
                 }
                 decode(stored, directory, dictionary(), projection, context, record);
               });
}

}  // namespace v0
}  // namespace hipotool
