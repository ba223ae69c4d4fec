#pragma once
// Which other implementations can read the result.

#include "log.hpp"

#include <string>

namespace hipotool::app {

struct RewritingJob;

// Works out `readable` and `compressions` of a job whose dictionary is settled. Of a stream that
// stays stored as it is they are known when all has come.
void settle_readers(RewritingJob& job);
// The oldest release of oxihipo that reads all of it; empty if none does.
[[nodiscard]] std::string oxihipo_since(const RewritingJob& job);
// Says who can; aloud where the inputs had a reader that the result has not.
void tell_readers(const RewritingJob& job, Log& log);

}  // namespace hipotool::app
