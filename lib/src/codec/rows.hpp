#pragma once
// What each codec's file gives to the table in registry.cpp. Nothing else includes this; everybody
// else goes through require_codec() and codec_row().

#include "codec/codec.hpp"

#include <cstddef>
#include <memory>

namespace hipotool::inline v0::codec {

namespace none {
std::size_t bound(std::size_t raw_bytes);
std::unique_ptr<Compressor> make_compressor(int level);
std::unique_ptr<Decompressor> make_decompressor();
}  // namespace none

// lz4 and lz4hc make the same kind of block: one bound and one decompressor serve both.
namespace lz4 {
std::size_t bound(std::size_t raw_bytes);
std::unique_ptr<Compressor> make_fast_compressor(int level);
std::unique_ptr<Compressor> make_high_compressor(int level);
std::unique_ptr<Decompressor> make_fast_decompressor();
std::unique_ptr<Decompressor> make_high_decompressor();
}  // namespace lz4

namespace gzip {
std::size_t bound(std::size_t raw_bytes);
std::unique_ptr<Compressor> make_compressor(int level);
std::unique_ptr<Decompressor> make_decompressor();
}  // namespace gzip

// Defined only where HIPO_HAVE_ZSTD is.
namespace zstd {
std::size_t bound(std::size_t raw_bytes);
std::unique_ptr<Compressor> make_compressor(int level);
std::unique_ptr<Decompressor> make_decompressor();
}  // namespace zstd

}  // namespace hipotool::inline v0::codec
