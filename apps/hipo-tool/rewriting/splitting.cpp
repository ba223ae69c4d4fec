#include "rewriting/splitting.hpp"

#include "hipotool/atomic_file.hpp"

#include "options.hpp"
#include "rewriting/streams.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace hipotool::app {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kAnyNumber = std::numeric_limits<std::uint64_t>::max();
constexpr std::size_t kMostDigits = 18;

}  // namespace

void add_numbered_outputs(Verb& verb, SplittingOptions& options) {
  verb.option("--per-output", "N",
              "Several outputs with N events each, the last with what is left; OUT needs {n} for "
              "their number, from 1, or {n:4} for one of four digits.",
              [&options](const std::string& text) {
                options.per_output = parse_number(text, 1, kAnyNumber);
              });
  verb.option(
      "--split-size", "SIZE",
      "Several outputs of at most that many bytes, unless a single record takes more; names "
      "as for --per-output.",
      [&options](const std::string& text) {
        options.split_size = parse_size(text);
        if (*options.split_size == 0) {
          throw UsageError("a file has more than 0 bytes");
        }
      });
}

void add_tag_outputs(Verb& verb, SplittingOptions& options) {
  verb.option(
      "--split-by-tag", "PATTERN",
      "One output for each tag among the events written, instead of OUT; PATTERN is its name "
      "with {tag} in it: 'out_{tag}.hipo'.",
      [&options](const std::string& pattern) { options.by_tag = pattern; });
}

Splitting splitting_of(const SplittingOptions& options) {
  if ((options.by_tag ? 1 : 0) + (options.per_output ? 1 : 0) + (options.split_size ? 1 : 0) > 1) {
    throw UsageError("--per-output, --split-size and --split-by-tag exclude each other");
  }
  return {.by_tag = options.by_tag.has_value(),
          .events = options.per_output.value_or(0),
          .bytes = options.split_size.value_or(0)};
}

OutputPattern::OutputPattern(std::string_view pattern, std::string_view word) {
  const std::string opening = fmt::format("{{{}", word);
  const auto fail = [&] {
    throw UsageError(fmt::format("'{}' needs {}}} in its file name once, where the {} is to stand",
                                 pattern, opening, word == "n" ? "number" : "tag"));
  };
  const auto begin = pattern.find(opening);
  const auto end = begin == std::string_view::npos ? begin : pattern.find('}', begin);
  if (end == std::string_view::npos || pattern.find(opening, end) != std::string_view::npos ||
      pattern.find('/', begin) != std::string_view::npos) {
    fail();
  }
  const std::string_view width =
      pattern.substr(begin + opening.size(), end - begin - opening.size());
  if (width.starts_with(':')) {
    digits_ = parse_number(width.substr(1), 1, kMostDigits);
  } else if (!width.empty()) {
    fail();
  }
  before_ = pattern.substr(0, begin);
  after_ = pattern.substr(end + 1);
}

fs::path OutputPattern::path(std::uint64_t number) const {
  return fmt::format("{}{:0{}}{}", before_, number, digits_, after_);
}

bool OutputPattern::names(const fs::path& file) const {
  const std::string text = file.filename().string();
  const std::string before = before_.substr(before_.rfind('/') + 1);
  if (text.size() <= before.size() + after_.size() || !text.starts_with(before) ||
      !text.ends_with(after_)) {
    return false;
  }
  const auto digits =
      std::string_view(text).substr(before.size(), text.size() - before.size() - after_.size());
  return std::all_of(digits.begin(), digits.end(), [](char c) { return '0' <= c && c <= '9'; });
}

void OutputPattern::require_none_of(std::span<const fs::path> files) const {
  const fs::path folder = fs::path(before_ + "0").parent_path();
  std::error_code failed;  // a folder that cannot be listed fails soon enough
  for (fs::directory_iterator entry(folder.empty() ? "." : folder, failed), end;
       !failed && entry != end; entry.increment(failed)) {
    const fs::path name = folder / entry->path().filename();
    if (names(name)) {
      require_not_one_of(name, files);
    }
  }
}

void require_not_one_of(const fs::path& target, std::span<const fs::path> files) {
  for (const fs::path& file : files) {
    if (same_file(path_behind_input(file), path_behind_output(target))) {
      throw UsageError(
          fmt::format("{} and {} are the same file; a file is never rewritten in place",
                      output_name(target), input_name(file)));
    }
  }
}

OutputPattern output_pattern(const SplittingOptions& options, const fs::path& output) {
  return options.by_tag ? OutputPattern(*options.by_tag, "tag")
                        : OutputPattern(output.string(), "n");
}

}  // namespace hipotool::app
