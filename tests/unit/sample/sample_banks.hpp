#pragma once
// Takes events of the sample apart, with nothing of the generator's own code.

#include "hipotool/bytes.hpp"
#include "hipotool/schema.hpp"

#include "sample/generator.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>

namespace hipotool::test {

using app::sample::EventGenerator;
using app::sample::Profile;
using app::sample::SampleEvent;

inline constexpr std::array kProfiles{Profile::dst, Profile::raw, Profile::skim, Profile::tiny};

struct SampleBank {
  const Schema* schema = nullptr;
  std::size_t rows = 0;
  const std::byte* data = nullptr;

  // Any integer or f32 column as a double, which holds all of their values.
  [[nodiscard]] double value(const std::string& column, std::size_t row) const {
    const auto index = schema->find_column(column);
    if (!index || row >= rows) {
      throw std::out_of_range(schema->name() + "." + column);
    }
    const Column& shape = schema->columns()[*index];
    const std::byte* at = data + rows * shape.row_offset + row * shape.width();
    switch (shape.type) {
      case ColumnType::i8:
        return load_le<std::int8_t>(at);
      case ColumnType::i16:
        return load_le<std::int16_t>(at);
      case ColumnType::i32:
        return load_le<std::int32_t>(at);
      case ColumnType::i64:
        return static_cast<double>(load_le<std::int64_t>(at));
      case ColumnType::f32:
        return static_cast<double>(load_le<float>(at));
      default:
        return load_le<double>(at);
    }
  }
  [[nodiscard]] int integer(const std::string& column, std::size_t row) const {
    return static_cast<int>(value(column, row));
  }
};

// The banks of an event, by name; throws where its bytes are not a sound per-chunk event. The banks
// point into the event.
inline std::map<std::string, SampleBank> banks_of(const SampleEvent& event, Profile profile) {
  static std::map<Profile, std::map<BankKey, const Schema*>> known;
  auto& schemas = known[profile];
  if (schemas.empty()) {
    for (const Schema& schema : app::sample::sample_schemas(profile)) {
      schemas[schema.key()] = &schema;
    }
  }
  const ByteSpan bytes = event.bytes.span();
  if (bytes.size() < 16 || std::memcmp(bytes.data(), "EVNT", 4) != 0 ||
      load_le<std::uint32_t>(bytes.data() + 4) != bytes.size() ||
      load_le<std::uint32_t>(bytes.data() + 8) != event.tag ||
      load_le<std::uint32_t>(bytes.data() + 12) != 0) {
    throw std::runtime_error("event header");
  }
  std::map<std::string, SampleBank> banks;
  std::size_t at = 16;
  while (at < bytes.size()) {
    if (bytes.size() - at < 8) {
      throw std::runtime_error("structure header");
    }
    const BankKey key{load_le<std::uint16_t>(bytes.data() + at),
                      load_le<std::uint8_t>(bytes.data() + at + 2)};
    const std::size_t size = load_le<std::uint32_t>(bytes.data() + at + 4);
    const auto schema = schemas.find(key);
    if (load_le<std::uint8_t>(bytes.data() + at + 3) != 11 || schema == schemas.end() ||
        size == 0 || size % schema->second->row_size() != 0 || size > bytes.size() - at - 8) {
      throw std::runtime_error("structure " + to_string(key));
    }
    const SampleBank bank{schema->second, size / schema->second->row_size(), bytes.data() + at + 8};
    if (!banks.emplace(schema->second->name(), bank).second) {
      throw std::runtime_error("repeated " + schema->second->name());
    }
    at += 8 + size;
  }
  return banks;
}

}  // namespace hipotool::test
