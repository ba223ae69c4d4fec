// hipo-tool tag-filter: writes the events with certain tags, or of certain content, or counts tags.

#include "hipotool/error.hpp"
#include "hipotool/scan.hpp"
#include "hipotool/selection.hpp"

#include "arguments.hpp"
#include "inputs.hpp"
#include "invocation.hpp"
#include "options.hpp"
#include "rewriting/rewriting.hpp"
#include "rewriting/tag_writing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hipotool::app {

namespace {

constexpr std::uint64_t kAnyNumber = std::numeric_limits<std::uint64_t>::max();

struct TagFilterOptions {
  RewritingOptions rewriting{};
  Selection selection{};
  // Bits as they were written: numbers, or names of the registry, which is known later.
  std::optional<std::string> any{};
  std::optional<std::string> all{};
  std::optional<std::string> none{};
  std::optional<std::string> tags_from{};
  TagWritingOptions writing{};
  bool count = false;
};

std::vector<TagName> tag_names_in(const std::string& path) {
  const FileReader lender{std::filesystem::path(path)};
  if (lender.dictionary().tag_names().empty()) {
    throw Error(ErrorCode::not_found, "--tags-from: it has no tag registry",
                {.path = lender.name()});
  }
  return lender.dictionary().tag_names();
}

// The registry of another file takes the place of those of the inputs; new names come on top.
void edit_registry(const TagFilterOptions& options, RewritingJob& job) {
  const MergeOptions& merge = options.rewriting.merge;
  if (!options.writing.defined.empty() &&
      (merge.drop_configuration || merge.readable_by == PeerReader::cpp)) {
    throw UsageError(merge.drop_configuration
                         ? "--define writes the registry that --drop-config leaves out"
                         : "--define writes a registry, on which C++ hipo4 crashes");
  }
  if (options.tags_from && !merge.drop_configuration) {
    if (merge.readable_by == PeerReader::cpp) {
      throw UsageError(
          "--tags-from writes a registry, on which C++ hipo4 crashes; --drop-config leaves it out");
    }
    define_tag_names(job.dictionary.events, tag_names_in(*options.tags_from));
  }
  define_tag_names(job.dictionary.events, options.writing.defined);
}

// The names that options may use, whether or not the output has them.
std::vector<TagName> names_of(const TagFilterOptions& options, const RewritingJob& job) {
  if (!options.rewriting.merge.drop_configuration) {
    return Dictionary(job.dictionary.events).tag_names();
  }
  if (options.tags_from) {
    return tag_names_in(*options.tags_from);
  }
  std::vector<TagName> names;
  for (const FileReader* input : job.inputs) {
    for (const TagName& name : input->dictionary().tag_names()) {
      names.push_back(name);
    }
  }
  return names;
}

Selection selection_of(const TagFilterOptions& options, const RewritingJob& job) {
  Selection selection = options.selection;
  const std::vector<TagName> names = names_of(options, job);
  const auto add = [&](const std::optional<std::string>& text, auto member) {
    if (text) {
      TagClause clause;
      clause.*member = bits_of(*text, names);
      selection.tags.push_back(std::move(clause));
    }
  };
  add(options.any, &TagClause::any);
  add(options.all, &TagClause::all);
  add(options.none, &TagClause::none);
  if (selection.invert && !selection.has_clauses()) {
    throw UsageError(
        "--invert needs a clause to turn round: --tag, --any, --all, --none, --where "
        "or --require");
  }
  return selection;
}

void report_mismatches(const RewritingJob& job, const RewriteSummary& summary, Log& log) {
  if (summary.tag_mismatches > 0 && job.rewrite.record_words_from_tags) {
    log.notice(fmt::format(
        "{} of the events looked at had a tag that was not their record's word; of those written "
        "it is now",
        summary.tag_mismatches));
  } else if (summary.tag_mismatches > 0 && job.selector != nullptr) {
    log.notice(fmt::format(
        "{} of the events looked at have a tag that is not their record's word, by which C++ and "
        "Java readers filter",
        summary.tag_mismatches));
  }
}

void report_tags(const RewritingJob& job, const RewriteSummary& summary, Log& log) {
  report_mismatches(job, summary, log);
  if (job.tagger == nullptr) {
    return;
  }
  log.notice(fmt::format("{} of the events written have another tag than before",
                         summary.events_retagged));
  if (summary.events_made_special > 0) {
    log.warning(
        fmt::format("{} events got a special tag, so that whoever looks for scalers will find them",
                    summary.events_made_special));
  }
  if (summary.events == 0 && summary.events_in > 0 && job.selector->selection().has_clauses()) {
    log.notice("not one event was chosen; clauses look at tags as they are to be written");
  }
}

// ---- --count

struct TagCounts {
  std::map<std::uint32_t, std::uint64_t> events_by_tag{};
  std::map<std::uint64_t, std::uint64_t> events_by_record_word{};
  std::uint64_t mismatches = 0;

  void add(const TagCounts& other) {
    for (const auto& [tag, events] : other.events_by_tag) {
      events_by_tag[tag] += events;
    }
    for (const auto& [word, events] : other.events_by_record_word) {
      events_by_record_word[word] += events;
    }
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
          ++part.events_by_tag[tag];
          part.mismatches += tag != record.user_words.first ? 1U : 0U;
        }
        part.events_by_record_word[record.user_words.first] = record.event_count();
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
  report.begin_table("tags", std::array<ReportColumn, 3>{
                                 {{"tag", Unit::count}, {"names"}, {"events", Unit::count}}});
  for (const auto& [tag, events] : counts.events_by_tag) {
    report.row(std::array<Cell, 3>{std::uint64_t{tag}, cell_or_null(names_of(tag, names)), events});
  }
  report.end_table();
  report.begin_table("record_words", std::array<ReportColumn, 2>{
                                         {{"record_word", Unit::count}, {"events", Unit::count}}});
  for (const auto& [word, events] : counts.events_by_record_word) {
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
  if (options.tags_from) {
    borrowed = FileReader(std::filesystem::path(*options.tags_from)).dictionary().tag_names();
  }
  const Shares all{1, invocation.threads(), invocation.memory_bytes()};
  for (const std::filesystem::path& path : paths) {
    const FileReader reader(path);
    if (reader.index() != IndexState::valid) {
      invocation.log().warning(fmt::format("{}: index {} ({}); the {} records found are counted",
                                           reader.name(), to_string(reader.index()),
                                           reader.index_reason(), reader.records().size()));
    }
    const TagCounts counts = count_tags(reader, all, invocation.stop());
    report_counts(reader, counts, options.tags_from ? borrowed : reader.dictionary().tag_names(),
                  invocation.report());
  }
  return 0;
}

bool chooses_events(const Selection& selection) {
  const Selection none;
  return selection.has_clauses() || selection.thins() || selection.begin != none.begin ||
         selection.end != none.end || selection.share != none.share ||
         selection.seed != none.seed || selection.special != none.special || selection.only ||
         selection.any_clause || selection.invert || selection.by != none.by;
}

bool says_how_to_write(const RewritingOptions& options) {
  return says_how_to_store(options.compression) || options.compression.record_bytes ||
         options.output || options.force || options.skip_existing || options.reencode ||
         options.strict_layout || options.salvage || options.skip_bad || options.dictionary ||
         options.discard != 0 || options.verify != Verify::record || options.splitting.any();
}

int run(const TagFilterOptions& options, const std::vector<std::string>& words,
        Invocation& invocation) {
  if (options.count) {
    const Selection& selection = options.selection;
    if (chooses_events(selection) || options.any || options.all || options.none ||
        says_how_to_write(options.rewriting) || options.writing.any()) {
      throw UsageError(
          "--count counts all events of all files given, and writes no file; options that choose "
          "events or say how to write do not go with it");
    }
    return run_count(options, words, invocation);
  }
  return run_rewriting(
      {.verb = "tag-filter",
       .options = &options.rewriting,
       .also_read = options.tags_from ? std::vector<std::filesystem::path>{*options.tags_from}
                                      : std::vector<std::filesystem::path>(),
       .edit_dictionary =
           [&](RewritingJob& job) {
             edit_registry(options, job);
             job.rewrite.record_words_from_tags = options.writing.record_words_from_tags;
           },
       .tag =
           [&](const RewritingJob& job) {
             return options.writing.changes_tags()
                        ? std::optional(tagging_of(options.writing, names_of(options, job),
                                                   options.selection))
                        : std::nullopt;
           },
       .select = [&](const RewritingJob& job) { return std::optional(selection_of(options, job)); },
       .tell = report_tags},
      words, invocation);
}

TagSource parse_source(const std::string& word) {
  if (word == "event") {
    return TagSource::event;
  }
  if (word == "record") {
    return TagSource::record;
  }
  if (word == "either") {
    return TagSource::either;
  }
  throw UsageError("'" + word + "' is none of event, record, either");
}

double parse_share(const std::string& text) {
  double share = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, share);
  if (parsed.ec != std::errc() || parsed.ptr != end || !(share >= 0 && share <= 1)) {
    throw UsageError("'" + text + "' is not a number from 0 to 1");
  }
  return share;
}

void add_tags(Verb& verb, const std::shared_ptr<TagFilterOptions>& options) {
  verb.section("Events by tag");
  verb.option("--tag", "LIST", "Tags with exactly these values: 0,1,5-9.",
              [options](const std::string& text) {
                options->selection.tags.push_back({.values = parse_tag_ranges(text, kAnyNumber)});
              });
  const auto keep = [](std::optional<std::string>& target) {
    return [&target](const std::string& text) { target = text; };
  };
  verb.option("--any", "BITS",
              "Tags with at least one of these bits: a number (5, 0x5), or names of the file's tag "
              "registry (dvcs,sidis).",
              keep(options->any));
  verb.option("--all", "BITS", "Tags with every one of these bits.", keep(options->all));
  verb.option("--none", "BITS", "Tags with none of these bits.", keep(options->none));
  verb.option("--by", "WORD",
              "What the tag is: event (default): the word in the event's header; record: the word "
              "of its record, which C++ and Java filter on; either of the two.",
              [options](const std::string& word) { options->selection.by = parse_source(word); })
      .choices({"event", "record", "either"});
  verb.option("--tags-from", "FILE",
              "Take the tag names of that file, in place of those of the inputs; the output gets "
              "them.",
              [options](const std::string& path) {
                refuse_stdin(path);
                options->tags_from = path;
                options->rewriting.merge.drop_tag_names = true;
              });
}

void add_content_clauses(Verb& verb, const std::shared_ptr<TagFilterOptions>& options) {
  Selection& selection = options->selection;
  verb.section("Events by content and position");
  verb.option(
      "--where", "EXPRESSION",
      "Events that meet a condition: 'REC::Particle.pid == 11 && count(REC::Particle) > 2'.",
      [&selection](const std::string& text) {
        if (text.empty()) {
          throw UsageError("the condition is empty");
        }
        selection.where = text;
      });
  verb.option("--require", "LIST", "Events that have each of these banks.",
              [&selection](const std::string& list) { selection.required = split_list(list); });
  verb.flag("--or", "One of the clauses above is enough; without it all of them must hold.",
            selection.any_clause);
  verb.flag("--invert", "The events that the clauses above do not choose.", selection.invert);
  verb.option("--events", "A:B",
              "Of them events A to B-1, counted from 0 over all events of all inputs.",
              [&selection](const std::string& text) {
                const NumberRange range = parse_range(text);
                selection.begin = range.begin;
                selection.end = range.end.value_or(kAnyNumber);
              });
  verb.option("--sample", "SHARE", "Of them a share, 0 to 1, by chance.",
              [&selection](const std::string& text) { selection.share = parse_share(text); });
  verb.option("--seed", "N", "Which sample; the same number gives the same events. Default: 0.",
              [&selection](const std::string& text) {
                selection.seed = parse_number(text, 0, kAnyNumber);
              });
  verb.option("--every", "K", "Of them the first and every Kth after it.",
              [&selection](const std::string& text) {
                selection.every = parse_number(text, 1, kAnyNumber);
              });
  verb.option("-n", "N", "Of them the first N, over all inputs.",
              [&selection](const std::string& text) {
                selection.most = parse_number(text, 0, kAnyNumber);
              });
  verb.option("--special", "LIST",
              "Tags whose events are passed through whole by all options of this section. Default: "
              "1, scalers. An empty LIST: none.",
              [&selection](const std::string& text) {
                selection.special.clear();
                if (text.empty()) {
                  return;
                }
                for (const std::string& word : split_list(text)) {
                  selection.special.insert(static_cast<std::uint32_t>(
                      parse_number(word, 0, std::numeric_limits<std::uint32_t>::max())));
                }
              });
  verb.flag("--only", "Special events are treated as all others.", selection.only);
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
  add_tags(verb, options);
  add_content_clauses(verb, options);
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
