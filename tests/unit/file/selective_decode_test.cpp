// A narrow projection of a split record fetches and inflates what it needs and nothing else,
// counted below the library's own code.

#include "hipotool/scan.hpp"

#include "support/counting_source.hpp"
#include "support/error_of.hpp"
#include "support/library.hpp"
#include "support/random.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>

namespace hipotool::test {
namespace {

constexpr std::uint32_t kBanks = 24;
constexpr std::uint32_t kEvents = 300;
constexpr std::uint32_t kRecords = 3;
constexpr std::uint64_t kAllowance = 4096;

std::vector<std::string> bank_schemas() {
  std::vector<std::string> texts;
  for (std::uint32_t bank = 0; bank < kBanks; ++bank) {
    texts.push_back(fmt::format("{{B::b{0}/700/{0}}}{{a/I,b/F,c/S,d/D,e/B#3}}", bank));
  }
  return texts;
}

BankKey key_of(std::uint32_t bank) {
  return {700, static_cast<std::uint8_t>(bank)};
}

// Noise, so that a codec cannot hide that too much was read. The last bank lacks a schema.
FileImage wide_file(const Compression& compression) {
  FileImage file;
  file.schemas = bank_schemas();
  const Dictionary dictionary = dictionary_of(file.schemas);
  Random random(4);
  for (std::uint32_t record = 0; record < kRecords; ++record) {
    std::vector<Bytes> events;
    for (std::uint32_t event = 0; event < kEvents; ++event) {
      EventImage image{event};
      for (std::uint32_t bank = 0; bank < kBanks; ++bank) {
        if (random.below(4) != 0) {
          image.banks.push_back({key_of(bank), random.bytes(std::size_t{21} * random.below(4))});
        }
      }
      image.banks.push_back({{900, 1}, random.bytes(random.below(9))});
      events.push_back(image.bytes());
    }
    file.records.push_back(stored_record(events, compression, dictionary));
  }
  return file;
}

struct Wanted {
  std::uint64_t streams = 0;
  std::uint64_t stored_bytes = 0;
};

Wanted streams_wanted(const RecordDirectory& directory, const Projection& projection) {
  Wanted wanted;
  for (const DirectoryBank& bank : directory.banks) {
    const auto streams = directory.streams_of(bank);
    for (std::size_t c = 0; c < streams.size(); ++c) {
      const bool wants =
          bank.columns == 0 ? projection.wants(bank.key) : projection.wants(bank.key, c);
      if (wants) {
        ++wanted.streams;
        wanted.stored_bytes += streams[c].stored_bytes;
      }
    }
  }
  return wanted;
}

struct NamedProjection {
  std::string name;
  Projection projection;
};

std::vector<NamedProjection> projections() {
  const auto one_column = [](std::uint32_t bank, std::size_t column) {
    return Projection::nothing().add(key_of(bank), std::set<std::size_t>{column});
  };
  Projection scattered;
  for (std::uint32_t bank = 0; bank < kBanks; bank += 5) {
    scattered.add(key_of(bank), std::set<std::size_t>{0, 4});
  }
  Projection every_bank;
  for (std::uint32_t bank = 0; bank < kBanks; ++bank) {
    every_bank.add(key_of(bank));
  }
  return {{"nothing", Projection::nothing()},
          {"the first column", one_column(0, 0)},
          {"a column in the middle", one_column(kBanks / 2, 3)},
          {"the last column", one_column(kBanks - 1, 4)},
          {"one bank", Projection::nothing().add(key_of(7))},
          {"an opaque bank", Projection::nothing().add({900, 1})},
          {"several banks", Projection::nothing().add(key_of(3)).add(key_of(4)).add(key_of(20))},
          {"scattered columns", scattered},
          {"a bank that is not there", Projection::nothing().add({901, 1})},
          {"every bank", every_bank}};
}

class SelectiveDecode : public ::testing::TestWithParam<Compression> {
 protected:
  SelectiveDecode()
      : file_(wide_file(GetParam()).bytes()),
        source_(std::make_shared<CountingSource>(file_)),
        reader_(source_) {}

  RecordDirectory directory_of(std::size_t index) const {
    StoredRecord stored;
    RecordDirectory directory;
    CodecContext context;
    reader_.read_directory(index, context, stored, directory);
    return directory;
  }

  Bytes file_;
  std::shared_ptr<const CountingSource> source_;
  FileReader reader_;
};

TEST_P(SelectiveDecode, InflatesAndReadsOnlyWhatIsWanted) {
  for (const NamedProjection& wish : projections()) {
    for (std::size_t index = 0; index < reader_.records().size(); ++index) {
      const RecordDirectory directory = directory_of(index);
      const Wanted wanted = streams_wanted(directory, wish.projection);
      source_->reset();
      CodecContext context;
      Record record;
      reader_.read_record(index, wish.projection, context, record);
      EXPECT_EQ(record.streams_inflated, wanted.streams) << wish.name;
      EXPECT_LE(source_->bytes(), directory.directory_bytes + wanted.stored_bytes + kAllowance)
          << wish.name;
      EXPECT_EQ(record.event_count(), kEvents);
    }
  }
}

TEST_P(SelectiveDecode, ReadsAFractionOfTheFileForOneColumn) {
  source_->reset();
  const Projection projection = Projection::nothing().add(key_of(9), std::set<std::size_t>{2});
  scan(
      reader_, projection, {}, [](const Record&, std::size_t) { return 0; },
      [](int, std::size_t) {});
  const std::uint64_t share = GetParam().layout == LayoutId::per_column ? 4 : 3;
  EXPECT_LT(source_->bytes(), file_.size() / share);
}

TEST_P(SelectiveDecode, GivesTheSameValuesAsAFullDecode) {
  for (const NamedProjection& wish : projections()) {
    CodecContext context;
    Record full;
    Record narrow;
    reader_.read_record(1, Projection::everything(), context, full);
    reader_.read_record(1, wish.projection, context, narrow);
    EXPECT_EQ(narrow.tags, full.tags) << wish.name;
    EventCursor cursor(full);
    while (cursor.next()) {
      for (const BankView& bank : cursor.banks()) {
        const auto other = narrow.bank(cursor.event(), bank.key());
        ASSERT_EQ(other.has_value(), wish.projection.wants(bank.key())) << wish.name;
        if (!other || bank.schema() == nullptr) {
          continue;
        }
        ASSERT_EQ(other->rows(), bank.rows());
        for (std::size_t c = 0; c < bank.schema()->columns().size(); ++c) {
          if (wish.projection.wants(bank.key(), c)) {
            ASSERT_TRUE(std::ranges::equal(other->column_bytes(c), bank.column_bytes(c)))
                << wish.name;
          }
        }
      }
    }
  }
}

TEST_P(SelectiveDecode, KeepsItsPromiseForRecordsOfEverySize) {
  // From records that end inside the first read to directories that are longer than it.
  const Dictionary dictionary = dictionary_of(bank_schemas());
  for (const std::uint32_t events : {1U, 2U, 10U, 60U, 900U}) {
    Random random(events);
    std::vector<Bytes> images;
    for (std::uint32_t event = 0; event < events; ++event) {
      EventImage image{event};
      for (std::uint32_t bank = 0; bank < kBanks; ++bank) {
        image.banks.push_back({key_of(bank), random.bytes(std::size_t{21} * random.below(3))});
      }
      images.push_back(image.bytes());
    }
    FileImage file;
    file.schemas = bank_schemas();
    file.records = {stored_record(images, GetParam(), dictionary)};
    const auto source = std::make_shared<CountingSource>(file.bytes());
    const FileReader reader(source);
    StoredRecord stored;
    RecordDirectory directory;
    CodecContext context;
    reader.read_directory(0, context, stored, directory);
    for (const NamedProjection& wish : projections()) {
      const Wanted wanted = streams_wanted(directory, wish.projection);
      Record record;
      source->reset();
      reader.read_record(0, wish.projection, context, record);
      EXPECT_LE(source->bytes(), directory.directory_bytes + wanted.stored_bytes + kAllowance)
          << wish.name << ", " << events << " events";
      EXPECT_EQ(record.streams_inflated, wanted.streams) << wish.name;
    }
  }
}

std::vector<Compression> split_compressions() {
  std::vector<Compression> all = all_compressions();
  std::erase_if(all, [](const Compression& one) { return one.layout == LayoutId::per_chunk; });
  return all;
}

INSTANTIATE_TEST_SUITE_P(EverySplitLayout, SelectiveDecode,
                         ::testing::ValuesIn(split_compressions()),
                         [](const auto& one) { return test_name(one.param); });

TEST(ColumnNotAskedFor, IsAnErrorAndNotZeros) {
  const Compression compression = compression_of(CodecId::lz4, LayoutId::per_column);
  const FileReader reader = open_bytes(wide_file(compression).bytes());
  CodecContext context;
  Record record;
  reader.read_record(0, Projection::nothing().add(key_of(1), std::set<std::size_t>{0}), context,
                     record);
  std::uint32_t event = 0;
  while (!record.bank(event, key_of(1))) {
    ++event;
  }
  const BankView bank = record.bank(event, key_of(1)).value();
  EXPECT_EQ(error_of([&] { static_cast<void>(bank.column_bytes(1)); }),
            "not_found: bank B::b1: column 1 does not exist or was not read");
  EXPECT_EQ(error_of([&] { static_cast<void>(bank.column<double>(0)); }),
            "type_mismatch: the column has elements of another size");
  EXPECT_EQ(record.find(key_of(2)), nullptr);
}

}  // namespace
}  // namespace hipotool::test
