// hipo-tool tag-filter: writes the events with certain tags, or of certain content, or counts tags.

#include "hipotool/counted.hpp"
#include "hipotool/error.hpp"
#include "hipotool/event_counts.hpp"
#include "hipotool/scan.hpp"
#include "hipotool/selection.hpp"

#include "arguments.hpp"
#include "inputs.hpp"
#include "invocation.hpp"
#include "options.hpp"
#include "reading.hpp"
#include "rewriting/rewriting.hpp"
#include "rewriting/tag_writing.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hipotool::app {

namespace {

struct TagFilterOptions {
  RewritingOptions rewriting{};
  TagWritingOptions writing{};
  bool count = false;
};

// New names come on top of those that the output has anyway.
void define_names(const TagFilterOptions& options, RewritingJob& job) {
  const MergeOptions& merge = options.rewriting.merge;
  if (!options.writing.defined.empty() &&
      (merge.drop_configuration || merge.readable_by == PeerReader::cpp)) {
    throw UsageError(merge.drop_configuration
                         ? "--define writes the registry that --drop-config leaves out"
                         : "--define writes a registry, on which C++ hipo4 crashes");
  }
  define_tag_names(job.dictionary.events, options.writing.defined);
}

void report_tags(const RewritingJob& job, const RewriteSummary& summary, Log& log) {
  tell_mismatches(job, summary, log);
  if (job.tagger == nullptr) {
    return;
  }
  log.notice(fmt::format("{} of the events written {} another tag than before",
                         summary.events_retagged, verb_of(summary.events_retagged, "has", "have")));
  if (summary.events_made_special > 0) {
    log.warning(fmt::format("{} got a special tag, so that whoever looks for scalers will find {}",
                            counted(summary.events_made_special, "event"),
                            verb_of(summary.events_made_special, "it", "them")));
  }
  if (summary.events == 0 && summary.events_in > 0 && job.selector->selection().has_clauses()) {
    log.notice("not one event was chosen; clauses look at tags as they are to be written");
  }
}

// ---- --count

struct TagCounts {
  EventCounts<std::uint32_t> by_tag{};
  EventCounts<std::uint64_t> by_record_word{};
  std::uint64_t mismatches = 0;

  void add(const TagCounts& other) {
    by_tag.add(other.by_tag);
    by_record_word.add(other.by_record_word);
    mismatches += other.mismatches;
  }
};

TagCounts count_tags(const FileReader& reader, const Shares& shares, std::stop_token stop) {
  TagCounts counts;
  scan(
      reader, Projection::nothing(),
      {.threads = shares.threads, .memory_bytes = shares.memory_bytes, .stop = std::move(stop)},
      [](const Record& record, std::size_t) {
        TagCounts part;
        for (const std::uint32_t tag : record.tags) {
          part.by_tag.add(tag, 1);
          part.mismatches += tag != record.user_words.first ? 1U : 0U;
        }
        part.by_record_word.add(record.user_words.first, record.event_count());
        return part;
      },
      [&](const TagCounts& part, std::size_t) { counts.add(part); });
  return counts;
}

std::string names_of(std::uint32_t tag, const std::vector<TagName>& names) {
  std::string text;
  for (const TagName& name : names) {
    if ((tag >> name.bit & 1U) != 0) {
      text += (text.empty() ? "" : ",") + name.name;
    }
  }
  return text;
}

void report_counts(const FileReader& reader, const TagCounts& counts,
                   const std::vector<TagName>& names, ReportWriter& report) {
  report.begin_document("tag-filter");
  report.field({"path"}, reader.name());
  report.field({"events", Unit::count}, reader.event_count());
  report.field({"records", Unit::count}, std::uint64_t{reader.records().size()});
  report.field({"tag_mismatches", Unit::count}, counts.mismatches);
  report.field({"index"}, std::string(to_string(reader.index())));
  report.field({"events_of_other_tags", Unit::count}, counts.by_tag.others());
  report.field({"events_of_other_record_words", Unit::count}, counts.by_record_word.others());
  report.begin_table("tags", std::array<ReportColumn, 3>{
                                 {{"tag", Unit::count}, {"names"}, {"events", Unit::count}}});
  for (const auto& [tag, events] : counts.by_tag.counts()) {
    report.row(std::array<Cell, 3>{std::uint64_t{tag}, cell_or_null(names_of(tag, names)), events});
  }
  report.end_table();
  report.begin_table("record_words", std::array<ReportColumn, 2>{
                                         {{"record_word", Unit::count}, {"events", Unit::count}}});
  for (const auto& [word, events] : counts.by_record_word.counts()) {
    report.row(std::array<Cell, 2>{word, events});
  }
  report.end_table();
  report.end_document();
}

int run_count(const TagFilterOptions& options, const std::vector<std::string>& words,
              Invocation& invocation) {
  const std::vector<std::filesystem::path> paths = expand_inputs(words, {});
  invocation.open_report(paths);
  std::vector<TagName> borrowed;
  if (options.rewriting.selecting.tags_from) {
    borrowed = FileReader(std::filesystem::path(*options.rewriting.selecting.tags_from))
                   .dictionary()
                   .tag_names();
  }
  const Shares all{1, invocation.threads(), invocation.memory_bytes()};
  for (const std::filesystem::path& path : paths) {
    const FileReader reader = open_to_look(path);
    for (const std::string& doubt : doubts_about(reader, "counted")) {
      invocation.log().warning(reader.name() + ": " + doubt);
    }
    const TagCounts counts = count_tags(reader, all, invocation.stop());
    report_counts(
        reader, counts,
        options.rewriting.selecting.tags_from ? borrowed : reader.dictionary().tag_names(),
        invocation.report());
  }
  return 0;
}

bool says_how_to_write(const RewritingOptions& options) {
  return says_how_to_store(options.compression) || options.compression.record_bytes ||
         options.output || options.force || options.skip_existing || options.reencode ||
         options.strict_layout || options.salvage || options.skip_bad || options.dictionary ||
         options.discard != 0 || is_given(options.banks) || options.verify != Verify::record ||
         options.splitting.any();
}

int run(const TagFilterOptions& options, const std::vector<std::string>& words,
        Invocation& invocation) {
  if (options.count) {
    SelectionOptions selecting = options.rewriting.selecting;
    selecting.tags_from.reset();
    if (is_given(selecting) || says_how_to_write(options.rewriting) || options.writing.any()) {
      throw UsageError(
          "--count counts all events of all files given, and writes no file; options that choose "
          "events or say how to write do not go with it");
    }
    return run_count(options, words, invocation);
  }
  return run_rewriting({.verb = "tag-filter",
                        .options = &options.rewriting,
                        .or_else = "--count only counts",
                        .edit_dictionary =
                            [&](RewritingJob& job) {
                              define_names(options, job);
                              job.rewrite.record_words_from_tags =
                                  options.writing.record_words_from_tags;
                            },
                        .tag =
                            [&](const RewritingJob& job) {
                              return options.writing.changes_tags()
                                         ? std::optional(tagging_of(
                                               options.writing, names_for(job, options.rewriting),
                                               options.rewriting.selecting.selection))
                                         : std::nullopt;
                            },
                        .select =
                            [&](const RewritingJob& job) {
                              return std::optional(selection_for(job, options.rewriting));
                            },
                        .tell = report_tags},
                       words, invocation);
}

}  // namespace

void add_tag_filter(std::vector<Verb>& verbs) {
  const auto options = std::make_shared<TagFilterOptions>();
  options->rewriting.compression.as_input = true;
  Verb verb;
  verb.name = "tag-filter";
  verb.purpose = "Rewrite";
  verb.summary = "Write the events that have certain tags or content, give them tags, count tags.";
  verb.usage = {"IN OUT [OPTION...]", "IN... -o OUT [OPTION...]",
                "IN... --split-by-tag PATTERN [OPTION...]", "IN... --count"};
  verb.description =
      "Keeps events by tag, by content and by position, whole, in order, with their tags. Clauses "
      "combine: all must hold, or one with --or. Events with a special tag (1: scalers) are chosen "
      "by the tag options only; all other options let them through, unless --only is given. New "
      "tags "
      "are given first: clauses see the tags that are to be written.\n"
      "Records are stored as those that their events come from, unless an option says how. Records "
      "that hold none of the events wanted are not inflated where the layout keeps tags outside.";
  add_selection(verb, options->rewriting.selecting);
  add_banks(verb, options->rewriting.banks);
  add_tag_writing(verb, options->writing);
  verb.section("Counting");
  verb.flag("--count", "Write nothing: show how many events have which tag and record word.",
            options->count);
  verb.section("Storage");
  add_compression(verb, options->rewriting.compression);
  add_output(verb, options->rewriting);
  add_tag_outputs(verb, options->rewriting.splitting);
  add_numbered_outputs(verb, options->rewriting.splitting);
  add_content(verb, options->rewriting);
  add_repair(verb, options->rewriting);
  verb.section("Running");
  add_threads(verb);
  add_memory(verb);
  add_quiet(verb);
  verb.section("Report");
  add_report(verb);
  verb.example("hipo-tool tag-filter in.hipo scalers.hipo --tag 1", "The scaler events alone.")
      .example("hipo-tool tag-filter in.hipo out.hipo --where 'REC::Particle.pid == 11'",
               "Events with an electron, and all scaler events.")
      .example("hipo-tool tag-filter in.hipo out.hipo --any dvcs,sidis --only", "By name.")
      .example("hipo-tool tag-filter run_*.hipo -o some.hipo --sample 0.01 --seed 7",
               "A hundredth of the events, and all scaler events.")
      .example("hipo-tool tag-filter in.hipo - --tag 1 | hipo-tool recook - out.hipo",
               "To the next command, without a file between.")
      .example("hipo-tool tag-filter in.hipo --count", "Which tags are there?")
      .example(
          "hipo-tool tag-filter in.hipo out.hipo --define dvcs=2 --set-tag "
          "'count(REC::Particle) > 2 => dvcs' --any dvcs",
          "Tag events by content, and keep those that have the tag.")
      .example("hipo-tool tag-filter in.hipo out.hipo --set-record-word event",
               "C++ and Java find all events of a tag again.")
      .example("hipo-tool tag-filter in.hipo --split-by-tag 'out_{tag}.hipo'",
               "A file for each tag.");
  verb.run = [options, words = verb.operands](Invocation& invocation) {
    return run(*options, *words, invocation);
  };
  verbs.push_back(std::move(verb));
}

}  // namespace hipotool::app
