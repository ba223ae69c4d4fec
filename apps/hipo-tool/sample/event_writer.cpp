#include "event_writer.hpp"

#include <cstring>

namespace hipotool::app::sample {

namespace {
constexpr std::size_t kStructureHeaderBytes = 8;
constexpr std::uint8_t kTableType = 11;
}  // namespace

std::byte* EventWriter::open(BankKey key, std::size_t data_bytes) {
  const std::size_t at = bytes_.size();
  bytes_.resize_keep(at + kStructureHeaderBytes + data_bytes);
  std::byte* header = bytes_.data() + at;
  store_le(header, key.group);
  store_le(header + 2, key.item);
  store_le(header + 3, kTableType);
  store_le(header + 4, static_cast<std::uint32_t>(data_bytes));
  return header + kStructureHeaderBytes;
}

void EventWriter::finish(std::uint32_t tag) {
  std::memcpy(bytes_.data(), "EVNT", 4);
  store_le(bytes_.data() + 4, static_cast<std::uint32_t>(bytes_.size()));
  store_le(bytes_.data() + 8, tag);
  store_le(bytes_.data() + 12, std::uint32_t{0});
}

}  // namespace hipotool::app::sample
