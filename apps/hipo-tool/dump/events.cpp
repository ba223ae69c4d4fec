#include "dump/events.hpp"

#include "hipotool/bank_selection.hpp"
#include "hipotool/event_selection.hpp"
#include "hipotool/expression.hpp"
#include "hipotool/row_condition.hpp"

#include "report/printable.hpp"
#include "usage.hpp"

#include <fmt/format.h>

#include <memory>
#include <numeric>
#include <utility>
#include <vector>

namespace hipotool::app {

namespace {

// What a scan counts, stored and raw bytes, is a third of what is in memory: the rest is text.
constexpr std::uint64_t kShareOfText = 3;

std::unique_ptr<EventForm> make_form(EventOutput output, const EventStyle& style) {
  switch (output) {
    case EventOutput::tables:
      return make_table_events(style);
    case EventOutput::json:
      return make_json_events(style);
    case EventOutput::csv:
    case EventOutput::tsv:
      break;
  }
  return make_separated_events(style);
}

// `for_what` is done with rows of one bank.
const Schema& only_bank(const BankSelection& selection, const Dictionary& dictionary,
                        std::string_view for_what) {
  const std::vector<BankKey> banks = selection.banks();
  if (banks.size() != 1) {
    throw UsageError(fmt::format("{} one bank; {}", for_what,
                                 selection.is_everything()
                                     ? "choose it with -b or --columns BANK.column"
                                     : fmt::format("{} are chosen", banks.size())));
  }
  const Schema* schema = dictionary.find(banks.front());
  if (schema == nullptr || schema->row_size() == 0) {
    throw Error(ErrorCode::not_found, "no columns of bank " + dictionary.bank_name(banks.front()) +
                                          " are known, so it has no rows to show; --json shows it");
  }
  return *schema;
}

std::optional<Expression> condition_of(const DumpOptions& options, const Dictionary& dictionary) {
  if (!options.where) {
    return std::nullopt;
  }
  return as_usage_of("--where", [&] { return Expression::parse(*options.where, dictionary); });
}

std::optional<RowCondition> row_condition_of(const DumpOptions& options, const BankSelection& banks,
                                             const Dictionary& dictionary) {
  if (!options.rows) {
    return std::nullopt;
  }
  const Schema& bank = only_bank(banks, dictionary, "--rows chooses among the rows of");
  return as_usage_of("--rows",
                     [&] { return RowCondition::parse(*options.rows, dictionary, bank); });
}

// Names come with every bank of every event, so that a small file with long ones can stand for more
// text than any memory holds. Such a record is turned into text piece by piece, when it is its
// turn.
constexpr std::uint64_t kNameBytesPerByte = 32;
constexpr std::size_t kPieceBytes = std::size_t{1} << 20U;

std::uint64_t name_bytes(const Schema& schema) {
  std::uint64_t bytes = schema.name().size();
  for (const Column& column : schema.columns()) {
    bytes += column.name.size();
  }
  return bytes;
}

bool is_mostly_names(const Record& record, const BankSelection& selection) {
  std::uint64_t names = 0;
  for (const BankBlock& block : record.blocks()) {
    if (block.schema != nullptr && selection.shows(block.key)) {
      names += name_bytes(*block.schema) * block.occurrences.size();
    }
  }
  const std::uint64_t bytes =
      std::accumulate(record.event_sizes.begin(), record.event_sizes.end(), std::uint64_t{0});
  return names > kNameBytesPerByte * bytes + kPieceBytes;
}

// The first `count` of the events chosen, one by one.
template <typename Append>
void for_each_chosen(const Record& record, const ChosenEvents& chosen, std::size_t count,
                     EventCursor::Order order, const Append& append) {
  EventCursor cursor(record, order);
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t event = chosen.events[i];
    if (event != next) {
      cursor.skip_to(event);
    }
    static_cast<void>(cursor.next());
    append(chosen.first_number + event, cursor);
    next = event + 1;
  }
}

// Text of a record's events, and where that of each event ends; or the events alone, if their text
// is to be made later.
struct RecordText {
  std::string text;
  std::vector<std::size_t> ends;
  ChosenEvents later;
};

// Turns the events of one file into text.
class EventTexts {
 public:
  // `projection`: what records are decoded for.
  EventTexts(EventOutput output, const EventStyle& style, EventCursor::Order order,
             const Projection& projection)
      : output_(output), style_(style), order_(order), projection_(projection) {}

  // In a worker thread.
  [[nodiscard]] RecordText make(const Record& record, const ChosenEvents& chosen) const {
    RecordText made;
    if (is_mostly_names(record, *style_.selection)) {
      made.later = chosen;
      return made;
    }
    const auto form = make_form(output_, style_);
    for_each_chosen(record, chosen, chosen.events.size(), order_,
                    [&](std::uint64_t number, const EventCursor& cursor) {
                      form->append(made.text, number, record, cursor);
                      made.ends.push_back(made.text.size());
                    });
    return made;
  }

  // Passes the text of the first `count` events on to write(text), in one piece or in many.
  template <typename Write>
  void pass_on(const RecordText& made, std::size_t count, const FileReader& reader,
               const Write& write) const {
    if (made.later.events.empty()) {
      write(std::string_view(made.text).substr(0, made.ends[count - 1]));
      return;
    }
    std::string text;
    const auto form = make_form(output_, style_);
    form->after_bank = [&write](std::string& so_far) {
      if (so_far.size() >= kPieceBytes) {
        write(so_far);
        so_far.clear();
      }
    };
    CodecContext context;
    Record record;
    reader.read_record(made.later.record, projection_, context, record);
    for_each_chosen(record, made.later, count, order_,
                    [&](std::uint64_t number, const EventCursor& cursor) {
                      form->append(text, number, record, cursor);
                    });
    write(text);
  }

 private:
  EventOutput output_;
  const EventStyle& style_;
  EventCursor::Order order_;
  const Projection& projection_;
};

}  // namespace

EventDump::EventDump(const DumpOptions& options, EventOutput output, bool several_files,
                     Invocation& invocation)
    : options_(&options),
      output_(output),
      several_files_(several_files),
      invocation_(&invocation),
      left_(options.count) {}

void EventDump::add(const FileReader& reader) {
  with_context([&] { return ErrorContext{.path = reader.name()}; }, [&] { add_selected(reader); });
}

void EventDump::add_selected(const FileReader& reader) {
  const BankSelection banks =
      BankSelection::choose(reader.dictionary(), options_->banks, options_->columns);
  const std::optional<Expression> condition = condition_of(*options_, reader.dictionary());
  const std::optional<RowCondition> rows = row_condition_of(*options_, banks, reader.dictionary());
  EventSelection events{.tags = options_->tags,
                        .where = condition ? &*condition : nullptr,
                        .rows = rows ? &*rows : nullptr,
                        .count = left_,
                        .banks = banks.projection()};
  if (rows) {
    events.banks.add(rows->projection());
  }
  if (options_->range) {
    events.begin = options_->range->begin;
    events.end = options_->range->end;
  }
  const EventStyle style{
      .selection = &banks,
      .rows = events.rows,
      .path = several_files_ ? reader.name() : "",
      .int64 = options_->int64.value_or(Int64Form::number),
      .separator = output_ == EventOutput::tsv ? Separator::tab : Separator::comma};
  write_heading(reader, style);
  const EventTexts texts(
      output_, style,
      options_->as_stored ? EventCursor::Order::as_stored : EventCursor::Order::by_key,
      events.banks);
  scan_selected(
      reader, events,
      {.threads = invocation_->threads(),
       .memory_bytes = invocation_->memory_bytes() / kShareOfText,
       .stop = invocation_->stop()},
      [&](const Record& record, const ChosenEvents& chosen) { return texts.make(record, chosen); },
      [&](const RecordText& made, std::size_t wanted) {
        texts.pass_on(made, wanted, reader, [this](std::string_view text) { write(text); });
        if (left_) {
          *left_ -= wanted;
        }
      });
}

void EventDump::write(std::string_view text) {
  try {
    invocation_->output().write(text);
  } catch (const Error& error) {
    throw OutputFailure{error};
  }
}

void EventDump::write_heading(const FileReader& reader, const EventStyle& style) {
  if (output_ == EventOutput::json) {
    return;
  }
  if (output_ == EventOutput::tables) {
    if (several_files_) {
      write("==> " + printable(reader.name()) + " <==\n");
    }
    return;
  }
  const Schema& bank = only_bank(*style.selection, reader.dictionary(), "--csv and --tsv show");
  const std::string header = separated_header(style, bank);
  if (header_.empty()) {
    header_ = header;
    write(header_);
  } else if (header_ != header) {
    throw Error(ErrorCode::type_mismatch,
                "its columns differ from those of the file before, so they do not fit below one "
                "line of names",
                {.bank = bank.name()});
  }
}

}  // namespace hipotool::app
