#include "hipotool/scan.hpp"

#include "layout/layout.hpp"
#include "pipeline/ordered_pipeline.hpp"
#include "pipeline/recycler.hpp"

#include <algorithm>
#include <vector>

namespace hipotool {
inline namespace v0 {
namespace detail {
namespace {

// Where the cost is not known before the directory is read, what is stored stands in for it.
std::uint64_t cost_of(const RecordHeader& header) {
  return header.record_bytes() + 2 * header.declared_raw_bytes();
}

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

}  // namespace

void scan(const FileReader& reader, const Projection& projection, const ScanOptions& options,
          const std::function<AnyResult(const Record&, std::size_t)>& work,
          const std::function<void(AnyResult, std::size_t)>& sink) {
  const unsigned threads = std::max(options.threads, 1U);
  std::vector<Worker> workers(threads);
  std::size_t next = 0;
  using Pipeline = pipeline::OrderedPipeline<std::size_t, Done, Done, Done>;
  Pipeline::StagesType stages;
  stages.next = [&]() -> std::optional<std::size_t> {
    while (options.wants_record && next < reader.records().size() && !options.wants_record(next)) {
      ++next;
    }
    return next < reader.records().size() ? std::optional(next++) : std::nullopt;
  };
  stages.cost = [&](const std::size_t& index) { return cost_of(reader.records()[index].header); };
  stages.first = [&](std::size_t index, pipeline::Ticket ticket, unsigned worker) {
    Worker& mine = workers[worker];
    try {
      if (!options.first_look) {
        reader.read_record(index, projection, mine.context, mine.record);
      } else if (!look_twice(reader, index, projection, options, mine)) {
        return Done{nullptr, std::nullopt, index, std::move(ticket)};
      }
    } catch (const Error& error) {
      if (!options.on_bad_record) {
        throw;
      }
      return Done{nullptr, error, index, std::move(ticket)};
    }
    if (options.on_directory) {
      options.on_directory(mine.context.state().record_directory, index);
    }
    AnyResult result = with_context([&] { return reader.context_of(index); },
                                    [&] { return work(mine.record, index); });
    return Done{std::move(result), std::nullopt, index, std::move(ticket)};
  };
  stages.regroup = [](Done done) {
    std::vector<Done> one;
    one.push_back(std::move(done));
    return one;
  };
  stages.finish = [] { return std::vector<Done>{}; };
  stages.second = [](Done done, unsigned /*worker*/) { return done; };
  stages.sink = [&](Done done) {
    if (done.error) {
      options.on_bad_record(*done.error, done.index);
    } else if (done.result != nullptr) {
      sink(std::move(done.result), done.index);
    }
  };
  Pipeline(std::move(stages), {threads, options.memory_bytes, options.stop, {}}).run();
}

}  // namespace detail
}  // namespace v0
}  // namespace hipotool
