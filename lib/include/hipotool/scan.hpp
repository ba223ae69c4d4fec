#pragma once
// A parallel read-only pass over a file: records are read, decoded and worked on by several
// threads, and the results come back in file order. Memory in flight is bounded by a budget.

#include "hipotool/error.hpp"
#include "hipotool/projection.hpp"
#include "hipotool/reader.hpp"
#include "hipotool/record.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>

namespace hipotool {
inline namespace v0 {

struct ScanOptions {
  unsigned threads = 1;
  // Of stored and raw bytes in flight. Fewer threads run where records are large; OverBudget for
  // one that takes more alone.
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;
  // What was allowed in all is so many times that; the rest is for what the caller makes of it.
  std::uint64_t memory_shares = 1;
  std::stop_token stop{};  // Error{cancelled} when requested
  // Where set, a record that cannot be read or decoded does not end the scan: it is passed here
  // instead of to the sink, in its place in the order and in the calling thread.
  std::function<void(const Error&, std::size_t index)> on_bad_record{};
  // Where set, records for which it says no are passed over unread. Called in any thread.
  std::function<bool(std::size_t index)> wants_record{};
  // Where set, a record is first decoded for `first_projection` alone, and reaches neither work nor
  // sink if `first_look` says no: nothing more of it is fetched or inflated. A per-chunk record is
  // one piece: it is inflated once, and both see the banks of both projections. Runs in a worker,
  // for each record right before its work.
  std::function<bool(const Record&, std::size_t index)> first_look{};
  Projection first_projection = Projection::nothing();
  // Where set, is shown how a decoded record is stored, before `work` gets it. Runs in a worker.
  std::function<void(const RecordDirectory&, std::size_t index)> on_directory{};
};

namespace detail {
using AnyResult = std::shared_ptr<void>;
void scan(const FileReader& reader, const Projection& projection, const ScanOptions& options,
          const std::function<AnyResult(const Record&, std::size_t)>& work,
          const std::function<void(AnyResult, std::size_t)>& sink);
}  // namespace detail

// `work(record, index)` runs in a worker thread and returns a Result; `sink(result, index)` runs in
// the calling thread, in file order. The first failure in file order is thrown, after everything
// before it has reached the sink.
template <typename Work, typename Sink>
void scan(const FileReader& reader, const Projection& projection, const ScanOptions& options,
          const Work& work, const Sink& sink) {
  using Result = std::decay_t<decltype(work(std::declval<const Record&>(), std::size_t{}))>;
  detail::scan(
      reader, projection, options,
      [&](const Record& record, std::size_t index) -> detail::AnyResult {
        return std::make_shared<Result>(work(record, index));
      },
      [&](const detail::AnyResult& result, std::size_t index) {
        sink(std::move(*static_cast<Result*>(result.get())), index);
      });
}

}  // namespace v0
}  // namespace hipotool
