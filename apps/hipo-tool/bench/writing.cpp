#include "bench/writing.hpp"

#include "hipotool/epochs.hpp"
#include "hipotool/transcode.hpp"

#include "inputs.hpp"

#include <mutex>
#include <utility>

namespace hipotool::app::bench {

namespace {

struct Encoder {
  CodecContext context{};
  EncodedRecord encoded{};
};

}  // namespace

class EncoderPool {
 public:
  std::unique_ptr<Encoder> take() {
    const std::scoped_lock lock(mutex_);
    if (idle_.empty()) {
      return std::make_unique<Encoder>();
    }
    std::unique_ptr<Encoder> encoder = std::move(idle_.back());
    idle_.pop_back();
    return encoder;
  }

  void give_back(std::unique_ptr<Encoder> encoder) {
    const std::scoped_lock lock(mutex_);
    idle_.push_back(std::move(encoder));
  }

 private:
  std::mutex mutex_{};
  std::vector<std::unique_ptr<Encoder>> idle_{};
};

std::shared_ptr<EncoderPool> make_encoder_pool() {
  return std::make_shared<EncoderPool>();
}

struct WritingPass::State {
  const FileReader* input = nullptr;
  std::vector<PlannedRecord> planned{};
  unsigned threads = 1;
  std::shared_ptr<EncoderPool> encoders{};
};

WritingPass::WritingPass(const FileReader& input, std::vector<PlannedRecord> planned,
                         unsigned threads, std::shared_ptr<EncoderPool> encoders)
    : state_(std::make_unique<State>()) {
  state_->input = &input;
  state_->planned = std::move(planned);
  state_->threads = threads;
  state_->encoders = std::move(encoders);
}
WritingPass::WritingPass(WritingPass&&) noexcept = default;
WritingPass& WritingPass::operator=(WritingPass&&) noexcept = default;
WritingPass::~WritingPass() = default;

WriteSummary WritingPass::run(AtomicFile& file, Stopwatch& watch) {
  State& state = *state_;
  FileWriter writer(file, state.input->dictionary_events(), state.input->header());
  watch.start();
  Epochs epochs;
  std::vector<EpochPart> parts;
  parts.reserve(state.planned.size());
  for (const PlannedRecord& planned : state.planned) {
    parts.push_back(epochs.join(planned.events.user_words, planned.compression));
  }
  for_each_in_order(
      state.planned.size(), state.threads,
      [&](std::size_t index) {
        std::unique_ptr<Encoder> encoder = state.encoders->take();
        const PlannedRecord& planned = state.planned[index];
        // Moved, so that followers of a leader that fails do not wait for it.
        EpochPart part = std::move(parts[index]);
        StreamChoices chosen;
        encode_choosing(planned.events,
                        {planned.compression, part.known(), part.leads() ? &chosen : nullptr},
                        state.input->dictionary(), encoder->context, encoder->encoded);
        part.publish(std::move(chosen));
        return encoder;
      },
      [&](std::size_t, std::unique_ptr<Encoder> encoder) {
        writer.append(encoder->encoded);
        state.encoders->give_back(std::move(encoder));
      });
  const WriteSummary summary = writer.finish();
  watch.stop();
  return summary;
}

}  // namespace hipotool::app::bench
