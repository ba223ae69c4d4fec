#include "support/random_file.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>

namespace hipotool::test {

namespace {

constexpr char kTypeLetters[] = {'B', 'S', 'I', 'F', 'D', 'L'};
constexpr char kFormatLetters[] = {'b', 's', 'i', 'f', 'd', 'l'};

// A bank that events may hold. What a split layout keeps once a record is fixed here.
struct BankShape {
  BankKey key{};
  std::optional<Schema> schema{};
  std::string format{};  // composites, padding included
  std::uint8_t type = 11;
};

struct Shapes {
  std::vector<std::string> schema_texts;
  std::vector<BankShape> banks;
};

std::string random_name(Random& random, std::size_t number) {
  // Unique, since a repeated name hides an earlier schema; odd characters, since all but "/,{}" may
  // be.
  static constexpr const char* kStyles[] = {"REC::Bank", "a",     "x y",   "T#1;",
                                            "Größe::",   "m.n-o", "\"q\"", "=1"};
  return fmt::format("{}{}", kStyles[random.below(std::size(kStyles))], number);
}

std::string random_schema_text(Random& random, BankKey key, std::size_t number) {
  std::string text = "{" + random_name(random, number) + "/" + to_string(key) + "}{";
  const std::uint32_t columns = 1 + random.below(8);
  for (std::uint32_t column = 0; column < columns; ++column) {
    text += fmt::format("{}c{}/{}", column == 0 ? "" : ",", column,
                        kTypeLetters[random.below(std::size(kTypeLetters))]);
    if (random.one_in(4)) {
      text += fmt::format("#{}", random.one_in(10) ? 300 : 2 + random.below(5));
    }
  }
  return text + "}";
}

std::string random_format(Random& random) {
  std::string format;
  for (std::uint32_t fields = 1 + random.below(6); fields > 0; --fields) {
    format += kFormatLetters[random.below(std::size(kFormatLetters))];
    if (random.one_in(4)) {
      format += ',';
    }
  }
  if (random.one_in(3)) {
    format.append(1 + random.below(6), '\0');
  }
  return format;
}

Shapes random_shapes(Random& random) {
  Shapes shapes;
  std::set<BankKey> keys;
  const std::uint32_t count = random.one_in(10) ? 0 : 1 + random.below(12);
  while (keys.size() < count) {
    const BankKey key{static_cast<std::uint16_t>(random.one_in(3) ? random.next() : 300),
                      static_cast<std::uint8_t>(random.next())};
    // These mean something to readers.
    if (key.group == 120 || key.group == 32111 || key.group == 32555 || !keys.insert(key).second) {
      continue;
    }
    BankShape shape{key};
    if (!random.one_in(4)) {
      const std::string text = random_schema_text(random, key, keys.size());
      shapes.schema_texts.push_back(text);
      if (random.one_in(10)) {  // of two schemas with one key the last one counts
        shapes.schema_texts.push_back(random_schema_text(random, key, 100 + keys.size()));
      }
      shape.schema = Schema::parse_text(shapes.schema_texts.back());
    }
    if (random.one_in(shape.schema ? 12 : 2)) {
      shape.format = random_format(random);
      shape.type = random.one_in(3) ? static_cast<std::uint8_t>(random.next()) : 10;
    } else if (!shape.schema || random.one_in(8)) {
      shape.type = static_cast<std::uint8_t>(1 + random.below(12));
    }
    shapes.banks.push_back(shape);
  }
  return shapes;
}

Bytes random_data(Random& random, const BankShape& shape) {
  if (!shape.format.empty()) {
    const Bytes format = text_bytes(shape.format);
    std::size_t row = 0;
    for (const ColumnType field : composite_fields(format)) {
      row += size_of(field);
    }
    const std::size_t ragged = random.one_in(15) ? 1 : 0;
    return joined({format, random.bytes(row * random.below(4) + ragged)});
  }
  const std::uint64_t row = shape.schema ? shape.schema->row_size() : 0;
  if (row == 0) {
    return random.bytes(random.below(40));
  }
  const std::uint32_t rows = random.one_in(8) ? 0 : random.one_in(30) ? 40 : 1 + random.below(5);
  const std::size_t ragged =
      row > 1 && random.one_in(25) ? 1 + random.below(static_cast<std::uint32_t>(row) - 1) : 0;
  Bytes data = random.bytes(rows * row + ragged);
  if (random.one_in(2)) {  // something for codecs to do
    std::fill(data.begin() + static_cast<std::ptrdiff_t>(data.size() / 4), data.end(),
              std::byte{3});
  }
  return data;
}

EventImage random_event(Random& random, const std::vector<BankShape>& banks) {
  static constexpr std::uint32_t kTags[] = {0, 0, 0, 1, 7, 0x80000001};
  EventImage event{kTags[random.below(std::size(kTags))]};
  if (random.one_in(12)) {
    return event;
  }
  for (const BankShape& shape : banks) {
    if (!random.one_in(3)) {
      event.banks.push_back({shape.key, random_data(random, shape), shape.type,
                             static_cast<std::uint8_t>(shape.format.size())});
    }
  }
  return event;
}

void make_odd(Random& random, EventImage& event, bool big_endian) {
  switch (random.below(7)) {
    case 0:
      event.reserved = static_cast<std::uint32_t>(random.next());
      return;
    case 1:
      if (!event.banks.empty()) {
        event.banks.push_back(
            event.banks[random.below(static_cast<std::uint32_t>(event.banks.size()))]);
      }
      return;
    case 2:
      event.trailing = random.bytes(1 + random.below(7));
      return;
    case 3:
      if (!big_endian) {
        event.raw = random.bytes(random.below(16));
      }
      return;
    case 4:
      event.magic = random.one_in(2) ? "EV5b" : "EV4a";
      return;
    case 5:
      std::reverse(event.banks.begin(), event.banks.end());
      return;
    default:
      if (!event.banks.empty()) {
        event.banks.front().type ^= 1;
      }
  }
}

CodecId random_codec(Random& random) {
  while (true) {
    const CodecInfo& codec = codecs()[random.below(static_cast<std::uint32_t>(codecs().size()))];
    if (codec.available) {
      return codec.id;
    }
  }
}

bool has_composites(const RandomRecord& record) {
  return std::any_of(record.events.begin(), record.events.end(), [](const EventImage& event) {
    return std::any_of(event.banks.begin(), event.banks.end(),
                       [](const StructureImage& bank) { return bank.format_length != 0; });
  });
}

RandomRecord random_record(Random& random, const std::vector<BankShape>& banks,
                           bool with_oddities) {
  RandomRecord record;
  const LayoutId layout = kLayouts[random.below(std::size(kLayouts))];
  record.compression = compression_of(
      random_codec(random), layout,
      layout == LayoutId::per_column && random.one_in(2) ? Encodings::best : Encodings::none);
  record.big_endian = layout == LayoutId::per_chunk && random.one_in(4);
  record.force_split = random.one_in(2);
  record.zstd_content_size = random.one_in(2);
  record.words = {random.below(3), random.one_in(4) ? random.next() >> 1 : 0};
  const std::uint32_t events = random.one_in(15) ? 0 : 1 + random.below(25);
  const bool odd = with_oddities && layout == LayoutId::per_chunk && random.one_in(2);
  for (std::uint32_t event = 0; event < events; ++event) {
    record.events.push_back(random_event(random, banks));
    if (odd && random.one_in(4)) {
      make_odd(random, record.events.back(), record.big_endian);
    }
  }
  if (odd && random.one_in(4)) {
    record.user_header = random.bytes(1 + random.below(9));
  }
  record.indexed = events > 0 || random.one_in(2);
  record.older_version = record.compression.encodings == Encodings::none && random.one_in(4);
  record.format_tail = has_composites(record) || random.one_in(2);
  return record;
}

std::string hex_text(ByteSpan bytes) {
  std::string text;
  for (const std::byte byte : bytes) {
    fmt::format_to(std::back_inserter(text), "{:02x}", std::to_integer<unsigned>(byte));
  }
  return text;
}

std::string joined_by_commas(const std::vector<std::string>& parts) {
  return fmt::format("{}", fmt::join(parts, ","));
}

std::string describe(const EventImage& event) {
  std::vector<std::string> banks;
  for (const StructureImage& bank : event.banks) {
    banks.push_back(fmt::format("[{},{},{},{},\"{}\"]", bank.key.group, bank.key.item, bank.type,
                                bank.format_length, hex_text(bank.data)));
  }
  return fmt::format(
      R"({{"tag":{},"reserved":{},"magic":"{}","trailing":"{}","raw":{},"banks":[{}]}})", event.tag,
      event.reserved, event.magic, hex_text(event.trailing),
      event.raw ? "\"" + hex_text(*event.raw) + "\"" : "null", joined_by_commas(banks));
}

// The independent encoder's word for a layout.
const char* layout_word(LayoutId layout) {
  return layout == LayoutId::per_chunk  ? "perchunk"
         : layout == LayoutId::per_bank ? "perbank"
                                        : "percolumn";
}

std::string describe(const RandomRecord& record) {
  const bool per_bank = record.compression.layout == LayoutId::per_bank;
  std::vector<std::string> events;
  for (const EventImage& event : record.events) {
    events.push_back(describe(event));
  }
  return fmt::format(
      R"({{"codec":"{}","layout":"{}","encodings":{},"force_split":{},"big_endian":{},)"
      R"("zstd_content_size":{},"ext_version":{},"composite_tail":{},"indexed":{},)"
      R"("words":[{},{}],"user_header":"{}","events":[{}]}})",
      to_string(record.compression.codec), layout_word(record.compression.layout),
      record.compression.encodings == Encodings::best, record.force_split, record.big_endian,
      record.zstd_content_size, record.older_version ? (per_bank ? "3" : "2") : "null",
      record.format_tail, record.indexed, record.words.first, record.words.second,
      hex_text(record.user_header), joined_by_commas(events));
}

std::string describe(const RandomFile& file) {
  std::vector<std::string> schemas;
  for (const std::string& text : file.schemas) {
    schemas.push_back("\"" + hex_text(text_bytes(text)) + "\"");
  }
  std::vector<std::string> configuration;
  for (const auto& [key, value] : file.configuration) {
    configuration.push_back(
        fmt::format("[\"{}\",\"{}\"]", hex_text(text_bytes(key)), hex_text(text_bytes(value))));
  }
  std::vector<std::string> tag_names;
  for (const TagName& name : file.tag_names) {
    tag_names.push_back(fmt::format("[\"{}\",{}]", hex_text(text_bytes(name.name)), name.bit));
  }
  std::vector<std::string> records;
  for (const RandomRecord& record : file.records) {
    records.push_back(describe(record));
  }
  return fmt::format(
      R"({{"magic":"{}","big_endian":{},"trailer":{},"trailer_codec":"{}","dict_codec":"{}",)"
      R"("dict_json":{},"schemas":[{}],"config":[{}],"tags":[{}],"records":[{}]}})",
      file.old_id ? "HREC" : "HIPO", file.big_endian, file.trailer, to_string(file.trailer_codec),
      to_string(file.dictionary_codec),
      file.json_only ? "\"only\""
      : file.json    ? "true"
                     : "false",
      joined_by_commas(schemas), joined_by_commas(configuration), joined_by_commas(tag_names),
      joined_by_commas(records));
}

}  // namespace

bool RandomFile::is_odd() const {
  return std::any_of(records.begin(), records.end(), [](const RandomRecord& record) {
    return std::any_of(record.events.begin(), record.events.end(), [](const EventImage& event) {
      return !event.trailing.empty() || event.raw.has_value();
    });
  });
}

RandomFile random_file(Random& random, bool with_oddities) {
  RandomFile file;
  const Shapes shapes = random_shapes(random);
  file.schemas = shapes.schema_texts;
  if (random.one_in(3)) {
    file.configuration = {{"run", "5038"}, {"card \"x\"", "{\"a\": [1, 2]}\nline"}};
  }
  if (random.one_in(3)) {
    file.tag_names = {{"dvcs", 0}, {"elastic", 31}};
  }
  file.json = random.one_in(3);
  file.json_only = random.one_in(5);
  file.old_id = random.one_in(6);
  file.big_endian = random.one_in(8);
  file.trailer = !random.one_in(8);
  file.dictionary_codec = random_codec(random);
  file.trailer_codec = random_codec(random);
  for (std::uint32_t records = random.below(6); records > 0; --records) {
    file.records.push_back(random_record(random, shapes.banks, with_oddities));
  }
  return file;
}

PlainContent plain_content(Random& random, std::uint32_t events) {
  Shapes shapes = random_shapes(random);
  std::sort(shapes.banks.begin(), shapes.banks.end(),
            [](const BankShape& a, const BankShape& b) { return a.key < b.key; });
  PlainContent content{shapes.schema_texts, {}};
  for (std::uint32_t event = 0; event < events; ++event) {
    content.events.push_back(random_event(random, shapes.banks).bytes());
  }
  return content;
}

FileImage by_hand(const RandomFile& file) {
  FileImage image;
  image.schemas = file.schemas;
  if (!file.tag_names.empty()) {
    image.dictionary.push_back(tag_names_event(file.tag_names));
  }
  for (const auto& [key, value] : file.configuration) {
    image.dictionary.push_back(configuration_event({key, value}));
  }
  image.id = file.old_id ? "HREC" : "HIPO";
  image.trailer = file.trailer;
  for (const RandomRecord& record : file.records) {
    image.records.push_back(whole_record(
        images(record.events), {.words = record.words, .user_header = record.user_header}));
  }
  return image;
}

std::string description(const std::vector<RandomFile>& files) {
  std::vector<std::string> parts;
  parts.reserve(files.size());
  for (const RandomFile& file : files) {
    parts.push_back(describe(file));
  }
  return "[" + fmt::format("{}", fmt::join(parts, ",\n")) + "]";
}

std::uint64_t test_seed(std::uint64_t otherwise) {
  const char* given = std::getenv("HIPO_SEED");
  const std::uint64_t seed = given == nullptr ? otherwise : std::strtoull(given, nullptr, 0);
  std::printf("HIPO_SEED=%llu\n", static_cast<unsigned long long>(seed));
  ::testing::Test::RecordProperty("seed", std::to_string(seed));
  return seed;
}

}  // namespace hipotool::test
