#pragma once
// Results as somebody reads them: tables for people, one document for programs.

#include "bench/result.hpp"
#include "output.hpp"
#include "report/writer.hpp"

namespace hipotool::app::bench {

void show(const BenchResult& result, ReportFormat format, Output& output);

// One object in one line (docs/schema/bench.json).
[[nodiscard]] std::string bench_json(const BenchResult& result);

}  // namespace hipotool::app::bench
