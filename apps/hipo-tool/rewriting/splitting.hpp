#pragma once
// Options for several outputs, and the names of these: a pattern with {n} for a number from 1, or
// with {tag}. {n:4} has at least four digits.

#include "hipotool/splitting.hpp"

#include "arguments.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace hipotool::app {

struct SplittingOptions {
  std::optional<std::string> by_tag{};  // the pattern
  std::optional<std::uint64_t> per_output{};
  std::optional<std::uint64_t> split_size{};

  [[nodiscard]] bool any() const noexcept { return by_tag || per_output || split_size; }
};

// --per-output and --split-size; part of "Output file".
void add_numbered_outputs(Verb& verb, SplittingOptions& options);
// --split-by-tag.
void add_tag_outputs(Verb& verb, SplittingOptions& options);

// Throws UsageError for options that exclude each other.
[[nodiscard]] Splitting splitting_of(const SplittingOptions& options);

// The names of several outputs.
class OutputPattern {
 public:
  // `word` is what stands in the braces. Throws UsageError where it is not there exactly once.
  OutputPattern(std::string_view pattern, std::string_view word);

  // `number` in place of the braces.
  [[nodiscard]] std::filesystem::path path(std::uint64_t number) const;
  // Whether `file`, in the folder of the pattern, has a name that some number gives.
  [[nodiscard]] bool names(const std::filesystem::path& file) const;

  // Throws UsageError where a file that is there, and that a number gives, is one of `files`.
  void require_none_of(std::span<const std::filesystem::path> files) const;

 private:
  std::string before_;
  std::string after_;
  std::size_t digits_ = 1;
};

// Throws UsageError where `target` is one of `files`, through links too.
void require_not_one_of(const std::filesystem::path& target,
                        std::span<const std::filesystem::path> files);

// The pattern of the names that `options` ask for; `output` is that of -o.
[[nodiscard]] OutputPattern output_pattern(const SplittingOptions& options,
                                           const std::filesystem::path& output);

}  // namespace hipotool::app
