#pragma once
// Which output records decide how the streams of others are stored. Records of the same user words
// and compression are counted; each 64th leads an epoch: it is compressed both ways, and those that
// follow store each column as it paid there. So the bytes depend on the content alone, and on no
// clock and no number of threads. For rewrite(), and for those who encode without rewriting a file.

#include "hipotool/compression.hpp"
#include "hipotool/directory.hpp"
#include "hipotool/event_batch.hpp"
#include "hipotool/transcode.hpp"

#include <cstdint>
#include <future>
#include <map>
#include <optional>
#include <tuple>

namespace hipotool {
inline namespace v0 {

// What a record has to do with its epoch. Default: nothing. Belongs to the thread that encodes the
// record.
class EpochPart {
 public:
  EpochPart() = default;
  explicit EpochPart(std::promise<StreamChoices> lead) : lead_(std::move(lead)) {}
  explicit EpochPart(std::shared_future<StreamChoices> leader) : leader_(std::move(leader)) {}

  [[nodiscard]] bool leads() const { return lead_.has_value(); }
  // What the leader chose; waits for it. Null for a leader, for a record without an epoch, and
  // where the leader came to nothing.
  [[nodiscard]] const StreamChoices* known() const;
  // Tells the followers. A leader that goes without a word lets them do without.
  void publish(StreamChoices choices);

 private:
  std::optional<std::promise<StreamChoices>> lead_;
  std::shared_future<StreamChoices> leader_;
};

// One thread at a time, in the order of the output. A leader must be given to a thread before its
// followers are.
class Epochs {
 public:
  [[nodiscard]] EpochPart join(const UserWords& words, const Compression& compression);

 private:
  struct Epoch {
    std::uint64_t records = 0;
    std::shared_future<StreamChoices> leader{};
  };
  std::map<std::tuple<UserWords, CodecId, LayoutId>, Epoch> epochs_;
};

}  // namespace v0
}  // namespace hipotool
