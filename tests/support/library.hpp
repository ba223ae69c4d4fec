#pragma once
// The library's three steps in one call each, for tests that care about the result alone.

#include "hipotool/digest.hpp"
#include "hipotool/reader.hpp"
#include "hipotool/rewrite.hpp"
#include "hipotool/transcode.hpp"

#include "support/event_images.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace hipotool::test {

inline constexpr LayoutId kLayouts[] = {LayoutId::per_chunk, LayoutId::per_bank,
                                        LayoutId::per_column};

// Every pair of available codec and layout, and per-column with encodings for each codec.
[[nodiscard]] std::vector<Compression> all_compressions();
// As the name of a test: "lz4hc_per_column_split".
[[nodiscard]] std::string test_name(const Compression& compression);
// The codec's default level.
[[nodiscard]] Compression compression_of(CodecId codec, LayoutId layout,
                                         Encodings encodings = Encodings::none);

[[nodiscard]] Dictionary dictionary_of(const std::vector<std::string>& schema_texts);
[[nodiscard]] std::shared_ptr<const Record> decoded(
    ByteSpan record, const Dictionary& dictionary,
    const Projection& projection = Projection::everything());
// All events of the records as one batch with the first one's user words.
[[nodiscard]] EventBatch batch_of(const std::vector<std::shared_ptr<const Record>>& records);
[[nodiscard]] Bytes encoded(const EventBatch& batch, const Compression& compression,
                            const Dictionary& dictionary);
// From event images to a stored record.
[[nodiscard]] Bytes stored_record(const std::vector<Bytes>& events, const Compression& compression,
                                  const Dictionary& dictionary, const RecordOptions& options = {});

[[nodiscard]] FileReader open_bytes(ByteSpan file, std::string name = "file.hipo");
[[nodiscard]] Digest content_digest(const FileReader& reader);
[[nodiscard]] Digest content_digest(const std::filesystem::path& file);
// Every event's user words, run by run: pairs of words and number of events, neighbours joined.
[[nodiscard]] std::vector<std::pair<UserWords, std::uint64_t>> user_words_of(
    const FileReader& reader);

// Rewrites the inputs and commits; the dictionary is their merge.
RewriteSummary recook(std::span<const FileReader* const> inputs,
                      const std::filesystem::path& target, const RewriteOptions& options);
RewriteSummary recook(const FileReader& input, const std::filesystem::path& target,
                      const RewriteOptions& options);

// The folder that an environment variable names. Where there is none the test is to be skipped;
// under CI=true it has failed by then.
[[nodiscard]] std::optional<std::filesystem::path> shared_folder(const char* variable);
[[nodiscard]] Bytes read_bytes(const std::filesystem::path& path);
void write_bytes(const std::filesystem::path& path, ByteSpan bytes);

}  // namespace hipotool::test
