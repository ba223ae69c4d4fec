#include "rewrite/copying.hpp"

#include <algorithm>

namespace hipotool::inline v0::rewriting {
namespace {

bool same_schema(const Schema* a, const Schema* b) {
  return a == b || (a != nullptr && b != nullptr && *a == *b);
}

// The version byte that this library would write.
std::uint8_t written_version(const Compression& compression) {
  switch (compression.layout) {
    case LayoutId::per_bank:
      return 2;
    case LayoutId::per_column:
      return compression.encodings == Encodings::none ? 1 : 3;
    default:
      return 0;
  }
}

}  // namespace

Compression stored_compression(const RecordDirectory& directory, CodecId codec) {
  const bool encodes = directory.layout == LayoutId::per_column && directory.version == 3;
  return {codec, directory.layout, codec_info(codec).default_level,
          encodes ? Encodings::best : Encodings::none};
}

CopyPolicy::CopyPolicy(std::span<const FileReader* const> inputs,
                       const Dictionary& output_dictionary, const RewriteOptions& options)
    : options_(&options), output_(&output_dictionary) {
  for (const FileReader* input : inputs) {
    // Every key of the output resolves as in the input, so also those that the input lacks.
    const auto schemas = output_->schemas();
    const bool same =
        schemas.size() == input->dictionary().schemas().size() &&
        std::all_of(schemas.begin(), schemas.end(), [&](const Schema* schema) {
          return same_schema(output_->find(schema->key()), input->dictionary().find(schema->key()));
        });
    if (same) {
      same_dictionary_.insert(&input->dictionary());
    }
  }
}

bool CopyPolicy::keeps_schemas(const FileReader& input, const RecordDirectory& directory) const {
  if (same_dictionary_.contains(&input.dictionary())) {
    return true;
  }
  // A per-chunk record does not list its banks without being inflated.
  if (directory.layout == LayoutId::per_chunk) {
    return options_->editor != nullptr;
  }
  return std::all_of(
      directory.banks.begin(), directory.banks.end(), [&](const DirectoryBank& bank) {
        return same_schema(input.dictionary().find(bank.key), output_->find(bank.key));
      });
}

bool CopyPolicy::keeps_schemas(const FileReader& input, const Record& record) const {
  return same_dictionary_.contains(&input.dictionary()) ||
         std::all_of(record.blocks().begin(), record.blocks().end(), [&](const BankBlock& block) {
           return same_schema(input.dictionary().find(block.key), output_->find(block.key));
         });
}

bool CopyPolicy::may_copy(const FileReader& input, const StoredRecord& stored,
                          const RecordDirectory& directory, bool alone) const {
  const RecordHeader& header = stored.header;
  const Compression wanted = options_->keep_compression
                                 ? stored_compression(directory, header.codec)
                                 : options_->compression;
  const std::uint64_t most_bytes =
      options_->record_bytes != 0 ? options_->record_bytes : default_record_bytes(wanted.layout);
  if (options_->reencode || header.big_endian || header.codec != wanted.codec ||
      header.layout != wanted.layout || directory.version != written_version(wanted) ||
      header.header_words != RecordHeader::kBytes / 4 ||
      header.index_bytes != std::uint64_t{4} * header.event_count ||
      header.event_count > options_->record_events || !keeps_schemas(input, directory)) {
    return false;
  }
  const std::uint64_t raw =
      header.layout == LayoutId::per_chunk ? header.declared_raw_bytes() : directory.raw_bytes();
  return raw <= most_bytes && (2 * raw >= most_bytes || alone);
}

}  // namespace hipotool::inline v0::rewriting
