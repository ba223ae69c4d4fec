#include "support/tagged_files.hpp"

#include "hipotool/transcode.hpp"

namespace hipotool::test {

EventImage numbered_event(std::uint32_t i, std::uint32_t tag) {
  EventImage event{tag, {{{1, 1}, packed(static_cast<std::int32_t>(i))}}};
  if (i % 3 == 0) {
    event.banks.push_back({{2, 1}, packed(0.5F, 1.5F)});
  }
  return event;
}

FileImage numbered_file(const std::vector<std::uint32_t>& tags, std::uint32_t record_events,
                        const std::vector<std::uint64_t>& words) {
  FileImage file;
  file.schemas = {"{N::n/1/1}{i/I}", "{X::x/2/1}{v/F}"};
  std::uint32_t number = 0;
  while (number < tags.size()) {
    std::vector<Bytes> events;
    for (std::uint32_t i = 0; i < record_events && number < tags.size(); ++i, ++number) {
      events.push_back(numbered_event(number, tags[number]).bytes());
    }
    file.records.push_back(
        whole_record(events, {.words = {words[file.records.size() % words.size()], 7}}));
  }
  return file;
}

std::vector<NumberedEvent> numbered_events(const std::filesystem::path& path) {
  const FileReader reader(path);
  CodecContext context;
  std::vector<NumberedEvent> events;
  for (std::size_t index = 0; index < reader.records().size(); ++index) {
    Record record;
    reader.read_record(index, Projection::everything(), context, record);
    for (std::uint32_t event = 0; event < record.event_count(); ++event) {
      const auto number = record.bank(event, {1, 1})->column<std::int32_t>(0)[0];
      events.push_back(
          {static_cast<std::uint32_t>(number), record.tag(event), record.user_words.first});
    }
  }
  return events;
}

std::string numbers_and_tags(const std::filesystem::path& path) {
  std::string text;
  for (const NumberedEvent& event : numbered_events(path)) {
    text +=
        (text.empty() ? "" : " ") + std::to_string(event.number) + ":" + std::to_string(event.tag);
  }
  return text;
}

std::vector<TrailerRow> trailer_rows(const std::filesystem::path& path) {
  const Bytes file = read_bytes(path);
  constexpr std::size_t kToBank = 56 + 4 + 16;  // record header, index, event header
  const std::byte* bank = file.data() + load_le<std::uint64_t>(file.data() + 40) + kToBank;
  const std::size_t rows = (load_le<std::uint32_t>(bank + 4) & 0xFFFFFF) / 32;
  const std::byte* columns = bank + 8;
  std::vector<TrailerRow> all;
  for (std::size_t row = 0; row < rows; ++row) {
    all.push_back({load_le<std::uint64_t>(columns + 8 * row),
                   load_le<std::uint32_t>(columns + 12 * rows + 4 * row),
                   load_le<std::uint64_t>(columns + 16 * rows + 8 * row)});
  }
  return all;
}

}  // namespace hipotool::test
