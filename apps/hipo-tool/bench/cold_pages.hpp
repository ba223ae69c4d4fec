#pragma once
// Takes a file's pages out of the page cache, so that a read has to go to the disk.

#include <cstdint>
#include <filesystem>

namespace hipotool::app::bench {

// Pages that were never written to the disk cannot be evicted; those of a file of ours are written
// first.
enum class Ownership : std::uint8_t { ours, foreign };

class ColdPages {
 public:
  // Error{unsupported} where the file's file system keeps its pages in memory alone.
  ColdPages(const std::filesystem::path& path, Ownership ownership);
  ColdPages(const ColdPages&) = delete;
  ColdPages& operator=(const ColdPages&) = delete;
  ColdPages(ColdPages&&) = delete;
  ColdPages& operator=(ColdPages&&) = delete;
  ~ColdPages();

  // Error{unsupported} where many of them stay.
  void evict();
  // Share of sampled pages that are in memory; looking does not bring them in.
  [[nodiscard]] double resident_share() const;

 private:
  std::filesystem::path path_;
  int descriptor_;
};

}  // namespace hipotool::app::bench
