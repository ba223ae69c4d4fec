#include "log.hpp"

#include "report/printable.hpp"

#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <unistd.h>

namespace hipotool::app {

struct Log::Sink {
  spdlog::logger logger{"hipo-tool", std::make_shared<spdlog::sinks::stderr_sink_mt>()};
};

Log::Log(bool quiet, ColorMode color)
    : sink_(std::make_unique<Sink>()), quiet_(quiet), color_(wants_color(color, STDERR_FILENO)) {
  sink_->logger.set_pattern("%v");
}

Log::~Log() = default;

void Log::notice(std::string_view text) {
  if (!quiet_) {
    line("hipo-tool: " + printable(text));
  }
}

void Log::warning(std::string_view text) {
  {
    const std::lock_guard lock(mutex_);
    warnings_.emplace_back(text);
  }
  line("hipo-tool: " + (color_ ? colored(Color::warning, "warning:") : "warning:") + " " +
       printable(text));
}

void Log::error(std::string_view text) {
  line("hipo-tool: " + (color_ ? colored(Color::error, "error:") : "error:") + " " +
       printable(text));
}

void Log::line(std::string_view text) {
  sink_->logger.info("{}", text);
}

std::vector<std::string> Log::warnings() const {
  const std::lock_guard lock(mutex_);
  return warnings_;
}

}  // namespace hipotool::app
