#pragma once
// The options that commands share which write files from others, and what they ask of the library.
// Those that choose events, edit banks or name several outputs have files of their own.

#include "hipotool/merge.hpp"
#include "hipotool/rewrite.hpp"

#include "arguments.hpp"
#include "options.hpp"
#include "rewriting/bank_options.hpp"
#include "rewriting/selection_options.hpp"
#include "rewriting/splitting.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hipotool::app {

class Invocation;

struct RewritingOptions {
  CompressionOptions compression{};
  std::optional<std::string> output{};
  bool force = false;
  bool skip_existing = false;
  bool dry_run = false;
  bool reencode = false;
  bool strict_layout = false;
  bool salvage = false;
  bool skip_bad = false;
  std::optional<std::string> dictionary{};  // the file to borrow one from
  Verify verify = Verify::record;
  std::uint8_t discard = 0;  // bits of Oddity
  MergeOptions merge{};
  SelectionOptions selecting{};
  BankOptions banks{};
  SplittingOptions splitting{};
};

// The sections "Output file", "Content" and "Damaged input" of a command's options.
void add_output(Verb& verb, RewritingOptions& options);
void add_dry_run(Verb& verb, RewritingOptions& options);  // belongs to "Output file"
void add_content(Verb& verb, RewritingOptions& options);
void add_repair(Verb& verb, RewritingOptions& options);

// What the options ask of rewrite(). Throws UsageError for what contradicts --readable-by.
[[nodiscard]] RewriteOptions rewrite_options(const RewritingOptions& options,
                                             const Invocation& invocation);

[[nodiscard]] std::string_view to_string(Verify verify) noexcept;
// Whether --discard may name it.
[[nodiscard]] bool is_discardable(Oddity oddity);

}  // namespace hipotool::app
