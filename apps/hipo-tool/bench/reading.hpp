#pragma once
// What a reading cell does: goes through records of a file with one projection and makes the
// checksum over all values that it asked for.

#include "hipotool/byte_source.hpp"
#include "hipotool/projection.hpp"
#include "hipotool/reader.hpp"

#include "bench/sample.hpp"
#include "bench/sampling.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hipotool::app::bench {

enum class Scope : std::uint8_t {
  meta,    // headers and directories only
  tags,    // every event's tag
  column,  // one column
  bank,    // every value of one bank
  some,    // every value of some banks
  all,     // every value of every bank
};
inline constexpr std::array kScopes{Scope::meta, Scope::tags, Scope::column,
                                    Scope::bank, Scope::some, Scope::all};
[[nodiscard]] std::string_view to_string(Scope scope) noexcept;

// Which banks and columns the scopes stand for in a file.
struct ScopeChoice {
  BankKey bank{};
  std::size_t column = 0;
  std::vector<BankKey> some{};
  std::string bank_name{};
  std::string column_name{};

  [[nodiscard]] Projection projection(Scope scope) const;
};

// Of the banks that the sample holds: the first one named and its `column`, else REC::Particle
// or the bank with the most bytes, and its first column of floats; `some` are those named, else the
// 40 with the most bytes. Error{not_found} for a name that the dictionary or the sample does not
// have.
[[nodiscard]] ScopeChoice choose_scopes(const FileReader& reader, const Sample& sample,
                                        const std::vector<std::string>& banks,
                                        const std::optional<std::string>& column);

// Records of one file.
struct ReadTarget {
  const FileReader* reader = nullptr;
  std::vector<std::size_t> indices{};         // ascending
  std::vector<std::uint64_t> first_events{};  // number of each one's first event, within the target

  [[nodiscard]] static ReadTarget of(const FileReader& reader, std::vector<std::size_t> indices);
  [[nodiscard]] static ReadTarget whole(const FileReader& reader);
  [[nodiscard]] std::uint64_t stored_bytes() const;
  [[nodiscard]] std::uint64_t events() const;
};

// What reading took, as TTreePerfStats counts it.
struct ReadCounters {
  std::uint64_t read_calls = 0;
  std::uint64_t bytes_read = 0;
  std::uint64_t bytes_inflated = 0;
  double inflate_seconds = 0;  // of the streams concerned, by the bare codec
  double read_seconds = 0;     // within read calls
  double wait_seconds = 0;     // of those, not on a CPU: waiting for the disk
};

// A file that counts how it is read. The clocks run only while `timed` is set: they cost as much as
// a small read.
class CountingSource final : public ByteSource {
 public:
  explicit CountingSource(std::shared_ptr<const ByteSource> source) : source_(std::move(source)) {}
  void read_at(std::uint64_t offset, MutableByteSpan out) const override;
  [[nodiscard]] std::uint64_t size() const noexcept override { return source_->size(); }
  [[nodiscard]] const std::string& name() const noexcept override { return source_->name(); }
  void require_unchanged() const override { source_->require_unchanged(); }

  void reset(bool timed);
  [[nodiscard]] ReadCounters counters() const;

 private:
  std::shared_ptr<const ByteSource> source_;
  std::atomic<bool> timed_{false};
  mutable std::atomic<std::uint64_t> calls_{0};
  mutable std::atomic<std::uint64_t> bytes_{0};
  mutable std::atomic<std::uint64_t> real_nanoseconds_{0};
  mutable std::atomic<std::uint64_t> cpu_nanoseconds_{0};
};

// Reads once, memory and codec contexts kept from run to run.
class ReadingPass {
 public:
  ReadingPass(ReadTarget target, Scope scope, Projection projection, unsigned threads,
              std::uint64_t memory_bytes);
  ReadingPass(ReadingPass&&) noexcept;
  ReadingPass& operator=(ReadingPass&&) noexcept;
  ReadingPass(const ReadingPass&) = delete;
  ReadingPass& operator=(const ReadingPass&) = delete;
  ~ReadingPass();

  // With one thread there is none but the caller's.
  [[nodiscard]] std::uint64_t run(Stopwatch& watch);
  // A run apart that is not timed as a whole; `source` is what the reader reads.
  [[nodiscard]] ReadCounters count(CountingSource& source);
  [[nodiscard]] std::uint64_t values() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace hipotool::app::bench
