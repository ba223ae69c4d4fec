#include "rewrite/plan.hpp"

#include "hipotool/error.hpp"
#include "hipotool/transcode.hpp"
#include "hipotool/writer.hpp"

#include "codec/codec.hpp"
#include "rewrite/bad_record.hpp"
#include "rewrite/lanes.hpp"

#include <algorithm>
#include <string>
#include <thread>

namespace hipotool {
inline namespace v0 {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
// The program itself, its libraries and what the allocator keeps.
constexpr std::uint64_t kBaseBytes = 24 * kMiB;
// Decoded records take their raw bytes and 16 bytes a bank; a tenth is what real files need for
// that.
constexpr std::uint64_t kRecordOverheadShare = 10;
constexpr std::uint64_t kRecordOverheadBytes = std::uint64_t{16} << 10;

// Records that fill at once may take that much, however small they are to be.
constexpr std::uint64_t kLeastOpenBytes = 4 * kMiB;

// What one worker of the codec keeps, measured or taken from the library's documentation, rounded
// up.
std::uint64_t context_bytes(const Compression& compression) {
  const std::uint64_t quick = compression.depends_on_data() ? 4 * kMiB : 0;
  switch (compression.codec) {
    case CodecId::none:
      return 0;
    case CodecId::zstd:
      return quick + (compression.level <= 6    ? 12 * kMiB
                      : compression.level <= 12 ? 40 * kMiB
                                                : 100 * kMiB);
    default:
      return quick + 2 * kMiB;
  }
}

// Of a stream, besides the records under way: the one that was read ahead, and the one being read.
constexpr std::uint64_t kStreamedAtOnce = 2;

struct Largest {
  std::uint64_t stored = 0;
  std::uint64_t raw = 0;
  ErrorContext place{};  // of the one with most raw bytes, where that is known
};

// Whether one record would take all the memory allowed, if its header tells the truth.
bool claims_too_much(const RecordHeader& header, const RewriteOptions& options) {
  return kBaseBytes + header.record_bytes() + 2 * header.declared_raw_bytes() >
         options.memory_bytes;
}

bool decodes(const FileReader& input, const RecordEntry& entry, const RewriteOptions& options) {
  const auto index = static_cast<std::size_t>(&entry - input.records().data());
  CodecContext context(options.memory_bytes);
  Record record;
  try {
    input.read_record(index, Projection::everything(), context, record);
    return true;
  } catch (const OverBudget&) {
    return true;  // nobody can tell
  } catch (const Error& error) {
    return !rewriting::is_bad_record(entry.header, error);
  }
}

}  // namespace

namespace rewriting {

std::uint64_t most_record_bytes(const RewriteOptions& options) {
  if (options.record_bytes != 0) {
    return options.record_bytes;
  }
  return options.keep_compression ? std::max(default_record_bytes(LayoutId::per_chunk),
                                             default_record_bytes(LayoutId::per_column))
                                  : default_record_bytes(options.compression.layout);
}

std::uint64_t decoded_cost(std::span<const RecordEntry> records) {
  std::uint64_t raw = 0;
  for (const RecordEntry& entry : records) {
    raw += entry.header.declared_raw_bytes();
  }
  return raw + raw / kRecordOverheadShare + kRecordOverheadBytes;
}

std::uint64_t decode_budget(const RewritePlan& plan) {
  return plan.threads * (plan.largest_input_cost + plan.output_cost) + plan.open_cost;
}

void require_fits(const RewritePlan& plan, const RewriteOptions& options,
                  const FileReader& window) {
  const RecordEntry& entry = window.records().front();
  const std::uint64_t stored = entry.header.record_bytes();
  const std::uint64_t raw = entry.header.declared_raw_bytes();
  const std::uint64_t usual = most_record_bytes(options);
  if (stored <= usual && raw <= usual) {
    return;
  }
  // It is admitted when nothing else is under way. What it becomes is no more than twice its bytes
  // at once, source and proof, however many threads there are.
  const std::uint64_t output =
      std::min(std::uint64_t{2} * plan.threads * std::max(usual, std::uint64_t{1}), 2 * raw);
  const std::uint64_t needed = kBaseBytes + kStreamedAtOnce * std::max(stored, usual) +
                               decoded_cost({&entry, 1}) + output + 2 * plan.output_cost +
                               plan.threads * context_bytes(options.compression);
  if (needed <= options.memory_bytes || (options.skip_bad && !decodes(window, entry, options))) {
    return;
  }
  throw Error(ErrorCode::over_budget,
              "needs " + std::to_string((needed + kMiB - 1) / kMiB) + " MiB of memory, " +
                  std::to_string(options.memory_bytes / kMiB) + " MiB are allowed; give --memory " +
                  std::to_string((needed + kMiB - 1) / kMiB) + "MiB",
              window.context_of(0));
}

}  // namespace rewriting

RewritePlan plan_rewrite(std::span<const FileReader* const> inputs, const RewriteOptions& options) {
  return rewriting::plan_for(inputs, options, 0);
}

RewritePlan rewriting::plan_for(std::span<const FileReader* const> inputs,
                                const RewriteOptions& options, std::uint64_t record_bytes_known) {
  RewritePlan plan;
  plan.largest_input_cost = record_bytes_known;
  Largest largest{.raw = record_bytes_known};
  std::uint64_t events = 0;
  bool has_stream = false;
  for (const FileReader* input : inputs) {
    has_stream = has_stream || input->is_stream();
    for (const RecordEntry& entry : input->records()) {
      if (options.skip_bad && claims_too_much(entry.header, options) &&
          !decodes(*input, entry, options)) {
        continue;  // it will be dropped, and must not keep the others from being read
      }
      largest.stored = std::max(largest.stored, entry.header.record_bytes());
      if (const std::uint64_t raw = entry.header.declared_raw_bytes(); raw > largest.raw) {
        largest.raw = raw;
        largest.place =
            input->context_of(static_cast<std::size_t>(&entry - input->records().data()));
      }
      plan.largest_input_cost =
          std::max(plan.largest_input_cost, rewriting::decoded_cost({&entry, 1}));
      plan.declared_raw_bytes += entry.header.declared_raw_bytes();
      events += entry.header.event_count;
    }
  }
  if (options.editor != nullptr) {
    const auto grown = [&](std::uint64_t bytes) {
      return static_cast<std::uint64_t>(static_cast<double>(bytes) * options.editor->growth());
    };
    largest.raw += grown(largest.raw);  // the record before and after
    plan.largest_input_cost = grown(plan.largest_input_cost);
  }
  // Output records are full only if there is enough to fill them.
  const std::uint64_t record_bytes = rewriting::most_record_bytes(options);
  const std::uint64_t output =
      has_stream ? record_bytes
                 : std::max(std::min(record_bytes, plan.declared_raw_bytes), std::uint64_t{1});
  std::uint64_t base = kBaseBytes;
  if (has_stream) {
    largest.stored = std::max(largest.stored, record_bytes);
    largest.raw = std::max(largest.raw, record_bytes);
    plan.largest_input_cost =
        std::max(plan.largest_input_cost,
                 2 * record_bytes + record_bytes / kRecordOverheadShare + kRecordOverheadBytes);
    base += kStreamedAtOnce * record_bytes;
  }
  plan.output_cost = output + output / kRecordOverheadShare;
  // Where tags go different ways, several records fill at once.
  plan.open_cost = rewriting::parts_tags(options) ? std::max(2 * plan.output_cost, kLeastOpenBytes)
                                                  : plan.output_cost;
  // However small the records are to be, an event has at most one of its own.
  const std::uint64_t full_records = (plan.declared_raw_bytes + record_bytes - 1) / record_bytes;
  // Nobody knows how many events will be chosen, or go to one file.
  plan.records_at_least =
      options.selector != nullptr || options.splitting.any()
          ? 0
          : std::max(std::min(full_records, events),
                     (events + options.record_events - 1) / options.record_events);
  if (plan.records_at_least > FileWriter::kMaxRecords) {
    throw Error(ErrorCode::not_representable,
                "the output would have at least " + std::to_string(plan.records_at_least) +
                    " records, an index holds " + std::to_string(FileWriter::kMaxRecords) +
                    "; choose a larger --record-size or --record-events");
  }
  // A thread holds a stored input, an encoded output, and twice the raw bytes: source and proof.
  const std::uint64_t per_thread = largest.stored + output + 2 * std::max(output, largest.raw) +
                                   context_bytes(options.compression);
  const std::uint64_t fixed = base + plan.open_cost - plan.output_cost;
  plan.memory_needed_bytes = fixed + per_thread;
  if (plan.memory_needed_bytes > options.memory_bytes) {
    throw Error(ErrorCode::over_budget,
                "needs " + std::to_string((plan.memory_needed_bytes + kMiB - 1) / kMiB) +
                    " MiB of memory with one thread, " +
                    std::to_string(options.memory_bytes / kMiB) +
                    " MiB are allowed; give --memory " +
                    std::to_string((plan.memory_needed_bytes + kMiB - 1) / kMiB) +
                    "MiB or a smaller --record-size",
                largest.raw >= output ? largest.place : ErrorContext{});
  }
  plan.threads = static_cast<unsigned>(std::clamp<std::uint64_t>(
      (options.memory_bytes - fixed) / per_thread, 1, std::max(options.threads, 1U)));
  std::uint64_t spare = options.memory_bytes - fixed - plan.threads * per_thread;
  // The calling thread reads ahead, which helps where it takes no processor from the others.
  if (!has_stream && plan.threads < std::thread::hardware_concurrency() &&
      spare >= largest.stored) {
    plan.read_ahead_bytes = largest.stored;
    spare -= plan.read_ahead_bytes;
    base += plan.read_ahead_bytes;
  }
  // Half as much again, and something for small ones: many banks or events take more than their
  // bytes let one think, in records whose headers are right.
  plan.most_record_bytes = largest.stored + plan.largest_input_cost + plan.largest_input_cost / 2 +
                           kMiB + spare / plan.threads / 2;
  plan.predicted_peak_bytes =
      std::min(base + plan.threads * (per_thread - largest.raw) + rewriting::decode_budget(plan),
               base + plan.threads * per_thread + plan.open_cost);
  return plan;
}

}  // namespace v0
}  // namespace hipotool
