#pragma once
// How a record is stored: a codec (how bytes shrink) and a layout (what is compressed together).
// The two are independent; docs/format.md section 7 lists the 15 joint tags. One spelling serves
// enumerators, command-line words, JSON and documentation.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace hipotool {
inline namespace v0 {

enum class CodecId : std::uint8_t { none, lz4, lz4hc, gzip, zstd };

// per_chunk compresses a whole record as one block; per_bank gives each bank a stream of its own;
// per_column gives each column of each bank one.
enum class LayoutId : std::uint8_t { per_chunk, per_bank, per_column };

// Whether per-column streams may be byte-split before compression (format version 3, which also
// stores a checksum per stream). `none` writes version 1, readable by older oxihipo releases.
// `best` tries both ways for every stream, `automatic` for those of a few records, and stores the
// others as it paid there.
enum class Encodings : std::uint8_t { none, best, automatic };

// Which streams of a split record are compressed with the level asked for. `automatic`: those of
// columns where it pays against the codec's quick way (plain lz4 for lz4hc, level 1 for zstd), as
// found on a few records. The same as `full` for other codecs, and per-chunk.
enum class Effort : std::uint8_t { full, automatic };

// What a codec is, whether or not this build can run it.
struct CodecInfo {
  CodecId id;
  std::string_view name;  // "lz4hc"
  int min_level;          // 0 and 0 where the codec has no level
  int max_level;
  int default_level;
  int auto_level;            // the default with Effort::automatic
  bool has_quick_way;        // Effort::automatic means something
  bool available;            // false: this build lacks the library
  std::string_view library;  // "libdeflate 1.14", "zlib 1.2.13", ... what does the work here
};

// All five, in the order of CodecId. The span is static.
[[nodiscard]] std::span<const CodecInfo> codecs() noexcept;
[[nodiscard]] const CodecInfo& codec_info(CodecId codec) noexcept;

[[nodiscard]] std::string_view to_string(CodecId codec) noexcept;
[[nodiscard]] std::string_view to_string(LayoutId layout) noexcept;      // "per-column"
[[nodiscard]] std::string_view to_string(Encodings encodings) noexcept;  // "auto"
[[nodiscard]] std::string_view to_string(Effort effort) noexcept;        // "auto"
[[nodiscard]] std::optional<CodecId> parse_codec(std::string_view word) noexcept;
[[nodiscard]] std::optional<LayoutId> parse_layout(std::string_view word) noexcept;
[[nodiscard]] std::optional<Encodings> parse_encodings(std::string_view word) noexcept;
[[nodiscard]] std::optional<Effort> parse_effort(std::string_view word) noexcept;

struct Compression {
  CodecId codec = CodecId::lz4;
  LayoutId layout = LayoutId::per_chunk;
  int level = 0;                          // within the codec's range; 0 for codecs without one
  Encodings encodings = Encodings::none;  // others have a meaning for per_column only
  Effort effort = Effort::full;

  // Whether streams are chosen ways for by what they hold.
  [[nodiscard]] bool depends_on_data() const noexcept {
    return layout != LayoutId::per_chunk &&
           (encodings == Encodings::automatic || effort == Effort::automatic);
  }
  friend bool operator==(const Compression&, const Compression&) = default;
};

// "zstd:3/per-column", "lz4/per-bank", "zstd:3/per-column+split", "lz4hc:6/per-column+auto".
[[nodiscard]] std::string to_string(const Compression& compression);

// Throws Error{invalid_argument} for a level out of range or encodings without per_column, and
// Error{unsupported}, naming what is missing, for a codec that this build lacks.
void require_usable(const Compression& compression);

// Raw bytes of a record that suit a layout: 8 MiB per-chunk, 32 MiB else, where streams are shorter
// than records.
[[nodiscard]] std::uint64_t default_record_bytes(LayoutId layout) noexcept;

// The oldest releases known to read records stored so (docs/format.md sections 7, 10.7 and 11).
struct ReadableBy {
  bool cpp_hipo4;  // gavalian/hipo
  bool java;       // j4np / hipo-java
  // "0.9.0": the release verified here. Empty where no published release was found to read it.
  std::string_view oxihipo_since;
};
// The level does not matter.
[[nodiscard]] ReadableBy readable_by(const Compression& compression) noexcept;

}  // namespace v0
}  // namespace hipotool
