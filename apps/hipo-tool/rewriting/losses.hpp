#pragma once
// What of the inputs is not in the output, since it was damaged.

#include "hipotool/reader.hpp"
#include "hipotool/rewrite.hpp"

#include "log.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hipotool::app {

struct RewritingJob;

struct Losses {
  struct Lost {
    std::string path{};
    std::optional<std::uint64_t> record{};  // none: bytes between records
    Gap gap{};
  };
  std::vector<Lost> gaps{};
  std::uint64_t bytes = 0;
  std::uint64_t events = 0;  // known to be lost
  bool may_be_more = false;  // an input was longer once, or nothing tells what a gap held
  bool was_several = false;  // an input was several files, which nobody said belong together

  [[nodiscard]] bool any() const noexcept { return !gaps.empty() || may_be_more || was_several; }
};
// `dropped`: by the rewrite, after the inputs were opened.
[[nodiscard]] Losses losses_of(const RewritingJob& job, const std::vector<DroppedRecord>& dropped);
// Warns of each; returns the exit code.
[[nodiscard]] int tell_losses(const Losses& losses, Log& log);

}  // namespace hipotool::app
