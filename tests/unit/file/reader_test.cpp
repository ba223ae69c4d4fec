#include "hipotool/reader.hpp"

#include "support/error_of.hpp"
#include "support/library.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace hipotool::test {
namespace {

constexpr BankKey kBank{1, 2};

Bytes record_with(std::uint32_t first_tag, std::uint32_t events, UserWords words = {}) {
  std::vector<Bytes> all;
  for (std::uint32_t event = 0; event < events; ++event) {
    all.push_back(EventImage{first_tag + event, {{kBank, packed(event)}}}.bytes());
  }
  return whole_record(all, {.words = words});
}

// Three records of 2, 3 and 4 events.
FileImage three_records() {
  FileImage file;
  file.schemas = {"{t/1/2}{n/I}"};
  file.records = {record_with(0, 2), record_with(10, 3, {7, 8}), record_with(20, 4)};
  return file;
}

// Where record `index` begins.
std::uint64_t offset_of(const FileImage& file, std::size_t index) {
  std::uint64_t at = file.first_record();
  for (std::size_t i = 0; i < index; ++i) {
    at += file.records[i].size();
  }
  return at;
}

struct Opened {
  IndexState index;
  std::string reason;
  std::uint64_t events;
  friend bool operator==(const Opened&, const Opened&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Opened& opened) {
    return out << to_string(opened.index) << " (" << opened.reason << "), " << opened.events
               << " events";
  }
};

Opened opened(const Bytes& file) {
  const FileReader reader = open_bytes(file);
  return {reader.index(), reader.index_reason(), reader.event_count()};
}

std::string refusal(const Bytes& file) {
  return error_of([&] { static_cast<void>(open_bytes(file)); });
}

// The file with its index changed, which moves nothing.
Opened with_index(const std::function<void(Bytes&)>& change) {
  FileImage file = three_records();
  Bytes bank = index_bank(file.records, file.first_record());
  change(bank);
  file.index = bank;
  return opened(file.bytes());
}

Opened damaged(const std::string& reason) {
  return {IndexState::damaged, "trailer: " + reason, 9};
}

TEST(FileIndex, IsValidWhereItAgreesWithTheRecords) {
  EXPECT_EQ(opened(three_records().bytes()), (Opened{IndexState::valid, "", 9}));
}

TEST(FileIndex, MayListRecordsInAnyOrder) {
  EXPECT_EQ(with_index([](Bytes& bank) {
              // Rows 0 and 1 change places, column by column.
              const std::size_t starts[] = {0, 24, 36, 48, 72};
              const std::size_t widths[] = {8, 4, 4, 8, 8};
              for (std::size_t c = 0; c < 5; ++c) {
                const auto at = bank.begin() + static_cast<std::ptrdiff_t>(starts[c]);
                const auto width = static_cast<std::ptrdiff_t>(widths[c]);
                std::swap_ranges(at, at + width, at + width);
              }
            }),
            (Opened{IndexState::valid, "", 9}));
}

TEST(FileIndex, MayLeaveOutRecordsWithoutEventsOrListThem) {
  for (const bool listed : {false, true}) {
    FileImage file = three_records();
    std::vector<Bytes> rows = file.records;
    file.records.push_back(whole_record({}));
    if (!listed) {
      file.index = index_bank(rows, file.first_record());
    }
    EXPECT_EQ(opened(file.bytes()), (Opened{IndexState::valid, "", 9}));
    const FileReader reader = open_bytes(file.bytes());
    EXPECT_EQ(reader.empty_records(), 1U);
    EXPECT_EQ(reader.records().size(), 3U);
  }
}

TEST(FileIndex, OfAFileWithoutRecordsMayHaveNoBank) {
  FileImage file;
  file.trailer = false;
  Bytes bytes = file.bytes();
  store_le(bytes.data() + 40, std::uint64_t{bytes.size()});
  append(bytes, whole_record({EventImage{}.bytes()}));
  EXPECT_EQ(opened(bytes), (Opened{IndexState::valid, "", 0}));
}

TEST(FileIndex, MayListDictionaryAndTrailer) {
  FileImage file = three_records();
  std::vector<Bytes> rows = file.records;
  rows.insert(rows.begin(), whole_record(file.dictionary_events(), {.number = 0}));
  file.index = index_bank(rows, 56);
  EXPECT_EQ(opened(file.bytes()), (Opened{IndexState::valid, "", 9}));
}

TEST(FileIndex, IsAbsentWhereTheWriterDidNotFinish) {
  FileImage file = three_records();
  file.trailer = false;
  const Opened absent{IndexState::absent, "the trailer position is 0: its writer did not finish",
                      9};
  EXPECT_EQ(opened(file.bytes()), absent);
  // A trailer that nothing points to is no data record.
  file.trailer = true;
  file.trailer_position = 0;
  EXPECT_EQ(
      opened(file.bytes()),
      (Opened{IndexState::absent,
              "the trailer position is 0, as in a file that went through a pipe; it ends with "
              "a trailer that agrees with its records",
              9}));
}

TEST(FileIndex, IsCutWhereTheFileWasLongerOnce) {
  const FileImage file = three_records();
  const Bytes whole = file.bytes();
  const std::uint64_t trailer = offset_of(file, 3);
  Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(trailer));
  EXPECT_EQ(opened(cut), (Opened{IndexState::cut,
                                 "the trailer should be at " + std::to_string(trailer) +
                                     ", the file ends at " + std::to_string(trailer),
                                 9}));
  cut.resize(offset_of(file, 2));
  EXPECT_EQ(opened(cut).index, IndexState::cut);
  EXPECT_EQ(opened(cut).events, 5U);
  for (const std::size_t size : {trailer + 1, trailer + 55, trailer + 56, whole.size() - 1}) {
    const Bytes part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_EQ(opened(part), (Opened{IndexState::cut, "the file ends inside its trailer", 9}));
  }
}

TEST(FileIndex, IsDamagedWhereItsPositionIsNoRecord) {
  FileImage file = three_records();
  file.trailer_position = offset_of(file, 1) + 4;
  EXPECT_EQ(opened(file.bytes()),
            (Opened{IndexState::damaged,
                    "the trailer position " + std::to_string(*file.trailer_position) +
                        " is not where a record begins",
                    9}));
}

TEST(FileIndex, IsDamagedWhereItsPositionIsADataRecordAndNoEventIsLost) {
  for (std::size_t record = 0; record < 3; ++record) {
    FileImage file = three_records();
    file.trailer_position = offset_of(file, record);
    EXPECT_EQ(opened(file.bytes()), damaged("it holds no file index"));
    // A split record can be no trailer at all.
    file.records[record] =
        encoded(batch_of({decoded(file.records[record], dictionary_of(file.schemas))}),
                compression_of(CodecId::lz4, LayoutId::per_bank), dictionary_of(file.schemas));
    EXPECT_EQ(opened(file.bytes()), damaged("a split record where a whole one must be"));
  }
}

TEST(FileIndex, IsDamagedWhereTheTrailerIsNoSoundRecord) {
  const FileImage file = three_records();
  const std::uint64_t trailer = offset_of(file, 3);
  const auto changed = [&](std::uint64_t offset, std::uint8_t value) {
    Bytes bytes = file.bytes();
    bytes[trailer + offset] = static_cast<std::byte>(value);
    return opened(bytes);
  };
  EXPECT_EQ(changed(28, 7), damaged("no record here: its endian magic is wrong"));
  EXPECT_EQ(changed(39, 0xF0), damaged("compression tag 15 is not assigned"));
  EXPECT_EQ(changed(39, 0x10), damaged("lz4: corrupt block"));
  EXPECT_EQ(changed(39, 0xE0), damaged("a split record where a whole one must be"));
  EXPECT_EQ(changed(60, 'X'), damaged("event header: its magic does not begin with EV"));
  EXPECT_EQ(changed(76, 0x70), damaged("it holds no file index"));
  EXPECT_EQ(changed(16, 0), damaged("1 events, but an index of 0 bytes"));
}

TEST(FileIndex, IsDamagedWhereItContradictsTheRecords) {
  const FileImage file = three_records();
  const std::string second = std::to_string(offset_of(file, 1));
  const std::string contradiction =
      "its index contradicts the record at " + second + " (length, events or user words)";
  EXPECT_EQ(with_index([](Bytes& bank) { bank[24 + 4] ^= std::byte{4}; }), damaged(contradiction));
  EXPECT_EQ(with_index([](Bytes& bank) { bank[36 + 4] = std::byte{2}; }), damaged(contradiction));
  EXPECT_EQ(with_index([](Bytes& bank) { bank[48 + 8] = std::byte{6}; }), damaged(contradiction));
  EXPECT_EQ(with_index([](Bytes& bank) { bank[72 + 8] = std::byte{6}; }), damaged(contradiction));
  EXPECT_EQ(with_index([](Bytes& bank) { bank[8] ^= std::byte{4}; }),
            damaged("its index leaves out the record at " + second));
  const std::string last = std::to_string(offset_of(file, 2));
  EXPECT_EQ(with_index([&](Bytes& bank) {
              bank = index_bank({file.records[0], file.records[1]}, file.first_record());
            }),
            damaged("its index leaves out the record at " + last));
  EXPECT_EQ(with_index([&](Bytes& bank) { bank[23] = std::byte{1}; }),
            damaged("its index leaves out the record at " + last));
  const std::string past = std::to_string(offset_of(file, 3) + 4);
  EXPECT_EQ(with_index([&](Bytes& bank) {
              bank =
                  index_bank({file.records[0], file.records[1], file.records[2], record_with(0, 1)},
                             file.first_record());
              // The fourth row would be the trailer itself, which may be listed; four bytes on,
              // not.
              bank[24] = static_cast<std::byte>(std::to_integer<unsigned>(bank[24]) + 4);
            }),
            damaged("its index lists a record at " + past + ", where none begins"));
}

TEST(FileIndex, IsDamagedWhereItIsNoTable) {
  EXPECT_EQ(with_index([](Bytes& bank) { bank.pop_back(); }),
            damaged("the file index is no whole number of rows"));
  for (const std::size_t negative : {7U, 27U, 39U}) {
    EXPECT_EQ(with_index([&](Bytes& bank) { bank[negative] = std::byte{0x80}; }),
              damaged("the file index has a negative field"));
  }
}

TEST(FileIndex, DoesNotMindStrayBytesBehindTheTrailer) {
  FileImage file = three_records();
  file.after_trailer = Bytes(77, std::byte{0xAB});
  EXPECT_EQ(opened(file.bytes()), (Opened{IndexState::valid, "", 9}));
  EXPECT_EQ(open_bytes(file.bytes()).stray_bytes(), 77U);
}

TEST(FileIndex, GrowsWithTheNumberOfRecords) {
  // More rows than any fixed buffer of 128 KiB holds.
  FileImage file = three_records();
  file.records.assign(4'100, record_with(3, 1));
  const FileReader reader = open_bytes(file.bytes());
  EXPECT_EQ(reader.index(), IndexState::valid) << reader.index_reason();
  EXPECT_EQ(reader.records().size(), 4'100U);
  EXPECT_EQ(reader.event_count(), 4'100U);
  EXPECT_EQ(reader.records().back().number, 4'099U);
}

// ---- what is refused

TEST(FileReader, RefusesWhatIsNoHipoFile) {
  EXPECT_EQ(refusal({}), "bad_magic: file.hipo: not a HIPO file: it is empty");
  EXPECT_EQ(refusal(text_bytes("HIP")),
            "bad_magic: file.hipo: not a HIPO file: it has fewer than 4 bytes");
  EXPECT_EQ(refusal(text_bytes("hello world")),
            "bad_magic: file.hipo: not a HIPO file: it does not begin with HIPO or HREC");
  EXPECT_EQ(refusal(text_bytes("HIPO and no more")),
            "truncated: file.hipo: the file ends inside its header: 16 bytes");
}

TEST(FileReader, RefusesAHeaderThatItDoesNotKnow) {
  const auto changed = [](std::size_t offset, std::uint32_t value) {
    Bytes bytes = three_records().bytes();
    store_le(bytes.data() + offset, value);
    return refusal(bytes);
  };
  EXPECT_EQ(changed(20, 0x50000505),
            "unsupported: file.hipo: format version 5; only version 6 is known");
  EXPECT_EQ(changed(20, 0x50000507),
            "unsupported: file.hipo: format version 7; only version 6 is known");
  EXPECT_EQ(changed(28, 0), "corrupt: file.hipo: file header: its endian magic is wrong");
  EXPECT_EQ(changed(8, 13), "corrupt: file.hipo: file header of 13 words; it needs 14");
  const std::string size = std::to_string(three_records().bytes().size());
  EXPECT_EQ(
      changed(24, 0xFFFFFFFF),
      "truncated: file.hipo: truncated: the dictionary should end at byte 4294967351, the file "
      "at " +
          size);
  EXPECT_EQ(
      changed(8, 0xFFFFFFFF),
      "truncated: file.hipo: truncated: the dictionary should end at byte 17179869276, the file "
      "at " +
          size);
}

TEST(FileReader, AcceptsOldAndBigEndianFileHeaders) {
  FileImage file = three_records();
  file.id = "HREC";
  EXPECT_EQ(open_bytes(file.bytes()).header().id, "HREC");
  for (const char* const id : {"HIPO", "OPIH", "CERH"}) {
    file.id = id;
    Bytes bytes = file.bytes();
    for (std::size_t at = 4; at < 32; at += 4) {
      std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                   bytes.begin() + static_cast<std::ptrdiff_t>(at + 4));
    }
    for (std::size_t at = 32; at < 48; at += 8) {
      std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                   bytes.begin() + static_cast<std::ptrdiff_t>(at + 8));
    }
    const FileReader reader = open_bytes(bytes);
    EXPECT_TRUE(reader.header().big_endian);
    EXPECT_EQ(reader.header().id, std::string(id) == "CERH" ? "HREC" : "HIPO");
    EXPECT_EQ(reader.event_count(), 9U);
  }
}

TEST(FileReader, ReadsAFileWithoutDictionary) {
  FileImage file = three_records();
  Bytes bytes = file.bytes();
  const std::uint64_t dictionary = file.first_record() - 56;
  bytes.erase(bytes.begin() + 56, bytes.begin() + static_cast<std::ptrdiff_t>(56 + dictionary));
  store_le(bytes.data() + 24, std::uint32_t{0});
  store_le(bytes.data() + 40, std::uint64_t{0});
  const FileReader reader = open_bytes(bytes);
  EXPECT_TRUE(reader.dictionary().schemas().empty());
  CodecContext context;
  Record record;
  reader.read_record(0, Projection::everything(), context, record);
  EXPECT_EQ(record.bank(0, kBank)->form(), BankForm::opaque);
}

TEST(FileReader, RefusesADamagedDictionaryRecord) {
  Bytes bytes = three_records().bytes();
  bytes[56 + 28] = std::byte{9};
  EXPECT_EQ(refusal(bytes),
            "corrupt: file.hipo: at 0x38: dictionary: no record here: its endian magic is wrong");
}

TEST(FileReader, NamesTheRecordThatIsCut) {
  const FileImage file = three_records();
  Bytes bytes = file.bytes();
  bytes.resize(offset_of(file, 2) + 60);
  EXPECT_EQ(
      refusal(bytes),
      "truncated: file.hipo: record 2 at 0x1a8: truncated: a record of 184 bytes, of which 60 "
      "are there");
  bytes.resize(offset_of(file, 2) + 55);
  EXPECT_EQ(
      refusal(bytes),
      "truncated: file.hipo: record 2 at 0x1a8: truncated: 55 bytes where a record header takes "
      "56");
}

TEST(FileReader, NumbersRecordsWithoutEventsToo) {
  FileImage file = three_records();
  file.records.insert(file.records.begin() + 1, whole_record({}));
  const FileReader reader = open_bytes(file.bytes());
  ASSERT_EQ(reader.records().size(), 3U);
  EXPECT_EQ(reader.records()[0].number, 0U);
  EXPECT_EQ(reader.records()[1].number, 2U);
  EXPECT_EQ(reader.context_of(1).record, 2U);
  EXPECT_EQ(reader.context_of(1).record_offset, offset_of(file, 2));
  EXPECT_EQ(reader.context_of(1).path, "file.hipo");
}

}  // namespace
}  // namespace hipotool::test
