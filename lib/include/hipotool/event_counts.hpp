#pragma once
// Numbers of events by a word that a file chooses: event tags, record words. However many of them
// there are, memory is bounded.

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>

namespace hipotool {
inline namespace v0 {

// Beyond so many words the smallest are kept, whose counts are exact in whatever order events and
// parts of the counts come.
template <typename Word>
class EventCounts {
 public:
  static constexpr std::size_t kMost = 65'536;

  void add(Word word, std::uint64_t events) {
    counts_[word] += events;
    if (counts_.size() > kMost) {
      const auto largest = std::prev(counts_.end());
      others_ += largest->second;
      counts_.erase(largest);
    }
  }
  void add(const EventCounts& other) {
    for (const auto& [word, events] : other.counts_) {
      add(word, events);
    }
    others_ += other.others_;
  }
  [[nodiscard]] const std::map<Word, std::uint64_t>& counts() const noexcept { return counts_; }
  // Events that are in none of them.
  [[nodiscard]] std::uint64_t others() const noexcept { return others_; }

 private:
  std::map<Word, std::uint64_t> counts_{};
  std::uint64_t others_ = 0;
};

}  // namespace v0
}  // namespace hipotool
