#include "bare.hpp"

#include <libdeflate.h>
#include <lz4.h>
#include <lz4hc.h>
#include <zstd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <thread>
#include <unistd.h>
#include <xxhash.h>

namespace bare {
namespace {

constexpr std::size_t kFirstRead = 4096;  // of a split record: most directories lie within

std::uint32_t word(const char* at) {
  std::uint32_t value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

std::uint16_t half(const char* at) {
  std::uint16_t value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

enum class Layout { per_chunk, per_bank, per_column };

struct Tag {
  CodecName codec;
  Layout layout;
};

Tag tag_of(std::uint32_t number) {
  constexpr Tag kTags[] = {
      {CodecName::none, Layout::per_chunk},  {CodecName::lz4, Layout::per_chunk},
      {CodecName::lz4hc, Layout::per_chunk}, {CodecName::gzip, Layout::per_chunk},
      {CodecName::zstd, Layout::per_chunk},  {CodecName::zstd, Layout::per_bank},
      {CodecName::lz4hc, Layout::per_bank},  {CodecName::lz4hc, Layout::per_column},
      {CodecName::zstd, Layout::per_column}, {CodecName::lz4, Layout::per_bank},
      {CodecName::lz4, Layout::per_column},  {CodecName::gzip, Layout::per_bank},
      {CodecName::gzip, Layout::per_column}, {CodecName::none, Layout::per_bank},
      {CodecName::none, Layout::per_column}};
  if (number >= std::size(kTags)) {
    fail("a record of unknown compression");
  }
  return kTags[number];
}

// Fills in where the streams of a split record lie; `bytes` is the whole record.
void find_streams(const char* bytes, Layout layout, Record& record) {
  const char* section = bytes + 56;
  const std::size_t banks = word(section + 4);
  const std::size_t events = word(section + 8);
  record.directory = {record.offset + 76, word(section + 12), word(section + 16)};
  Bytes directory(record.directory.raw);
  CodecWorker worker;
  worker.inflate(CodecName::lz4, section + 20, record.directory.stored, directory.data(),
                 directory.size());
  const bool by_column = layout == Layout::per_column;
  const std::size_t descriptor = by_column ? 6 : 12;
  const std::size_t tables =
      descriptor * banks + 4 * events + events * ((banks + 7) / 8) + 4 * banks * events;
  std::uint64_t at = record.directory.offset + record.directory.stored;
  std::size_t stream = 0;
  for (std::size_t b = 0; b < banks; ++b) {
    const std::uint32_t key = word(directory.data() + 4 * b);
    const std::size_t columns = by_column ? half(directory.data() + 4 * banks + 2 * b) : 1;
    for (std::size_t c = 0; c < std::max<std::size_t>(columns, 1); ++c, ++stream) {
      const char* sizes = by_column ? directory.data() + tables + 8 * stream : nullptr;
      const std::size_t stored =
          by_column ? word(sizes) : word(directory.data() + 4 * banks + 4 * b);
      const std::size_t raw =
          by_column ? word(sizes + 4) : word(directory.data() + 8 * banks + 4 * b);
      record.streams.push_back({at, stored, raw, key & 0xFFFFU, (key >> 16) & 0xFFU, c});
      at += stored;
    }
  }
}

void add(Sample& sample, const char* bytes, std::size_t size) {
  sample.raw_bytes += size;
  sample.checksum += XXH3_64bits(bytes, size);
}

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void grow(Bytes& bytes, std::size_t size) {
  if (bytes.size() < size) {
    bytes.resize(size);
  }
}

// One thread's buffers of a read.
struct ReadBuffers {
  Bytes stored;
  Bytes directory;
  Bytes inflated;
  CodecWorker worker;
};

void fetch(const File& file, const Record& record, const Wanted& wanted, Bytes& stored,
           Sample& sample) {
  const auto load = [&](std::size_t begin, std::size_t end) {
    file.read(record.offset + begin, stored.data() + begin, end - begin);
    sample.bytes_read += end - begin;
  };
  if (!record.is_split || wanted.everything) {
    load(0, record.bytes);
    return;
  }
  std::size_t loaded = std::min(kFirstRead, record.bytes);
  load(0, loaded);
  const std::size_t directory_end =
      record.directory.offset + record.directory.stored - record.offset;
  if (directory_end > loaded) {
    load(loaded, directory_end);
    loaded = directory_end;
  }
  std::size_t begin = 0;
  std::size_t end = 0;
  for (const Stream& stream : record.streams) {
    const std::size_t at = stream.offset - record.offset;
    if (!wanted.has(stream) || at + stream.stored <= loaded) {
      continue;
    }
    if (at != end) {
      if (end > begin) {
        load(begin, end);
      }
      begin = std::max(at, loaded);
    }
    end = at + stream.stored;
  }
  if (end > begin) {
    load(begin, end);
  }
}

void read_record(const File& file, const Record& record, const Wanted& wanted, ReadBuffers& buffers,
                 Sample& sample) {
  std::size_t raw = 0;
  for (const Stream& stream : record.streams) {
    raw += wanted.has(stream) ? stream.raw : 0;
  }
  grow(buffers.stored, record.bytes);
  grow(buffers.directory, record.directory.raw);
  grow(buffers.inflated, raw);
  const auto start = Clock::now();
  fetch(file, record, wanted, buffers.stored, sample);
  if (record.is_split) {
    buffers.worker.inflate(CodecName::lz4,
                           buffers.stored.data() + (record.directory.offset - record.offset),
                           record.directory.stored, buffers.directory.data(), record.directory.raw);
  }
  std::size_t at = 0;
  for (const Stream& stream : record.streams) {
    if (wanted.has(stream) && stream.raw > 0) {
      buffers.worker.inflate(record.codec, buffers.stored.data() + (stream.offset - record.offset),
                             stream.stored, buffers.inflated.data() + at, stream.raw);
      at += stream.raw;
    }
  }
  sample.seconds += seconds_since(start);
  at = 0;
  for (const Stream& stream : record.streams) {
    if (wanted.has(stream)) {
      add(sample, buffers.inflated.data() + at, stream.raw);
      at += stream.raw;
    }
  }
}

}  // namespace

void fail(const std::string& what) {
  std::fprintf(stderr, "bench: %s\n", what.c_str());
  std::exit(1);
}

CodecName parse_codec(const std::string& word) {
  constexpr const char* kNames[] = {"none", "lz4", "lz4hc", "gzip", "zstd"};
  for (int i = 0; i < 5; ++i) {
    if (word == kNames[i]) {
      return static_cast<CodecName>(i);
    }
  }
  fail("no codec " + word);
}

struct CodecWorker::State {
  std::unique_ptr<LZ4_streamHC_t, int (*)(LZ4_streamHC_t*)> hc{LZ4_createStreamHC(),
                                                               LZ4_freeStreamHC};
  std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> zstd_in{ZSTD_createCCtx(), ZSTD_freeCCtx};
  std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> zstd_out{ZSTD_createDCtx(),
                                                                   ZSTD_freeDCtx};
  std::unique_ptr<libdeflate_decompressor, void (*)(libdeflate_decompressor*)> gzip_out{
      libdeflate_alloc_decompressor(), libdeflate_free_decompressor};
  std::unique_ptr<libdeflate_compressor, void (*)(libdeflate_compressor*)> gzip_in{
      nullptr, libdeflate_free_compressor};
  int gzip_level = 0;
};

CodecWorker::CodecWorker() : state_(std::make_unique<State>()) {}
CodecWorker::~CodecWorker() = default;

std::size_t CodecWorker::compress(const Codec& codec, const char* raw, std::size_t size,
                                  Bytes& out) {
  const int length = static_cast<int>(size);
  const bool is_lz4 = codec.name == CodecName::lz4 || codec.name == CodecName::lz4hc;
  if (codec.name == CodecName::gzip && state_->gzip_level != codec.level) {
    state_->gzip_in.reset(libdeflate_alloc_compressor(codec.level));
    state_->gzip_level = codec.level;
  }
  std::size_t bound = size;
  if (is_lz4) {
    bound = static_cast<std::size_t>(LZ4_compressBound(length));
  } else if (codec.name == CodecName::zstd) {
    bound = ZSTD_compressBound(size);
  } else if (codec.name == CodecName::gzip) {
    bound = libdeflate_gzip_compress_bound(state_->gzip_in.get(), size);
  }
  if (out.size() < bound) {
    out.resize(bound);
  }
  switch (codec.name) {
    case CodecName::none:
      std::memcpy(out.data(), raw, size);
      return size;
    case CodecName::lz4:
      return static_cast<std::size_t>(
          LZ4_compress_default(raw, out.data(), length, static_cast<int>(bound)));
    case CodecName::lz4hc:
      LZ4_resetStreamHC_fast(state_->hc.get(), codec.level);
      return static_cast<std::size_t>(LZ4_compress_HC_continue(state_->hc.get(), raw, out.data(),
                                                               length, static_cast<int>(bound)));
    case CodecName::gzip:
      return libdeflate_gzip_compress(state_->gzip_in.get(), raw, size, out.data(), bound);
    case CodecName::zstd:
      return ZSTD_compressCCtx(state_->zstd_in.get(), out.data(), bound, raw, size, codec.level);
  }
  return 0;
}

void CodecWorker::inflate(CodecName codec, const char* from, std::size_t stored, char* to,
                          std::size_t raw) {
  std::size_t produced = 0;
  switch (codec) {
    case CodecName::none:
      std::memcpy(to, from, raw);
      produced = stored;
      break;
    case CodecName::lz4:
    case CodecName::lz4hc:
      produced = static_cast<std::size_t>(
          LZ4_decompress_safe(from, to, static_cast<int>(stored), static_cast<int>(raw)));
      break;
    case CodecName::gzip:
      libdeflate_gzip_decompress(state_->gzip_out.get(), from, stored, to, raw, &produced);
      break;
    case CodecName::zstd:
      produced = ZSTD_decompressDCtx(state_->zstd_out.get(), to, raw, from, stored);
      break;
  }
  if (produced != raw) {
    fail("a stream does not inflate to its size");
  }
}

File::File(const std::string& path) : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (descriptor_ < 0) {
    fail("cannot read " + path);
  }
  char header[56];
  read(0, header, sizeof header);
  std::uint64_t trailer;
  std::memcpy(&trailer, header + 40, sizeof trailer);
  std::uint64_t at = std::uint64_t{56} + word(header + 24);
  Bytes bytes;
  while (at < trailer) {
    char head[56];
    read(at, head, sizeof head);
    Record record;
    record.offset = at;
    record.bytes = std::size_t{4} * word(head);
    const Tag tag = tag_of(word(head + 36) >> 28);
    record.codec = tag.codec;
    record.is_split = tag.layout != Layout::per_chunk;
    if (record.is_split) {
      bytes.resize(record.bytes);
      read(at, bytes.data(), bytes.size());
      find_streams(bytes.data(), tag.layout, record);
    } else {
      const std::uint32_t pad = (word(head + 20) >> 24) & 3;
      record.streams.push_back(
          {at + 56, record.bytes - 56 - pad, std::size_t{word(head + 16)} + word(head + 32)});
    }
    records_.push_back(std::move(record));
    at += records_.back().bytes;
  }
}

File::~File() {
  ::close(descriptor_);
}

void File::read(std::uint64_t offset, char* to, std::size_t size) const {
  while (size > 0) {
    const ::ssize_t got = ::pread(descriptor_, to, size, static_cast<::off_t>(offset));
    if (got <= 0) {
      fail("cannot read so much");
    }
    to += got;
    offset += static_cast<std::uint64_t>(got);
    size -= static_cast<std::size_t>(got);
  }
}

std::vector<Bytes> raw_streams(const File& file, const Record& record) {
  Bytes stored(record.bytes);
  file.read(record.offset, stored.data(), stored.size());
  CodecWorker worker;
  std::vector<Bytes> streams;
  for (const Stream& stream : record.streams) {
    Bytes& raw = streams.emplace_back(stream.raw);
    if (!raw.empty()) {
      worker.inflate(record.codec, stored.data() + (stream.offset - record.offset), stream.stored,
                     raw.data(), raw.size());
    }
  }
  return streams;
}

Sample read(const File& file, const Wanted& wanted) {
  Sample sample;
  ReadBuffers buffers;
  for (const Record& record : file.records()) {
    read_record(file, record, wanted, buffers, sample);
  }
  return sample;
}

RecookWork::RecookWork(const File& input, const File& output) {
  for (const Record& record : input.records()) {
    std::vector<StoredStream>& streams = input_.emplace_back();
    for (const Stream& stream : record.streams) {
      StoredStream& kept =
          streams.emplace_back(StoredStream{record.codec, Bytes(stream.stored), stream.raw});
      input.read(stream.offset, kept.stored.data(), kept.stored.size());
    }
  }
  for (const Record& record : output.records()) {
    output_.push_back(raw_streams(output, record));
  }
}

Sample RecookWork::run_thread(const Codec& codec, bool verify, unsigned threads,
                              unsigned thread) const {
  CodecWorker worker;
  Bytes inflated;
  Bytes packed;
  Sample sample;
  const auto room = [&](std::size_t size) {
    grow(inflated, size);
    return inflated.data();
  };
  for (std::size_t i = thread; i < input_.size(); i += threads) {
    for (const StoredStream& stream : input_[i]) {
      if (stream.raw > 0) {
        worker.inflate(stream.codec, stream.stored.data(), stream.stored.size(), room(stream.raw),
                       stream.raw);
      }
    }
  }
  for (std::size_t i = thread; i < output_.size(); i += threads) {
    for (const Bytes& raw : output_[i]) {
      if (raw.empty()) {
        continue;
      }
      const std::size_t stored = worker.compress(codec, raw.data(), raw.size(), packed);
      sample.bytes_read += stored;
      sample.raw_bytes += raw.size();
      if (verify) {
        worker.inflate(codec.name, packed.data(), stored, room(raw.size()), raw.size());
        if (std::memcmp(inflated.data(), raw.data(), raw.size()) != 0) {
          fail("a stream does not come back as it was");
        }
      }
    }
  }
  return sample;
}

Sample RecookWork::run(const Codec& codec, bool verify, unsigned threads) const {
  std::vector<Sample> parts(threads);
  const auto start = Clock::now();
  {
    std::vector<std::jthread> workers;
    for (unsigned t = 0; t < threads; ++t) {
      workers.emplace_back([&, t] { parts[t] = run_thread(codec, verify, threads, t); });
    }
  }
  Sample sample;
  sample.seconds = seconds_since(start);
  for (const Sample& part : parts) {
    sample.bytes_read += part.bytes_read;
    sample.raw_bytes += part.raw_bytes;
  }
  return sample;
}

}  // namespace bare
