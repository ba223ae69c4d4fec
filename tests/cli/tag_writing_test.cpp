// New tags, record words and several outputs; the reports of users that they answer (C19 and
// others) by their number.

#include "cli/tool_files.hpp"
#include "support/limits.hpp"
#include "support/tagged_files.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace hipotool::test {
namespace {

namespace fs = std::filesystem;

constexpr char kReader[] = "hipo-tool";

// Ten events, number i in bank N::n, every third with a bank X::x; the registry names bits 2 and 3.
class TagWriting : public ::testing::Test {
 protected:
  void SetUp() override {
    FileImage file = numbered_file({0, 4, 8, 1, 4, 8, 0, 1, 8, 0}, 5, {0, 4});
    file.dictionary = {tag_names_event(std::vector<TagName>{{"dvcs", 2}, {"sidis", 3}})};
    write_bytes(in_, file.bytes());
  }

  static ProgramResult run(std::vector<std::string> words) { return run_tool(std::move(words)); }

  ProgramResult filter(std::vector<std::string> options) {
    options.insert(options.begin(), {"tag-filter", in_.string(), out_.string(), "-f"});
    return run_tool(std::move(options));
  }

  // "number:tag" of what a run with these options writes.
  std::string written(const std::vector<std::string>& options) {
    const ProgramResult result = filter(options);
    return result.exit_code == 0 ? numbers_and_tags(out_) : result.err;
  }

  // The files of the folder with their events: "a.hipo 0:1 3:1, b.hipo 2:0".
  [[nodiscard]] std::string folder_content(const fs::path& folder) const {
    std::string text;
    for (const fs::path& path : sorted(folder)) {
      text += (text.empty() ? "" : ", ") + path.filename().string() + " " + numbers_and_tags(path);
    }
    return text;
  }
  static std::vector<fs::path> sorted(const fs::path& folder) {
    std::vector<fs::path> paths(fs::directory_iterator(folder), fs::directory_iterator{});
    std::sort(paths.begin(), paths.end());
    return paths;
  }

  TempDir folder_;
  TempDir outputs_;
  fs::path in_ = folder_ / "in.hipo";
  fs::path out_ = folder_ / "out.hipo";
};

TEST_F(TagWriting, GivesTheTagsThatItsOptionsSay) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{"--set-tag", "N::n.i < 2 => dvcs"}, "0:4 1:4 2:8 3:1 4:4 5:8 6:0 7:1 8:8 9:0"},
      {{"--set-tag", "N::n.i < 3 =>dvcs,sidis"}, "0:12 1:12 2:12 3:1 4:4 5:8 6:0 7:1 8:8 9:0"},
      {{"--set-tag", "N::n.i>=8=>+0x20"}, "0:0 1:4 2:8 3:1 4:4 5:8 6:0 7:1 8:40 9:32"},
      {{"--set-tag", "has(X::x) => 0x20"}, "0:32 1:4 2:8 3:1 4:4 5:8 6:32 7:1 8:8 9:32"},
      // Rules one after the other, on events as they were read.
      {{"--set-tag", "tag == 4 => 6", "--set-tag", "tag == 4 => sidis"},
       "0:0 1:14 2:8 3:1 4:14 5:8 6:0 7:1 8:8 9:0"},
      {{"--set-tag", "tag == 1 => 9"}, "0:0 1:4 2:8 3:1 4:4 5:8 6:0 7:1 8:8 9:0"},
      {{"--set-tag", "tag == 1 => 9", "--only"}, "0:0 1:4 2:8 3:9 4:4 5:8 6:0 7:9 8:8 9:0"},
      {{"--define", "new=7", "--add-bits", "new", "--tag", "128"}, "0:128 6:128 9:128"},
      {{"--clear-bits", "dvcs,sidis", "--set-tag", "N::n.i > 7 => dvcs", "--any", "dvcs"},
       "8:4 9:4"},
      {{"--set-tag", "N::n.i > 7 => dvcs", "--any", "dvcs"}, "1:4 4:4 8:12 9:4"},
  };
  for (const auto& [options, expected] : cases) {
    EXPECT_EQ(written(options), expected) << options[1];
  }
}

TEST_F(TagWriting, TellsWhatItDid) {
  const ProgramResult result =
      filter({"--set-tag", "N::n.i == 0 => 1", "--add-bits", "16", "--json"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(schema_errors("tag-filter", result.out), "") << result.out;
  EXPECT_EQ(json_at(result.out, "/events_retagged"), "8");
  EXPECT_EQ(json_at(result.out, "/events_made_special"), "0");
  EXPECT_EQ(json_at(result.out, "/digest"), '"' + digest_of(out_) + '"');
  EXPECT_NE(result.err.find("8 of the events written have another tag than before"),
            std::string::npos);
  const ProgramResult special = filter({"--set-tag", "N::n.i == 0 => 1"});
  EXPECT_NE(special.err.find("warning: 1 event got a special tag"), std::string::npos)
      << special.err;
  const ProgramResult none = filter({"--clear-bits", "dvcs", "--any", "dvcs"});
  EXPECT_NE(none.err.find("clauses look at tags as they are to be written"), std::string::npos)
      << none.err;
}

TEST_F(TagWriting, WritesTheRegistry) {
  const auto registry = [&](const std::vector<std::string>& options) {
    const ProgramResult result = filter(options);
    if (result.exit_code != 0) {
      return std::to_string(result.exit_code) + result.err.substr(result.err.rfind(':'));
    }
    std::string text;
    const FileReader reader(out_);
    for (const TagName& name : reader.dictionary().tag_names()) {
      text += name.name + "=" + std::to_string(name.bit) + " ";
    }
    return text;
  };
  const fs::path other = folder_ / "other.hipo";
  FileImage lender = numbered_file({0}, 1);
  lender.dictionary = {tag_names_event(std::vector<TagName>{{"sidis", 2}, {"rho", 9}})};
  write_bytes(other, lender.bytes());
  EXPECT_EQ(registry({}), "dvcs=2 sidis=3 ");
  EXPECT_EQ(registry({"--define", "rho=9", "--define", "dvcs=2"}), "dvcs=2 sidis=3 rho=9 ");
  EXPECT_EQ(registry({"--tags-from", other.string()}), "sidis=2 rho=9 ");
  EXPECT_EQ(registry({"--tags-from", other.string(), "--define", "eta=1"}), "sidis=2 rho=9 eta=1 ");
  EXPECT_EQ(registry({"--drop-config"}), "");
  EXPECT_EQ(run({"tag-filter", in_, other, "-f", "--tags-from", other}).exit_code, 2);
  // What contradicts the file is no wrong usage but a conflict, as in a merge.
  EXPECT_EQ(registry({"--define", "rho=3"}), "1: the tag name rho=3 contradicts sidis=3\n");
  const std::vector<std::string> merge{"tag-filter", in_.string(),  other.string(),
                                       "-o",         out_.string(), "-f"};
  EXPECT_EQ(run(merge).exit_code, 1);
  std::vector<std::string> settled = merge;
  settled.insert(settled.end(), {"--tags-from", other.string()});
  EXPECT_EQ(run(settled).exit_code, 0);
}

// C42: names that the text form would change are refused; those that it keeps survive a rewrite.
TEST_F(TagWriting, C42RefusesNamesThatTheRegistryCannotHold) {
  for (const std::string name : {"a=b", "two\nlines", " leading", "trailing ", ""}) {
    const ProgramResult result = filter({"--define", name + "=5"});
    EXPECT_EQ(result.exit_code, 2) << name;
    EXPECT_NE(result.err.find("cannot be stored"), std::string::npos) << result.err;
    EXPECT_FALSE(fs::exists(out_));
  }
  EXPECT_EQ(filter({"--define", "in between=5"}).exit_code, 0);
  EXPECT_EQ(run({"recook", out_, folder_ / "again.hipo", "-q"}).exit_code, 0);
  EXPECT_EQ(FileReader(folder_ / "again.hipo").dictionary().tag_names().at(2),
            (TagName{"in between", 5}));
}

TEST_F(TagWriting, C19MakesRecordWordsAgreeWithTags) {
  EXPECT_EQ(run({"check", "--strict-tags", in_, "-q"}).exit_code, 17);
  const ProgramResult result = filter({"--set-record-word", "event"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_NE(result.err.find("9 of the events looked at had a tag that was not their record's word"),
            std::string::npos)
      << result.err;
  EXPECT_EQ(run({"check", "--strict-tags", out_, "-q"}).exit_code, 0);
  EXPECT_EQ(numbers_and_tags(out_), "0:0 6:0 9:0 3:1 7:1 1:4 4:4 2:8 5:8 8:8");
  std::uint32_t found = 0;
  for (const TrailerRow& row : trailer_rows(out_)) {
    found += row.word == 1 ? row.events : 0;
  }
  EXPECT_EQ(found, 2U);
}

// C21: a tag survives every rewrite, and choosing it gives exactly its events.
TEST_F(TagWriting, C21KeepsTagsThroughEveryRewrite) {
  const fs::path next = folder_ / "next.hipo";
  const auto listed = [&](const fs::path& path) {
    std::string numbers;
    for (const std::string& line : lines_of(run({"dump", path, "--tag", "1", "--json"}).out)) {
      numbers += json_at(line, "/banks/0/columns/i/0") + " ";
    }
    return numbers;
  };
  const std::vector<std::vector<std::string>> rewrites{
      {"recook", "--layout", "per-column"},
      {"recook", "--layout", "per-bank", "--codec", "gzip"},
      {"recook", "-c", "1"},
      {"tag-filter", "--where", "N::n.i > 20"},
      {"tag-filter", "--set-record-word", "event", "--add-bits", "64"},
      {"tag-filter", "-n", "0"},
  };
  fs::path last = in_;
  for (const std::vector<std::string>& rewrite : rewrites) {
    std::vector<std::string> words{rewrite[0], last.string(), next.string(), "-q", "-f"};
    words.insert(words.end(), rewrite.begin() + 1, rewrite.end());
    ASSERT_EQ(run(words).exit_code, 0) << rewrite[0] << " " << rewrite[1];
    EXPECT_EQ(listed(next), "3 7 ") << rewrite[0] << " " << rewrite[1];
    fs::rename(next, folder_ / "last.hipo");
    last = folder_ / "last.hipo";
  }
}

// C43: two filters in a row say what both clauses say at once.
TEST_F(TagWriting, C43CombinesClauses) {
  const fs::path once = folder_ / "once.hipo";
  ASSERT_EQ(run({"tag-filter", in_, once, "--tag", "4,8", "-q"}).exit_code, 0);
  ASSERT_EQ(
      run({"tag-filter", once, folder_ / "twice.hipo", "--where", "N::n.i > 3", "-q"}).exit_code,
      0);
  EXPECT_EQ(numbers_and_tags(folder_ / "twice.hipo"), "4:4 5:8 8:8");
  EXPECT_EQ(written({"--tag", "4,8", "--where", "N::n.i > 3"}), "4:4 5:8 8:8");
}

// C45: a last record, or output, that is not full is neither lost nor written twice.
TEST_F(TagWriting, C45LosesNoEventOfALastPart) {
  for (const char* events : {"1", "3", "4", "7", "10", "11"}) {
    EXPECT_EQ(written({"--record-events", events}), numbers_and_tags(in_));
    const ProgramResult result =
        run({"recook", in_, "-o", outputs_ / "{n}.hipo", "--per-output", events, "-f", "--json"});
    EXPECT_EQ(json_at(result.out, "/events"), "10");
    EXPECT_EQ(json_at(result.out, "/digest"), '"' + digest_of(in_) + '"');
  }
}

// C50: N is N, over all inputs.
TEST_F(TagWriting, C50WritesNEventsOverAllInputs) {
  const fs::path second = folder_ / "second.hipo";
  write_bytes(second, numbered_file({0, 0, 0, 0}, 4).bytes());
  const auto count = [&](const char* n) {
    const ProgramResult result =
        run({"tag-filter", second, in_, "-o", out_, "-f", "-n", n, "--only", "--json"});
    return json_at(result.out, "/events");
  };
  EXPECT_EQ(count("3"), "3");
  EXPECT_EQ(count("6"), "6");
  EXPECT_EQ(count("99"), "14");
}

// C55: many small files become few large ones in one run.
TEST_F(TagWriting, C55TurnsManyFilesIntoFew) {
  std::vector<std::string> words{"recook"};
  for (std::uint32_t file = 0; file < 10; ++file) {
    const fs::path path = folder_ / ("small_" + std::to_string(file) + ".hipo");
    write_bytes(path, numbered_file({file, 1, 0}, 2).bytes());
    words.push_back(path.string());
  }
  words.insert(words.end(), {"-o", outputs_ / "large_{n:2}.hipo", "--per-output", "15", "--json"});
  const ProgramResult result = run(words);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(schema_errors("recook", result.out), "") << result.out;
  EXPECT_EQ(folder_content(outputs_.path()),
            "large_01.hipo 0:0 1:1 2:0 0:1 1:1 2:0 0:2 1:1 2:0 0:3 1:1 2:0 0:4 1:1 2:0, "
            "large_02.hipo 0:5 1:1 2:0 0:6 1:1 2:0 0:7 1:1 2:0 0:8 1:1 2:0 0:9 1:1 2:0");
  EXPECT_EQ(json_at(result.out, "/outputs/1/path"),
            '"' + (outputs_ / "large_02.hipo").string() + '"');
  EXPECT_EQ(json_at(result.out, "/outputs/1/events"), "15");
  EXPECT_EQ(json_at(result.out, "/outputs/1/digest"),
            '"' + digest_of(outputs_ / "large_02.hipo") + '"');
  EXPECT_EQ(json_at(result.out, "/outputs/1/bytes"),
            std::to_string(fs::file_size(outputs_ / "large_02.hipo")));
}

TEST_F(TagWriting, WritesAFileForEachTag) {
  const ProgramResult result = run({"tag-filter", in_, "--split-by-tag", outputs_ / "{tag}.hipo",
                                    "--where", "N::n.i < 8", "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(schema_errors("tag-filter", result.out), "") << result.out;
  EXPECT_EQ(folder_content(outputs_.path()),
            "0.hipo 0:0 6:0, 1.hipo 3:1 7:1, 4.hipo 1:4 4:4, 8.hipo 2:8 5:8");
  EXPECT_EQ(json_at(result.out, "/digest"), "null");
  EXPECT_EQ(json_at(result.out, "/outputs/2/tag"), "4");
  EXPECT_EQ(json_at(result.out, "/events_by_output_and_tag/2"),
            "{\"events\":2,\"path\":\"" + (outputs_ / "4.hipo").string() + "\",\"tag\":4}");
  // Two operands are two inputs here, and tags are those that are written.
  const fs::path second = folder_ / "second.hipo";
  fs::copy(in_, second);
  EXPECT_EQ(run({"tag-filter", in_, second, "--split-by-tag", outputs_ / "{tag}.hipo", "-f",
                 "--clear-bits", "12", "-q"})
                .exit_code,
            0);
  EXPECT_EQ(numbers_and_tags(outputs_ / "1.hipo"), "3:1 7:1 3:1 7:1");
  EXPECT_EQ(FileReader(outputs_ / "0.hipo").event_count(), 16U);
  EXPECT_EQ(FileReader(outputs_ / "0.hipo").dictionary().tag_names().size(), 2U);
}

TEST_F(TagWriting, WritesTheSameSeveralFilesWithAnyThreads) {
  make_sample(in_, {"--events", "400", "--profile", "tiny", "-f"});
  const std::vector<std::vector<std::string>> splits{
      {"-o", "{n}.hipo", "--split-size", "20KB", "--record-events", "20"},
      {"-o", "{n}.hipo", "--per-output", "70"},
      {"--split-by-tag", "{tag}.hipo"},
  };
  for (const std::vector<std::string>& split : splits) {
    std::string first;
    for (const char* threads : {"1", "4"}) {
      const TempDir folder;
      std::vector<std::string> words{"tag-filter", in_.string(), "-q", "-j", threads};
      words.insert(words.end(), split.begin(), split.end());
      const ProgramResult result = run_tool({.arguments = words, .working_folder = folder.path()});
      ASSERT_EQ(result.exit_code, 0) << result.err;
      std::string bytes;
      for (const fs::path& path : sorted(folder.path())) {
        bytes += path.filename().string() + read_text(path);
      }
      EXPECT_GT(folder.names().size(), 1U);
      EXPECT_TRUE(first.empty() || first == bytes) << split[0];
      first = bytes;
    }
  }
}

TEST_F(TagWriting, RefusesSeveralOutputsThatAreThereOrAreInputs) {
  const auto attempt = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {"tag-filter", in_.string()});
    const ProgramResult result = run(options);
    return std::to_string(result.exit_code) + " " +
           result.err.substr(result.err.rfind(kReader, result.err.size() - 2));
  };
  write_text(outputs_ / "4.hipo", "precious");
  const std::string third = (outputs_ / "4.hipo").string();
  const std::string exists =
      "1 hipo-tool: error: " + third + ": exists already; --force replaces it\n";
  // Known before anything is written, or found while writing: nothing else is left.
  EXPECT_EQ(attempt({"-o", outputs_ / "{n}.hipo", "--per-output", "2"}), exists);
  EXPECT_EQ(attempt({"-o", outputs_ / "{n}.hipo", "--per-output", "2", "--only"}), exists);
  EXPECT_EQ(attempt({"--split-by-tag", outputs_ / "{tag}.hipo"}), exists);
  EXPECT_EQ(read_text(outputs_ / "4.hipo"), "precious");
  EXPECT_EQ(outputs_.names(), (std::vector<std::string>{"4.hipo"}));
  // An input under the name of an output, through a link too, whatever is forced.
  fs::remove(outputs_ / "4.hipo");
  for (const bool symbolic : {true, false}) {
    symbolic ? fs::create_symlink(in_, outputs_ / "99.hipo")
             : fs::create_hard_link(in_, outputs_ / "99.hipo");
    const std::string same = "2 hipo-tool: error: " + (outputs_ / "99.hipo").string() + " and " +
                             in_.string() +
                             " are the same file; a file is never rewritten in place\n";
    EXPECT_EQ(attempt({"-o", outputs_ / "{n}.hipo", "--per-output", "2", "-f"}), same);
    EXPECT_EQ(attempt({"--split-by-tag", outputs_ / "{tag}.hipo", "-f"}), same);
    fs::remove(outputs_ / "99.hipo");
  }
  EXPECT_TRUE(outputs_.names().empty());
  // What is forced replaces.
  write_text(outputs_ / "2.hipo", "old");
  EXPECT_EQ(run({"recook", in_, outputs_ / "{n}.hipo", "--per-output", "5", "-f", "-q"}).exit_code,
            0);
  EXPECT_EQ(numbers_and_tags(outputs_ / "2.hipo"), "5:8 6:0 7:1 8:8 9:0");
}

TEST_F(TagWriting, LeavesNoOutputWhereTheLastRecordIsDamaged) {
  std::string bytes = read_text(in_);
  bytes.replace(bytes.rfind("EVNT", bytes.rfind("EVNT") - 1), 4, "oops");
  write_text(in_, bytes);
  for (const std::vector<std::string>& split :
       std::vector<std::vector<std::string>>{{"-o", outputs_ / "{n}.hipo", "--per-output", "1"},
                                             {"-o", outputs_ / "{n}.hipo", "--split-size", "1"},
                                             {"--split-by-tag", outputs_ / "{tag}.hipo"}}) {
    std::vector<std::string> words{"tag-filter", in_.string()};
    words.insert(words.end(), split.begin(), split.end());
    EXPECT_EQ(run(words).exit_code, 1);
    EXPECT_TRUE(outputs_.names().empty());
  }
}

TEST_F(TagWriting, RefusesWrongUsageWithTwo) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{"--set-tag", "N::n.i > 2"}, "'N::n.i > 2' is no rule: a condition, =>, and a tag"},
      {{"--set-tag", "=> dvcs"}, "'=> dvcs' lacks the condition before =>"},
      {{"--set-tag", "N::n.i > 2 => "}, "'N::n.i > 2 => ' lacks the tag after =>"},
      {{"--set-tag", "N::n.i > 2 => dvc"},
       "'dvc' is no number and no name in the tag registry (known: dvcs, sidis)"},
      {{"--add-bits", "dvc"}, "(known: dvcs, sidis)"},
      {{"--clear-bits", "0x100000000"}, "has bits beyond the 32 of an event's tag"},
      {{"--define", "rho"}, "'rho' is not name=bit"},
      {{"--define", "rho=32"}, "'32' is not a whole number from 0 to 31"},
      {{"--define", "rho=5", "--define", "eta=5"}, "eta=5 contradicts rho=5"},
      {{"--define", "rho=5", "--drop-config"}, "--define writes the registry"},
      {{"--set-record-word", "0"}, "'0' is not event"},
      {{"--per-output", "0"}, "'0' is not a whole number of 1 or more"},
      {{"--per-output", "5"}, "needs {n} in its file name once, where the number is to stand"},
      {{"--split-size", "1MB"}, "needs {n} in its file name once"},
      {{"--split-size", "0"}, "a file has more than 0 bytes"},
      {{"--per-output", "5", "--split-size", "1MB"}, "exclude each other"},
      {{"--per-output", "5", "--skip-existing"}, "--skip-existing needs one output"},
      {{"--split-by-tag", "x"}, "'x' needs {tag} in its file name once, where the tag is to stand"},
      {{"--split-by-tag", "{tag}/x"}, "needs {tag} in its file name once"},
      {{"--split-by-tag", "{tag}{tag}"}, "needs {tag} in its file name once"},
      {{"--split-by-tag", "{tag:x}"}, "'x' is not a whole number"},
  };
  for (const auto& [options, message] : cases) {
    std::vector<std::string> words{"tag-filter", in_.string(), out_.string()};
    words.insert(words.end(), options.begin(), options.end());
    const ProgramResult result = run(words);
    EXPECT_EQ(result.exit_code, 2) << options[0] << " " << options[1];
    EXPECT_NE(result.err.find(message), std::string::npos) << result.err;
    EXPECT_FALSE(fs::exists(out_)) << options[0];
  }
  EXPECT_EQ(run({"tag-filter", in_, "-o", out_, "--split-by-tag", "{tag}"}).exit_code, 2);
  EXPECT_EQ(run({"tag-filter", in_, "--count", "--add-bits", "4"}).exit_code, 2);
  EXPECT_EQ(run({"tag-filter", in_, "--count", "--split-by-tag", "{tag}"}).exit_code, 2);
  EXPECT_EQ(filter({"--set-tag", "N::m.i > 2 => dvcs"}).exit_code, 1);
  EXPECT_FALSE(fs::exists(out_));
}

// A file may have as many tags as events.
TEST_F(TagWriting, TakesNeitherMemoryNorTimeForAnyNumberOfTags) {
  std::vector<std::uint32_t> tags(20'000);
  for (std::uint32_t i = 0; i < tags.size(); ++i) {
    tags[i] = i * 7919;
  }
  write_bytes(in_, numbered_file(tags, 10'000).bytes());
  const ProgramResult result =
      filter({"--set-record-word", "event", "--memory", "128MiB", "-q", "-j", "2"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(trailer_rows(out_).size(), tags.size());
  if (!is_sanitized()) {
    EXPECT_LT(result.peak_memory_bytes, std::uint64_t{160} << 20);
  }
}

}  // namespace
}  // namespace hipotool::test
