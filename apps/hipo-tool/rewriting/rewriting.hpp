#pragma once
// The machinery that commands share which write files from others: options, inputs, dictionary,
// a safe target, the report. What such a command adds of its own is in its file.

#include "hipotool/merge.hpp"
#include "hipotool/reader.hpp"
#include "hipotool/rewrite.hpp"
#include "hipotool/selection.hpp"

#include "arguments.hpp"
#include "invocation.hpp"
#include "options.hpp"
#include "report/writer.hpp"
#include "report/written_file.hpp"
#include "rewriting/bank_options.hpp"
#include "rewriting/selection_options.hpp"
#include "rewriting/splitting.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace hipotool::app {

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

// The sections "Output file", "Content" and "Damaged input" of a command's options.
void add_output(Verb& verb, RewritingOptions& options);
void add_dry_run(Verb& verb, RewritingOptions& options);  // belongs to "Output file"
void add_content(Verb& verb, RewritingOptions& options);
void add_repair(Verb& verb, RewritingOptions& options);

// Does it all, from operands to report; returns the exit code.
[[nodiscard]] int run_rewriting(const Rewriting& rewriting, const std::vector<std::string>& words,
                                Invocation& invocation);

// The names of tag bits that options may use, whether or not the output has them.
[[nodiscard]] std::vector<TagName> names_for(const RewritingJob& job,
                                             const RewritingOptions& options);
// What --tag, --where and the like say, for Rewriting::select.
[[nodiscard]] Selection selection_for(const RewritingJob& job, const RewritingOptions& options);
// For Rewriting::tell: how many tags are not the word of their record.
void tell_mismatches(const RewritingJob& job, const RewriteSummary& summary, Log& log);

struct RewritingResult {
  RewriteSummary summary{};
  std::vector<WrittenOutput> outputs{};  // where there are several
  Cost cost{};
  std::vector<std::string> warnings{};
};

// What of the inputs is not in the output.
struct Losses {
  struct Lost {
    std::string path{};
    std::optional<std::uint64_t> record{};  // none: bytes between records
    Gap gap{};
  };
  std::vector<Lost> gaps{};
  std::uint64_t bytes = 0;
  std::uint64_t events = 0;  // known to be lost
  bool may_be_more = false;  // an input was longer once, or nothing tells what a gap held
  bool was_several = false;  // an input was several files, which nobody said belong together

  [[nodiscard]] bool any() const noexcept { return !gaps.empty() || may_be_more || was_several; }
};
// `dropped`: by the rewrite, after the inputs were opened.
[[nodiscard]] Losses losses_of(const RewritingJob& job, const std::vector<DroppedRecord>& dropped);

[[nodiscard]] std::string_view to_string(Verify verify) noexcept;
// "can be read by oxihipo (0.9.0 and later); not by C++ hipo4 (...), not by Java (...)"
[[nodiscard]] std::string readers_line(const RewritingJob& job);
// "reserved-word, repeated-bank"
[[nodiscard]] std::string causes_of(const std::map<Oddity, std::uint64_t>& events_by_cause);

void report_written(ReportWriter& report, const RewritingJob& job, const RewritingResult& result);
void report_plan(ReportWriter& report, const RewritingJob& job, const RewritePlan& plan,
                 const SizeEstimate& estimate, const std::vector<std::string>& warnings);
void report_skipped(ReportWriter& report, const RewritingJob& job);

}  // namespace hipotool::app
