#include "hipotool/compare.hpp"

#include "hipotool/error.hpp"
#include "hipotool/names.hpp"
#include "hipotool/scan.hpp"

#include "inspect/event_difference.hpp"
#include "pipeline/recycler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <set>
#include <span>
#include <tuple>

namespace hipotool {
inline namespace v0 {
namespace {

constexpr std::size_t kNoRecord = std::numeric_limits<std::size_t>::max();

// What is kept of a file after it has been read once.
struct Overview {
  std::vector<EventHash> hashes;                                        // of every event
  std::vector<std::pair<std::uint64_t, std::uint32_t>> reserved_words;  // event and word, if not 0
  std::vector<std::uint64_t> first_events;  // of every record, and one past the last
  Digest digest;

  [[nodiscard]] std::size_t record_of(std::uint64_t event) const {
    const auto after = std::upper_bound(first_events.begin(), first_events.end(), event);
    return static_cast<std::size_t>(after - first_events.begin()) - 1;
  }
  [[nodiscard]] std::uint32_t reserved_word(std::uint64_t event) const {
    const auto found = std::lower_bound(reserved_words.begin(), reserved_words.end(),
                                        std::pair(event, std::uint32_t{0}));
    return found != reserved_words.end() && found->first == event ? found->second : 0;
  }
};

// One of the two files.
struct Side {
  const FileReader* reader;
  Projection projection;
  Overview overview{};
};

using Pair = std::pair<std::uint64_t, std::uint64_t>;  // of events, by their positions

ScanOptions scan_options(const CompareOptions& options) {
  return {.threads = options.threads, .memory_bytes = options.memory_bytes, .stop = options.stop};
}

bool has_bank(const Dictionary& dictionary, const std::string& pattern) {
  try {
    static_cast<void>(find_schemas(dictionary, {pattern}));
    return true;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::not_found) {
      throw;
    }
    return false;
  }
}

// What options.banks stand for in one file. A name may be known to one of the two only.
Projection projection_of(const CompareOptions& options, const FileReader& reader,
                         const FileReader& other) {
  if (options.banks.empty()) {
    return Projection::everything();
  }
  Projection projection = Projection::nothing();
  for (const std::string& pattern : options.banks) {
    try {
      for (const Schema* schema : find_schemas(reader.dictionary(), {pattern})) {
        projection.add(schema->key());
      }
    } catch (const Error& error) {
      if (error.code() != ErrorCode::not_found) {
        throw;
      }
      if (!has_bank(other.dictionary(), pattern)) {
        throw Error(ErrorCode::not_found,
                    error.message() + "; " + other.name() + " has none either",
                    {.path = reader.name()});
      }
    }
  }
  return projection;
}

Overview look_over(const Side& side, const CompareOptions& options) {
  struct Part {
    std::vector<EventHash> hashes;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> reserved_words;
  };
  Overview overview;
  overview.first_events.push_back(0);
  for (const RecordEntry& entry : side.reader->records()) {
    overview.first_events.push_back(overview.first_events.back() + entry.header.event_count);
  }
  DigestBuilder digest;
  scan(
      *side.reader, side.projection, scan_options(options),
      [](const Record& record, std::size_t) {
        Part part;
        Buffer scratch;
        hash_events(record, part.hashes, scratch);
        for (const EventOddity& oddity : record.oddities) {
          const std::optional<ByteSpan> image = record.image(oddity.event);
          if (oddity.has(Oddity::reserved_word) && image) {
            part.reserved_words.emplace_back(oddity.event,
                                             load_le<std::uint32_t>(image->data() + 12));
          }
        }
        return part;
      },
      [&](const Part& part, std::size_t index) {
        digest.add(part.hashes);
        overview.hashes.insert(overview.hashes.end(), part.hashes.begin(), part.hashes.end());
        for (const auto& [event, word] : part.reserved_words) {
          overview.reserved_words.emplace_back(overview.first_events[index] + event, word);
        }
      });
  overview.digest = digest.finish();
  return overview;
}

void add_description(Comparison& result, const CompareOptions& options, Difference difference) {
  ++result.descriptions_different;
  if (result.differences.size() < options.differences_kept) {
    result.differences.push_back(std::move(difference));
  }
}

// Entries of two sorted or unsorted maps from names to texts.
void compare_entries(DifferenceKind kind, const std::map<std::string, std::string>& a,
                     const std::map<std::string, std::string>& b, const CompareOptions& options,
                     Comparison& result) {
  std::set<std::string> names;
  for (const auto* entries : {&a, &b}) {
    for (const auto& [name, text] : *entries) {
      names.insert(name);
    }
  }
  for (const std::string& name : names) {
    const auto in_a = a.find(name);
    const auto in_b = b.find(name);
    if (in_a == a.end() || in_b == b.end() || in_a->second != in_b->second) {
      add_description(result, options,
                      {.kind = kind,
                       .bank = name,
                       .a = in_a == a.end() ? "" : in_a->second,
                       .b = in_b == b.end() ? "" : in_b->second});
    }
  }
}

std::map<std::string, std::string> schemas_of(const Dictionary& dictionary) {
  std::map<std::string, std::string> texts;
  for (const Schema* schema : dictionary.schemas()) {
    texts.emplace(schema->name(), schema->text());
  }
  return texts;
}

std::map<std::string, std::string> configuration_of(const Dictionary& dictionary) {
  std::map<std::string, std::string> entries;
  for (const ConfigurationEntry& entry : dictionary.configuration()) {
    entries.emplace(entry.key, entry.value);
  }
  return entries;
}

std::map<std::string, std::string> tag_names_of(const Dictionary& dictionary) {
  std::map<std::string, std::string> names;
  for (const TagName& tag : dictionary.tag_names()) {
    names.emplace(tag.name, fmt::format("bit {}", tag.bit));
  }
  return names;
}

void compare_dictionaries(const Dictionary& a, const Dictionary& b, const CompareOptions& options,
                          Comparison& result) {
  compare_entries(DifferenceKind::schema, schemas_of(a), schemas_of(b), options, result);
  compare_entries(DifferenceKind::configuration, configuration_of(a), configuration_of(b), options,
                  result);
  compare_entries(DifferenceKind::tag_name, tag_names_of(a), tag_names_of(b), options, result);
}

// User words and reserved words of paired events. A run of events with the same difference of user
// words is one difference, at its first event.
void compare_words(const Side& a, const Side& b, const std::vector<Pair>& pairs,
                   const CompareOptions& options, Comparison& result) {
  const auto user_words = [](const Side& side, std::uint64_t event) {
    return side.reader->records()[side.overview.record_of(event)].header.user_words;
  };
  std::optional<std::pair<UserWords, UserWords>> before;
  for (const auto& [event_a, event_b] : pairs) {
    const std::pair words(user_words(a, event_a), user_words(b, event_b));
    if (words.first != words.second && words != before) {
      const auto text = [](const UserWords& pair) {
        return fmt::format("{:#x}, {:#x}", pair.first, pair.second);
      };
      add_description(result, options,
                      {.kind = DifferenceKind::user_words,
                       .event_a = event_a,
                       .event_b = event_b,
                       .a = text(words.first),
                       .b = text(words.second)});
    }
    before = words;
    const std::uint32_t word_a = a.overview.reserved_word(event_a);
    const std::uint32_t word_b = b.overview.reserved_word(event_b);
    if (word_a != word_b) {
      add_description(result, options,
                      {.kind = DifferenceKind::reserved_word,
                       .event_a = event_a,
                       .event_b = event_b,
                       .a = fmt::format("{:#x}", word_a),
                       .b = fmt::format("{:#x}", word_b)});
    }
  }
}

// What identifies an event: run, number and tag. Events without RUN::config come last, as one
// group.
struct EventName {
  bool missing = true;
  std::int64_t run = 0;
  std::int64_t number = 0;
  std::uint32_t tag = 0;

  [[nodiscard]] std::tuple<bool, std::int64_t, std::int64_t> without_tag() const {
    return {missing, run, number};
  }
};

std::int64_t first_integer(const BankView& bank, std::size_t column) {
  const ByteSpan bytes = bank.column_bytes(column);
  switch (bank.schema()->columns()[column].type) {
    case ColumnType::i8:
      return load_le<std::int8_t>(bytes.data());
    case ColumnType::i16:
      return load_le<std::int16_t>(bytes.data());
    case ColumnType::i32:
      return load_le<std::int32_t>(bytes.data());
    case ColumnType::i64:
      return load_le<std::int64_t>(bytes.data());
    case ColumnType::f32:
    case ColumnType::f64:
      break;
  }
  throw Error(ErrorCode::type_mismatch, "run and event number are not whole numbers here",
              {.bank = "RUN::config"});
}

std::vector<EventName> event_names(const FileReader& reader, const CompareOptions& options) {
  const Schema& schema = require_schema(reader.dictionary(), "RUN::config");
  const std::size_t run = require_column(schema, "run");
  const std::size_t number = require_column(schema, "event");
  std::vector<EventName> names;
  scan(
      reader, Projection::nothing().add(schema.key(), {run, number}), scan_options(options),
      [&](const Record& record, std::size_t) {
        std::vector<EventName> part(record.event_count());
        for (std::uint32_t event = 0; event < record.event_count(); ++event) {
          part[event].tag = record.tag(event);
          const std::optional<BankView> bank = record.bank(event, schema.key());
          if (bank && bank->form() == BankForm::table && bank->rows() > 0) {
            part[event] = {false, first_integer(*bank, run), first_integer(*bank, number),
                           record.tag(event)};
          }
        }
        return part;
      },
      [&](const std::vector<EventName>& part, std::size_t) {
        names.insert(names.end(), part.begin(), part.end());
      });
  return names;
}

struct Pairing {
  std::vector<Pair> pairs;  // ascending by A
  std::vector<std::uint64_t> only_a;
  std::vector<std::uint64_t> only_b;
};

Pairing pair_by_position(std::uint64_t a, std::uint64_t b) {
  Pairing pairing;
  pairing.pairs.reserve(std::min(a, b));
  for (std::uint64_t event = 0; event < std::max(a, b); ++event) {
    if (event < a && event < b) {
      pairing.pairs.emplace_back(event, event);
    } else {
      (event < a ? pairing.only_a : pairing.only_b).push_back(event);
    }
  }
  return pairing;
}

// Pairs what has the same key, in order; the others stay in the two lists.
template <typename Key>
void pair_equal(std::vector<std::uint64_t>& left_a, std::vector<std::uint64_t>& left_b,
                const Key& key_a, const Key& key_b, std::vector<Pair>& pairs) {
  const auto sort_by = [](std::vector<std::uint64_t>& events, const Key& key) {
    std::stable_sort(events.begin(), events.end(), [&key](std::uint64_t one, std::uint64_t other) {
      return key(one) < key(other);
    });
  };
  sort_by(left_a, key_a);
  sort_by(left_b, key_b);
  std::vector<std::uint64_t> rest_a;
  std::vector<std::uint64_t> rest_b;
  auto a = left_a.begin();
  auto b = left_b.begin();
  while (a != left_a.end() && b != left_b.end()) {
    if (key_a(*a) < key_b(*b)) {
      rest_a.push_back(*a++);
    } else if (key_b(*b) < key_a(*a)) {
      rest_b.push_back(*b++);
    } else {
      pairs.emplace_back(*a++, *b++);
    }
  }
  rest_a.insert(rest_a.end(), a, left_a.end());
  rest_b.insert(rest_b.end(), b, left_b.end());
  left_a = std::move(rest_a);
  left_b = std::move(rest_b);
}

Pairing pair_by_number(const std::vector<EventName>& a, const std::vector<EventName>& b) {
  using Key = std::function<std::tuple<bool, std::int64_t, std::int64_t, std::uint32_t>(
      std::uint64_t event)>;
  const auto key_of = [](const std::vector<EventName>& names, bool with_tag) -> Key {
    return [&names, with_tag](std::uint64_t event) {
      const EventName& name = names[event];
      return std::tuple_cat(name.without_tag(), std::tuple(with_tag ? name.tag : 0));
    };
  };
  const auto all = [](std::size_t count) {
    std::vector<std::uint64_t> events(count);
    for (std::size_t i = 0; i < count; ++i) {
      events[i] = i;
    }
    return events;
  };
  Pairing pairing;
  pairing.only_a = all(a.size());
  pairing.only_b = all(b.size());
  // A scaler event may carry the number of the event before it: the tag tells them apart.
  for (const bool with_tag : {true, false}) {
    pair_equal(pairing.only_a, pairing.only_b, key_of(a, with_tag), key_of(b, with_tag),
               pairing.pairs);
  }
  std::sort(pairing.pairs.begin(), pairing.pairs.end());
  std::sort(pairing.only_a.begin(), pairing.only_a.end());
  std::sort(pairing.only_b.begin(), pairing.only_b.end());
  return pairing;
}

// A record of the second file, kept decoded by whoever needs it next.
struct Partner {
  CodecContext context;
  Record record;
  std::size_t index = kNoRecord;
  inspect::NamedBlocks blocks;
};

class PairComparison {
 public:
  PairComparison(const Side& a, const Side& b, const inspect::DifferenceRules& rules,
                 const CompareOptions& options)
      : a_(&a), b_(&b), rules_(&rules), options_(&options) {}

  // `pairs` ascend by A and differ in their hashes.
  void run(const std::vector<Pair>& pairs, Comparison& result) {
    ScanOptions options = scan_options(*options_);
    options.memory_bytes /= 2;  // the other half is for the partners
    options.memory_shares = 2;
    options.wants_record = [&](std::size_t index) { return !pairs_of(pairs, index).empty(); };
    scan(
        *a_->reader, a_->projection, options,
        [&](const Record& record, std::size_t index) {
          return compare_record(record, index, pairs_of(pairs, index));
        },
        [&](inspect::FoundDifferences found, std::size_t) { take(std::move(found), result); });
  }

 private:
  [[nodiscard]] std::span<const Pair> pairs_of(const std::vector<Pair>& pairs,
                                               std::size_t index) const {
    const auto first_of = [&](std::uint64_t event) {
      return std::lower_bound(pairs.begin(), pairs.end(), Pair(event, 0));
    };
    return {first_of(a_->overview.first_events[index]),
            first_of(a_->overview.first_events[index + 1])};
  }

  inspect::FoundDifferences compare_record(const Record& record, std::size_t index,
                                           std::span<const Pair> pairs) {
    std::vector<Pair> by_b(pairs.begin(), pairs.end());
    std::sort(by_b.begin(), by_b.end(),
              [](const Pair& one, const Pair& other) { return one.second < other.second; });
    inspect::NamedBlocks blocks;
    blocks.assign(record, *rules_);
    inspect::FoundDifferences found{.kept = options_->differences_kept};
    const std::shared_ptr<Partner> partner = partners_.take();
    partner->context.limit(options_->memory_bytes / 2);
    for (const auto& [event_a, event_b] : by_b) {
      const std::size_t other = b_->overview.record_of(event_b);
      if (partner->index != other) {
        partner->index = kNoRecord;
        b_->reader->read_record(other, b_->projection, partner->context, partner->record);
        partner->index = other;
        partner->blocks.assign(partner->record, *rules_);
      }
      inspect::compare_events(
          {&blocks, static_cast<std::uint32_t>(event_a - a_->overview.first_events[index]),
           event_a},
          {&partner->blocks, static_cast<std::uint32_t>(event_b - b_->overview.first_events[other]),
           event_b},
          *rules_, found);
    }
    std::stable_sort(found.differences.begin(), found.differences.end(),
                     [](const Difference& one, const Difference& another) {
                       return one.event_a < another.event_a;
                     });
    return found;
  }

  void take(inspect::FoundDifferences found, Comparison& result) const {
    result.events_different += found.events;
    for (Difference& difference : found.differences) {
      if (result.differences.size() < options_->differences_kept) {
        result.differences.push_back(std::move(difference));
      }
    }
    for (const auto& [column, differences] : found.columns) {
      ColumnDifferences& total = result.columns[column];
      total.values += differences.values;
      total.largest = std::max(total.largest, differences.largest);
    }
  }

  const Side* a_;
  const Side* b_;
  const inspect::DifferenceRules* rules_;
  const CompareOptions* options_;
  pipeline::Recycler<Partner> partners_;
};

void add_lonely(const Pairing& pairing, const CompareOptions& options, Comparison& result) {
  result.events_different += pairing.only_a.size() + pairing.only_b.size();
  const auto add = [&](Difference difference) {
    if (result.differences.size() < options.differences_kept) {
      result.differences.push_back(std::move(difference));
    }
  };
  for (const std::uint64_t event : pairing.only_a) {
    add({.kind = DifferenceKind::event, .event_a = event, .a = "only here"});
  }
  for (const std::uint64_t event : pairing.only_b) {
    add({.kind = DifferenceKind::event, .event_b = event, .b = "only here"});
  }
}

}  // namespace

std::string_view to_string(DifferenceKind kind) noexcept {
  switch (kind) {
    case DifferenceKind::schema:
      return "schema";
    case DifferenceKind::configuration:
      return "configuration";
    case DifferenceKind::tag_name:
      return "tag-name";
    case DifferenceKind::user_words:
      return "user-words";
    case DifferenceKind::reserved_word:
      return "reserved-word";
    case DifferenceKind::event:
      return "event";
    case DifferenceKind::tag:
      return "tag";
    case DifferenceKind::bank:
      return "bank";
    case DifferenceKind::shape:
      return "shape";
    case DifferenceKind::rows:
      return "rows";
    case DifferenceKind::value:
      break;
  }
  return "value";
}

Comparison compare(const FileReader& reader_a, const FileReader& reader_b,
                   const CompareOptions& options) {
  const Dictionary& dictionary_a = reader_a.dictionary();
  const Dictionary& dictionary_b = reader_b.dictionary();
  const inspect::DifferenceRules rules(options, dictionary_a, dictionary_b);
  Side a{&reader_a, projection_of(options, reader_a, reader_b)};
  Side b{&reader_b, projection_of(options, reader_b, reader_a)};
  Comparison result;
  if (!options.events_only) {
    compare_dictionaries(dictionary_a, dictionary_b, options, result);
  }
  a.overview = look_over(a, options);
  b.overview = look_over(b, options);
  result.events_a = reader_a.event_count();
  result.events_b = reader_b.event_count();
  result.digest_a = a.overview.digest;
  result.digest_b = b.overview.digest;
  if (!options.by_event_number && result.digest_a.ordered != result.digest_b.ordered &&
      result.digest_a.unordered == result.digest_b.unordered) {
    result.other_order = true;
    return result;
  }
  const Pairing pairing =
      options.by_event_number
          ? pair_by_number(event_names(reader_a, options), event_names(reader_b, options))
          : pair_by_position(result.events_a, result.events_b);
  result.events_paired = pairing.pairs.size();
  if (!options.events_only) {
    compare_words(a, b, pairing.pairs, options, result);
  }
  std::vector<Pair> unequal;
  for (const auto& [event_a, event_b] : pairing.pairs) {
    if (a.overview.hashes[event_a] != b.overview.hashes[event_b]) {
      unequal.emplace_back(event_a, event_b);
    }
  }
  if (!unequal.empty()) {
    PairComparison(a, b, rules, options).run(unequal, result);
  }
  add_lonely(pairing, options, result);
  return result;
}

}  // namespace v0
}  // namespace hipotool
