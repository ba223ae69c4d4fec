#pragma once
// What commands share which write files from others, from operands to report. What such a command
// adds of its own is in its file.

#include "hipotool/rewrite.hpp"
#include "hipotool/selection.hpp"
#include "hipotool/tagging.hpp"

#include "log.hpp"
#include "rewriting/rewriting_job.hpp"
#include "rewriting/rewriting_options.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace hipotool::app {

class Invocation;

// A command that rewrites files.
struct Rewriting {
  std::string verb{};
  const RewritingOptions* options = nullptr;
  // What the command can do without an output: "--count only counts".
  std::string or_else{};
  // Called when the inputs are open, before the dictionary of the output is settled. May be empty.
  std::function<void(RewritingJob&)> edit_dictionary{};
  // Called after that; says which tags events are to get. May be empty: they stay.
  std::function<std::optional<Tagging>(const RewritingJob&)> tag{};
  // Called when the inputs are open; says which events are wanted. May be empty: all.
  std::function<std::optional<Selection>(const RewritingJob&)> select{};
  // Called when the file is written. May be empty.
  std::function<void(const RewritingJob&, const RewriteSummary&, Log&)> tell{};
};

// Does it all, from operands to report; returns the exit code.
[[nodiscard]] int run_rewriting(const Rewriting& rewriting, const std::vector<std::string>& words,
                                Invocation& invocation);

// For Rewriting::tell: how many tags are not the word of their record.
void tell_mismatches(const RewritingJob& job, const RewriteSummary& summary, Log& log);

}  // namespace hipotool::app
