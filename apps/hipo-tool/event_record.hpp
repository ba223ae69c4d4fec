#pragma once
// Events gathered into one uncompressed per-chunk record (docs/format.md sections 3 and 4), the
// form in which the library takes in bytes that come from somewhere else than a file.

#include "hipotool/bytes.hpp"

#include <cstdint>

namespace hipotool::app {

class EventRecord {
 public:
  // A complete event, header included.
  void add(ByteSpan event);
  [[nodiscard]] std::uint32_t event_count() const noexcept { return event_count_; }
  // What the record's events and index would take with one more event.
  [[nodiscard]] std::uint64_t raw_bytes_with(ByteSpan event) const noexcept {
    return index_.size() + events_.size() + sizeof(std::uint32_t) + event.size();
  }
  // The record's bytes; a new record begins.
  [[nodiscard]] Buffer take();

 private:
  Buffer index_;
  Buffer events_;
  std::uint32_t event_count_ = 0;
};

}  // namespace hipotool::app
