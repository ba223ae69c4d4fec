#pragma once
// HIPO files as the bare codec libraries see them: where the streams lie, and nothing else. What
// the project's own code is measured against, so it includes none of its headers, checks nothing
// that a hostile file would need, and reads only little-endian files with a valid trailer position.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace bare {

using Bytes = std::vector<char>;

[[noreturn]] void fail(const std::string& what);

enum class CodecName { none, lz4, lz4hc, gzip, zstd };
[[nodiscard]] CodecName parse_codec(const std::string& word);

struct Codec {
  CodecName name = CodecName::lz4;
  int level = 0;
};

// One thread's codec contexts. Anything that does not fit ends the program.
class CodecWorker {
 public:
  CodecWorker();
  ~CodecWorker();
  CodecWorker(const CodecWorker&) = delete;
  CodecWorker& operator=(const CodecWorker&) = delete;
  CodecWorker(CodecWorker&&) = delete;
  CodecWorker& operator=(CodecWorker&&) = delete;

  // Into `out`, which grows where it must; returns the compressed size.
  std::size_t compress(const Codec& codec, const char* raw, std::size_t size, Bytes& out);
  void inflate(CodecName codec, const char* from, std::size_t stored, char* to, std::size_t raw);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

struct Stream {
  std::uint64_t offset = 0;  // in the file
  std::size_t stored = 0;
  std::size_t raw = 0;
  unsigned group = 0;
  unsigned item = 0;
  std::size_t column = 0;
};

struct Record {
  std::uint64_t offset = 0;
  std::size_t bytes = 0;
  CodecName codec = CodecName::none;
  bool is_split = false;
  Stream directory{};             // split records: always an LZ4 block
  std::vector<Stream> streams{};  // per-chunk: the payload alone
};

// The data records of a file.
class File {
 public:
  explicit File(const std::string& path);
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  File(File&&) = delete;
  File& operator=(File&&) = delete;

  [[nodiscard]] const std::vector<Record>& records() const { return records_; }
  void read(std::uint64_t offset, char* to, std::size_t size) const;

 private:
  int descriptor_;
  std::vector<Record> records_;
};

// A whole record in memory, and its streams inflated.
[[nodiscard]] std::vector<Bytes> raw_streams(const File& file, const Record& record);

// What a read is after. Unset: everything.
struct Wanted {
  bool everything = true;
  unsigned group = 0;
  unsigned item = 0;
  int column = -1;  // -1: all of the bank

  [[nodiscard]] bool has(const Stream& stream) const {
    return everything || (stream.group == group && stream.item == item &&
                          (column < 0 || stream.column == static_cast<std::size_t>(column)));
  }
};

struct Sample {
  double seconds = 0;
  std::uint64_t bytes_read = 0;
  std::uint64_t raw_bytes = 0;  // inflated, directories not counted
  std::uint64_t checksum = 0;   // over everything inflated; taken outside the time
};

// Fetches the byte ranges of what is wanted and inflates its streams, into the same buffers again.
[[nodiscard]] Sample read(const File& file, const Wanted& wanted);

// What a recook has to do: inflate the input, compress the streams of the output and, where it
// verifies, inflate and compare them. Everything lies in memory before the clock starts.
class RecookWork {
 public:
  // `output` is the finished file, whose streams are to be made.
  RecookWork(const File& input, const File& output);
  // N threads that share nothing: each takes every N-th record.
  [[nodiscard]] Sample run(const Codec& codec, bool verify, unsigned threads) const;

 private:
  struct StoredStream {
    CodecName codec;
    Bytes stored;
    std::size_t raw;
  };
  Sample run_thread(const Codec& codec, bool verify, unsigned threads, unsigned thread) const;

  std::vector<std::vector<StoredStream>> input_;
  std::vector<std::vector<Bytes>> output_;
};

}  // namespace bare
