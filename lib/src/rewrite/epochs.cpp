#include "hipotool/epochs.hpp"

#include <utility>

namespace hipotool {
inline namespace v0 {
namespace {

constexpr std::uint64_t kRecordsOfAnEpoch = 64;

}  // namespace

const StreamChoices* EpochPart::known() const {
  if (!leader_.valid()) {
    return nullptr;
  }
  try {
    return &leader_.get();
  } catch (const std::future_error&) {
    return nullptr;
  }
}

void EpochPart::publish(StreamChoices choices) {
  if (lead_) {
    lead_->set_value(std::move(choices));
    lead_.reset();
  }
}

EpochPart Epochs::join(const UserWords& words, const Compression& compression) {
  if (!compression.depends_on_data()) {
    return {};
  }
  Epoch& epoch = epochs_[{words, compression.codec, compression.layout}];
  if (epoch.records++ % kRecordsOfAnEpoch != 0) {
    return EpochPart(epoch.leader);
  }
  std::promise<StreamChoices> lead;
  epoch.leader = lead.get_future().share();
  return EpochPart(std::move(lead));
}

}  // namespace v0
}  // namespace hipotool
