#pragma once
// The files that a command looks at: operands, patterns that the shell left alone, folders and
// lists of files; and the work on them, several files at once, with the results in their order.

#include "arguments.hpp"

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace hipotool::app {

struct InputOptions {
  std::vector<std::string> lists{};  // files that name files
};
// -L,--filelist.
void add_filelist(Verb& verb, InputOptions& options);

// The files named by `words` and by the lists, in the order given. A folder stands for the files
// *.hipo in it, by name; a word with * ? or [ that is no file itself for what it matches. A file
// that is not there is kept: whoever opens it says so. Throws UsageError where a folder or pattern
// stands for nothing, a list cannot be read, nothing is named at all, or stdin is.
[[nodiscard]] std::vector<std::filesystem::path> expand_inputs(
    const std::vector<std::string>& words, const InputOptions& options);

// Throws UsageError where a file that is read at any place is to be "-".
void refuse_stdin(const std::string& word);

// How threads and memory are divided between files that are worked on at once.
struct Shares {
  unsigned files = 1;    // at once
  unsigned threads = 1;  // for the records of each
  std::uint64_t memory_bytes = 0;
};
[[nodiscard]] Shares divide(unsigned threads, std::uint64_t memory_bytes, std::size_t files);

// Work on several files at once, each with its share of the memory. One for which that was too
// little is worked on again, alone and with all of it, so that what is refused does not depend on
// how many files there are.
class MemoryTurns {
 public:
  MemoryTurns(const Shares& shared, const Shares& all) : shared_(shared), all_(all) {}

  // What work(shares) returns; `lacks_memory` says of that whether it was too little.
  template <typename Work, typename LacksMemory>
  auto run(const Work& work, const LacksMemory& lacks_memory) {
    {
      const std::shared_lock with_others(mutex_);
      auto result = work(shared_);
      if (shared_.files == 1 || !lacks_memory(result)) {
        return result;
      }
    }
    const std::unique_lock alone(mutex_);
    return work(all_);
  }

 private:
  Shares shared_;
  Shares all_;
  std::shared_mutex mutex_;
};

// Runs `work(index)` for all indices below `count`, `at_once` of them in parallel, and hands what
// they return to `sink(index, result)` in the calling thread, in order. At most twice `at_once`
// results wait. The first failure in order is thrown, and nothing new is begun after it.
template <typename Work, typename Sink>
void for_each_in_order(std::size_t count, unsigned at_once, const Work& work, const Sink& sink) {
  using Result = std::decay_t<decltype(work(std::size_t{}))>;
  struct Slot {
    std::optional<Result> result{};
    std::exception_ptr failure{};
  };
  if (at_once <= 1 || count <= 1) {
    for (std::size_t index = 0; index < count; ++index) {
      sink(index, work(index));
    }
    return;
  }
  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::size_t, Slot> done;
  std::size_t next = 0;
  std::size_t delivered = 0;
  bool stopped = false;
  const auto run = [&] {
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [&] {
        return stopped || next >= count || next < delivered + 2 * std::size_t{at_once};
      });
      if (stopped || next >= count) {
        return;
      }
      const std::size_t index = next++;
      lock.unlock();
      Slot slot;
      try {
        slot.result.emplace(work(index));
      } catch (...) {
        slot.failure = std::current_exception();
      }
      lock.lock();
      done.emplace(index, std::move(slot));
      changed.notify_all();
    }
  };
  std::vector<std::jthread> threads;
  // Leaves no thread waiting for a place when the sink throws.
  struct Stopper {
    std::mutex& mutex;
    std::condition_variable& changed;
    bool& stopped;
    Stopper(std::mutex& lockable, std::condition_variable& signal, bool& flag)
        : mutex(lockable), changed(signal), stopped(flag) {}
    Stopper(const Stopper&) = delete;
    Stopper& operator=(const Stopper&) = delete;
    Stopper(Stopper&&) = delete;
    Stopper& operator=(Stopper&&) = delete;
    ~Stopper() {
      const std::scoped_lock lock(mutex);
      stopped = true;
      changed.notify_all();
    }
  };
  const Stopper stopper(mutex, changed, stopped);
  threads.reserve(at_once);
  for (unsigned thread = 0; thread < at_once; ++thread) {
    threads.emplace_back(run);
  }
  for (std::size_t index = 0; index < count; ++index) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return done.contains(index); });
    Slot slot = std::move(done.extract(index).mapped());
    ++delivered;
    changed.notify_all();
    lock.unlock();
    if (slot.failure) {
      std::rethrow_exception(slot.failure);
    }
    sink(index, std::move(*slot.result));
  }
}

}  // namespace hipotool::app
