#pragma once
// The order in which the records of all inputs come, whether from files or streams: what is opened
// together, at which position its events are, who its neighbours are.

#include "hipotool/directory.hpp"
#include "hipotool/reader.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>

namespace hipotool::inline v0::rewriting {

// One input record, or several small ones that are decoded as one.
struct InputRecords {
  const FileReader* input = nullptr;
  std::size_t first = 0;
  std::size_t count = 1;
  std::uint64_t position = 0;  // of the first event, over all inputs
  bool alone = false;          // neither neighbour has the same user words
  // Of a stream: what `input` is, which holds the bytes of these records and no others.
  std::shared_ptr<const FileReader> window{};
  // Of a single record of a file: its bytes, where they were read beforehand. Whoever opens the
  // item takes them out of it.
  std::shared_ptr<StoredRecord> read_before{};

  [[nodiscard]] std::span<const RecordEntry> entries() const {
    return input->records().subspan(first, count);
  }
};

// Splits inputs into such items, in order. What it says of a record does not depend on whether it
// comes from a file or a stream, nor on any record but its neighbours. One thread, but for
// abandon().
class InputSequence {
 public:
  // Called with each record of a stream before it is handed out: throws what forbids that.
  using Admit = std::function<void(const FileReader& window)>;

  InputSequence(std::span<const FileReader* const> inputs, std::uint64_t target_record_bytes,
                Admit admit)
      : inputs_(inputs), target_record_bytes_(target_record_bytes), admit_(std::move(admit)) {}

  [[nodiscard]] std::optional<InputRecords> next();
  // Reads streams to their end, though nobody wants their records: whether they are complete shows
  // there.
  void drain() const;
  // Any thread: next() does not wait for a stream any longer.
  void abandon() const noexcept;

 private:
  // The record that comes next, over all inputs; null at the end. `glance`: a stream that fails
  // shows it later.
  enum class Look : std::uint8_t { use, glance };
  [[nodiscard]] const RecordEntry* ahead(Look look);
  [[nodiscard]] InputRecords take_from_stream(const FileReader& input);
  [[nodiscard]] bool is_joinable(const RecordEntry& entry, const RecordEntry& other) const;

  std::span<const FileReader* const> inputs_;
  std::uint64_t target_record_bytes_;
  Admit admit_;
  std::size_t at_input_ = 0;
  std::size_t at_record_ = 0;
  std::uint64_t position_ = 0;
  std::optional<UserWords> words_before_{};
};

// Hands out a sequence's items, and again those that were begun and not finished. next() and
// finish_first() may be called by two threads at once.
class RepeatableSequence {
 public:
  explicit RepeatableSequence(InputSequence& sequence) : sequence_(&sequence) {}

  [[nodiscard]] std::optional<InputRecords> next();
  // The oldest of those that were begun; in order.
  void finish_first();
  // From the oldest one that was not finished.
  void begin_again();

 private:
  InputSequence* sequence_;
  std::mutex mutex_;
  std::deque<InputRecords> begun_;
  std::size_t handed_out_ = 0;  // of them
};

// Memory that an item takes while it is under way.
[[nodiscard]] std::uint64_t cost_of(const InputRecords& item);

}  // namespace hipotool::inline v0::rewriting
