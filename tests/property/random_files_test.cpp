// Random files made by the independent encoder, read and rewritten here; and files written here,
// read by the independent decoder.

#include "hipotool/check.hpp"

#include "support/library.hpp"
#include "support/limits.hpp"
#include "support/oracle.hpp"
#include "support/random_file.hpp"
#include "support/run_tool.hpp"
#include "support/temp_dir.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace hipotool::test {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kFiles = 200;

fs::path make_files_script() {
  return fs::path(HIPO_TEST_DATA_DIR).parent_path() / "property" / "make_files.py";
}

std::vector<RandomFile> random_files(Random& random) {
  std::vector<RandomFile> files;
  for (std::size_t number = 0; number < kFiles; ++number) {
    files.push_back(random_file(random, number % 2 == 1));
  }
  return files;
}

std::string file_name(std::size_t number) {
  return std::to_string(number) + ".hipo";
}

// One process makes them all.
void make_files(const fs::path& oracle, const std::vector<RandomFile>& files, const fs::path& to) {
  write_text(to / "files.json", description(files));
  const ProgramResult result =
      run_program("python3", {.arguments = {make_files_script().string(), oracle.string(),
                                            (to / "files.json").string(), to.string()}});
  ASSERT_EQ(result.exit_code, 0) << result.err;
}

// What the decoder says of N.hipo in `folder`, by N. It is lenient only where it must be.
std::vector<std::string> digests(const fs::path& oracle, const std::vector<RandomFile>& files,
                                 const fs::path& folder) {
  std::vector<std::string> all(files.size());
  for (const Strictness strictness : {Strictness::strict, Strictness::lenient}) {
    std::vector<fs::path> paths;
    for (std::size_t number = 0; number < files.size(); ++number) {
      if (files[number].is_odd() == (strictness == Strictness::lenient)) {
        paths.push_back(folder / file_name(number));
      }
    }
    for (const auto& [path, digest] : oracle_digests(oracle, paths, strictness)) {
      all[std::stoul(path.stem().string())] = digest;
    }
  }
  return all;
}

RewriteOptions random_options(Random& random) {
  const std::vector<Compression> compressions = all_compressions();
  RewriteOptions options;
  options.compression = compressions[random.below(static_cast<std::uint32_t>(compressions.size()))];
  options.record_bytes = random.one_in(2) ? 32U << 20 : 500 + random.below(5000);
  options.record_events = random.one_in(3) ? 1 + random.below(9) : 100'000;
  options.reencode = random.one_in(2);
  options.threads = 1 + random.below(2);
  options.verify = random.one_in(4) ? Verify::file : Verify::record;
  return options;
}

// Rewrites as `options` say; everything that is no event must be kept, too.
void expect_rewritten(const FileReader& source, const fs::path& target,
                      const RewriteOptions& options, const std::string& digest) {
  const RewriteSummary summary = recook(source, target, options);
  const FileReader result(target);
  EXPECT_EQ(digest_text(summary.digest.value()), digest);
  EXPECT_EQ(digest_text(content_digest(result)), digest);
  EXPECT_EQ(user_words_of(result), user_words_of(source));
  EXPECT_EQ(result.dictionary_events(), source.dictionary_events());
  EXPECT_EQ(result.dictionary().configuration(), source.dictionary().configuration());
  EXPECT_EQ(result.dictionary().tag_names(), source.dictionary().tag_names());
  EXPECT_EQ(result.index(), IndexState::valid) << result.index_reason();
  std::uint64_t fallen_back = 0;
  for (const RecordEntry& entry : result.records()) {
    EXPECT_EQ(entry.header.codec, options.compression.codec);
    EXPECT_LE(entry.header.event_count, options.record_events);
    fallen_back += entry.header.layout != options.compression.layout ? 1 : 0;
  }
  EXPECT_EQ(fallen_back, summary.records_fallen_back);
}

// A check finds nothing wrong, however far it looks, but for a trailer that is not there.
void expect_checked(const fs::path& path, const RandomFile& file) {
  const FileReader reader(path);
  for (const CheckDepth depth : {CheckDepth::quick, CheckDepth::headers, CheckDepth::full}) {
    CheckOptions options{.depth = depth};
    if (depth == CheckDepth::full) {
      options.expected_digest = content_digest(reader).ordered;
    }
    const CheckReport report = check(path, options);
    const CheckVerdict good =
        depth == CheckDepth::full ? CheckVerdict::verified : CheckVerdict::consistent;
    // Records without events are more than a quick look knows of.
    const bool may_be_empty = reader.event_count() == 0 && report.verdict == CheckVerdict::empty;
    const CheckVerdict bad = may_be_empty ? CheckVerdict::empty : CheckVerdict::no_index;
    EXPECT_EQ(report.verdict, file.trailer ? good : bad)
        << to_string(depth) << ": " << report.reason;
    EXPECT_EQ(report.good_events.value_or(reader.event_count()), reader.event_count());
    EXPECT_EQ(report.bytes_lost.value_or(0), 0U);
  }
}

TEST(RandomFiles, MadeByTheIndependentEncoderSurviveARewrite) {
  const auto oracle = shared_folder("HIPO_ORACLE_DIR");
  if (!oracle) {
    GTEST_SKIP() << "HIPO_ORACLE_DIR is not set";
  }
  Random random(test_seed(20'240'901));
  const std::vector<RandomFile> files = random_files(random);
  const TempDir sources;
  const TempDir results;
  ASSERT_NO_FATAL_FAILURE(make_files(*oracle, files, sources.path()));
  const std::vector<std::string> expected = digests(*oracle, files, sources.path());
  for (std::size_t number = 0; number < kFiles; ++number) {
    SCOPED_TRACE("file " + std::to_string(number));
    const FileReader source(sources / file_name(number));
    ASSERT_EQ(digest_text(content_digest(source)), expected[number]);
    EXPECT_EQ(source.index(), files[number].trailer ? IndexState::valid : IndexState::absent)
        << source.index_reason();
    EXPECT_TRUE(source.dictionary().notes().empty());
    if (!is_sanitized() || number % 4 == 0) {
      expect_checked(sources / file_name(number), files[number]);
    }
    const RewriteOptions options = random_options(random);
    SCOPED_TRACE(to_string(options.compression));
    expect_rewritten(source, results / file_name(number), options, expected[number]);
  }
  const std::vector<std::string> found = digests(*oracle, files, results.path());
  for (std::size_t number = 0; number < kFiles; ++number) {
    EXPECT_EQ(found[number], expected[number]) << "file " << number;
  }
}

TEST(RandomFiles, WrittenHereAreReadByTheIndependentDecoder) {
  const auto oracle = shared_folder("HIPO_ORACLE_DIR");
  if (!oracle) {
    GTEST_SKIP() << "HIPO_ORACLE_DIR is not set";
  }
  Random random(test_seed(20'240'902));
  const TempDir sources;
  const TempDir results;
  const std::vector<Compression> compressions = all_compressions();
  std::vector<RandomFile> files;
  for (std::size_t number = 0; number < 4 * compressions.size(); ++number) {
    files.push_back(random_file(random, number % 2 == 1));
    write_bytes(sources / file_name(number), by_hand(files.back()).bytes());
    RewriteOptions options = random_options(random);
    options.compression = compressions[number % compressions.size()];
    const FileReader source(sources / file_name(number));
    SCOPED_TRACE(file_name(number) + " as " + to_string(options.compression));
    expect_rewritten(source, results / file_name(number), options,
                     digest_text(content_digest(source)));
  }
  const std::vector<std::string> expected = digests(*oracle, files, sources.path());
  const std::vector<std::string> found = digests(*oracle, files, results.path());
  for (std::size_t number = 0; number < files.size(); ++number) {
    EXPECT_EQ(digest_text(content_digest(sources / file_name(number))), expected[number]);
    EXPECT_EQ(found[number], expected[number]) << "file " << number;
  }
}

TEST(RandomFiles, HaveOneDigestForAnySizeOfRecords) {
  Random random(test_seed(20'240'903));
  const TempDir temp;
  for (std::uint32_t number = 0; number < 16; ++number) {
    const RandomFile file = random_file(random, number % 2 == 1);
    const FileReader source = open_bytes(by_hand(file).bytes());
    const std::string expected = digest_text(content_digest(source));
    for (const std::uint32_t events : {1U, 2U, 7U, 1000U}) {
      for (const std::uint64_t bytes :
           {std::uint64_t{1}, std::uint64_t{700}, std::uint64_t{1} << 20}) {
        RewriteOptions options = random_options(random);
        options.record_events = events;
        options.record_bytes = bytes;
        SCOPED_TRACE(to_string(options.compression) + ", " + std::to_string(events) + " events, " +
                     std::to_string(bytes) + " bytes");
        recook(source, temp / "cut.hipo", options);
        const FileReader cut(temp / "cut.hipo");
        ASSERT_EQ(digest_text(content_digest(cut)), expected);
        ASSERT_EQ(user_words_of(cut), user_words_of(source));
        // And together again.
        options.record_events = 1000;
        options.record_bytes = 1 << 20;
        recook(cut, temp / "joined.hipo", options);
        ASSERT_EQ(digest_text(content_digest(temp / "joined.hipo")), expected);
      }
    }
  }
}

}  // namespace
}  // namespace hipotool::test
