#include "hipotool/scan.hpp"

#include "file/thread_share.hpp"
#include "layout/layout.hpp"
#include "pipeline/ordered_pipeline.hpp"
#include "pipeline/recycler.hpp"

#include <algorithm>
#include <vector>

namespace hipotool {
inline namespace v0 {
namespace detail {
namespace {

struct Done {
  AnyResult result;
  std::optional<Error> error;
  std::size_t index = 0;
  pipeline::Ticket ticket;
};

// What a thread keeps from record to record.
struct Worker {
  CodecContext context;
  Record record;
};

// Leaves the record decoded for `projection`; false if the first look was enough.
bool look_twice(const FileReader& reader, std::size_t index, const Projection& projection,
                const ScanOptions& options, Worker& worker) {
  if (reader.records()[index].header.layout == LayoutId::per_chunk) {
    Projection both = projection;
    both.add(options.first_projection);
    reader.read_record(index, both, worker.context, worker.record);
    return options.first_look(worker.record, index);
  }
  StoredRecord& stored = worker.context.state().stored;
  RecordDirectory& directory = worker.context.state().record_directory;
  const auto decode_for = [&](const Projection& wanted) {
    with_context([&] { return reader.context_of(index); },
                 [&] {
                   reader.read_streams(stored, directory, wanted);
                   decode(stored, directory, reader.dictionary(), wanted, worker.context,
                          worker.record);
                 });
  };
  reader.read_directory(index, worker.context, stored, directory);
  decode_for(options.first_projection);
  if (!options.first_look(worker.record, index)) {
    return false;
  }
  decode_for(projection);
  return true;
}

// One pass over the records that have not reached the sink yet.
class Scan {
 public:
  Scan(const FileReader& reader, const Projection& projection, const ScanOptions& options,
       const std::function<AnyResult(const Record&, std::size_t)>& work,
       const std::function<void(AnyResult, std::size_t)>& sink)
      : reader_(reader), projection_(projection), options_(options), work_(work), sink_(sink) {}

  void run(unsigned threads, std::uint64_t bytes_each) {
    workers_.clear();
    for (unsigned worker = 0; worker < threads; ++worker) {
      workers_.push_back({CodecContext(bytes_each), Record()});
    }
    std::size_t next = done_;
    using Pipeline = pipeline::OrderedPipeline<std::size_t, Done, Done, Done>;
    Pipeline::StagesType stages = pipeline::one_step<std::size_t, Done>();
    stages.next = [&]() -> std::optional<std::size_t> {
      while (options_.wants_record && next < reader_.records().size() &&
             !options_.wants_record(next)) {
        ++next;
      }
      return next < reader_.records().size() ? std::optional(next++) : std::nullopt;
    };
    stages.cost = [&](const std::size_t& index) {
      return file::header_cost(reader_.records()[index].header);
    };
    stages.first = [&](std::size_t index, pipeline::Ticket ticket, unsigned worker) {
      return read(index, std::move(ticket), workers_[worker]);
    };
    stages.sink = [&](Done done) { pass_on(std::move(done)); };
    Pipeline(std::move(stages), {threads, options_.memory_bytes, options_.stop, {}}).run();
  }

 private:
  Done read(std::size_t index, pipeline::Ticket ticket, Worker& mine) const {
    try {
      if (!options_.first_look) {
        reader_.read_record(index, projection_, mine.context, mine.record);
      } else if (!look_twice(reader_, index, projection_, options_, mine)) {
        return Done{nullptr, std::nullopt, index, std::move(ticket)};
      }
    } catch (const OverBudget&) {
      throw;
    } catch (const Error& error) {
      if (!options_.on_bad_record) {
        throw;
      }
      return Done{nullptr, error, index, std::move(ticket)};
    }
    if (options_.on_directory) {
      options_.on_directory(mine.context.state().record_directory, index);
    }
    AnyResult result = with_context([&] { return reader_.context_of(index); },
                                    [&] { return work_(mine.record, index); });
    return Done{std::move(result), std::nullopt, index, std::move(ticket)};
  }

  void pass_on(Done done) {
    if (done.error) {
      options_.on_bad_record(*done.error, done.index);
    } else if (done.result != nullptr) {
      sink_(std::move(done.result), done.index);
    }
    done_ = done.index + 1;
  }

  const FileReader& reader_;
  const Projection& projection_;
  const ScanOptions& options_;
  const std::function<AnyResult(const Record&, std::size_t)>& work_;
  const std::function<void(AnyResult, std::size_t)>& sink_;
  std::vector<Worker> workers_;
  std::size_t done_ = 0;  // the first that has not reached the sink
};

}  // namespace

void scan(const FileReader& reader, const Projection& projection, const ScanOptions& options,
          const std::function<AnyResult(const Record&, std::size_t)>& work,
          const std::function<void(AnyResult, std::size_t)>& sink) {
  std::uint64_t largest = 0;
  for (const RecordEntry& entry : reader.records()) {
    largest = std::max(largest, file::header_cost(entry.header));
  }
  Scan pass(reader, projection, options, work, sink);
  file::run_within_memory(largest, {options.threads, options.memory_bytes, options.memory_shares},
                          [&](unsigned threads, std::uint64_t bytes) { pass.run(threads, bytes); });
}

}  // namespace detail
}  // namespace v0
}  // namespace hipotool
