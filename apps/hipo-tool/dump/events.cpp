#include "dump/events.hpp"

#include "hipotool/bank_selection.hpp"
#include "hipotool/counted.hpp"
#include "hipotool/event_selection.hpp"
#include "hipotool/row_condition.hpp"
#include "hipotool/selection.hpp"

#include "report/printable.hpp"
#include "usage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <numeric>
#include <span>
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

// Names of bits that this file lacks may be there in others.
Selection selection_in(const FileReader& reader, const SelectionOptions& options) {
  const std::vector<TagName> names =
      options.tags_from ? tag_names_in(*options.tags_from) : reader.dictionary().tag_names();
  try {
    return selection_of(options, names);
  } catch (const UsageError& error) {
    throw Error(ErrorCode::not_found, error.what());
  }
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

// One event after the other, in order.
class EventWalk {
 public:
  EventWalk(const Record& record, const ChosenEvents& chosen, EventCursor::Order order)
      : cursor_(record, order), chosen_(chosen) {}

  // `append(number, cursor)` for one of the events chosen, further on than the last one.
  template <typename Append>
  void visit(std::size_t index, const Append& append) {
    const std::uint32_t event = chosen_.events[index];
    if (event != next_) {
      cursor_.skip_to(event);
    }
    static_cast<void>(cursor_.next());
    append(chosen_.first_number + event, cursor_);
    next_ = event + 1;
  }

 private:
  EventCursor cursor_;
  const ChosenEvents& chosen_;
  std::uint32_t next_ = 0;
};

// Text that waits for its turn, over all records: what is too much is made later, piece by piece.
class TextMemory {
 public:
  explicit TextMemory(std::uint64_t most_bytes) : most_bytes_(most_bytes) {}

  [[nodiscard]] bool take(std::uint64_t bytes) noexcept {
    if (used_bytes_.fetch_add(bytes) + bytes <= most_bytes_) {
      return true;
    }
    give_back(bytes);
    return false;
  }
  void give_back(std::uint64_t bytes) noexcept { used_bytes_ -= bytes; }

 private:
  std::uint64_t most_bytes_;
  std::atomic<std::uint64_t> used_bytes_ = 0;
};

// Text of a record's events, and where that of each event ends; or the events alone, if their text
// is to be made later.
class RecordText {
 public:
  RecordText(ChosenEvents chosen, TextMemory& memory)
      : chosen_(std::move(chosen)), memory_(&memory) {}
  RecordText(RecordText&& other) noexcept
      : chosen_(std::move(other.chosen_)),
        memory_(other.memory_),
        pieces_(std::move(other.pieces_)),
        ends_(std::move(other.ends_)),
        bytes_(std::exchange(other.bytes_, 0)),
        is_made_(other.is_made_) {}
  RecordText(const RecordText&) = delete;
  RecordText& operator=(const RecordText&) = delete;
  RecordText& operator=(RecordText&&) = delete;
  ~RecordText() { memory_->give_back(bytes_); }

  // Takes over the text so far; false, and without any text, if that is too much.
  [[nodiscard]] bool add(std::string& piece) {
    const std::size_t size = piece.size();
    if (!memory_->take(size)) {
      pieces_.clear();
      memory_->give_back(std::exchange(bytes_, 0));
      return false;
    }
    bytes_ += size;
    pieces_.push_back(std::move(piece));
    piece.clear();
    return true;
  }
  // The event ends after `rest_bytes` that are not added yet.
  void end_event(std::size_t rest_bytes) { ends_.push_back(bytes_ + rest_bytes); }
  void finish() noexcept { is_made_ = true; }

  [[nodiscard]] bool is_made() const noexcept { return is_made_; }
  [[nodiscard]] const ChosenEvents& chosen() const noexcept { return chosen_; }
  // The text of some of the events chosen, by their indices.
  template <typename Write>
  void write(const std::vector<std::size_t>& indices, const Write& write) const {
    for (std::size_t at = 0; at < indices.size();) {
      const std::size_t first = indices[at];
      std::size_t last = first;
      while (++at < indices.size() && indices[at] == last + 1) {
        ++last;
      }
      write_range(first == 0 ? 0 : ends_[first - 1], ends_[last], write);
    }
  }

 private:
  template <typename Write>
  void write_range(std::uint64_t begin, std::uint64_t end, const Write& write) const {
    std::uint64_t piece_begin = 0;
    for (const std::string& piece : pieces_) {
      const std::uint64_t piece_end = piece_begin + piece.size();
      const std::uint64_t from = std::max(begin, piece_begin);
      const std::uint64_t to = std::min(end, piece_end);
      if (from < to) {
        write(std::string_view(piece).substr(from - piece_begin, to - from));
      }
      piece_begin = piece_end;
    }
  }

  ChosenEvents chosen_;
  TextMemory* memory_;
  std::vector<std::string> pieces_{};
  std::vector<std::uint64_t> ends_{};
  std::uint64_t bytes_ = 0;
  bool is_made_ = false;
};

// Turns the events of one file into text.
class EventTexts {
 public:
  // `projection`: what records are decoded for.
  EventTexts(EventOutput output, const EventStyle& style, EventCursor::Order order,
             const Projection& projection, std::uint64_t memory_bytes)
      : output_(output),
        style_(style),
        order_(order),
        projection_(projection),
        memory_bytes_(memory_bytes),
        memory_(memory_bytes / 2) {}

  // In a worker thread.
  [[nodiscard]] RecordText make(const Record& record, const ChosenEvents& chosen) const {
    RecordText made(chosen, memory_);
    if (is_mostly_names(record, *style_.selection)) {
      return made;
    }
    struct TooMuch {};
    const auto add = [&made](std::string& text) {
      if (!made.add(text)) {
        throw TooMuch();
      }
    };
    const auto form = make_form(output_, style_);
    form->on_text = [&add](std::string& text) {
      if (text.size() >= kPieceBytes) {
        add(text);
      }
    };
    try {
      std::string text;
      EventWalk walk(record, chosen, order_);
      for (std::size_t i = 0; i < chosen.events.size(); ++i) {
        walk.visit(i, [&](std::uint64_t number, const EventCursor& cursor) {
          form->append(text, number, record, cursor);
          made.end_event(text.size());
        });
      }
      add(text);
      made.finish();
    } catch (const TooMuch&) {
      return made;
    }
    return made;
  }

  // Passes the text of the events taken on to write(text), in one piece or in many.
  template <typename Write>
  void pass_on(const RecordText& made, const TakenEvents& taken, const FileReader& reader,
               const Write& write) const {
    if (made.is_made()) {
      made.write(taken.indices, write);
      return;
    }
    std::string text;
    const auto form = make_form(output_, style_);
    form->on_text = [&write](std::string& so_far) {
      if (so_far.size() >= kPieceBytes) {
        write(so_far);
        so_far.clear();
      }
    };
    CodecContext context(memory_bytes_);
    Record record;
    reader.read_record(made.chosen().record, projection_, context, record);
    EventWalk walk(record, made.chosen(), order_);
    for (const std::size_t index : taken.indices) {
      walk.visit(index, [&](std::uint64_t number, const EventCursor& cursor) {
        form->append(text, number, record, cursor);
      });
    }
    write(text);
  }

 private:
  EventOutput output_;
  const EventStyle& style_;
  EventCursor::Order order_;
  const Projection& projection_;
  std::uint64_t memory_bytes_;
  mutable TextMemory memory_;
};

}  // namespace

EventDump::EventDump(const DumpOptions& options, EventOutput output, bool several_files,
                     Invocation& invocation)
    : options_(&options),
      output_(output),
      several_files_(several_files),
      invocation_(&invocation),
      left_(options.events.selection.most) {}

void EventDump::add(const FileReader& reader) {
  with_context([&] { return ErrorContext{.path = reader.name()}; }, [&] { add_selected(reader); });
}

void EventDump::add_selected(const FileReader& reader) {
  const BankSelection banks =
      BankSelection::choose(reader.dictionary(), options_->banks, options_->columns);
  const std::optional<RowCondition> rows = row_condition_of(*options_, banks, reader.dictionary());
  Selection selection = selection_in(reader, options_->events);
  selection.most = left_;
  const FileReader* const input = &reader;
  const EventSelector selector =
      as_usage_of("--where", [&] { return EventSelector(selection, std::span(&input, 1)); });
  SelectedEvents selected{
      .selector = selector, .banks = banks.projection(), .rows = rows ? &*rows : nullptr};
  if (rows) {
    selected.banks.add(rows->projection());
  }
  const ColumnNames names(reader.dictionary());
  const EventStyle style{
      .selection = &banks,
      .rows = selected.rows,
      .names = &names,
      .path = several_files_ ? reader.name() : "",
      .int64 = options_->int64.value_or(Int64Form::number),
      .separator = output_ == EventOutput::tsv ? Separator::tab : Separator::comma};
  write_heading(reader, style);
  const EventTexts texts(
      output_, style,
      options_->as_stored ? EventCursor::Order::as_stored : EventCursor::Order::by_key,
      selected.banks, invocation_->memory_bytes());
  scan_selected(
      reader, selected,
      {.threads = invocation_->threads(),
       .memory_bytes = invocation_->memory_bytes() / kShareOfText,
       .memory_shares = kShareOfText,
       .stop = invocation_->stop()},
      [&](const Record& record, const ChosenEvents& chosen) { return texts.make(record, chosen); },
      [&](const RecordText& made, const TakenEvents& taken) {
        texts.pass_on(made, taken, reader, [this](std::string_view text) { write(text); });
        special_ += taken.special;
        if (left_ != Selection{}.most) {
          left_ -= taken.indices.size() - taken.special;
        }
      });
}

void EventDump::tell_special(Log& log) const {
  const Selection& selection = options_->events.selection;
  const bool asks = !selection.where.empty() || !selection.required.empty() ||
                    selection.share < 1 || selection.every > 1;
  if (asks && special_ > 0) {
    log.notice(fmt::format(
        "{} {} shown besides those that the options choose; --only treats them like others",
        counted(special_, "special event"), verb_of(special_, "is", "are")));
  }
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
