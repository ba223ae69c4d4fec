// Random predicates and new tags on random files of every codec and layout, against a filter that
// knows nothing of ours: naive_filter.py reads with the independent decoder.

#include "hipotool/selection.hpp"
#include "hipotool/tagging.hpp"

#include "support/library.hpp"
#include "support/oracle.hpp"
#include "support/random_file.hpp"
#include "support/run_tool.hpp"
#include "support/temp_dir.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace hipotool::test {
namespace {

namespace fs = std::filesystem;

// A condition on banks, in our words and in those of the other side.
struct Condition {
  std::string text;
  std::string json;
};

struct Predicate {
  Selection selection{};
  std::vector<std::string> clauses{};  // JSON
};

// Schemas that a name finds and a key too.
std::vector<const Schema*> usable_schemas(const Dictionary& dictionary) {
  std::vector<const Schema*> usable;
  for (const Schema* schema : dictionary.schemas()) {
    if (dictionary.find(schema->key()) == schema) {
      usable.push_back(schema);
    }
  }
  return usable;
}

std::uint32_t pick(Random& random, std::size_t count) {
  return random.below(static_cast<std::uint32_t>(count));
}

std::string key_json(const Schema& schema) {
  return fmt::format("[{},{}]", schema.key().group, schema.key().item);
}

Condition random_condition(Random& random, const Schema& schema) {
  const std::uint32_t number = random.below(3);
  if (random.one_in(2)) {
    return {fmt::format("count(`{}`) > {}", schema.name(), number),
            fmt::format(R"({{"kind":"count","bank":{},"number":{}}})", key_json(schema), number)};
  }
  const std::uint32_t column = pick(random, schema.columns().size());
  return {fmt::format("`{}`.{} > {}", schema.name(), schema.columns()[column].name, number),
          fmt::format(R"({{"kind":"column","bank":{},"column":{},"number":{}}})", key_json(schema),
                      column, number)};
}

std::string add_tag_clause(Random& random, Selection& selection) {
  static constexpr std::uint64_t kNumbers[] = {0, 1, 2, 7, 6, 0x80000000, 0x80000001};
  static constexpr const char* kKinds[] = {"value", "any", "all", "none"};
  static constexpr const char* kSources[] = {"event", "record", "either"};
  const std::uint64_t number = kNumbers[random.below(std::size(kNumbers))];
  const std::uint32_t kind = random.below(std::size(kKinds));
  TagClause& clause = selection.tags.emplace_back();
  switch (kind) {
    case 0:
      clause.values = {{number, number}};
      break;
    case 1:
      clause.any = number;
      break;
    case 2:
      clause.all = number;
      break;
    default:
      clause.none = number;
  }
  return fmt::format(R"({{"kind":"{}","by":"{}","number":{}}})", kKinds[kind],
                     kSources[static_cast<std::size_t>(selection.by)], number);
}

Predicate random_predicate(Random& random, const Dictionary& dictionary) {
  const std::vector<const Schema*> schemas = usable_schemas(dictionary);
  Predicate predicate;
  Selection& selection = predicate.selection;
  selection.only = true;
  selection.any_clause = random.one_in(2);
  selection.by = static_cast<TagSource>(random.below(3));
  if (schemas.empty() || random.one_in(2)) {
    predicate.clauses.push_back(add_tag_clause(random, selection));
  }
  if (!schemas.empty() && random.one_in(2)) {
    const Schema& schema = *schemas[pick(random, schemas.size())];
    selection.required = {schema.name()};
    predicate.clauses.push_back(fmt::format(R"({{"kind":"require","bank":{}}})", key_json(schema)));
  }
  if (!schemas.empty() && (predicate.clauses.empty() || random.one_in(2))) {
    const Condition condition = random_condition(random, *schemas[pick(random, schemas.size())]);
    selection.where = condition.text;
    predicate.clauses.push_back(condition.json);
  }
  return predicate;
}

struct RandomTagging {
  Tagging tagging{};
  std::string json = "null";
};

RandomTagging random_tagging(Random& random, const Dictionary& dictionary) {
  RandomTagging result;
  if (random.one_in(2)) {
    return result;
  }
  const std::vector<const Schema*> schemas = usable_schemas(dictionary);
  Tagging& tagging = result.tagging;
  tagging.only = true;
  tagging.clear = random.one_in(2) ? 1 : 0x80000000;
  tagging.set = random.one_in(2) ? 0 : 64;
  std::string rule = "null";
  if (!schemas.empty()) {
    const Condition condition = random_condition(random, *schemas[pick(random, schemas.size())]);
    TagRule& made = tagging.rules.emplace_back(TagRule{condition.text});
    if (random.one_in(2)) {
      made.value = 2;
    }
    made.bits = 4;
    rule = fmt::format(R"({{"condition":{},"value":{},"bits":{}}})", condition.json,
                       made.value ? "2" : "null", made.bits);
  }
  result.json =
      fmt::format(R"({{"clear":{},"set":{},"rule":{}}})", tagging.clear, tagging.set, rule);
  return result;
}

class Cases {
 public:
  explicit Cases(const TempDir& folder) : folder_(folder) {}

  // Filters `in` by a predicate and by its inverse. The plain filter cannot tell an event without
  // a header, which gets no tag.
  void add(Random& random, const fs::path& in, bool may_tag) {
    const FileReader reader(in);
    const FileReader* input = &reader;
    Predicate predicate = random_predicate(random, reader.dictionary());
    const RandomTagging tagging =
        may_tag ? random_tagging(random, reader.dictionary()) : RandomTagging();
    const EventTagger tagger(tagging.tagging, std::span(&input, 1));
    const fs::path out = folder_ / fmt::format("{}.out.hipo", descriptions_.size());
    const fs::path inverse = folder_ / fmt::format("{}.inverse.hipo", descriptions_.size());
    for (const fs::path& target : {out, inverse}) {
      predicate.selection.invert = target == inverse;
      const EventSelector selector(predicate.selection, std::span(&input, 1));
      RewriteOptions options;
      options.keep_compression = true;
      options.record_bytes = random.one_in(2) ? 0 : 2000;
      options.threads = 1 + random.below(2);
      options.selector = &selector;
      options.tagger = tagging.json == "null" ? nullptr : &tagger;
      recook(reader, target, options);
    }
    descriptions_.push_back(fmt::format(
        R"({{"in":"{}","out":"{}","inverse":"{}","or":{},"clauses":[{}],"tagging":{}}})",
        in.string(), out.string(), inverse.string(), predicate.selection.any_clause,
        fmt::join(predicate.clauses, ","), tagging.json));
  }
  [[nodiscard]] const std::vector<std::string>& descriptions() const { return descriptions_; }

 private:
  const TempDir& folder_;
  std::vector<std::string> descriptions_;
};

TEST(TagFilter, AndItsInverseAreWhatAPlainFilterGives) {
  const auto oracle = shared_folder("HIPO_ORACLE_DIR");
  if (!oracle) {
    GTEST_SKIP() << "HIPO_ORACLE_DIR is not set";
  }
  constexpr int kFilesOfEach = 2;
  constexpr int kPredicatesOfEach = 2;
  Random random(test_seed(20'241'130));
  const TempDir folder;
  Cases cases(folder);
  for (const Compression& compression : all_compressions()) {
    for (int file = 0; file < kFilesOfEach; ++file) {
      const fs::path in = folder / fmt::format("{}.{}.hipo", test_name(compression), file);
      RewriteOptions options;
      options.compression = compression;
      options.record_events = 10 + random.below(20);
      const RandomFile content = random_file(random, file == 0);
      recook(open_bytes(by_hand(content).bytes()), in, options);
      for (int predicate = 0; predicate < kPredicatesOfEach; ++predicate) {
        cases.add(random, in, !content.is_odd());
      }
    }
  }
  write_text(folder / "cases.json", fmt::format("[{}]", fmt::join(cases.descriptions(), ",\n")));
  const fs::path script = fs::path(HIPO_TEST_DATA_DIR).parent_path() / "property/naive_filter.py";
  const ProgramResult result =
      run_program("python3", {.arguments = {script, *oracle, folder / "cases.json"}});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  std::istringstream lines(result.out);
  std::string verdict;
  std::uint64_t chosen = 0;
  std::uint64_t others = 0;
  for (const std::string& description : cases.descriptions()) {
    std::getline(lines, verdict);
    std::istringstream words(verdict);
    std::string good;
    std::uint64_t some = 0;
    std::uint64_t rest = 0;
    EXPECT_TRUE(words >> good >> some >> rest && good == "good")
        << verdict << " in " << description;
    chosen += some;
    others += rest;
  }
  // Predicates that choose all or nothing would prove little.
  EXPECT_GT(chosen, 200U);
  EXPECT_GT(others, 200U);
}

}  // namespace
}  // namespace hipotool::test
