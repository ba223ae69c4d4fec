#pragma once
// Events, records and whole files put together byte by byte, by code that shares nothing with the
// library: what the library reads is held against bytes that it did not write, and damage can be
// placed where a sound writer would never put it.

#include "hipotool/bytes.hpp"
#include "hipotool/dictionary.hpp"
#include "hipotool/directory.hpp"
#include "hipotool/schema.hpp"

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace hipotool::test {

using Bytes = std::vector<std::byte>;

// The values one after the other, little-endian, each as wide as its type.
template <typename... Values>
[[nodiscard]] Bytes packed(Values... values) {
  static_assert((std::is_arithmetic_v<Values> && ...));
  Bytes bytes((sizeof(Values) + ... + std::size_t{0}));
  std::byte* at = bytes.data();
  ((std::memcpy(at, &values, sizeof values), at += sizeof values), ...);
  return bytes;
}

// The same for values of one type.
template <typename T>
[[nodiscard]] Bytes packed_as(std::initializer_list<T> values) {
  Bytes bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.begin(), bytes.size());
  return bytes;
}

[[nodiscard]] Bytes text_bytes(std::string_view text);
[[nodiscard]] Bytes joined(std::initializer_list<Bytes> pieces);
void append(Bytes& to, ByteSpan bytes);
// Bytes from digits such as "45 56 4e 54"; everything that is no hexadecimal digit separates.
[[nodiscard]] Bytes from_hex(std::string_view digits);
// Lines of 16 bytes, for comparing and for people.
[[nodiscard]] std::string to_hex(ByteSpan bytes);
[[nodiscard]] Buffer buffer_of(ByteSpan bytes);

struct StructureImage {
  BankKey key{};
  Bytes data{};
  std::uint8_t type = 11;
  std::uint8_t format_length = 0;
};

struct EventImage {
  std::uint32_t tag = 0;
  std::vector<StructureImage> banks{};
  std::uint32_t reserved = 0;
  Bytes trailing{};  // after the last structure
  std::string magic = "EVNT";
  std::optional<Bytes> raw{};  // instead of all above

  [[nodiscard]] Bytes bytes() const;
};

[[nodiscard]] std::vector<Bytes> images(const std::vector<EventImage>& events);

// The 14 words of a record header, free to be wrong.
struct HeaderImage {
  std::uint32_t length_words = 0;
  std::uint32_t number = 1;
  std::uint32_t header_words = 14;
  std::uint32_t events = 0;
  std::uint32_t index_bytes = 0;
  std::uint32_t bit_info = 6 | (4U << 28);
  std::uint32_t user_header_bytes = 0;
  std::uint32_t magic = 0xc0da0100;
  std::uint32_t data_bytes = 0;
  std::uint32_t compression_word = 0;
  UserWords words{};

  [[nodiscard]] Bytes bytes() const;
};

struct RecordOptions {
  UserWords words{};
  std::uint32_t number = 1;
  Bytes user_header{};
};

// A per-chunk record stored with codec none.
[[nodiscard]] Bytes whole_record(const std::vector<Bytes>& events,
                                 const RecordOptions& options = {});
// The same, with every number in it byte-swapped as its schema says.
[[nodiscard]] Bytes big_endian_record(const std::vector<Bytes>& events,
                                      const Dictionary& dictionary,
                                      const RecordOptions& options = {});

// A split record from its parts. What is not given follows from the rest.
struct SplitImage {
  std::uint32_t tag = 14;
  std::uint8_t version = 1;
  std::uint32_t banks = 0;
  std::uint32_t events = 0;
  Bytes directory{};  // as it is before compression
  Bytes streams{};    // as they are stored
  std::optional<std::uint32_t> directory_stored_bytes{};
  std::optional<std::uint32_t> directory_raw_bytes{};
  std::optional<std::uint32_t> header_events{};

  [[nodiscard]] Bytes bytes() const;
};

// A raw LZ4 block.
[[nodiscard]] Bytes lz4_block(ByteSpan raw);

struct FileImage {
  std::vector<std::string> schemas{};         // compact texts, one dictionary event each
  std::vector<DictionaryEvent> dictionary{};  // further events
  std::vector<Bytes> records{};
  bool trailer = true;
  std::string id = "HIPO";
  std::optional<std::uint64_t> trailer_position{};  // instead of the true one
  std::optional<Bytes> index{};                     // instead of the true bank 32111/1
  Bytes after_trailer{};

  // One dictionary event for each schema, then the further ones.
  [[nodiscard]] std::vector<DictionaryEvent> dictionary_events() const;
  // Where the first data record begins.
  [[nodiscard]] std::uint64_t first_record() const;
  [[nodiscard]] Bytes bytes() const;
};

// One row of an index for each record, as the five columns of bank 32111/1.
[[nodiscard]] Bytes index_bank(const std::vector<Bytes>& records, std::uint64_t first_position);

// An event that holds text in one structure of the given key.
[[nodiscard]] DictionaryEvent text_event(BankKey key, std::string_view text,
                                         std::uint8_t type = 11);

}  // namespace hipotool::test
