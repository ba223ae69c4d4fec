#pragma once
// Where a file's bytes go, from the first to the last: an AtomicFile, or a pipe, which keeps
// nothing that could be written over.

#include "hipotool/bytes.hpp"

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>

namespace hipotool {
inline namespace v0 {

class ByteSink {
 public:
  virtual ~ByteSink() = default;
  // Appends. Error{no_space, io} with the sink's name.
  virtual void write(ByteSpan bytes) = 0;
  // Whether bytes already written can be written over.
  [[nodiscard]] virtual bool can_overwrite() const noexcept = 0;
  // Overwrites bytes already written; the end does not move. Error{invalid_argument} where that is
  // not possible.
  virtual void write_at(std::uint64_t offset, ByteSpan bytes) = 0;
  // Bytes appended so far.
  [[nodiscard]] virtual std::uint64_t size() const noexcept = 0;

 protected:
  ByteSink() = default;
  ByteSink(const ByteSink&) = default;
  ByteSink& operator=(const ByteSink&) = default;
  ByteSink(ByteSink&&) = default;
  ByteSink& operator=(ByteSink&&) = default;
};

// Standard output, or another descriptor, front to back. A reader that has gone is an Error{io}: it
// did not get what it was to get. One thread at a time.
class StreamSink final : public ByteSink {
 public:
  // The descriptor stays the caller's until close(). A stop ends a wait for a reader that does not
  // read, with Error{cancelled}.
  StreamSink(int descriptor, std::string name, std::stop_token stop = {});
  StreamSink(const StreamSink&) = delete;
  StreamSink& operator=(const StreamSink&) = delete;
  StreamSink(StreamSink&&) noexcept;
  StreamSink& operator=(StreamSink&&) noexcept;
  ~StreamSink() override;

  void write(ByteSpan bytes) override;
  [[nodiscard]] bool can_overwrite() const noexcept override { return false; }
  void write_at(std::uint64_t offset, ByteSpan bytes) override;
  [[nodiscard]] std::uint64_t size() const noexcept override;
  // Closes the descriptor, where quota errors may surface. Nothing may follow.
  void close();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace v0
}  // namespace hipotool
