#pragma once
// Files that tests of the built tool work on, and ways to look into what it prints.

#include "support/run_tool.hpp"
#include "support/temp_dir.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hipotool::test {

// Skips its tests where the files of other implementations are not at hand (never under CI).
class GoldenFiles : public ::testing::Test {
 protected:
  void SetUp() override;
  [[nodiscard]] std::filesystem::path golden(std::string_view name) const { return folder_ / name; }
  // Rows of digests.tsv for files that can be read: name and digest.
  struct KnownDigest {
    std::string file;
    std::string events;
    std::string digest;
    std::string unordered;
  };
  [[nodiscard]] std::vector<KnownDigest> known_digests() const;

 private:
  std::filesystem::path folder_;
};

// Runs `generate PATH --quiet OPTIONS...`; the test fails if that fails.
void make_sample(const std::filesystem::path& path, std::vector<std::string> options);

[[nodiscard]] std::string digest_of(const std::filesystem::path& path);

// Runs a shell script, in which "$TOOL" is the tool and "$1", "$2" are the arguments.
[[nodiscard]] ProgramResult run_shell(const std::string& script,
                                      const std::vector<std::string>& arguments);

// What is wrong with a JSON document by docs/schema/<schema>.json; empty if nothing.
[[nodiscard]] std::string schema_errors(const std::string& schema, const std::string& document);

// The value at a JSON pointer, as JSON text; "nothing" where there is none.
[[nodiscard]] std::string json_at(const std::string& document, const std::string& pointer);

// The document without the members that have one of these keys, at any depth.
[[nodiscard]] std::string json_without(const std::string& document,
                                       const std::vector<std::string>& keys);

// Every line of a dump against the reference dump of another implementation: the first difference,
// or empty. Floats are compared by their bits.
[[nodiscard]] std::string first_difference(const std::string& dump,
                                           const std::filesystem::path& expected);

[[nodiscard]] std::vector<std::string> lines_of(const std::string& text);

}  // namespace hipotool::test
