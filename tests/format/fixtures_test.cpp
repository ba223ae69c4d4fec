// The frozen files of tests/data: what was written once stays readable and is written the same
// today.

#include "support/fixtures.hpp"

#include "support/oracle.hpp"
#include "support/temp_dir.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>

namespace hipotool::test {
namespace {

namespace fs = std::filesystem;

fs::path fixture(const std::string& name) {
  return fs::path(HIPO_TEST_DATA_DIR) / name;
}

struct Listed {
  std::string digest;
  std::string libraries;
};

Listed listed(const std::string& name) {
  for (const auto& row : tab_separated(read_text(fixture("digests.tsv")))) {
    if (row.size() == 5 && row[0] == name) {
      return {row[2] + " " + row[3] + " " + row[1], row[4]};
    }
  }
  return {};
}

class Fixtures : public ::testing::TestWithParam<Compression> {
 protected:
  void SetUp() override {
    if (!codec_info(GetParam().codec).available) {
      GTEST_SKIP() << "this build has no " << to_string(GetParam().codec);
    }
  }
};

TEST_P(Fixtures, HaveTheDigestThatIsListed) {
  const std::string name = fixture_name(GetParam());
  const FileReader reader(fixture(name));
  EXPECT_EQ(digest_text(content_digest(reader)), listed(name).digest);
  EXPECT_EQ(reader.index(), IndexState::valid) << reader.index_reason();
  EXPECT_LE(reader.file_bytes(), 2048U);
  for (const RecordEntry& entry : reader.records()) {
    EXPECT_EQ(entry.header.codec, GetParam().codec);
    EXPECT_EQ(entry.header.layout, GetParam().layout);
  }
}

TEST_P(Fixtures, AreWrittenTheSameToday) {
  const TempDir temp;
  const std::string name = fixture_name(GetParam());
  write_fixture(GetParam(), temp / name);
  EXPECT_EQ(digest_text(content_digest(temp / name)), listed(name).digest);
  if (fixture_libraries(GetParam()) == listed(name).libraries) {
    EXPECT_EQ(to_hex(read_bytes(temp / name)), to_hex(read_bytes(fixture(name))));
  }
}

INSTANTIATE_TEST_SUITE_P(EveryCompression, Fixtures, ::testing::ValuesIn(fixture_compressions()),
                         [](const auto& one) { return test_name(one.param); });

TEST(FixtureFolder, HoldsAllPairsOfOneContent) {
  std::set<std::string> digests;
  std::set<std::string> names;
  for (const Compression& compression : fixture_compressions()) {
    names.insert(fixture_name(compression));
    digests.insert(listed(fixture_name(compression)).digest);
  }
  EXPECT_EQ(names.size(), 16U);
  EXPECT_EQ(digests.size(), 1U);
  for (const fs::directory_entry& entry : fs::directory_iterator(HIPO_TEST_DATA_DIR)) {
    if (entry.path().extension() == ".hipo") {
      EXPECT_TRUE(names.contains(entry.path().filename().string())) << entry.path();
    }
  }
}

TEST(FixtureFolder, IsReadByTheIndependentDecoder) {
  const auto oracle = shared_folder("HIPO_ORACLE_DIR");
  if (!oracle) {
    GTEST_SKIP() << "HIPO_ORACLE_DIR is not set";
  }
  std::vector<fs::path> files;
  for (const Compression& compression : fixture_compressions()) {
    files.push_back(fixture(fixture_name(compression)));
  }
  for (const auto& [file, digest] : oracle_digests(*oracle, files)) {
    EXPECT_EQ(digest, listed(file.filename().string()).digest) << file;
  }
}

}  // namespace
}  // namespace hipotool::test
