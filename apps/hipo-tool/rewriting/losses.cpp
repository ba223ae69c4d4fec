#include "rewriting/losses.hpp"

#include "hipotool/counted.hpp"

#include "rewriting/rewriting_job.hpp"

#include <fmt/format.h>

namespace hipotool::app {

namespace {

constexpr int kRecoveredWithLosses = 3;

// "in.hipo: record 1 left out: 512 bytes at 4096, 4 events: lz4: corrupt block"
std::string loss_line(const Losses::Lost& lost) {
  std::string what =
      lost.record ? fmt::format("record {} left out", *lost.record) : std::string("a gap");
  what += fmt::format(": {} at {}", counted(lost.gap.bytes, "byte"), lost.gap.offset);
  if (!lost.record && lost.gap.records) {
    what += ", " + counted(*lost.gap.records, "record");
  }
  what += lost.gap.events ? ", " + counted(*lost.gap.events, "event")
                          : std::string(", with an unknown number of events");
  return fmt::format("{}: {}: {}", lost.path, what, lost.gap.reason);
}

}  // namespace

Losses losses_of(const RewritingJob& job, const std::vector<DroppedRecord>& dropped) {
  Losses losses;
  for (const FileReader* input : job.inputs) {
    losses.may_be_more = losses.may_be_more || input->index() == IndexState::cut ||
                         (input->is_stream() && input->index() != IndexState::valid);
    losses.was_several = losses.was_several || (input->appended() && input->appended()->is_taken);
    for (const Gap& gap : input->gaps()) {
      losses.gaps.push_back({input->name(), std::nullopt, gap});
    }
  }
  for (const DroppedRecord& record : dropped) {
    losses.gaps.push_back({record.path, record.record, record.gap});
  }
  for (const Losses::Lost& lost : losses.gaps) {
    losses.bytes += lost.gap.bytes;
    losses.events += lost.gap.events.value_or(0);
    losses.may_be_more = losses.may_be_more || !lost.gap.events;
  }
  return losses;
}

int tell_losses(const Losses& losses, Log& log) {
  for (const Losses::Lost& lost : losses.gaps) {
    log.warning(loss_line(lost));
  }
  return losses.any() ? kRecoveredWithLosses : 0;
}

}  // namespace hipotool::app
