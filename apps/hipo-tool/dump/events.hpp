#pragma once
// Events of files as text, from file to file.

#include "hipotool/reader.hpp"

#include "dump/dump_options.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hipotool::app {

// The output could not be written; unlike damage of an input this ends the command.
struct OutputFailure {
  Error error;
};

class EventDump {
 public:
  EventDump(const DumpOptions& options, EventOutput output, bool several_files,
            Invocation& invocation);

  // Error where the file cannot be read to the last event wanted, or lacks a bank or column that
  // was asked for; what comes before has been written by then. Throws OutputFailure.
  void add(const FileReader& reader);
  // Whether no further event is wanted.
  [[nodiscard]] bool is_complete() const noexcept { return left_ == 0; }
  // Says how many special events were shown that no option asked for.
  void tell_special(Log& log) const;

 private:
  void add_selected(const FileReader& reader);
  void write(std::string_view text);
  void write_heading(const FileReader& reader, const EventStyle& style);

  const DumpOptions* options_;
  EventOutput output_;
  bool several_files_;
  Invocation* invocation_;
  std::uint64_t left_;  // of Selection::most
  std::uint64_t special_ = 0;
  std::string header_{};  // of CSV and TSV, once it has been written
};

}  // namespace hipotool::app
