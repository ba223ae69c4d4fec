#pragma once
// One run of a command that rewrites files: its inputs, what is to become of them, and how that is
// worked out from the options, step by step.

#include "hipotool/bank_edit.hpp"
#include "hipotool/merge.hpp"
#include "hipotool/reader.hpp"
#include "hipotool/rewrite.hpp"
#include "hipotool/selection.hpp"
#include "hipotool/tagging.hpp"

#include "log.hpp"
#include "options.hpp"
#include "rewriting/splitting.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace hipotool::app {

class Invocation;
struct RewritingOptions;

struct RewritingJob {
  std::string verb{};
  Operands operands{};
  std::vector<std::unique_ptr<FileReader>> readers{};
  std::vector<const FileReader*> inputs{};  // the same, as the library takes them
  RewriteOptions rewrite{};
  std::vector<Compression> compressions{};  // that records of the output may have
  std::unique_ptr<BankEditor> editor{};     // null: banks stay as they are
  MergedDictionary dictionary{};
  std::unique_ptr<EventSelector> selector{};  // null: all events
  std::unique_ptr<EventTagger> tagger{};      // null: tags stay
  std::optional<OutputPattern> pattern{};     // of several outputs
  Readers readable{};
};

[[nodiscard]] bool has_stream(const RewritingJob& job);

// Opens the inputs that the operands name, and tells what is odd about them. Throws for what only
// --salvage accepts.
void open_inputs(RewritingJob& job, const RewritingOptions& options, Invocation& invocation);
// After that. Where options edit banks: the editor.
void plan_banks(RewritingJob& job, const RewritingOptions& options, Log& log);
// After that: the dictionary of the output.
void plan_dictionary(RewritingJob& job, const RewritingOptions& options);

// The names of tag bits that options may use, whether or not the output has them.
[[nodiscard]] std::vector<TagName> names_for(const RewritingJob& job,
                                             const RewritingOptions& options);
// What --tag, --where and the like say, for Rewriting::select.
[[nodiscard]] Selection selection_for(const RewritingJob& job, const RewritingOptions& options);

// Warns where the index of an input was of no use. Of a stream that is known when all has come.
void tell_index(const FileReader& input, Log& log);

}  // namespace hipotool::app
