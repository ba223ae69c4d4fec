#include "hipotool/counted.hpp"
#include "hipotool/error.hpp"

#include "codec/rows.hpp"

#include <cstdint>
#include <limits>
#include <memory>
#include <string>

#ifdef HIPO_HAVE_LIBDEFLATE
#include <libdeflate.h>
#else
#include <zlib.h>
#endif

namespace hipotool::inline v0::codec::gzip {
namespace {

// A member's trailer counts modulo 2^32, and so does zlib's interface.
constexpr std::size_t kMaxBytes = std::numeric_limits<std::uint32_t>::max();
// Ten bytes of header, eight of trailer.
constexpr std::size_t kWrapperBytes = 18;

void require_member_size(std::size_t raw_bytes) {
  if (raw_bytes > kMaxBytes) {
    throw Error(ErrorCode::not_representable,
                "gzip: " + std::to_string(raw_bytes) + " bytes are more than one member can hold");
  }
}

void require_member(ByteSpan stored) {
  if (stored.size() < kWrapperBytes || stored[0] != std::byte{0x1f} ||
      stored[1] != std::byte{0x8b}) {
    throw Error(ErrorCode::corrupt, "gzip: no member header");
  }
  if (stored.size() > kMaxBytes) {
    throw Error(ErrorCode::corrupt, "gzip: " + std::to_string(stored.size()) +
                                        " stored bytes are more than one member can have");
  }
}

// Neither library is asked what it makes of bytes that follow the member; the format has one.
void require_all_used(std::size_t used, std::size_t stored) {
  if (used != stored) {
    throw Error(ErrorCode::corrupt,
                "gzip: " + counted(stored - used, "byte") + " after the end of the member");
  }
}

[[noreturn]] void throw_no_memory() {
  throw Error(ErrorCode::over_budget, "gzip: no memory for a context");
}

[[noreturn]] void throw_small_output() {
  throw Error(ErrorCode::invalid_argument, "gzip: the output is smaller than the codec's bound");
}

[[noreturn]] void throw_too_much() {
  throw Error(ErrorCode::corrupt, "gzip: the member holds more than was announced");
}

[[noreturn]] void throw_corrupt() {
  throw Error(ErrorCode::corrupt, "gzip: corrupt member");
}

#ifdef HIPO_HAVE_LIBDEFLATE

struct Free {
  void operator()(libdeflate_compressor* context) const noexcept {
    libdeflate_free_compressor(context);
  }
  void operator()(libdeflate_decompressor* context) const noexcept {
    libdeflate_free_decompressor(context);
  }
};

class MemberCompressor final : public Compressor {
 public:
  explicit MemberCompressor(int level) : context_(libdeflate_alloc_compressor(level)) {
    if (context_ == nullptr) {
      throw_no_memory();
    }
  }

  std::size_t compress(ByteSpan raw, MutableByteSpan out) override {
    require_member_size(raw.size());
    if (raw.empty()) {
      return 0;
    }
    const std::size_t written =
        libdeflate_gzip_compress(context_.get(), raw.data(), raw.size(), out.data(), out.size());
    if (written == 0) {
      throw_small_output();
    }
    return written;
  }

 private:
  std::unique_ptr<libdeflate_compressor, Free> context_;
};

class MemberDecompressor final : public Decompressor {
 public:
  MemberDecompressor() : context_(libdeflate_alloc_decompressor()) {
    if (context_ == nullptr) {
      throw_no_memory();
    }
  }

  std::size_t decompress(ByteSpan stored, MutableByteSpan out) override {
    if (stored.empty()) {
      return 0;
    }
    require_member(stored);
    std::byte nothing{};
    std::size_t used = 0;
    std::size_t produced = 0;
    const libdeflate_result result = libdeflate_gzip_decompress_ex(
        context_.get(), stored.data(), stored.size(), out.empty() ? &nothing : out.data(),
        out.size(), &used, &produced);
    if (result == LIBDEFLATE_INSUFFICIENT_SPACE) {
      throw_too_much();
    }
    if (result != LIBDEFLATE_SUCCESS) {
      throw_corrupt();
    }
    require_all_used(used, stored.size());
    return produced;
  }

 private:
  std::unique_ptr<libdeflate_decompressor, Free> context_;
};

std::size_t library_bound(std::size_t raw_bytes) {
  return libdeflate_gzip_compress_bound(nullptr, raw_bytes);
}

#else

// Adding 16 to the window bits makes zlib read and write the gzip wrapper.
constexpr int kWindowBits = MAX_WBITS + 16;
constexpr int kMemoryLevel = 8;

Bytef* bytef(const std::byte* bytes) {
  // zlib declares its input mutable but does not write to it.
  return reinterpret_cast<Bytef*>(const_cast<std::byte*>(bytes));  // NOLINT(*-const-cast)
}

uInt to_uint(std::size_t bytes) {
  return static_cast<uInt>(bytes < kMaxBytes ? bytes : kMaxBytes);
}

class MemberCompressor final : public Compressor {
 public:
  explicit MemberCompressor(int level) {
    if (deflateInit2(&stream_, level, Z_DEFLATED, kWindowBits, kMemoryLevel, Z_DEFAULT_STRATEGY) !=
        Z_OK) {
      throw_no_memory();
    }
  }
  MemberCompressor(const MemberCompressor&) = delete;
  MemberCompressor& operator=(const MemberCompressor&) = delete;
  MemberCompressor(MemberCompressor&&) = delete;
  MemberCompressor& operator=(MemberCompressor&&) = delete;
  ~MemberCompressor() override { deflateEnd(&stream_); }

  std::size_t compress(ByteSpan raw, MutableByteSpan out) override {
    require_member_size(raw.size());
    if (raw.empty()) {
      return 0;
    }
    deflateReset(&stream_);
    stream_.next_in = bytef(raw.data());
    stream_.avail_in = to_uint(raw.size());
    stream_.next_out = bytef(out.data());
    stream_.avail_out = to_uint(out.size());
    if (deflate(&stream_, Z_FINISH) != Z_STREAM_END) {
      throw_small_output();
    }
    return stream_.total_out;
  }

 private:
  z_stream stream_{};
};

class MemberDecompressor final : public Decompressor {
 public:
  MemberDecompressor() {
    if (inflateInit2(&stream_, kWindowBits) != Z_OK) {
      throw_no_memory();
    }
  }
  MemberDecompressor(const MemberDecompressor&) = delete;
  MemberDecompressor& operator=(const MemberDecompressor&) = delete;
  MemberDecompressor(MemberDecompressor&&) = delete;
  MemberDecompressor& operator=(MemberDecompressor&&) = delete;
  ~MemberDecompressor() override { inflateEnd(&stream_); }

  std::size_t decompress(ByteSpan stored, MutableByteSpan out) override {
    if (stored.empty()) {
      return 0;
    }
    require_member(stored);
    std::byte nothing{};
    inflateReset(&stream_);
    stream_.next_in = bytef(stored.data());
    stream_.avail_in = to_uint(stored.size());
    stream_.next_out = bytef(out.empty() ? &nothing : out.data());
    stream_.avail_out = to_uint(out.size());
    const int result = inflate(&stream_, Z_FINISH);
    if (result == Z_BUF_ERROR && stream_.avail_out == 0 && stream_.avail_in > 0) {
      throw_too_much();
    }
    if (result != Z_STREAM_END) {
      throw_corrupt();
    }
    require_all_used(stored.size() - stream_.avail_in, stored.size());
    return stream_.total_out;
  }

 private:
  z_stream stream_{};
};

std::size_t library_bound(std::size_t raw_bytes) {
  return compressBound(raw_bytes) + kWrapperBytes;
}

#endif

}  // namespace

std::size_t bound(std::size_t raw_bytes) {
  return library_bound(raw_bytes);
}

std::unique_ptr<Compressor> make_compressor(int level) {
  return std::make_unique<MemberCompressor>(level);
}

std::unique_ptr<Decompressor> make_decompressor() {
  return std::make_unique<MemberDecompressor>();
}

}  // namespace hipotool::inline v0::codec::gzip
