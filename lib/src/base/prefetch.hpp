#pragma once
// Asking a processor for memory before it is needed.

#include <cstddef>

namespace hipotool::inline v0 {

// Only a hint: nothing is read, and the address may be any.
inline void prefetch(const std::byte* at) noexcept {
  __builtin_prefetch(at);
  // GCC 12 takes a function that does nothing else for one without effects and drops its calls.
  __asm__ volatile("" : : "r"(at));
}

}  // namespace hipotool::inline v0
