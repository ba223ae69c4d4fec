// Which stored records a rewrite takes over as they are, and which events keep a per-chunk record.

#include "support/error_of.hpp"
#include "support/temp_dir.hpp"
#include "unit/rewrite/rewrite_inputs.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace hipotool::test {
namespace {

struct CopyCase {
  std::string name;
  std::uint64_t copied;
  Compression stored = compression_of(CodecId::lz4, LayoutId::per_column);
  std::function<void(RewriteOptions&)> change = [](RewriteOptions&) {};
  std::function<void(FileImage&)> edit = [](FileImage&) {};
};

std::vector<CopyCase> copy_cases() {
  const Compression per_chunk = compression_of(CodecId::lz4, LayoutId::per_chunk);
  const auto ask_per_chunk = [=](RewriteOptions& options) { options.compression = per_chunk; };
  return {
      {"as asked for", 2},
      {"of just the target size",
       2,
       {CodecId::lz4, LayoutId::per_column},
       [](auto& o) { o.record_bytes = 440; }},
      {"a byte larger than the target",
       0,
       {CodecId::lz4, LayoutId::per_column},
       [](auto& o) { o.record_bytes = 439; }},
      {"of half the target size",
       2,
       {CodecId::lz4, LayoutId::per_column},
       [](auto& o) { o.record_bytes = 880; }},
      {"smaller than half the target",
       0,
       {CodecId::lz4, LayoutId::per_column},
       [](auto& o) { o.record_bytes = 881; }},
      {"of more events than asked for",
       0,
       {CodecId::lz4, LayoutId::per_column},
       [](auto& o) { o.record_events = 9; }},
      {"to be encoded anew",
       0,
       {CodecId::lz4, LayoutId::per_column},
       [](auto& o) { o.reencode = true; }},
      {"of another codec", 0, compression_of(CodecId::lz4hc, LayoutId::per_column)},
      {"of another layout", 0, compression_of(CodecId::lz4, LayoutId::per_bank)},
      {"with encodings", 0, compression_of(CodecId::lz4, LayoutId::per_column, Encodings::best)},
      {"alone of its user words, however small",
       1,
       {CodecId::lz4, LayoutId::per_column},
       [](auto& o) { o.record_bytes = 100'000; },
       [](FileImage& file) {
         store_le(file.records[1].data() + 40, std::uint64_t{9});
         file.records[0] = whole_record({});
       }},
      {"per-chunk as asked for", 2, per_chunk, ask_per_chunk},
      {"big-endian", 0, per_chunk,
       [](RewriteOptions& options) {
         options.compression = compression_of(CodecId::none, LayoutId::per_chunk);
       },
       [](FileImage& file) {
         for (Bytes& record : file.records) {
           record = big_endian_record(std::vector<Bytes>(10, event_of(1, 16).bytes()),
                                      dictionary_of(file.schemas));
         }
       }},
      {"with something to discard", 0, compression_of(CodecId::none, LayoutId::per_chunk),
       [](RewriteOptions& options) {
         options.compression = compression_of(CodecId::none, LayoutId::per_chunk);
         options.discard = static_cast<std::uint8_t>(Oddity::reserved_word);
       },
       [](FileImage& file) {
         EventImage odd = event_of(1, 16);
         odd.reserved = 5;
         file.records.assign(2, whole_record(std::vector<Bytes>(10, odd.bytes())));
       }},
      {"with nothing to discard",
       2,
       {CodecId::lz4, LayoutId::per_column},
       [](RewriteOptions& options) {
         options.discard = static_cast<std::uint8_t>(Oddity::reserved_word);
       }},
  };
}

TEST(RewriteCopies, RecordsThatNeedNoChangeAndNoOthers) {
  const TempDir temp;
  for (const CopyCase& one : copy_cases()) {
    FileImage file = two_full_records(one.stored);
    one.edit(file);
    const FileReader source = open_bytes(file.bytes());
    RewriteOptions options = per_column(440);
    one.change(options);
    const RewriteSummary summary = recook(source, temp / "out.hipo", options);
    EXPECT_EQ(summary.records_copied, one.copied) << one.name;
    expect_same_events(source, temp / "out.hipo", summary);
    // A copy is opened for its digest unless nothing is to be verified; the bytes are the same.
    const std::string verified = read_text(temp / "out.hipo");
    options.verify = Verify::none;
    const RewriteSummary unverified = recook(source, temp / "out.hipo", options);
    EXPECT_EQ(unverified.records_copied, one.copied) << one.name;
    EXPECT_TRUE(read_text(temp / "out.hipo") == verified) << one.name;
    EXPECT_FALSE(unverified.digest.has_value());
  }
}

TEST(RewriteCopies, KeepThePayloadAndRewriteTheHeader) {
  const TempDir temp;
  FileImage file = two_full_records(compression_of(CodecId::lz4, LayoutId::per_column));
  for (Bytes& record : file.records) {
    record[4] = std::byte{77};               // number
    record[20 + 3] &= std::byte{0x0F};       // header type 0, as C++ writes it
    record[36] = record[37] = std::byte{0};  // length of the payload, as Java may leave it
  }
  recook(open_bytes(file.bytes()), temp / "out.hipo", per_column(440));
  const Bytes out = read_bytes(temp / "out.hipo");
  const FileReader reader(temp / "out.hipo");
  ASSERT_EQ(reader.records().size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    const RecordEntry& entry = reader.records()[i];
    EXPECT_EQ(entry.header.number, i + 1);
    EXPECT_EQ(entry.header.bit_info >> 28, 4U);
    EXPECT_EQ(entry.header.compression_word & 0x0FFFFFFF, entry.header.length_words - 14);
    EXPECT_EQ(to_hex(ByteSpan(out).subspan(entry.offset + 56, entry.header.record_bytes() - 56)),
              to_hex(ByteSpan(file.records[i]).subspan(56)));
  }
}

TEST(RewriteCopies, OnlyWhereEveryBankKeepsItsSchema) {
  const TempDir temp;
  const Compression stored = compression_of(CodecId::lz4, LayoutId::per_column);
  FileImage without = two_full_records(stored);
  without.schemas.clear();
  for (Bytes& record : without.records) {
    record = stored_record(std::vector<Bytes>(10, event_of(1, 16).bytes()), stored, Dictionary());
  }
  const FileReader a = open_bytes(without.bytes(), "a.hipo");
  const FileReader b = open_bytes(two_full_records(stored).bytes(), "b.hipo");
  const FileReader* inputs[] = {&a, &b};
  const RewriteSummary summary = recook(inputs, temp / "out.hipo", per_column(440));
  EXPECT_EQ(summary.records_copied, 2U);  // those of b
}

// ---- what falls back

EventImage reserved(std::uint32_t tag) {
  EventImage event = event_of(tag);
  event.reserved = 3;
  return event;
}

EventImage repeated(std::uint32_t tag) {
  EventImage event = event_of(tag);
  event.banks.push_back(event.banks.front());
  return event;
}

TEST(RewriteFallback, KeepsOddEventsInPerChunkRecordsOfTheSameCodec) {
  const TempDir temp;
  const FileReader source = open_bytes(
      file_of({{event_of(1), reserved(2), reserved(3), event_of(4), repeated(5), event_of(6)}})
          .bytes());
  const RewriteSummary summary = recook(source, temp / "out.hipo", per_column());
  expect_same_events(source, temp / "out.hipo", summary);
  EXPECT_EQ(record_events(temp / "out.hipo"), "1 2 1 1 1");
  EXPECT_EQ(summary.records_fallen_back, 2U);
  EXPECT_EQ(summary.events_fallen_back, 3U);
  EXPECT_EQ(summary.fallback_causes, (std::map<Oddity, std::uint64_t>{{Oddity::reserved_word, 2},
                                                                      {Oddity::repeated_bank, 1}}));
  // Nothing is lost by it.
  const FileReader result(temp / "out.hipo");
  CodecContext context;
  Record record;
  result.read_record(1, Projection::everything(), context, record);
  EXPECT_EQ(to_hex(record.image(0).value()), to_hex(reserved(2).bytes()));
}

TEST(RewriteFallback, IsNoneWhenAskedToBeStrict) {
  const TempDir temp;
  const FileReader source =
      open_bytes(file_of({{event_of(1), reserved(2), reserved(3), event_of(4)}}).bytes());
  RewriteOptions options = per_column();
  options.strict_layout = true;
  EXPECT_EQ(
      error_of([&] { recook(source, temp / "out.hipo", options); }),
      "not_representable: the layout per-column cannot hold 2 event(s): reserved-word; without "
      "--strict-layout they are kept in per-chunk records");
  EXPECT_TRUE(temp.names().empty());
}

TEST(RewriteFallback, IsNotNeededForWhatIsDiscarded) {
  const TempDir temp;
  EventImage trailing = event_of(4);
  trailing.trailing = packed('x');
  EventImage short_event;
  short_event.raw = packed('s');
  FileImage file = file_of({{event_of(1), reserved(2), reserved(3), trailing, short_event}});
  file.records.push_back(whole_record(images({event_of(6)}), {.user_header = packed(1)}));
  const FileReader source = open_bytes(file.bytes());
  RewriteOptions options = per_column();
  for (const Oddity kind : {Oddity::reserved_word, Oddity::trailing_bytes, Oddity::short_event,
                            Oddity::record_user_header}) {
    options.discard = static_cast<std::uint8_t>(options.discard | static_cast<std::uint8_t>(kind));
  }
  const RewriteSummary summary = recook(source, temp / "out.hipo", options);
  EXPECT_EQ(summary.records_fallen_back, 0U);
  EXPECT_EQ(record_events(temp / "out.hipo"), "6");
  EXPECT_EQ(summary.discarded, (std::map<Oddity, std::uint64_t>{{Oddity::reserved_word, 2},
                                                                {Oddity::trailing_bytes, 1},
                                                                {Oddity::short_event, 1},
                                                                {Oddity::record_user_header, 1}}));
  // The digest leaves all of it out anyway.
  expect_same_events(source, temp / "out.hipo", summary);
}

}  // namespace
}  // namespace hipotool::test
