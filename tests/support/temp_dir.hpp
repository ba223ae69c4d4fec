#pragma once
// A folder of its own for one test, gone with everything in it when the object goes.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace hipotool::test {

class TempDir {
 public:
  TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  TempDir(TempDir&&) = delete;
  TempDir& operator=(TempDir&&) = delete;
  ~TempDir();

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  [[nodiscard]] std::filesystem::path operator/(std::string_view name) const {
    return path_ / name;
  }
  // Names of what lies directly in it, hidden files too, sorted.
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  std::filesystem::path path_;
};

// The whole file; fails the test (and gives "") where it cannot be read.
[[nodiscard]] std::string read_text(const std::filesystem::path& path);
// Makes or overwrites the file.
void write_text(const std::filesystem::path& path, std::string_view text);

}  // namespace hipotool::test
