#include "hipotool/error.hpp"

#include "codec/rows.hpp"

#include <climits>
#include <lz4.h>
#include <lz4hc.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace hipotool::inline v0::codec::lz4 {
namespace {

constexpr std::size_t kMaxRawBytes = LZ4_MAX_INPUT_SIZE;

const char* chars(ByteSpan bytes) {
  return reinterpret_cast<const char*>(bytes.data());
}

char* chars(MutableByteSpan bytes) {
  return reinterpret_cast<char*>(bytes.data());
}

int to_int(std::size_t bytes) {
  return static_cast<int>(std::min(bytes, static_cast<std::size_t>(INT_MAX)));
}

void require_block_size(std::string_view name, std::size_t raw_bytes) {
  if (raw_bytes > kMaxRawBytes) {
    throw Error(ErrorCode::not_representable, std::string(name) + ": " + std::to_string(raw_bytes) +
                                                  " bytes are more than one block can hold (" +
                                                  std::to_string(kMaxRawBytes) + ")");
  }
}

std::size_t checked_result(std::string_view name, int written) {
  if (written <= 0) {
    throw Error(ErrorCode::invalid_argument,
                std::string(name) + ": the output is smaller than the codec's bound");
  }
  return static_cast<std::size_t>(written);
}

class FastCompressor final : public Compressor {
 public:
  FastCompressor() : state_((static_cast<std::size_t>(LZ4_sizeofState()) + 7) / 8) {}

  // The state is initialised for every block. Continuing a stream after LZ4_resetStream_fast would
  // save that, but makes the result depend on what came before: an empty slot of a fresh table
  // means position 0 and can match there, a stale slot cannot.
  std::size_t compress(ByteSpan raw, MutableByteSpan out) override {
    require_block_size("lz4", raw.size());
    if (raw.empty()) {
      return 0;
    }
    return checked_result(
        "lz4", LZ4_compress_fast_extState(state_.data(), chars(raw), chars(out), to_int(raw.size()),
                                          to_int(out.size()), 1));
  }

 private:
  std::vector<std::uint64_t> state_;  // 8-byte aligned, as the library asks
};

struct Free {
  void operator()(LZ4_streamHC_t* stream) const noexcept { LZ4_freeStreamHC(stream); }
};

class HighCompressor final : public Compressor {
 public:
  explicit HighCompressor(int level) : stream_(LZ4_createStreamHC()), level_(level) {
    if (stream_ == nullptr) {
      throw Error(ErrorCode::over_budget, "lz4hc: no memory for a compression state");
    }
  }

  // Clearing the 256 KiB state costs more than compressing a small column does, so it is only
  // reset: the next block gets positions that begin 64 KiB past the last one's end. Every stale
  // entry is then below the block's lowest position, which is how an entry of a cleared table looks
  // too, and its distance is cut to the same 65535 in the chain; no result depends on what came
  // before.
  std::size_t compress(ByteSpan raw, MutableByteSpan out) override {
    require_block_size("lz4hc", raw.size());
    if (raw.empty()) {
      return 0;
    }
    LZ4_resetStreamHC_fast(stream_.get(), level_);
    return checked_result(
        "lz4hc", LZ4_compress_HC_continue(stream_.get(), chars(raw), chars(out), to_int(raw.size()),
                                          to_int(out.size())));
  }

 private:
  std::unique_ptr<LZ4_streamHC_t, Free> stream_;
  int level_;
};

class BlockDecompressor final : public Decompressor {
 public:
  explicit BlockDecompressor(std::string_view name) : name_(name) {}

  std::size_t decompress(ByteSpan stored, MutableByteSpan out) override {
    if (stored.empty()) {
      return 0;
    }
    if (stored.size() > bound(kMaxRawBytes)) {
      throw Error(ErrorCode::corrupt, std::string(name_) + ": " + std::to_string(stored.size()) +
                                          " stored bytes are more than one block can have");
    }
    // The library takes a null output for an error, even where nothing is to be written.
    char nothing = 0;
    const int produced = LZ4_decompress_safe(chars(stored), out.empty() ? &nothing : chars(out),
                                             to_int(stored.size()), to_int(out.size()));
    if (produced < 0) {
      throw Error(ErrorCode::corrupt, std::string(name_) + ": corrupt block");
    }
    return static_cast<std::size_t>(produced);
  }

 private:
  std::string_view name_;
};

}  // namespace

// LZ4_COMPRESSBOUND without its refusal of large sizes, which is compress()'s to report.
std::size_t bound(std::size_t raw_bytes) {
  return raw_bytes + raw_bytes / 255 + 16;
}

std::unique_ptr<Compressor> make_fast_compressor(int /*level*/) {
  return std::make_unique<FastCompressor>();
}

std::unique_ptr<Compressor> make_high_compressor(int level) {
  return std::make_unique<HighCompressor>(level);
}

std::unique_ptr<Decompressor> make_fast_decompressor() {
  return std::make_unique<BlockDecompressor>("lz4");
}

std::unique_ptr<Decompressor> make_high_decompressor() {
  return std::make_unique<BlockDecompressor>("lz4hc");
}

}  // namespace hipotool::inline v0::codec::lz4
