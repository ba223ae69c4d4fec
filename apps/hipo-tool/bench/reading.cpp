#include "bench/reading.hpp"

#include "hipotool/error.hpp"
#include "hipotool/names.hpp"
#include "hipotool/scan.hpp"
#include "hipotool/stream_codec.hpp"
#include "hipotool/transcode.hpp"

#include "bench/value_checksum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <numeric>
#include <utility>

namespace hipotool::app::bench {

namespace {

constexpr std::size_t kSomeBanks = 40;
// What most analyses read first.
constexpr std::string_view kUsualBank = "REC::Particle";

std::uint64_t nanoseconds_of(::clockid_t clock) {
  ::timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(time.tv_nsec);
}

// Bytes that each bank has in the sample, the largest first.
std::vector<std::pair<BankKey, std::uint64_t>> banks_by_size(const Sample& sample) {
  std::map<BankKey, std::uint64_t> bytes;
  for (const auto& record : sample.records) {
    for (const BankBlock& block : record->blocks()) {
      for (const BankOccurrence& occurrence : block.occurrences) {
        bytes[block.key] += occurrence.size;
      }
    }
  }
  std::vector<std::pair<BankKey, std::uint64_t>> sorted(bytes.begin(), bytes.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return sorted;
}

BankKey key_named(const FileReader& reader, const std::string& name) {
  if (const Schema* schema = reader.dictionary().find(name)) {
    return schema->key();
  }
  if (const auto key = parse_bank_key(name)) {
    return *key;
  }
  throw Error(ErrorCode::not_found, fmt::format("no bank {} in the dictionary", name),
              {.path = reader.name()});
}

// Adds up the streams that a projection needs and inflates them once more, alone.
class StreamInflater {
 public:
  void run(const FileReader& reader, const StoredRecord& stored, const RecordDirectory& directory,
           const Projection& projection, ReadCounters& counters) {
    if (directory.layout == LayoutId::per_chunk) {
      for (const StreamInfo& stream : directory.streams) {
        inflate(stored, stream, counters);
      }
      return;
    }
    counters.bytes_inflated += directory.inflated.size();
    for (const DirectoryBank& bank : directory.banks) {
      if (!projection.wants(bank.key)) {
        continue;
      }
      const auto streams = directory.streams_of(bank);
      const Schema* schema = reader.dictionary().find(bank.key);
      for (std::size_t column = 0; column < streams.size(); ++column) {
        if (bank.columns == 0 || schema == nullptr || projection.wants(bank.key, column)) {
          inflate(stored, streams[column], counters);
        }
      }
    }
  }

 private:
  void inflate(const StoredRecord& stored, const StreamInfo& stream, ReadCounters& counters) {
    if (stream.raw_bytes == 0) {
      return;
    }
    const CodecId id = stored.header.codec;
    if (!codec_ || id_ != id) {
      codec_.emplace(id);
      id_ = id;
    }
    scratch_.resize_discard(stream.raw_bytes);
    const ByteSpan from = stored.range(stream.offset, stream.stored_bytes);
    const std::uint64_t begin = nanoseconds_of(CLOCK_MONOTONIC);
    const std::size_t produced = codec_->decompress(from, scratch_.span());
    counters.inflate_seconds += static_cast<double>(nanoseconds_of(CLOCK_MONOTONIC) - begin) * 1e-9;
    counters.bytes_inflated += produced;
  }

  std::optional<StreamCodec> codec_{};
  CodecId id_ = CodecId::none;
  Buffer scratch_{};
};

}  // namespace

std::string_view to_string(Scope scope) noexcept {
  constexpr std::array<std::string_view, 6> kNames{"meta", "tags", "column", "bank", "some", "all"};
  return kNames[static_cast<std::size_t>(scope)];
}

Projection ScopeChoice::projection(Scope scope) const {
  Projection wanted = Projection::nothing();
  switch (scope) {
    case Scope::meta:
    case Scope::tags:
      break;
    case Scope::column:
      wanted.add(bank, {column});
      break;
    case Scope::bank:
      wanted.add(bank);
      break;
    case Scope::some:
      for (const BankKey key : some) {
        wanted.add(key);
      }
      break;
    case Scope::all:
      wanted = Projection::everything();
      break;
  }
  return wanted;
}

ScopeChoice choose_scopes(const FileReader& reader, const Sample& sample,
                          const std::vector<std::string>& banks,
                          const std::optional<std::string>& column) {
  const auto by_size = banks_by_size(sample);
  ScopeChoice choice;
  for (const std::string& name : banks) {
    choice.some.push_back(key_named(reader, name));
  }
  for (std::size_t i = 0; banks.empty() && i < std::min(by_size.size(), kSomeBanks); ++i) {
    choice.some.push_back(by_size[i].first);
  }
  std::vector<BankKey> candidates = choice.some;
  if (const Schema* usual = reader.dictionary().find(kUsualBank); banks.empty() && usual) {
    const auto place = std::find(candidates.begin(), candidates.end(), usual->key());
    std::rotate(candidates.begin(), place, place == candidates.end() ? place : place + 1);
  }
  // The first one whose columns are known, if there is one.
  const Schema* schema = nullptr;
  for (const BankKey key : candidates) {
    const Schema* candidate = reader.dictionary().find(key);
    if (candidate != nullptr && candidate->row_size() != 0) {
      schema = candidate;
      break;
    }
  }
  if (schema == nullptr) {
    throw Error(ErrorCode::not_found, "no bank with a schema to measure with",
                {.path = reader.name()});
  }
  const bool is_there = std::any_of(by_size.begin(), by_size.end(), [&](const auto& bank) {
    return bank.first == schema->key() && bank.second != 0;
  });
  if (!is_there) {
    throw Error(ErrorCode::not_found,
                fmt::format("bank {} has no values in the sample", schema->name()),
                {.path = reader.name()});
  }
  choice.bank = schema->key();
  choice.bank_name = schema->name();
  if (column) {
    const auto index = schema->find_column(*column);
    if (!index) {
      throw Error(ErrorCode::not_found, "no such column",
                  {.path = reader.name(), .bank = schema->name(), .column = *column});
    }
    choice.column = *index;
  } else {
    const auto& columns = schema->columns();
    const auto first_float = std::find_if(columns.begin(), columns.end(), [](const Column& one) {
      return one.type == ColumnType::f32;
    });
    choice.column =
        first_float == columns.end() ? 0 : static_cast<std::size_t>(first_float - columns.begin());
  }
  choice.column_name = schema->columns()[choice.column].name;
  return choice;
}

ReadTarget ReadTarget::of(const FileReader& reader, std::vector<std::size_t> indices) {
  ReadTarget target{.reader = &reader, .indices = std::move(indices)};
  std::uint64_t events = 0;
  for (const std::size_t index : target.indices) {
    target.first_events.push_back(events);
    events += reader.records()[index].header.event_count;
  }
  return target;
}

ReadTarget ReadTarget::whole(const FileReader& reader) {
  std::vector<std::size_t> indices(reader.records().size());
  std::iota(indices.begin(), indices.end(), std::size_t{0});
  return of(reader, std::move(indices));
}

std::uint64_t ReadTarget::stored_bytes() const {
  std::uint64_t bytes = 0;
  for (const std::size_t index : indices) {
    bytes += reader->records()[index].header.record_bytes();
  }
  return bytes;
}

std::uint64_t ReadTarget::events() const {
  std::uint64_t events = 0;
  for (const std::size_t index : indices) {
    events += reader->records()[index].header.event_count;
  }
  return events;
}

void CountingSource::read_at(std::uint64_t offset, MutableByteSpan out) const {
  ++calls_;
  bytes_ += out.size();
  if (!timed_) {
    source_->read_at(offset, out);
    return;
  }
  const std::uint64_t real = nanoseconds_of(CLOCK_MONOTONIC);
  const std::uint64_t cpu = nanoseconds_of(CLOCK_THREAD_CPUTIME_ID);
  source_->read_at(offset, out);
  cpu_nanoseconds_ += nanoseconds_of(CLOCK_THREAD_CPUTIME_ID) - cpu;
  real_nanoseconds_ += nanoseconds_of(CLOCK_MONOTONIC) - real;
}

void CountingSource::reset(bool timed) {
  calls_ = bytes_ = real_nanoseconds_ = cpu_nanoseconds_ = 0;
  timed_ = timed;
}

ReadCounters CountingSource::counters() const {
  const auto real = static_cast<double>(real_nanoseconds_);
  const auto cpu = static_cast<double>(cpu_nanoseconds_);
  return {.read_calls = calls_,
          .bytes_read = bytes_,
          .read_seconds = real * 1e-9,
          .wait_seconds = std::max(real - cpu, 0.0) * 1e-9};
}

struct ReadingPass::State {
  ReadTarget target;
  Scope scope = Scope::all;
  Projection projection;
  unsigned threads = 1;
  std::uint64_t memory_bytes = 0;
  CodecContext context{};
  StoredRecord stored{};
  RecordDirectory directory{};
  Record record{};
  ValueChecksum checksum{};

  // Adds what the scope asks for of one record.
  void add(const Record& decoded, std::uint64_t first_event, ValueChecksum& into) const {
    if (scope == Scope::tags) {
      for (const std::uint32_t tag : decoded.tags) {
        into.add_number(tag);
      }
    } else {
      into.add(decoded, projection, first_event);
    }
  }

  void run_alone() {
    const FileReader& reader = *target.reader;
    for (std::size_t i = 0; i < target.indices.size(); ++i) {
      if (scope == Scope::meta) {
        reader.read_directory(target.indices[i], context, stored, directory);
        // All that headers of any layout and record size have in common.
        checksum.add_ones(stored.header.event_count);
      } else {
        reader.read_record(target.indices[i], projection, context, record);
        add(record, target.first_events[i], checksum);
      }
    }
  }

  void run_with_threads() {
    std::map<std::size_t, std::uint64_t> first_event;
    for (std::size_t i = 0; i < target.indices.size(); ++i) {
      first_event[target.indices[i]] = target.first_events[i];
    }
    ScanOptions options{.threads = threads, .memory_bytes = memory_bytes};
    options.wants_record = [&](std::size_t index) { return first_event.contains(index); };
    scan(
        *target.reader, projection, options,
        [&](const Record& decoded, std::size_t index) {
          ValueChecksum part;
          add(decoded, first_event.at(index), part);
          return part;
        },
        [&](const ValueChecksum& part, std::size_t) { checksum.append(part); });
  }
};

ReadingPass::ReadingPass(ReadTarget target, Scope scope, Projection projection, unsigned threads,
                         std::uint64_t memory_bytes)
    : state_(new State{.target = std::move(target),
                       .scope = scope,
                       .projection = std::move(projection),
                       .threads = threads,
                       .memory_bytes = memory_bytes}) {}
ReadingPass::ReadingPass(ReadingPass&&) noexcept = default;
ReadingPass& ReadingPass::operator=(ReadingPass&&) noexcept = default;
ReadingPass::~ReadingPass() = default;

std::uint64_t ReadingPass::run(Stopwatch& watch) {
  state_->checksum.clear();
  watch.start();
  // Directories are read by the caller alone: a scan decodes.
  if (state_->threads <= 1 || state_->scope == Scope::meta) {
    state_->run_alone();
  } else {
    state_->run_with_threads();
  }
  watch.stop();
  return state_->checksum.value();
}

ReadCounters ReadingPass::count(CountingSource& source) {
  State& state = *state_;
  const FileReader& reader = *state.target.reader;
  StreamInflater inflater;
  ReadCounters inflated;
  source.reset(true);
  for (const std::size_t index : state.target.indices) {
    if (state.scope == Scope::meta) {
      reader.read_directory(index, state.context, state.stored, state.directory);
      inflated.bytes_inflated += state.directory.inflated.size();
      continue;
    }
    const LayoutId layout = reader.records()[index].header.layout;
    // As the reader goes about it.
    if (state.projection.is_everything() || layout == LayoutId::per_chunk) {
      reader.read(index, state.stored);
      read_directory(state.stored, state.context, state.directory);
    } else {
      reader.read_directory(index, state.context, state.stored, state.directory);
      reader.read_streams(state.stored, state.directory, state.projection);
    }
    inflater.run(reader, state.stored, state.directory, state.projection, inflated);
  }
  ReadCounters counters = source.counters();
  counters.bytes_inflated = inflated.bytes_inflated;
  counters.inflate_seconds = inflated.inflate_seconds;
  source.reset(false);
  return counters;
}

std::uint64_t ReadingPass::values() const noexcept {
  return state_->checksum.values();
}

}  // namespace hipotool::app::bench
