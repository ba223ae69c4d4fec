#pragma once
// Digests that were noted before, as `check --digest` prints them, to hold files against.

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hipotool::app {

// 32 hexadecimal digits, made lower case. Throws UsageError.
[[nodiscard]] std::string parse_digest(std::string_view text);

class ExpectedDigests {
 public:
  // Adds the lines of a list. Lines end with a line feed, or with NUL if there is one (-0). Throws
  // UsageError where the list cannot be read or a line is something else.
  void read(const std::string& list);
  void add_line(std::string_view line, bool escaped);

  struct Match {
    std::optional<std::string> digest{};
    std::string problem{};  // why there is none
  };
  // By the path as given, else by the last part of it where all lines with that part agree.
  [[nodiscard]] Match find(const std::filesystem::path& path);
  // Lines that find() has not come upon.
  [[nodiscard]] std::size_t unused() const;

 private:
  struct Entry {
    std::string path;
    std::optional<std::string> digest{};  // none: the file was bad then
    bool used = false;
  };
  template <typename Wanted>
  [[nodiscard]] std::optional<Match> match(const Wanted& wanted);

  std::vector<Entry> entries_{};
};

}  // namespace hipotool::app
