#pragma once
// Events as text, in one of three forms. A form is made anew for each record, in the worker that
// has decoded it.

#include "hipotool/bank_selection.hpp"
#include "hipotool/record.hpp"
#include "hipotool/row_condition.hpp"

#include "dump/column_names.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace hipotool::app {

// How JSON has 64-bit integers: some readers of it round numbers above 2^53.
enum class Int64Form : std::uint8_t { number, string };

enum class Separator : std::uint8_t { comma, tab };

// Of the events of one file. `selection`, `rows` and `names` outlive the forms made with it.
struct EventStyle {
  const BankSelection* selection = nullptr;
  const RowCondition* rows = nullptr;  // shown of the one bank selected; null: all
  const ColumnNames* names = nullptr;
  std::string path{};  // shown with each event or row; empty: not
  Int64Form int64 = Int64Form::number;
  Separator separator = Separator::comma;
};

class EventForm {
 public:
  EventForm() = default;
  EventForm(const EventForm&) = delete;
  EventForm& operator=(const EventForm&) = delete;
  EventForm(EventForm&&) = delete;
  EventForm& operator=(EventForm&&) = delete;
  virtual ~EventForm() = default;

  // Appends the event of `record` on which `cursor` stands. `number` is its number in the file.
  virtual void append(std::string& out, std::uint64_t number, const Record& record,
                      const EventCursor& cursor) = 0;

  // Where set, called after each bank, and often within a large one; free to take away what is in
  // `out` by then.
  std::function<void(std::string& out)> on_text{};

 protected:
  // Before the bytes or rows from `at` on: lets text be taken away, now and then.
  void pause(std::string& out, std::size_t at) const {
    constexpr std::size_t kEvery = 1024;
    if (at != 0 && at % kEvery == 0 && on_text) {
      on_text(out);
    }
  }
};

// The forms, one in each file of this folder:
// One object a line (docs/schema/dump.json).
[[nodiscard]] std::unique_ptr<EventForm> make_json_events(const EventStyle& style);
// For people: a heading for each event and bank, below it a table whose widths fit it.
[[nodiscard]] std::unique_ptr<EventForm> make_table_events(const EventStyle& style);
// A line for each row of the one bank of `style.selection`. Error{type_mismatch} for an event in
// which that bank is not a table.
[[nodiscard]] std::unique_ptr<EventForm> make_separated_events(const EventStyle& style);
// The line of names above those. `bank` is the schema of that bank.
[[nodiscard]] std::string separated_header(const EventStyle& style, const Schema& bank);

}  // namespace hipotool::app
