// The views of dump that look at records: one line a record, or one a stream.

#include "hipotool/transcode.hpp"

#include "dump/file_view.hpp"
#include "report/written_file.hpp"

#include <fmt/format.h>

#include <string>

namespace hipotool::app {

namespace {

Cell text_of(std::string_view word) {
  return std::string(word);
}

// Version byte of the split section and bytes of the events as a per-chunk record without
// compression; what only a directory can tell stays null where that cannot be read.
struct Inside {
  Cell raw_bytes{};
  Cell raw_ratio{};
  Cell version{};
};

struct DirectoryReader {
  CodecContext context;
  StoredRecord stored{};
  RecordDirectory directory{};

  void read(const FileReader& reader, std::size_t index) {
    reader.read_directory(index, context, stored, directory);
  }
};

Inside look_inside(const FileReader& reader, std::size_t index, DirectoryReader& inside,
                   std::vector<Error>& problems) {
  const RecordHeader& header = reader.records()[index].header;
  std::uint64_t raw_bytes = header.declared_raw_bytes();
  Cell version;
  if (header.layout != LayoutId::per_chunk) {
    try {
      inside.read(reader, index);
    } catch (const Error& error) {
      problems.push_back(error);
      return {};
    }
    raw_bytes = inside.directory.raw_bytes();
    version = std::uint64_t{inside.directory.version};
  }
  return {raw_bytes, ratio(raw_bytes, header.record_bytes()), version};
}

// Shows the streams of a record, one row each.
class StreamRows {
 public:
  StreamRows(const FileReader& reader, const RecordDirectory& directory, CodecId codec,
             FileView& view)
      : dictionary_(reader.dictionary()), directory_(directory), codec_(codec), view_(view) {}

  void add_bank(const DirectoryBank& bank) {
    const Schema* schema = dictionary_.find(bank.key);
    const auto streams = directory_.streams_of(bank);
    for (std::size_t i = 0; i < streams.size(); ++i) {
      What what{.bank = dictionary_.bank_name(bank.key),
                .group = std::uint64_t{bank.key.group},
                .item = std::uint64_t{bank.key.item},
                .holds = text_of(bank.columns == 0 ? "bank" : "column")};
      if (bank.columns != 0 && schema != nullptr && schema->columns().size() == bank.columns) {
        const Column& column = schema->columns()[i];
        what.column = column.name;
        what.type = std::string(1, letter_of(column.type)) +
                    (column.length > 1 ? "#" + std::to_string(column.length) : "");
      }
      add(std::move(what), streams[i]);
    }
  }

  struct What {
    Cell bank{};
    Cell group{};
    Cell item{};
    Cell column{};
    Cell type{};
    Cell holds{};
  };
  void add(What what, const StreamInfo& stream) {
    add(std::move(what), {stream.stored_bytes, stream.raw_bytes}, codec_,
        {encoding_of(stream), checksum_of(stream)});
  }

  struct Sizes {
    std::uint64_t stored = 0;
    std::uint64_t raw = 0;
  };
  struct Extras {
    Cell encoding{};
    Cell checksum{};
  };
  void add(What what, const Sizes& sizes, CodecId codec, Extras extras) {
    view_.rows.push_back({std::move(what.bank), std::move(what.group), std::move(what.item),
                          std::move(what.column), std::move(what.type), std::move(what.holds),
                          sizes.stored, sizes.raw, ratio(sizes.raw, sizes.stored),
                          text_of(to_string(codec)), std::move(extras.encoding),
                          std::move(extras.checksum)});
  }

 private:
  // Only version 3 has encodings and checksums.
  [[nodiscard]] bool has_extras() const { return directory_.version == 3; }
  [[nodiscard]] Cell encoding_of(const StreamInfo& stream) const {
    return !has_extras()       ? Cell()
           : stream.is_split() ? Cell(fmt::format("byte-split:{}", stream.width()))
                               : Cell(std::string("raw"));
  }
  [[nodiscard]] Cell checksum_of(const StreamInfo& stream) const {
    return Cell(has_extras() && stream.checksum != 0);
  }

  const Dictionary& dictionary_;
  const RecordDirectory& directory_;
  CodecId codec_;
  FileView& view_;
};

}  // namespace

FileView records_view(const FileReader& reader, std::uint64_t memory_bytes) {
  FileView view{.word = "records", .table = "stored_records"};
  view.columns = {{"record", Unit::count},
                  {"offset", Unit::count},
                  {"stored_bytes", Unit::bytes},
                  {"raw_bytes", Unit::bytes},
                  {"raw_ratio", Unit::ratio},
                  {"events", Unit::count},
                  {"user_word_1", Unit::count},
                  {"user_word_2", Unit::count},
                  {"codec"},
                  {"layout"},
                  {"version", Unit::count},
                  {"byte_order"}};
  DirectoryReader directories{CodecContext(memory_bytes)};
  for (std::size_t index = 0; index < reader.records().size(); ++index) {
    const RecordEntry& entry = reader.records()[index];
    Inside inside = look_inside(reader, index, directories, view.problems);
    view.rows.push_back({std::uint64_t{index}, entry.offset, entry.header.record_bytes(),
                         std::move(inside.raw_bytes), std::move(inside.raw_ratio),
                         std::uint64_t{entry.header.event_count}, entry.header.user_words.first,
                         entry.header.user_words.second, text_of(to_string(entry.header.codec)),
                         text_of(to_string(entry.header.layout)), std::move(inside.version),
                         text_of(entry.header.big_endian ? "big-endian" : "little-endian")});
  }
  return view;
}

FileView streams_view(const FileReader& reader, std::uint64_t record, std::uint64_t memory_bytes) {
  if (record >= reader.records().size()) {
    throw Error(ErrorCode::not_found,
                fmt::format("there is no record {}; the file has {} with events, counted from 0",
                            record, reader.records().size()));
  }
  FileView view{.word = "streams", .table = "streams"};
  view.columns = {{"bank"},
                  {"group", Unit::count},
                  {"item", Unit::count},
                  {"column"},
                  {"type"},
                  {"holds"},
                  {"stored_bytes", Unit::bytes},
                  {"raw_bytes", Unit::bytes},
                  {"raw_ratio", Unit::ratio},
                  {"codec"},
                  {"encoding"},
                  {"checksum"}};
  const RecordHeader& header = reader.records()[record].header;
  DirectoryReader inside{CodecContext(memory_bytes)};
  inside.read(reader, record);
  const RecordDirectory& directory = inside.directory;
  view.fields = {{{"record", Unit::count}, record},
                 {{"events", Unit::count}, std::uint64_t{header.event_count}},
                 {{"codec"}, text_of(to_string(header.codec))},
                 {{"layout"}, text_of(to_string(header.layout))}};
  StreamRows rows(reader, directory, header.codec, view);
  if (header.layout == LayoutId::per_chunk) {
    rows.add({.holds = text_of("record")}, directory.streams.front());
    return view;
  }
  rows.add({.holds = text_of("directory")}, {directory.directory_bytes, directory.inflated.size()},
           CodecId::lz4, {{}, Cell(false)});
  std::uint64_t bytes_of_names = 0;
  for (const DirectoryBank& bank : directory.banks) {
    bytes_of_names += reader.dictionary().bank_name(bank.key).size() * bank.columns;
  }
  require_listable(bytes_of_names);
  for (const DirectoryBank& bank : directory.banks) {
    rows.add_bank(bank);
  }
  return view;
}

}  // namespace hipotool::app
