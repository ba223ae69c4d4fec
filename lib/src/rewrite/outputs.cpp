#include "rewrite/outputs.hpp"

#include "hipotool/error.hpp"

#include <filesystem>
#include <string>
#include <utility>

namespace hipotool {
inline namespace v0 {
namespace rewriting {

TagCounts tags_of(const EventBatch& batch) {
  TagCounts tags(std::in_place);
  for (const EventRun& run : batch.runs()) {
    for (std::uint32_t event = run.first; event < run.first + run.count; ++event) {
      tags->add(run.record->tag(event), 1);
    }
  }
  return tags;
}

Outputs::Outputs(ByteSink& target, std::span<const DictionaryEvent> dictionary,
                 const FileHeader& like)
    : dictionary_(dictionary), like_(like) {
  outputs_[0].writer = std::make_unique<FileWriter>(target, dictionary, like);
}

Outputs::Outputs(const Splitting& splitting, const TargetMaker& make,
                 std::span<const DictionaryEvent> dictionary, const FileHeader& like)
    : splitting_(splitting), make_(make), dictionary_(dictionary), like_(like) {
  if (!splitting_.by_tag) {
    open(0);
  }
}

Outputs::Output& Outputs::open(std::uint64_t key) {
  Output& output = outputs_[key];
  if (output.writer == nullptr) {
    output.own = std::make_unique<AtomicFile>(make_(key));
    output.writer = std::make_unique<FileWriter>(*output.own, dictionary_, like_);
  }
  return output;
}

void Outputs::append(std::uint64_t output, EncodedRecord& record, std::span<const EventHash> hashes,
                     const TagCounts& tags) {
  std::uint64_t key = splitting_.bytes != 0 ? number_ : output;
  if (splitting_.bytes != 0 && outputs_.at(key).writer->records() != 0 &&
      outputs_.at(key).writer->bytes_with(record.header.record_bytes()) > splitting_.bytes) {
    ++key;
  }
  if (!splitting_.by_tag && key != number_) {
    complete(outputs_.at(number_));
    number_ = key;
  }
  Output& to = open(key);
  to.writer->append(record);
  to.digest.add(hashes);
  if (!tags) {
    to.tags.reset();
  } else if (to.tags) {
    to.tags->add(*tags);
  }
}

void Outputs::complete(Output& output) {
  output.written = output.writer->finish();
  output.writer.reset();
  if (output.own != nullptr) {
    output.own->seal();
  }
}

std::uint64_t Outputs::finish() {
  std::uint64_t file_bytes = 0;
  for (auto& [key, output] : outputs_) {
    if (output.writer != nullptr) {
      complete(output);
    }
    file_bytes += output.written.file_bytes;
  }
  return file_bytes;
}

std::vector<WrittenOutput> Outputs::take() {
  std::vector<WrittenOutput> written;
  for (auto& [key, output] : outputs_) {
    if (output.own != nullptr) {
      written.push_back({key, std::move(*output.own), output.written.file_bytes,
                         output.written.records, output.written.events, output.digest.finish(),
                         std::move(output.tags)});
    }
  }
  outputs_.clear();
  return written;
}

}  // namespace rewriting

void commit_all(std::span<WrittenOutput> outputs) {
  for (WrittenOutput& output : outputs) {
    output.file.seal();
  }
  for (std::size_t at = 0; at < outputs.size(); ++at) {
    try {
      outputs[at].file.commit();
    } catch (const Error& error) {
      std::string kept;
      for (const WrittenOutput& output : outputs.first(at)) {
        if (!output.file.made_target()) {
          kept += (kept.empty() ? "" : ", ") + output.file.target().string();
        }
      }
      for (const WrittenOutput& output : outputs.first(at + 1)) {
        std::error_code ignored;
        if (output.file.made_target()) {
          std::filesystem::remove(output.file.target(), ignored);
        }
      }
      throw Error(error.code(),
                  error.message() + (kept.empty() ? "; none of the files was kept"
                                                  : "; already replaced: " + kept),
                  error.context());
    }
  }
}

}  // namespace v0
}  // namespace hipotool
