#pragma once
// What a command says besides its result: lines on stderr that begin with "hipo-tool:". Warnings
// are kept, so that a report can list them. Any thread.

#include "color.hpp"

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace hipotool::app {

class Log {
 public:
  explicit Log(bool quiet, ColorMode color = ColorMode::automatic);
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;
  Log(Log&&) = delete;
  Log& operator=(Log&&) = delete;
  ~Log();

  void notice(std::string_view text);  // not with --quiet
  void warning(std::string_view text);
  void error(std::string_view text);
  // A line as it is, without the name in front.
  void line(std::string_view text);

  [[nodiscard]] std::vector<std::string> warnings() const;

 private:
  struct Sink;
  std::unique_ptr<Sink> sink_;
  bool quiet_;
  bool color_;
  mutable std::mutex mutex_;
  std::vector<std::string> warnings_;
};

}  // namespace hipotool::app
