// hipo-tool recook: rewrites files with another codec, layout or record size, or merges several.

#include "arguments.hpp"
#include "invocation.hpp"
#include "options.hpp"
#include "rewriting/rewriting.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hipotool::app {

namespace {

int run(const RewritingOptions& options, const std::vector<std::string>& words,
        Invocation& invocation) {
  return run_rewriting(
      {.verb = "recook",
       .options = &options,
       .or_else = "--dry-run writes none",
       .select = [&](const RewritingJob& job) -> std::optional<Selection> {
         Selection selection = selection_for(job, options);
         const bool special = selection.only || selection.special != Selection{}.special;
         if (special && !chooses_events(options.selecting) && !is_given(options.banks)) {
           throw UsageError(
               "--special and --only need an option that chooses events or "
               "banks");
         }
         if (!chooses_events(options.selecting)) {
           return std::nullopt;
         }
         return selection;
       },
       .tell = tell_mismatches},
      words, invocation);
}

}  // namespace

void add_recook(std::vector<Verb>& verbs) {
  const auto options = std::make_shared<RewritingOptions>();
  Verb verb;
  verb.name = "recook";
  verb.purpose = "Rewrite";
  verb.summary = "Rewrite a file with another codec, layout or record size, or merge several.";
  verb.usage = {"IN OUT [OPTION...]", "IN... -o OUT [OPTION...]"};
  verb.description =
      "The events stay the same, in order, with their tags, unless options choose some of them or "
      "of their banks; OUT appears complete and checked, or not at all. What a split layout cannot "
      "hold is kept in per-chunk records and counted.\n"
      "Sizes are in bytes, or with K, M, G (powers of 1000) or KiB, MiB, GiB (of 1024).";
  verb.section("Storage");
  add_compression(verb, options->compression);
  add_output(verb, *options);
  add_numbered_outputs(verb, options->splitting);
  add_dry_run(verb, *options);
  add_selection(verb, options->selecting);
  add_banks(verb, options->banks);
  add_content(verb, *options);
  add_repair(verb, *options);
  verb.section("Running");
  add_threads(verb);
  add_memory(verb);
  add_quiet(verb);
  verb.section("Report");
  add_report(verb);
  verb.example("hipo-tool recook in.hipo out.hipo", "Per-column, lz4hc, records of 32 MiB.")
      .example("hipo-tool recook in.hipo out.hipo --codec zstd --level 9",
               "Smaller than with level 3, and slower.")
      .example("hipo-tool recook in.hipo out.hipo -c 2", "As `hipo-utils -filter -c 2` stores it.")
      .example("hipo-tool recook run_*.hipo -o run.hipo --json", "A merge, and its report as JSON.")
      .example("hipo-tool recook in.hipo dst.hipo -b 'REC::*,RUN::*' --drop 'REC::Traj'",
               "Some banks only; scaler events stay whole.")
      .example(
          "hipo-tool recook in.hipo thin.hipo --where 'has(REC::Track)' "
          "--columns 'REC::Particle=pid,p?'",
          "Some events, and some columns of a bank.")
      .example("hipo-tool recook a.hipo b.hipo -o ab.hipo --rename 'REC::X=REC::Y:300/99'",
               "A merge of files that define REC::X differently.")
      .example("hipo-tool recook run_*.hipo -o 'run_{n:3}.hipo' --per-output 500000",
               "Many files become few: run_001.hipo, run_002.hipo, ...")
      .example("hipo-tool recook broken.hipo whole.hipo --salvage", "What can still be read of it.")
      .example("ssh farm cat run.hipo | hipo-tool recook - run.hipo",
               "From a pipe; a file that is cut on the way is refused.")
      .example("hipo-tool recook in.hipo --dry-run", "What it would give and take.");
  verb.run = [options, words = verb.operands](Invocation& invocation) {
    return run(*options, *words, invocation);
  };
  verbs.push_back(std::move(verb));
}

}  // namespace hipotool::app
