#include "rewriting/selection_options.hpp"

#include "hipotool/error.hpp"
#include "hipotool/reader.hpp"

#include "inputs.hpp"
#include "options.hpp"
#include "rewriting/tag_writing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string_view>
#include <utility>

namespace hipotool::app {

namespace {

constexpr std::uint64_t kAnyNumber = std::numeric_limits<std::uint64_t>::max();
constexpr const char* kClauses = "--tag, --any, --all, --none, --where or --require";

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

void add_tag_clauses(Verb& verb, SelectionOptions& options, PositionsOver positions) {
  verb.section("Events by tag");
  verb.repeatable_option("--tag", "LIST", "Tags with exactly these values: 0,1,5-9.",
                         [&options](const std::string& text) {
                           const std::vector<TagRange> values = parse_tag_ranges(text, kAnyNumber);
                           std::vector<TagClause>& clauses = options.selection.tags;
                           if (clauses.empty()) {
                             clauses.emplace_back();
                           }
                           clauses.front().values.insert(clauses.front().values.end(),
                                                         values.begin(), values.end());
                         });
  const auto keep = [](std::optional<std::string>& target) {
    return [&target](const std::string& text) { target = text; };
  };
  verb.option("--any", "BITS",
              "Tags with at least one of these bits: a number (5, 0x5), or names of the file's tag "
              "registry (dvcs,sidis).",
              keep(options.any));
  verb.option("--all", "BITS", "Tags with every one of these bits.", keep(options.all));
  verb.option("--none", "BITS", "Tags with none of these bits.", keep(options.none));
  verb.option("--by", "WORD",
              "What the tag is: event (default): the word in the event's header; record: the word "
              "of its record, which C++ and Java filter on; either of the two.",
              [&options](const std::string& word) {
                options.by = parse_source(word);
                options.selection.by = *options.by;
              })
      .choices({"event", "record", "either"});
  verb.option("--tags-from", "FILE",
              positions == PositionsOver::each_file
                  ? "Take the tag names of that file, in place of those of the inputs."
                  : "Take the tag names of that file, in place of those of the inputs; the output "
                    "gets them.",
              [&options](const std::string& path) {
                refuse_stdin(path);
                options.tags_from = path;
              });
}

void add_content_clauses(Verb& verb, Selection& selection) {
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
  verb.option("--require", "LIST",
              "Events that have each of these banks: names, patterns, group/item.",
              [&selection](const std::string& list) { selection.required = split_list(list); });
  verb.flag("--or", "One of the clauses above is enough; without it all of them must hold.",
            selection.any_clause);
  verb.flag("--invert", "The events that the clauses above do not choose.", selection.invert);
}

void add_positions(Verb& verb, SelectionOptions& options, PositionsOver positions) {
  Selection& selection = options.selection;
  const bool each = positions == PositionsOver::each_file;
  verb.option("--events", "A:B",
              each ? "Of them events A to B-1 of each file, counted from 0; either may be left out."
                   : "Of them events A to B-1, counted from 0 over all events of all inputs.",
              [&options](const std::string& text) {
                const NumberRange range = parse_range(text);
                options.selection.begin = range.begin;
                options.selection.end = range.end.value_or(kAnyNumber);
                options.has_range = true;
              });
  verb.option("--sample", "SHARE", "Of them a share, 0 to 1, by chance.",
              [&selection](const std::string& text) { selection.share = parse_share(text); });
  verb.option("--seed", "N", "Which sample; the same number gives the same events. Default: 0.",
              [&options](const std::string& text) {
                options.seed = parse_number(text, 0, kAnyNumber);
                options.selection.seed = *options.seed;
              });
  verb.option("--every", "K",
              each ? "Of them the first of each file and every Kth after it."
                   : "Of them the first and every Kth after it.",
              [&selection](const std::string& text) {
                selection.every = parse_number(text, 1, kAnyNumber);
              });
  verb.option("-n", "N",
              each ? "Of them the first N, over all files. Nothing is shown behind the last."
                   : "Of them the first N, over all inputs.",
              [&selection](const std::string& text) {
                selection.most = parse_number(text, 0, kAnyNumber);
              });
}

void add_special(Verb& verb, Selection& selection) {
  verb.option("--special", "LIST",
              "Tags whose events all options but the tags' let through whole. Default: 1, scalers. "
              "An empty LIST: none.",
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

void add_selection(Verb& verb, SelectionOptions& options, PositionsOver positions) {
  add_tag_clauses(verb, options, positions);
  add_content_clauses(verb, options.selection);
  add_positions(verb, options, positions);
  add_special(verb, options.selection);
}

bool chooses_events(const SelectionOptions& options) {
  const Selection& selection = options.selection;
  return selection.has_clauses() || options.any || options.all || options.none ||
         selection.thins() || selection.is_placed();
}

bool is_given(const SelectionOptions& options) {
  const Selection& selection = options.selection;
  return chooses_events(options) || options.has_range || options.seed || options.by ||
         options.tags_from || selection.special != Selection{}.special || selection.only ||
         selection.any_clause || selection.invert;
}

std::vector<TagName> tag_names_in(const std::string& path) {
  const FileReader lender{std::filesystem::path(path)};
  if (lender.dictionary().tag_names().empty()) {
    throw Error(ErrorCode::not_found, "--tags-from: it has no tag registry",
                {.path = lender.name()});
  }
  return lender.dictionary().tag_names();
}

void require_effects(const SelectionOptions& options) {
  const Selection& selection = options.selection;
  const auto one_if = [](bool is_there) { return is_there ? 1U : 0U; };
  const std::size_t tag_clauses = selection.tags.size() + one_if(options.any.has_value()) +
                                  one_if(options.all.has_value()) +
                                  one_if(options.none.has_value());
  const std::size_t clauses =
      tag_clauses + one_if(!selection.where.empty()) + selection.required.size();
  if (selection.invert && clauses == 0) {
    throw UsageError(std::string("--invert needs a clause to turn round: ") + kClauses);
  }
  if (selection.any_clause && clauses < 2) {
    throw UsageError(std::string("--or joins clauses, and needs two at least: ") + kClauses);
  }
  if (options.by && tag_clauses == 0) {
    throw UsageError("--by needs a tag clause to act on: --tag, --any, --all or --none");
  }
  if (options.seed && selection.share == Selection{}.share) {
    throw UsageError("--seed needs a --sample of less than 1");
  }
}

Selection selection_of(const SelectionOptions& options, const std::vector<TagName>& names) {
  Selection selection = options.selection;
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
  require_effects(options);
  return selection;
}

}  // namespace hipotool::app
