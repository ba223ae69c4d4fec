#include "file/cutting.hpp"

#include <algorithm>

namespace hipotool::inline v0::file {

bool Cutter::belongs(const Record& record) const {
  const ByteSpan header = open_.runs().back().record->user_header;
  return record.user_words == open_.user_words &&
         std::equal(header.begin(), header.end(), record.user_header.begin(),
                    record.user_header.end());
}

void Cutter::add(const std::shared_ptr<const Record>& record, std::vector<EventBatch>& done) {
  if (!open_.empty() && !belongs(*record)) {
    close(done);
  }
  std::uint64_t bytes = open_.raw_bytes();
  std::uint64_t events = open_.event_count();
  std::uint32_t first = 0;
  for (std::uint32_t event = 0; event < record->event_count(); ++event) {
    const std::uint64_t size = std::uint64_t{4} + record->event_bytes(event);
    if (events > 0 && (bytes + size > limits_.record_bytes || events >= limits_.record_events)) {
      open_.append(record, first, event - first);
      open_.user_words = record->user_words;
      close(done);
      first = event;
      bytes = 0;
      events = 0;
    }
    bytes += size;
    ++events;
  }
  open_.append(record, first, record->event_count() - first);
  open_.user_words = record->user_words;
}

void Cutter::close(std::vector<EventBatch>& done) {
  if (!open_.empty()) {
    done.push_back(std::move(open_));
    open_ = {};
  }
}

}  // namespace hipotool::inline v0::file
