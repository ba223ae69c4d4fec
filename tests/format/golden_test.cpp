// Files written by other implementations: read, recooked into everything that can be written, and
// handed to the independent decoder.

#include "hipotool/error.hpp"

#include "support/error_of.hpp"
#include "support/library.hpp"
#include "support/oracle.hpp"
#include "support/temp_dir.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace hipotool::test {
namespace {

namespace fs = std::filesystem;

// Cut inside its last record or its trailer; both are refused below.
bool is_damaged(const std::string& name) {
  return name == "truncrec_column.hipo" || name == "cuttrailer_bank.hipo";
}

// Why not every record of a file can be stored in a split layout; nullopt for all others.
std::optional<Oddity> fallback_reason(const std::string& name) {
  // One bank many times in an event.
  return name == "hipopy_test.hipo" ? std::optional(Oddity::repeated_bank) : std::nullopt;
}

struct GoldenFile {
  std::string name;
  std::string digest;  // as digest_text() gives it
};

bool is_readable_here(const std::string& name) {
  return name.find("zstd") == std::string::npos || codec_info(CodecId::zstd).available;
}

// The rows of digests.tsv with a digest.
std::vector<GoldenFile> golden_files(const fs::path& folder) {
  std::vector<GoldenFile> files;
  for (const auto& row : tab_separated(read_text(folder / "digests.tsv"))) {
    if (row.size() == 4 && row[0] != "file" && is_readable_here(row[0])) {
      files.push_back({row[0], row[2] + " " + row[3] + " " + row[1]});
    }
  }
  return files;
}

TEST(GoldenFiles, HaveTheDigestsThatAreListed) {
  const auto folder = shared_folder("HIPO_GOLDEN_DIR");
  if (!folder) {
    GTEST_SKIP() << "HIPO_GOLDEN_DIR is not set";
  }
  const std::vector<GoldenFile> files = golden_files(*folder);
  EXPECT_GE(files.size(), 24U);
  for (const GoldenFile& file : files) {
    EXPECT_EQ(digest_text(content_digest(*folder / file.name)), file.digest) << file.name;
  }
}

TEST(GoldenFiles, AreAllListed) {
  const auto folder = shared_folder("HIPO_GOLDEN_DIR");
  if (!folder) {
    GTEST_SKIP() << "HIPO_GOLDEN_DIR is not set";
  }
  std::set<std::string> listed;
  for (const auto& row : tab_separated(read_text(*folder / "digests.tsv"))) {
    listed.insert(row.at(0));
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(*folder)) {
    if (entry.path().extension() == ".hipo") {
      EXPECT_TRUE(listed.contains(entry.path().filename().string())) << entry.path();
    }
  }
}

TEST(GoldenFiles, ThatAreDamagedAreRefused) {
  const auto folder = shared_folder("HIPO_GOLDEN_DIR");
  if (!folder) {
    GTEST_SKIP() << "HIPO_GOLDEN_DIR is not set";
  }
  const std::string cut_record = (*folder / "truncrec_column.hipo").string();
  EXPECT_EQ(error_of([&] { const FileReader reader{fs::path(cut_record)}; }),
            "truncated: " + cut_record +
                ": record 3 at 0x9d34: truncated: a record of 9804 bytes, of which 4902 are there");
  const std::string cut_trailer = (*folder / "cuttrailer_bank.hipo").string();
  const FileReader reader{fs::path(cut_trailer)};
  EXPECT_EQ(reader.index(), IndexState::cut);
  const TempDir temp;
  EXPECT_EQ(error_of([&] { recook(reader, temp / "out.hipo", {}); }),
            "truncated: " + cut_trailer +
                ": the file was longer once: the trailer should be at 50400, the file ends at "
                "50400; events are missing, and nothing was written");
  EXPECT_TRUE(temp.names().empty());
}

class GoldenRecook : public ::testing::TestWithParam<Compression> {
 protected:
  // Whether every data record is stored as asked for, except where this file is known to fall back.
  static void expect_stored_as_wanted(const std::string& name, const FileReader& result,
                                      const RewriteSummary& summary) {
    const Compression& wanted = GetParam();
    const bool falls_back =
        wanted.layout != LayoutId::per_chunk && fallback_reason(name).has_value();
    std::uint64_t fallen_back = 0;
    for (const RecordEntry& entry : result.records()) {
      EXPECT_EQ(entry.header.codec, wanted.codec) << name;
      if (entry.header.layout != wanted.layout) {
        EXPECT_EQ(entry.header.layout, LayoutId::per_chunk) << name;
        ++fallen_back;
        continue;
      }
      StoredRecord stored;
      RecordDirectory directory;
      CodecContext context;
      result.read_directory(static_cast<std::size_t>(&entry - result.records().data()), context,
                            stored, directory);
      EXPECT_EQ(directory.version, version_wanted()) << name;
    }
    EXPECT_EQ(fallen_back != 0, falls_back) << name;
    EXPECT_EQ(fallen_back, summary.records_fallen_back) << name;
    if (falls_back) {
      ASSERT_EQ(summary.fallback_causes.size(), 1U) << name;
      EXPECT_EQ(summary.fallback_causes.begin()->first, fallback_reason(name)) << name;
    }
  }

  static std::uint8_t version_wanted() {
    switch (GetParam().layout) {
      case LayoutId::per_bank:
        return 2;
      case LayoutId::per_column:
        return GetParam().encodings == Encodings::best ? 3 : 1;
      default:
        return 0;
    }
  }
};

TEST_P(GoldenRecook, KeepsEveryEventAndTheIndependentDecoderAgrees) {
  const auto golden = shared_folder("HIPO_GOLDEN_DIR");
  const auto oracle = shared_folder("HIPO_ORACLE_DIR");
  if (!golden || !oracle) {
    GTEST_SKIP() << "HIPO_GOLDEN_DIR or HIPO_ORACLE_DIR is not set";
  }
  const TempDir temp;
  // Smaller than the records of some files and larger than those of others: cut and packed both.
  RewriteOptions options{.compression = GetParam(), .record_bytes = 30'000};
  std::map<fs::path, std::string> expected;
  for (const GoldenFile& file : golden_files(*golden)) {
    if (is_damaged(file.name)) {
      continue;
    }
    const FileReader source{*golden / file.name};
    const fs::path target = temp / file.name;
    const RewriteSummary summary = recook(source, target, options);
    const FileReader result(target);
    EXPECT_EQ(digest_text(summary.digest.value()), file.digest) << file.name;
    EXPECT_EQ(digest_text(content_digest(result)), file.digest) << file.name;
    EXPECT_EQ(result.index(), IndexState::valid) << file.name << result.index_reason();
    EXPECT_EQ(user_words_of(result), user_words_of(source)) << file.name;
    EXPECT_EQ(result.dictionary_events(), source.dictionary_events()) << file.name;
    expect_stored_as_wanted(file.name, result, summary);
    expected[target] = file.digest;
  }
  std::vector<fs::path> targets;
  targets.reserve(expected.size());
  for (const auto& [target, digest] : expected) {
    targets.push_back(target);
  }
  for (const auto& [target, digest] : oracle_digests(*oracle, targets)) {
    EXPECT_EQ(digest, expected.at(target)) << target;
  }
}

INSTANTIATE_TEST_SUITE_P(EveryCompression, GoldenRecook, ::testing::ValuesIn(all_compressions()),
                         [](const auto& one) { return test_name(one.param); });

}  // namespace
}  // namespace hipotool::test
