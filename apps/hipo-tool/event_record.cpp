#include "event_record.hpp"

#include "hipotool/directory.hpp"

#include <algorithm>
#include <array>

namespace hipotool::app {

namespace {

constexpr std::uint32_t kHeaderWords = RecordHeader::kBytes / 4;
constexpr std::uint32_t kVersion = 6;
constexpr std::uint32_t kHipoRecord = std::uint32_t{4} << 28U;
constexpr std::uint32_t kEndianMagic = 0xc0da0100;

}  // namespace

void EventRecord::add(ByteSpan event) {
  index_.append_le(static_cast<std::uint32_t>(event.size()));
  events_.append(event);
  ++event_count_;
}

Buffer EventRecord::take() {
  const std::size_t payload = index_.size() + events_.size();
  const auto padding = static_cast<std::uint32_t>((4 - payload % 4) % 4);
  const auto payload_words = static_cast<std::uint32_t>((payload + padding) / 4);
  const std::array<std::uint32_t, kHeaderWords> header{kHeaderWords + payload_words,
                                                       0,
                                                       kHeaderWords,
                                                       event_count_,
                                                       static_cast<std::uint32_t>(index_.size()),
                                                       kVersion | padding << 24U | kHipoRecord,
                                                       0,
                                                       kEndianMagic,
                                                       static_cast<std::uint32_t>(events_.size()),
                                                       payload_words,  // compression tag 0
                                                       0,
                                                       0,
                                                       0,
                                                       0};
  Buffer record;
  for (const std::uint32_t word : header) {
    record.append_le(word);
  }
  record.append(index_.span());
  record.append(events_.span());
  constexpr std::array<std::byte, 3> kZeros{};
  record.append(ByteSpan(kZeros).first(padding));
  index_.clear();
  events_.clear();
  event_count_ = 0;
  return record;
}

}  // namespace hipotool::app
