#include "inspect/record_counter.hpp"

#include <array>
#include <string_view>

namespace hipotool::inline v0::inspect {
namespace {

constexpr std::string_view kRunBank = "RUN::config";

bool is_integer(const Column& column) {
  return column.type != ColumnType::f32 && column.type != ColumnType::f64;
}

}  // namespace

CountingPlan::CountingPlan(const FileReader& file, const StatisticsOptions& how)
    : reader(file), options(how) {
  if (options.runs) {
    find_run_bank();
  }
  for (const LayoutId layout : {LayoutId::per_chunk, LayoutId::per_bank, LayoutId::per_column}) {
    const auto at = static_cast<std::size_t>(layout);
    Projection& projection = projections_[at];
    const bool whole = layout == LayoutId::per_chunk;
    const bool everything = options.duplicates || (whole && options.banks) ||
                            (inflates_wanted(layout) && !options.wanted);
    if (everything) {
      projection = Projection::everything();
    } else {
      if (inflates_wanted(layout)) {
        add_wanted(projection);
      }
      if (run_bank.schema != nullptr) {
        std::set<std::size_t> columns{run_bank.run};
        columns.insert(run_bank.event.value_or(run_bank.run));
        projection.add(run_bank.schema->key(), columns);
      }
      add_condition(projection);
    }
    inflates_[at] = whole || everything || inflates_wanted(layout) || run_bank.schema != nullptr ||
                    options.where != nullptr;
  }
  if (options.duplicates) {
    std::uint64_t first = 0;
    for (const RecordEntry& entry : reader.records()) {
      first_.push_back(first);
      first += entry.header.event_count;
    }
  }
}

void CountingPlan::find_run_bank() {
  const Schema* schema = reader.dictionary().find(kRunBank);
  // A schema whose key another one has taken over describes no bank.
  if (schema == nullptr || reader.dictionary().find(schema->key()) != schema) {
    return;
  }
  const auto run = schema->find_column("run");
  const auto event = schema->find_column("event");
  if (!run || !is_integer(schema->columns()[*run])) {
    return;
  }
  run_bank = {schema, *run, std::nullopt};
  if (event && is_integer(schema->columns()[*event])) {
    run_bank.event = event;
  }
}

// Whether the banks that are wanted must be there themselves, and not only what a directory says.
bool CountingPlan::inflates_wanted(LayoutId layout) const {
  if (options.values) {
    return true;
  }
  // Sizes that the streams of this layout do not tell.
  const bool shared_streams = layout == LayoutId::per_bank && options.columns;
  return options.estimate && (shared_streams || options.per_tag || !takes_all_events());
}

void CountingPlan::add_wanted(Projection& projection) const {
  for (const BankKey key : *options.wanted) {
    projection.add(key);
  }
}

void CountingPlan::add_condition(Projection& projection) const {
  if (options.where == nullptr) {
    return;
  }
  const Projection& needed = options.where->projection();
  for (const Schema* schema : reader.dictionary().schemas()) {
    if (!needed.wants(schema->key())) {
      continue;
    }
    std::set<std::size_t> columns;
    for (std::size_t c = 0; c < schema->columns().size(); ++c) {
      if (needed.wants(schema->key(), c)) {
        columns.insert(c);
      }
    }
    projection.add(schema->key(), columns);
  }
}

}  // namespace hipotool::inline v0::inspect
