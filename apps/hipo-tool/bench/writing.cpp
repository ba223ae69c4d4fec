#include "bench/writing.hpp"

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

struct WritingPass::State {
  const FileReader* input = nullptr;
  std::vector<PlannedRecord> planned{};
  unsigned threads = 1;
  std::mutex mutex{};
  std::vector<std::unique_ptr<Encoder>> idle{};

  std::unique_ptr<Encoder> take() {
    const std::scoped_lock lock(mutex);
    if (idle.empty()) {
      return std::make_unique<Encoder>();
    }
    std::unique_ptr<Encoder> encoder = std::move(idle.back());
    idle.pop_back();
    return encoder;
  }

  void give_back(std::unique_ptr<Encoder> encoder) {
    const std::scoped_lock lock(mutex);
    idle.push_back(std::move(encoder));
  }
};

WritingPass::WritingPass(const FileReader& input, std::vector<PlannedRecord> planned,
                         unsigned threads)
    : state_(std::make_unique<State>()) {
  state_->input = &input;
  state_->planned = std::move(planned);
  state_->threads = threads;
}
WritingPass::WritingPass(WritingPass&&) noexcept = default;
WritingPass& WritingPass::operator=(WritingPass&&) noexcept = default;
WritingPass::~WritingPass() = default;

WriteSummary WritingPass::run(AtomicFile& file, Stopwatch& watch) {
  State& state = *state_;
  FileWriter writer(file, state.input->dictionary_events(), state.input->header());
  watch.start();
  for_each_in_order(
      state.planned.size(), state.threads,
      [&](std::size_t index) {
        std::unique_ptr<Encoder> encoder = state.take();
        const PlannedRecord& planned = state.planned[index];
        encode(planned.events, planned.compression, state.input->dictionary(), encoder->context,
               encoder->encoded);
        return encoder;
      },
      [&](std::size_t, std::unique_ptr<Encoder> encoder) {
        writer.append(encoder->encoded);
        state.give_back(std::move(encoder));
      });
  const WriteSummary summary = writer.finish();
  watch.stop();
  return summary;
}

}  // namespace hipotool::app::bench
