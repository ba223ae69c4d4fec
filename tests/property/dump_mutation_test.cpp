// Bytes of small files changed and lengths cut: what dump makes of them is text or an Error, never
// a crash, a hang or much memory.

#include "hipotool/event_selection.hpp"

#include "dump/event_form.hpp"
#include "dump/file_view.hpp"
#include "support/child.hpp"
#include "support/fixtures.hpp"
#include "support/limits.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace hipotool::test {
namespace {

constexpr BankKey kTable{300, 1};
constexpr std::uint64_t kMemory = std::uint64_t{64} << 20;
constexpr unsigned kSeconds = 100;
constexpr std::size_t kStride = 11;  // another byte of 11 in each file

std::size_t text_of_events(const FileReader& reader, const BankSelection& selection,
                           std::unique_ptr<app::EventForm> (*make_form)(const app::EventStyle&)) {
  std::size_t bytes = 0;
  const app::ColumnNames names(reader.dictionary());
  const FileReader* const input = &reader;
  const EventSelector selector({}, std::span(&input, 1));
  scan_selected(
      reader, {.selector = selector, .banks = selection.projection()}, {},
      [&](const Record& record, const ChosenEvents&) {
        std::string text;
        const auto form = make_form({.selection = &selection, .names = &names});
        EventCursor cursor(record);
        while (cursor.next()) {
          form->append(text, cursor.event(), record, cursor);
        }
        return text;
      },
      [&](const std::string& text, const TakenEvents&) { bytes += text.size(); });
  return bytes;
}

// One letter for what came of each question: v views, s streams, j t c events as JSON, tables, CSV;
// a point where it is an Error.
std::string outcome_of(ByteSpan file) {
  std::string outcome;
  const auto ask = [&](char letter, const auto& question) {
    try {
      question();
      outcome += letter;
    } catch (const Error&) {
      outcome += '.';
    }
  };
  ask('o', [&] {
    const FileReader reader = open_bytes(file);
    const Dictionary& dictionary = reader.dictionary();
    const BankSelection all;
    ask('v', [&] {
      static_cast<void>(app::header_view(reader));
      static_cast<void>(app::schema_view(dictionary.schemas()));
      static_cast<void>(app::configuration_view(dictionary));
      static_cast<void>(app::tag_names_view(dictionary));
      if (!app::records_view(reader, kMemory).problems.empty()) {
        throw Error(ErrorCode::corrupt, "a directory that cannot be read");
      }
    });
    ask('s', [&] {
      for (std::size_t record = 0; record < reader.records().size(); ++record) {
        static_cast<void>(app::streams_view(reader, record, kMemory));
      }
    });
    ask('j', [&] { text_of_events(reader, all, app::make_json_events); });
    ask('t', [&] { text_of_events(reader, all, app::make_table_events); });
    ask('c', [&] {
      const BankSelection one = BankSelection::choose(dictionary, {to_string(kTable)}, {});
      text_of_events(reader, one, app::make_separated_events);
    });
  });
  return outcome;
}

std::string sweep(const Bytes& good, std::size_t first) {
  limit_memory_growth(kMemory);
  limit_time(kSeconds);
  std::set<std::string> outcomes{outcome_of(good)};
  if (*outcomes.begin() != "vsjtco") {
    return "the good file: " + *outcomes.begin();
  }
  for (std::size_t at = first; at < good.size(); at += kStride) {
    for (const std::byte change : {std::byte{0x01}, std::byte{0x80}, std::byte{0xFF}}) {
      Bytes file = good;
      file[at] ^= change;
      outcomes.insert(outcome_of(file));
    }
    outcomes.insert(outcome_of(ByteSpan(good).first(at)));
  }
  return outcomes.contains(".") && outcomes.contains("vsjtco") ? "" : "too few kinds of outcome";
}

TEST(DumpMutation, EndsInTextOrAnError) {
  std::size_t first = 0;
  for (const Compression& compression : fixture_compressions()) {
    if (!codec_info(compression.codec).available) {
      continue;
    }
    const std::string name = fixture_name(compression);
    const Bytes good = read_bytes(std::filesystem::path(HIPO_TEST_DATA_DIR) / name);
    EXPECT_EQ(run_in_child([&] { return sweep(good, first); }), "") << name;
    first = (first + 1) % kStride;
  }
}

}  // namespace
}  // namespace hipotool::test
