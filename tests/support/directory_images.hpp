#pragma once
// Directories of split records table by table, so that a test can spoil one of them.

#include "support/event_images.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace hipotool::test {

// One bank, 1/2, in two events: 4 bytes in the first, 8 in the second, stored as one stream of 12
// bytes with codec none. What every test begins with.
struct DirectoryImage {
  LayoutId layout = LayoutId::per_column;
  std::uint8_t version = 1;
  std::vector<BankKey> keys = {{1, 2}};
  std::vector<std::uint8_t> types = {11};
  std::vector<std::uint16_t> columns = {1};  // per-column
  std::vector<std::uint32_t> tags = {7, 8};
  Bytes presence = {std::byte{1}, std::byte{1}};
  std::vector<std::uint32_t> sizes = {4, 8};  // bank after bank
  std::vector<std::uint32_t> stored = {12};   // of each stream
  std::vector<std::uint32_t> raw = {12};
  std::vector<std::uint8_t> formats = {0};
  std::vector<std::uint8_t> encodings = {};  // version 3
  std::vector<std::uint32_t> checksums = {};
  Bytes streams = packed(1, 2, 3);

  [[nodiscard]] Bytes directory() const {
    Bytes bytes;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      append(bytes, packed(keys[i].group, keys[i].item, types[i]));
    }
    if (layout == LayoutId::per_column) {
      append_each(bytes, columns);
    } else {
      append_each(bytes, stored);
      append_each(bytes, raw);
    }
    append_each(bytes, tags);
    append(bytes, presence);
    append_each(bytes, sizes);
    if (layout == LayoutId::per_column) {
      for (std::size_t i = 0; i < stored.size(); ++i) {
        append(bytes, packed(stored[i], raw[i]));
      }
    }
    append_each(bytes, formats);
    append_each(bytes, encodings);
    append_each(bytes, checksums);
    return bytes;
  }

  [[nodiscard]] SplitImage split() const {
    SplitImage image;
    image.tag = layout == LayoutId::per_column ? 14 : 13;
    image.version = version;
    image.banks = static_cast<std::uint32_t>(keys.size());
    image.events = static_cast<std::uint32_t>(tags.size());
    image.directory = directory();
    image.streams = streams;
    return image;
  }

 private:
  template <typename T>
  static void append_each(Bytes& to, const std::vector<T>& values) {
    for (const T value : values) {
      append(to, packed(value));
    }
  }
};

}  // namespace hipotool::test
