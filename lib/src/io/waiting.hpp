#pragma once
// Waiting for a descriptor without being deaf to a request to stop.

#include <atomic>
#include <stop_token>

namespace hipotool::inline v0::io {

// Until the descriptor can be read or written (`events` as of poll), or has come to its end or
// failed, which reading or writing will show. Error{cancelled} on a stop, or when `abandoned`, if
// given, is set.
void wait_for(int descriptor, short events, const std::stop_token& stop,
              const std::atomic<bool>* abandoned = nullptr);

}  // namespace hipotool::inline v0::io
