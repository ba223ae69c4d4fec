#include "rewrite/input_sequence.hpp"

#include "file/record_stream.hpp"
#include "rewrite/plan.hpp"

#include <utility>
#include <vector>

namespace hipotool::inline v0::rewriting {
namespace {

// Records up to this size are worth joining, up to that size together.
constexpr std::uint64_t kSmallRecordBytes = std::uint64_t{64} << 10;
constexpr std::uint64_t kJoinedBytes = std::uint64_t{1} << 20;

}  // namespace

std::uint64_t cost_of(const InputRecords& item) {
  std::uint64_t cost = decoded_cost(item.entries());
  for (const RecordEntry& entry : item.entries()) {
    cost += item.window ? entry.header.record_bytes() : 0;
  }
  return cost;
}

const RecordEntry* InputSequence::ahead(Look look) {
  while (at_input_ < inputs_.size()) {
    const FileReader& input = *inputs_[at_input_];
    if (file::RecordStream* const stream = input.stream(); stream != nullptr) {
      if (const RecordEntry* entry = look == Look::use ? stream->ahead() : stream->glance()) {
        return entry;
      }
      if (!stream->is_done()) {
        return nullptr;  // it has failed, which will show
      }
    } else if (at_record_ < input.records().size()) {
      return &input.records()[at_record_];
    }
    ++at_input_;
    at_record_ = 0;
  }
  return nullptr;
}

std::optional<InputRecords> InputSequence::next() {
  const RecordEntry* entry = ahead(Look::use);
  if (entry == nullptr) {
    return std::nullopt;
  }
  const std::size_t input = at_input_;
  const UserWords words = entry->header.user_words;
  const bool is_like_before = words_before_ == words;
  InputRecords item;
  if (inputs_[input]->is_stream()) {
    item = take_from_stream(*inputs_[input]);
  } else {
    item = {inputs_[input], at_record_, 0};
    const auto records = item.input->records();
    std::uint64_t bytes = 0;
    do {
      bytes += records[at_record_].header.declared_raw_bytes();
      ++item.count;
      ++at_record_;
    } while (at_record_ < records.size() && bytes < kJoinedBytes &&
             is_joinable(records[at_record_ - 1], records[item.first]) &&
             is_joinable(records[at_record_], records[item.first]));
  }
  item.position = position_;
  for (const RecordEntry& taken : item.entries()) {
    position_ += taken.header.event_count;
  }
  words_before_ = words;
  const RecordEntry* const follower = ahead(Look::glance);
  item.alone = !is_like_before && (follower == nullptr || follower->header.user_words != words);
  return item;
}

InputRecords InputSequence::take_from_stream(const FileReader& input) {
  file::RecordStream& stream = *input.stream();
  std::vector<file::StreamedRecord> records;
  std::uint64_t bytes = 0;
  const RecordEntry* follower = nullptr;
  do {
    records.push_back(stream.take());
    admit_(*input.window({records.back()}));
    bytes += records.back().entry.header.declared_raw_bytes();
    follower = stream.glance();
  } while (follower != nullptr && bytes < kJoinedBytes &&
           is_joinable(records.back().entry, records.front().entry) &&
           is_joinable(*follower, records.front().entry));
  InputRecords item{nullptr, 0, records.size()};
  item.window = input.window(std::move(records));
  item.input = item.window.get();
  return item;
}

// Small enough to be packed, too small to be copied, and of the same group as `other`.
bool InputSequence::is_joinable(const RecordEntry& entry, const RecordEntry& other) const {
  const RecordHeader& header = entry.header;
  const std::uint64_t bytes = header.declared_raw_bytes();
  return header.layout == LayoutId::per_chunk && header.user_header_bytes == 0 &&
         bytes <= kSmallRecordBytes && 2 * bytes < target_record_bytes_ &&
         header.user_words == other.header.user_words;
}

void InputSequence::drain() const {
  for (const FileReader* input : inputs_) {
    if (input->is_stream()) {
      input->stream()->drain();
    }
  }
}

void InputSequence::abandon() const noexcept {
  for (const FileReader* input : inputs_) {
    if (input->is_stream()) {
      input->stream()->abandon();
    }
  }
}

std::optional<InputRecords> RepeatableSequence::next() {
  {
    const std::lock_guard lock(mutex_);
    if (handed_out_ < begun_.size()) {
      return begun_[handed_out_++];
    }
  }
  std::optional<InputRecords> item = sequence_->next();
  if (item) {
    const std::lock_guard lock(mutex_);
    begun_.push_back(*item);
    ++handed_out_;
  }
  return item;
}

void RepeatableSequence::finish_first() {
  const std::lock_guard lock(mutex_);
  begun_.pop_front();
  --handed_out_;
}

void RepeatableSequence::begin_again() {
  const std::lock_guard lock(mutex_);
  handed_out_ = 0;
}

}  // namespace hipotool::inline v0::rewriting
