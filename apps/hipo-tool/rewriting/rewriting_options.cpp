#include "rewriting/rewriting_options.hpp"

#include "invocation.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace hipotool::app {

namespace {

std::string discardable_words(std::string_view between = ", ") {
  std::string words;
  for (const Oddity oddity : kOddities) {
    if (is_discardable(oddity)) {
      words += words.empty() ? "" : between;
      words += to_string(oddity);
    }
  }
  return words;
}

std::uint8_t parse_discard(const std::string& list) {
  unsigned bits = 0;
  for (const std::string& word : split_list(list)) {
    const std::optional<Oddity> oddity = parse_oddity(word);
    if (!oddity || !is_discardable(*oddity)) {
      throw UsageError("'" + word + "' is none of " + discardable_words());
    }
    bits |= static_cast<unsigned>(*oddity);
  }
  return static_cast<std::uint8_t>(bits);
}

Verify parse_verify(const std::string& word) {
  for (const Verify verify : {Verify::none, Verify::record, Verify::file}) {
    if (to_string(verify) == word) {
      return verify;
    }
  }
  throw UsageError("'" + word + "' is none of none, record, file");
}

// --readable-by says that somebody is waiting for the file; then the defaults are his.
ResolvedCompression resolve_for_reader(const RewritingOptions& options) {
  if (!options.merge.readable_by) {
    return resolve(options.compression);
  }
  CompressionOptions wanted = options.compression;
  if (!wanted.layout) {
    wanted.layout = LayoutId::per_chunk;
  }
  const ResolvedCompression resolved = resolve(wanted);
  const ReadableBy by = readable_by(resolved.compression);
  const bool cpp = *options.merge.readable_by == PeerReader::cpp;
  if (!(cpp ? by.cpp_hipo4 : by.java)) {
    throw UsageError(fmt::format("{} cannot read {} records, so --readable-by contradicts them",
                                 cpp ? "C++ hipo4" : "Java", to_string(resolved.compression)));
  }
  return resolved;
}

}  // namespace

bool is_discardable(Oddity oddity) {
  return (kDiscardableOddities & static_cast<std::uint8_t>(oddity)) != 0;
}

std::string_view to_string(Verify verify) noexcept {
  switch (verify) {
    case Verify::none:
      return "none";
    case Verify::record:
      return "record";
    case Verify::file:
      return "file";
  }
  return "";
}

RewriteOptions rewrite_options(const RewritingOptions& options, const Invocation& invocation) {
  const ResolvedCompression resolved = resolve_for_reader(options);
  RewriteOptions rewrite;
  rewrite.compression = resolved.compression;
  rewrite.keep_compression =
      options.compression.as_input && !says_how_to_store(options.compression);
  rewrite.record_bytes = rewrite.keep_compression ? options.compression.record_bytes.value_or(0)
                                                  : resolved.record_bytes;
  rewrite.record_events = resolved.record_events;
  // A level cannot be told from stored bytes, so who names one wants it used.
  rewrite.reencode = options.reencode || options.compression.level.has_value();
  rewrite.verify = options.verify;
  rewrite.table_types = options.merge.readable_by.has_value();
  rewrite.discard = options.discard;
  rewrite.strict_layout = options.strict_layout;
  rewrite.accept_cut = options.salvage;
  rewrite.skip_bad = options.skip_bad || options.salvage;
  rewrite.splitting = splitting_of(options.splitting);
  rewrite.threads = invocation.threads();
  rewrite.memory_bytes = invocation.memory_bytes();
  rewrite.stop = invocation.stop();
  return rewrite;
}

void add_output(Verb& verb, RewritingOptions& options) {
  verb.section("Output file");
  verb.option(
      "-o,--output", "OUT",
      "The file to write; needed with several inputs. - as an input is standard input, here "
      "standard output, for another "
      "hipo-tool: its header cannot point to the index, without which C++, Java and oxihipo "
      "do not read a file.",
      [&options](const std::string& path) { options.output = path; });
  verb.flag("-f,--force",
            "Replace OUT if it exists. It keeps its mode, and its bytes until the end.",
            options.force);
  verb.flag("--skip-existing", "If OUT exists, do nothing and exit with 0.", options.skip_existing);
}

void add_dry_run(Verb& verb, RewritingOptions& options) {
  verb.flag("--dry-run",
            "Write nothing; tell what would be written, how large by a sample, the peak memory and "
            "who can read it.",
            options.dry_run);
}

void add_content(Verb& verb, RewritingOptions& options) {
  verb.section("Content");
  verb.option("--verify", "WORD",
              "record: each record is decoded again before it is written and compared with its "
              "source (default); file: the finished file is read again too; none.",
              [&options](const std::string& word) { options.verify = parse_verify(word); })
      .choices({"none", "record", "file"});
  verb.flag("--reencode",
            "Compress again what is stored as wanted already; such records are copied otherwise. "
            "--level implies it.",
            options.reencode);
  verb.option("--discard", "LIST",
              "Leave out what a split layout cannot hold, and count it, instead of keeping the "
              "events in per-chunk records: " +
                  discardable_words() + ".",
              [&options](const std::string& list) { options.discard = parse_discard(list); })
      .choices(split_list(discardable_words(",")));
  verb.flag("--strict-layout", "Fail instead of keeping any event in a per-chunk record.",
            options.strict_layout);
  add_readable_by(
      verb,
      "cpp or java: write the dictionary as that reader needs it, and fail if it has no "
      "form there. Layout and codec default to per-chunk lz4 then.",
      options.merge.readable_by);
  verb.flag("--drop-config", "Leave configuration entries and the tag registry out.",
            options.merge.drop_configuration);
  verb.flag("--strict-config", "Fail if inputs disagree on a configuration entry.",
            options.merge.strict_configuration);
}

void add_repair(Verb& verb, RewritingOptions& options) {
  verb.section("Damaged input");
  verb.flag("--salvage",
            "Take what can be read: look for records behind damage, accept a file that was longer "
            "once, and leave out what does not decode. Every gap is told; exit code 3 where "
            "something is lost or may be.",
            options.salvage);
  verb.flag("--skip-bad",
            "Leave out single records that do not decode, of files that are in order otherwise; "
            "each is told, and the exit code is 3.",
            options.skip_bad);
  verb.option("--dict", "OTHER",
              "Where an input has no schema of its own, use those of the file OTHER. If its "
              "dictionary is damaged rather than missing, --salvage is needed too.",
              [&options](const std::string& path) { options.dictionary = path; });
}

}  // namespace hipotool::app
