#pragma once
// Bounds for what a piece of work may take, in a child process.

#include <cstdint>

namespace hipotool::test {

// Whether this build is instrumented, which makes it several times slower and larger.
[[nodiscard]] bool is_sanitized() noexcept;

// From now on allocations fail once the process has taken this much more memory than it has now.
// Does nothing under a sanitizer, whose shadow memory is larger than any limit.
void limit_memory_growth(std::uint64_t bytes);

// The process ends with SIGALRM if it still runs then.
void limit_time(unsigned seconds);

}  // namespace hipotool::test
