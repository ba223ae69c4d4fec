#include "support/library.hpp"

#include "hipotool/merge.hpp"
#include "hipotool/scan.hpp"

#include "support/temp_dir.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace hipotool::test {

Compression compression_of(CodecId codec, LayoutId layout, Encodings encodings) {
  return {codec, layout, codec_info(codec).default_level, encodings};
}

std::vector<Compression> all_compressions() {
  std::vector<Compression> all;
  for (const CodecInfo& codec : codecs()) {
    if (!codec.available) {
      continue;
    }
    for (const LayoutId layout : kLayouts) {
      all.push_back(compression_of(codec.id, layout));
    }
    all.push_back(compression_of(codec.id, LayoutId::per_column, Encodings::best));
  }
  return all;
}

std::string test_name(const Compression& compression) {
  std::string name =
      std::string(to_string(compression.codec)) + "_" + std::string(to_string(compression.layout));
  std::replace(name.begin(), name.end(), '-', '_');
  if (compression.encodings != Encodings::none) {
    name += "_split";
  }
  return compression.depends_on_data() ? name + "_auto" : name;
}

Dictionary dictionary_of(const std::vector<std::string>& schema_texts) {
  std::vector<Schema> schemas;
  schemas.reserve(schema_texts.size());
  for (const std::string& text : schema_texts) {
    schemas.push_back(Schema::parse_text(text));
  }
  return Dictionary::from_schemas(schemas);
}

std::shared_ptr<const Record> decoded(ByteSpan record, const Dictionary& dictionary,
                                      const Projection& projection) {
  CodecContext context;
  RecordDirectory directory;
  const StoredRecord stored = StoredRecord::borrow(record);
  read_directory(stored, context, directory);
  auto result = std::make_shared<Record>();
  decode(stored, directory, dictionary, projection, context, *result);
  return result;
}

EventBatch batch_of(const std::vector<std::shared_ptr<const Record>>& records) {
  EventBatch batch;
  for (const std::shared_ptr<const Record>& record : records) {
    batch.append(record, 0, record->event_count());
  }
  if (!records.empty()) {
    batch.user_words = records.front()->user_words;
  }
  return batch;
}

Bytes encoded(const EventBatch& batch, const Compression& compression,
              const Dictionary& dictionary) {
  CodecContext context;
  EncodedRecord record;
  encode(batch, compression, dictionary, context, record);
  const ByteSpan bytes = std::as_const(record).bytes();
  return {bytes.begin(), bytes.end()};
}

Bytes stored_record(const std::vector<Bytes>& events, const Compression& compression,
                    const Dictionary& dictionary, const RecordOptions& options) {
  return encoded(batch_of({decoded(whole_record(events, options), dictionary)}), compression,
                 dictionary);
}

FileReader open_bytes(ByteSpan file, std::string name) {
  return FileReader(memory_source(buffer_of(file), std::move(name)));
}

Digest content_digest(const FileReader& reader) {
  DigestBuilder digest;
  scan(
      reader, Projection::everything(), {},
      [](const Record& record, std::size_t) {
        std::vector<EventHash> hashes;
        Buffer scratch;
        hash_events(record, hashes, scratch);
        return hashes;
      },
      [&](const std::vector<EventHash>& hashes, std::size_t) { digest.add(hashes); });
  return digest.finish();
}

Digest content_digest(const std::filesystem::path& file) {
  return content_digest(FileReader(file));
}

std::vector<std::pair<UserWords, std::uint64_t>> user_words_of(const FileReader& reader) {
  std::vector<std::pair<UserWords, std::uint64_t>> runs;
  for (const RecordEntry& entry : reader.records()) {
    if (runs.empty() || runs.back().first != entry.header.user_words) {
      runs.emplace_back(entry.header.user_words, 0);
    }
    runs.back().second += entry.header.event_count;
  }
  return runs;
}

RewriteSummary recook(std::span<const FileReader* const> inputs,
                      const std::filesystem::path& target, const RewriteOptions& options) {
  AtomicFile file(target, AtomicFile::Existing::replace);
  const MergedDictionary dictionary = merge_dictionaries(inputs, {});
  RewriteSummary summary = rewrite(inputs, dictionary.events, file, options);
  file.commit();
  return summary;
}

RewriteSummary recook(const FileReader& input, const std::filesystem::path& target,
                      const RewriteOptions& options) {
  const FileReader* one = &input;
  return recook(std::span(&one, 1), target, options);
}

std::optional<std::filesystem::path> shared_folder(const char* variable) {
  const char* folder = std::getenv(variable);
  if (folder != nullptr && std::filesystem::is_directory(folder)) {
    return folder;
  }
  const char* ci = std::getenv("CI");
  if (ci != nullptr && std::string_view(ci) == "true") {
    ADD_FAILURE() << variable << " names no folder, and CI=true";
  }
  return std::nullopt;
}

Bytes read_bytes(const std::filesystem::path& path) {
  return text_bytes(read_text(path));
}

void write_bytes(const std::filesystem::path& path, ByteSpan bytes) {
  write_text(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace hipotool::test
