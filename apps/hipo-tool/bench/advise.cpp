#include "bench/advise.hpp"

#include "hipotool/record_plan.hpp"

#include "report/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>

namespace hipotool::app::bench {

namespace {

constexpr std::array<std::string_view, 4> kGoals{"size", "selective-read", "full-read", "write"};
// What other work of the machine may add, whatever the samples say.
constexpr double kLeastTimeError = 0.10;

struct Plan {
  Compression compression{};
  std::uint64_t record_bytes = 0;
};

std::vector<CodecLevel> codecs_for(Goal goal) {
  switch (goal) {
    case Goal::size:
      return {{CodecId::lz4hc, 9}, {CodecId::gzip, 6}, {CodecId::zstd, 3}, {CodecId::zstd, 9}};
    case Goal::selective_read:
      return {{CodecId::lz4, 0}, {CodecId::lz4hc, 4}, {CodecId::zstd, 1}, {CodecId::zstd, 3}};
    case Goal::full_read:
      return {{CodecId::lz4, 0},
              {CodecId::lz4hc, 4},
              automatic_level(CodecId::lz4hc),
              {CodecId::lz4hc, 9},
              {CodecId::zstd, 1}};
    default:
      return {{CodecId::lz4, 0}, {CodecId::zstd, 1}};
  }
}

std::vector<Plan> plans_for(Goal goal, std::uint64_t record_bytes) {
  std::vector<Plan> plans;
  for (const CodecLevel& one : codecs_for(goal)) {
    if (!codec_info(one.codec).available) {
      continue;
    }
    for (const LayoutId layout : {LayoutId::per_chunk, LayoutId::per_bank, LayoutId::per_column}) {
      if (one.effort == Effort::automatic && layout == LayoutId::per_chunk) {
        continue;
      }
      Compression compression{
          .codec = one.codec, .layout = layout, .level = one.level, .effort = one.effort};
      const std::uint64_t bytes = record_bytes != 0 ? record_bytes : default_record_bytes(layout);
      plans.push_back({compression, bytes});
      if (goal == Goal::size && layout == LayoutId::per_column && one.codec == CodecId::zstd) {
        compression.encodings = Encodings::best;
        plans.push_back({compression, bytes});
      }
    }
  }
  return plans;
}

std::string name_of(const Plan& plan) {
  return fmt::format("{}, records of {} bytes", to_string(plan.compression), plan.record_bytes);
}

// A plan carried out on the sample.
struct Trial {
  Plan plan;
  std::vector<EncodedSize> sizes{};
  WritingPass writing;
  FormatFile file;
  std::unique_ptr<ReadingPass> column{};
  std::unique_ptr<ReadingPass> all{};
};

Trial make_trial(Workbench& bench, const Plan& plan, ReadingMemories& memories) {
  bench.tell("advise: writing " + name_of(plan));
  std::vector<PlannedRecord> planned =
      plan_records(bench.sample().records, plan.compression, plan.record_bytes);
  std::vector<EncodedSize> sizes;
  sizes.reserve(planned.size());
  for (const PlannedRecord& record : planned) {
    sizes.push_back({.raw_bytes = record.events.raw_bytes()});
  }
  WritingPass writing(bench.input(), std::move(planned), bench.options().threads.front(),
                      bench.encoders());
  FormatFile file = bench.write_format(writing);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    sizes[i].stored_bytes = file.reader->records()[i].header.record_bytes();
  }
  Trial trial{.plan = plan,
              .sizes = std::move(sizes),
              .writing = std::move(writing),
              .file = std::move(file)};
  const auto reading = [&](Scope scope) {
    return std::make_unique<ReadingPass>(ReadTarget::whole(*trial.file.reader), scope,
                                         bench.scopes().projection(scope),
                                         bench.options().threads.front(), bench.memory_bytes(),
                                         memories.of(scope, plan.compression.layout));
  };
  trial.column = reading(Scope::column);
  trial.all = reading(Scope::all);
  return trial;
}

Prediction seconds_of(const Workbench::Timed& timed, const WholeFile& file) {
  const Spread spread = spread_of(timed.samples.real_seconds());
  const double range = spread.median > 0 ? (spread.most - spread.least) / 2 / spread.median : 0;
  return predict_seconds(spread.median, std::max({spread.noise_floor, range, kLeastTimeError}),
                         file);
}

std::vector<Candidate> try_plans(Workbench& bench, std::span<const Plan> plans,
                                 std::uint64_t raw_bytes) {
  ReadingMemories memories;
  std::vector<Trial> trials;
  trials.reserve(plans.size());
  for (const Plan& plan : plans) {
    trials.push_back(make_trial(bench, plan, memories));
  }
  std::vector<TimedCell> cells;
  for (Trial& trial : trials) {
    cells.push_back(
        {.name = name_of(trial.plan) + ", write", .rule = kWriteRule, .run = [&](Stopwatch& watch) {
           AtomicFile file = bench.scratch_file();
           return trial.writing.run(file, watch).file_bytes;
         }});
    cells.push_back({.name = name_of(trial.plan) + ", read column",
                     .group = "column",
                     .run = [&](Stopwatch& watch) { return trial.column->run(watch); }});
    cells.push_back({.name = name_of(trial.plan) + ", read all",
                     .group = "all",
                     .run = [&](Stopwatch& watch) { return trial.all->run(watch); }});
  }
  const auto timed = bench.time("advise", cells);
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    WholeFile whole{.raw_bytes = raw_bytes, .sampled_bytes = bench.sample().raw_bytes};
    whole.fixed_bytes = trials[i].file.summary.file_bytes;
    for (const EncodedSize& size : trials[i].sizes) {
      whole.fixed_bytes -= size.stored_bytes;
    }
    candidates.push_back({.compression = trials[i].plan.compression,
                          .record_bytes = trials[i].plan.record_bytes,
                          .file_bytes = predict_file_bytes(trials[i].sizes, whole),
                          .write_seconds = seconds_of(timed[3 * i], whole),
                          .selective_read_seconds = seconds_of(timed[3 * i + 1], whole),
                          .full_read_seconds = seconds_of(timed[3 * i + 2], whole)});
  }
  return candidates;
}

const Prediction& wanted(const Candidate& candidate, Goal goal) {
  switch (goal) {
    case Goal::selective_read:
      return candidate.selective_read_seconds;
    case Goal::full_read:
      return candidate.full_read_seconds;
    case Goal::write:
      return candidate.write_seconds;
    default:
      return candidate.file_bytes;
  }
}

std::string readers_of(const Compression& compression) {
  const ReadableBy readers = readable_by(compression);
  std::string text = "hipo-tool";
  text += readers.oxihipo_since.empty()
              ? ""
              : fmt::format(", oxihipo {} and later", readers.oxihipo_since);
  text += readers.cpp_hipo4 ? ", C++ hipo4" : "";
  text += readers.java ? ", Java (hipo-java)" : "";
  return text;
}

std::string command_of(const std::string& input, const Candidate& candidate) {
  const Compression& how = candidate.compression;
  std::string text = fmt::format("hipo-tool recook {} OUT --layout {} --codec {}", input,
                                 to_string(how.layout), to_string(how.codec));
  text += codec_info(how.codec).max_level == 0 ? "" : fmt::format(" --level {}", how.level);
  text += how.effort == Effort::automatic ? " --effort auto" : "";
  text += how.encodings == Encodings::best ? " --encodings best" : "";
  return text + fmt::format(" --record-size {}", candidate.record_bytes);
}

void report_prediction(ReportWriter& report, const std::string& name, Unit unit,
                       const Prediction& prediction) {
  report.field({name, unit}, prediction.value);
  report.field({name + "_error", unit}, prediction.error);
}

void report_candidates(const Advice& advice, ReportWriter& report) {
  const std::vector<ReportColumn> columns{{"layout"},
                                          {"codec"},
                                          {"level", Unit::count},
                                          {"encodings"},
                                          {"effort"},
                                          {"record_bytes", Unit::bytes},
                                          {"file_bytes", Unit::bytes},
                                          {"file_bytes_error", Unit::bytes},
                                          {"write_seconds", Unit::seconds},
                                          {"write_seconds_error", Unit::seconds},
                                          {"selective_read_seconds", Unit::seconds},
                                          {"selective_read_seconds_error", Unit::seconds},
                                          {"full_read_seconds", Unit::seconds},
                                          {"full_read_seconds_error", Unit::seconds}};
  report.begin_table("candidates", columns);
  for (const Candidate& one : advice.candidates) {
    report.row(std::vector<Cell>{
        std::string(to_string(one.compression.layout)),
        std::string(to_string(one.compression.codec)), std::int64_t{one.compression.level},
        std::string(to_string(one.compression.encodings)),
        std::string(to_string(one.compression.effort)), one.record_bytes, one.file_bytes.value,
        one.file_bytes.error, one.write_seconds.value, one.write_seconds.error,
        one.selective_read_seconds.value, one.selective_read_seconds.error,
        one.full_read_seconds.value, one.full_read_seconds.error});
  }
  report.end_table();
}

}  // namespace

std::string_view to_string(Goal goal) noexcept {
  return kGoals[static_cast<std::size_t>(goal)];
}

std::optional<Goal> parse_goal(std::string_view word) noexcept {
  const auto place = std::find(kGoals.begin(), kGoals.end(), word);
  return place == kGoals.end() ? std::nullopt
                               : std::optional(static_cast<Goal>(place - kGoals.begin()));
}

std::size_t best_of(std::span<const Candidate> candidates, Goal goal) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < candidates.size(); ++i) {
    if (wanted(candidates[i], goal).value < wanted(candidates[best], goal).value) {
      best = i;
    }
  }
  if (goal == Goal::size) {
    return best;  // of one sample, so the errors of the sizes go together
  }
  const Prediction& least = wanted(candidates[best], goal);
  const Measure measure{least.value, least.value > 0 ? least.error / least.value : 0};
  std::size_t chosen = best;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Prediction& mine = wanted(candidates[i], goal);
    const bool as_good =
        compare(measure, {mine.value, mine.value > 0 ? mine.error / mine.value : 0}) ==
        Verdict::no_measurable_difference;
    if (as_good && candidates[i].file_bytes.value < candidates[chosen].file_bytes.value) {
      chosen = i;
    }
  }
  return chosen;
}

Advice advise(Workbench& bench, Goal goal) {
  const std::uint64_t raw_bytes =
      std::max(raw_bytes_of(bench.input(), bench.memory_bytes()), bench.sample().raw_bytes);
  const std::uint64_t record_bytes = bench.options().record_bytes;
  Advice advice{.goal = goal};
  advice.candidates = try_plans(bench, plans_for(goal, record_bytes), raw_bytes);
  advice.best = best_of(advice.candidates, goal);
  if (record_bytes != 0) {
    return advice;
  }
  // The best format with smaller and larger records than usual.
  const Candidate& first = advice.candidates[advice.best];
  std::vector<Plan> sizes;
  for (const std::uint64_t bytes :
       {first.record_bytes / 4, first.record_bytes / 2, first.record_bytes * 2}) {
    sizes.push_back({first.compression, bytes});
  }
  const std::vector<Candidate> resized = try_plans(bench, sizes, raw_bytes);
  advice.candidates.insert(advice.candidates.end(), resized.begin(), resized.end());
  advice.best = best_of(advice.candidates, goal);
  return advice;
}

int run_advise(Workbench& bench, Goal goal, Invocation& invocation) {
  const Advice advice = bench::advise(bench, goal);
  if (!invocation.wants_report()) {
    return 0;
  }
  const Candidate& best = advice.candidates[advice.best];
  ReportWriter& report = invocation.report();
  report.begin_document("bench");
  report.field({"view"}, std::string("advice"));
  report.field({"path"}, bench.path().string());
  report.field({"for"}, std::string(to_string(goal)));
  report.field({"sample"}, bench.sample().text());
  report.field({"synthetic"}, bench.synthetic());
  report.field({"layout"}, std::string(to_string(best.compression.layout)));
  report.field({"codec"}, std::string(to_string(best.compression.codec)));
  report.field({"level", Unit::count}, std::int64_t{best.compression.level});
  report.field({"encodings"}, std::string(to_string(best.compression.encodings)));
  report.field({"effort"}, std::string(to_string(best.compression.effort)));
  report.field({"record_bytes", Unit::bytes}, best.record_bytes);
  report_prediction(report, "file_bytes", Unit::bytes, best.file_bytes);
  report_prediction(report, "write_seconds", Unit::seconds, best.write_seconds);
  report_prediction(report, "selective_read_seconds", Unit::seconds, best.selective_read_seconds);
  report_prediction(report, "full_read_seconds", Unit::seconds, best.full_read_seconds);
  report.field({"threads", Unit::count}, std::uint64_t{bench.options().threads.front()});
  report.field({"readable_by"}, readers_of(best.compression));
  report.field({"command"}, command_of(bench.path().string(), best));
  report_candidates(advice, report);
  report.end_document();
  return 0;
}

}  // namespace hipotool::app::bench
