#include "rewrite/cutting.hpp"

#include <algorithm>
#include <utility>

namespace hipotool::inline v0::rewriting {

bool Cutter::belongs(const Record& record, const Compression& compression) const {
  const ByteSpan header = open_.events.runs().back().record->user_header;
  return record.user_words == open_.events.user_words && compression == open_.compression &&
         std::equal(header.begin(), header.end(), record.user_header.begin(),
                    record.user_header.end());
}

void Cutter::add(const EventRun& run, const Compression& compression, std::vector<CutBatch>& done) {
  const Record& record = *run.record;
  if (!open_.events.empty() && !belongs(record, compression)) {
    close(done);
  }
  const std::uint64_t most_bytes =
      limits_.record_bytes != 0 ? limits_.record_bytes : default_record_bytes(compression.layout);
  std::uint64_t bytes = open_.events.raw_bytes();
  std::uint64_t events = open_.events.event_count();
  std::uint32_t first = run.first;
  const auto append_until = [&](std::uint32_t end) {
    open_.events.append(run.record, first, end - first);
    open_.events.user_words = record.user_words;
    open_.compression = compression;
  };
  for (std::uint32_t event = run.first; event < run.first + run.count; ++event) {
    const std::uint64_t size = std::uint64_t{4} + record.event_bytes(event);
    if (events > 0 && (bytes + size > most_bytes || events >= limits_.record_events)) {
      append_until(event);
      close(done);
      first = event;
      bytes = 0;
      events = 0;
    }
    bytes += size;
    ++events;
  }
  append_until(run.first + run.count);
}

void Cutter::close(std::vector<CutBatch>& done) {
  if (!open_.events.empty()) {
    done.push_back(std::exchange(open_, {}));
  }
}

}  // namespace hipotool::inline v0::rewriting
