#include "support/event_images.hpp"

#include "hipotool/record.hpp"

#include <fmt/format.h>
#include <lz4.h>

#include <algorithm>
#include <cctype>
#include <iterator>

namespace hipotool::test {

namespace {

void swap_each(std::byte* at, std::size_t count, std::size_t width) {
  for (std::size_t i = 0; i < count; ++i) {
    std::reverse(at + i * width, at + (i + 1) * width);
  }
}

void swap_data(const StructureImage& bank, const Dictionary& dictionary, std::byte* data) {
  if (bank.format_length != 0) {
    const std::vector<ColumnType> fields =
        composite_fields(ByteSpan(bank.data).first(bank.format_length));
    std::size_t row = 0;
    for (const ColumnType field : fields) {
      row += size_of(field);
    }
    std::byte* at = data + bank.format_length;
    for (std::size_t rows = (bank.data.size() - bank.format_length) / row; rows > 0; --rows) {
      for (const ColumnType field : fields) {
        swap_each(at, 1, size_of(field));
        at += size_of(field);
      }
    }
    return;
  }
  const Schema* schema = dictionary.find(bank.key);
  if (schema == nullptr || schema->row_size() == 0) {
    return;
  }
  const std::size_t rows = bank.data.size() / schema->row_size();
  for (const Column& column : schema->columns()) {
    swap_each(data, rows * column.length, size_of(column.type));
    data += rows * column.width();
  }
}

// A little-endian event, which the image describes completely, to its big-endian form.
Bytes big_endian_event(const Bytes& little, const Dictionary& dictionary) {
  Bytes big = little;
  swap_each(big.data() + 4, 3, 4);
  std::size_t at = 16;
  while (at + 8 <= little.size()) {
    const auto word = load_le<std::uint32_t>(little.data() + at + 4);
    StructureImage bank{{load_le<std::uint16_t>(little.data() + at),
                         load_le<std::uint8_t>(little.data() + at + 2)}};
    bank.format_length = static_cast<std::uint8_t>(word >> 24);
    const std::size_t size = word & 0xFFFFFF;
    const auto begin = little.begin() + static_cast<std::ptrdiff_t>(at + 8);
    bank.data.assign(begin, begin + static_cast<std::ptrdiff_t>(size));
    swap_each(big.data() + at, 1, 2);
    swap_each(big.data() + at + 4, 1, 4);
    swap_data(bank, dictionary, big.data() + at + 8);
    at += 8 + size;
  }
  return big;
}

std::uint32_t padding_of(std::size_t bytes) {
  return static_cast<std::uint32_t>(-bytes & 3U);
}

}  // namespace

Bytes text_bytes(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text.data(), text.size()));
  return {bytes.begin(), bytes.end()};
}

Bytes joined(std::initializer_list<Bytes> pieces) {
  Bytes all;
  for (const Bytes& piece : pieces) {
    append(all, piece);
  }
  return all;
}

void append(Bytes& to, ByteSpan bytes) {
  to.insert(to.end(), bytes.begin(), bytes.end());
}

Bytes from_hex(std::string_view digits) {
  Bytes bytes;
  std::string pair;
  for (const char digit : digits) {
    if (std::isxdigit(static_cast<unsigned char>(digit)) == 0) {
      continue;
    }
    pair += digit;
    if (pair.size() == 2) {
      bytes.push_back(static_cast<std::byte>(std::stoul(pair, nullptr, 16)));
      pair.clear();
    }
  }
  return bytes;
}

std::string to_hex(ByteSpan bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    fmt::format_to(std::back_inserter(text), "{}{:02x}", i % 16 == 0 ? "\n" : " ",
                   std::to_integer<unsigned>(bytes[i]));
  }
  return text;
}

Buffer buffer_of(ByteSpan bytes) {
  Buffer buffer;
  buffer.append(bytes);
  return buffer;
}

Bytes EventImage::bytes() const {
  if (raw) {
    return *raw;
  }
  Bytes body;
  for (const StructureImage& bank : banks) {
    append(body, packed(bank.key.group, bank.key.item, bank.type,
                        static_cast<std::uint32_t>(bank.data.size()) |
                            (std::uint32_t{bank.format_length} << 24)));
    append(body, bank.data);
  }
  append(body, trailing);
  return joined({text_bytes(magic),
                 packed(static_cast<std::uint32_t>(16 + body.size()), tag, reserved), body});
}

std::vector<Bytes> images(const std::vector<EventImage>& events) {
  std::vector<Bytes> all;
  all.reserve(events.size());
  for (const EventImage& event : events) {
    all.push_back(event.bytes());
  }
  return all;
}

Bytes HeaderImage::bytes() const {
  return packed(length_words, number, header_words, events, index_bytes, bit_info,
                user_header_bytes, magic, data_bytes, compression_word, words.first, words.second);
}

Bytes whole_record(const std::vector<Bytes>& events, const RecordOptions& options) {
  Bytes payload;
  std::uint32_t data_bytes = 0;
  for (const Bytes& event : events) {
    append(payload, packed(static_cast<std::uint32_t>(event.size())));
    data_bytes += static_cast<std::uint32_t>(event.size());
  }
  append(payload, options.user_header);
  const std::uint32_t user_padding = padding_of(options.user_header.size());
  payload.resize(payload.size() + user_padding);
  for (const Bytes& event : events) {
    append(payload, event);
  }
  const std::uint32_t padding = padding_of(payload.size());
  payload.resize(payload.size() + padding);
  HeaderImage header;
  header.length_words = static_cast<std::uint32_t>(14 + payload.size() / 4);
  header.events = static_cast<std::uint32_t>(events.size());
  header.index_bytes = 4 * header.events;
  header.bit_info |= user_padding << 20 | padding << 24;
  header.user_header_bytes = static_cast<std::uint32_t>(options.user_header.size());
  header.data_bytes = data_bytes;
  header.compression_word = static_cast<std::uint32_t>(payload.size() / 4);
  header.words = options.words;
  header.number = options.number;
  return joined({header.bytes(), payload});
}

Bytes big_endian_record(const std::vector<Bytes>& events, const Dictionary& dictionary,
                        const RecordOptions& options) {
  std::vector<Bytes> swapped;
  swapped.reserve(events.size());
  for (const Bytes& event : events) {
    swapped.push_back(big_endian_event(event, dictionary));
  }
  Bytes record = whole_record(swapped, options);
  swap_each(record.data(), 10, 4);
  swap_each(record.data() + 40, 2, 8);
  swap_each(record.data() + 56, events.size(), 4);
  return record;
}

Bytes SplitImage::bytes() const {
  const Bytes packed_directory = lz4_block(directory);
  Bytes section =
      packed(std::uint32_t{version}, banks, events,
             directory_stored_bytes.value_or(static_cast<std::uint32_t>(packed_directory.size())),
             directory_raw_bytes.value_or(static_cast<std::uint32_t>(directory.size())));
  append(section, packed_directory);
  append(section, streams);
  const std::uint32_t padding = padding_of(section.size());
  section.resize(section.size() + padding);
  HeaderImage header;
  header.length_words = static_cast<std::uint32_t>(14 + section.size() / 4);
  header.events = header_events.value_or(events);
  header.index_bytes = 4 * header.events;
  header.bit_info |= padding << 24;
  header.compression_word = tag << 28 | static_cast<std::uint32_t>(section.size() / 4);
  return joined({header.bytes(), section});
}

Bytes lz4_block(ByteSpan raw) {
  if (raw.empty()) {
    return {};
  }
  const int size = static_cast<int>(raw.size());
  Bytes block(static_cast<std::size_t>(LZ4_compressBound(size)));
  const int used = LZ4_compress_default(reinterpret_cast<const char*>(raw.data()),
                                        reinterpret_cast<char*>(block.data()), size,
                                        static_cast<int>(block.size()));
  block.resize(static_cast<std::size_t>(used));
  return block;
}

std::vector<DictionaryEvent> FileImage::dictionary_events() const {
  std::vector<DictionaryEvent> events;
  for (const std::string& schema : schemas) {
    events.push_back(text_event({120, 2}, schema));
  }
  events.insert(events.end(), dictionary.begin(), dictionary.end());
  return events;
}

std::uint64_t FileImage::first_record() const {
  return 56 + whole_record(dictionary_events(), {.number = 0}).size();
}

Bytes FileImage::bytes() const {
  const Bytes dictionary_record = whole_record(dictionary_events(), {.number = 0});
  const std::uint64_t first = 56 + dictionary_record.size();
  Bytes data;
  for (const Bytes& record : records) {
    append(data, record);
  }
  const std::uint64_t end = trailer ? first + data.size() : 0;
  Bytes file = text_bytes(id);
  append(file, packed(1U, 14U, 0U, 0U, trailer ? 0x50000506U : 0x50000106U,
                      static_cast<std::uint32_t>(first - 56), 0xc0da0100U, std::uint64_t{0},
                      trailer_position.value_or(end), std::uint64_t{0}));
  append(file, dictionary_record);
  append(file, data);
  if (trailer) {
    const Bytes bank = index ? *index : index_bank(records, first);
    append(file, whole_record({EventImage{0, {{{32111, 1}, bank}}}.bytes()}, {.number = 0}));
  }
  append(file, after_trailer);
  return file;
}

Bytes index_bank(const std::vector<Bytes>& records, std::uint64_t first_position) {
  Bytes positions;
  Bytes lengths;
  Bytes events;
  Bytes first_words;
  Bytes second_words;
  std::uint64_t at = first_position;
  for (const Bytes& record : records) {
    append(positions, packed(at));
    append(lengths, packed(static_cast<std::uint32_t>(record.size())));
    const bool big = load_le<std::uint32_t>(record.data() + 28) != 0xc0da0100;
    Bytes header(record.begin(), record.begin() + 56);
    if (big) {
      swap_each(header.data(), 10, 4);
      swap_each(header.data() + 40, 2, 8);
    }
    append(events, ByteSpan(header).subspan(12, 4));
    append(first_words, ByteSpan(header).subspan(40, 8));
    append(second_words, ByteSpan(header).subspan(48, 8));
    at += record.size();
  }
  return joined({positions, lengths, events, first_words, second_words});
}

DictionaryEvent text_event(BankKey key, std::string_view text, std::uint8_t type) {
  return EventImage{0, {{key, text_bytes(text), type}}}.bytes();
}

}  // namespace hipotool::test
