#pragma once
// The part of the report of `stats` that is about a file as a whole: sizes, events, tags, runs,
// records, who can read it.

#include "report/writer.hpp"
#include "stats.hpp"

namespace hipotool::app {

void report_summary(ReportWriter& report, const StatsResult& result, const StatsOptions& options,
                    ReportFormat format);

}  // namespace hipotool::app
