#pragma once
// Where a command's own text goes: stdout, stderr where HIPO bytes go to stdout, or the file of
// --report-file. Buffered; what could not
// be written is an Error, so that a full disk behind a redirection is noticed, except that a reader
// which has gone (`| head`) ends the command quietly. One thread at a time.

#include "hipotool/atomic_file.hpp"

#include "color.hpp"

#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace hipotool::app {

// Nobody reads stdout any more.
class ClosedPipe : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "nobody reads stdout"; }
};

class Output {
 public:
  static Output to_stdout();
  static Output to_stderr();
  // Complete at close() or absent.
  static Output to_file(AtomicFile file);
  // A device or pipe: written as it comes. Error{io}.
  static Output to_device(const std::filesystem::path& path);

  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  Output(Output&& other) noexcept;
  Output& operator=(Output&&) = delete;
  ~Output();

  // Whether text for people is to have colour. A file of --report-file never has.
  void choose_color(ColorMode mode);
  [[nodiscard]] bool has_color() const noexcept { return color_; }

  void write(std::string_view text);
  void flush();
  // Writes what is left and checks that it arrived. Nothing may follow.
  void close();

 private:
  Output(int descriptor, std::string name);

  void send(std::string_view text);

  int descriptor_ = -1;
  std::optional<AtomicFile> file_{};
  std::string name_;
  std::string buffer_{};
  bool color_ = false;
};

}  // namespace hipotool::app
