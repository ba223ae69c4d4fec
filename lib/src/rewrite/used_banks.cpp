// Which schemas of an edited file no event would need.

#include "hipotool/bank_edit.hpp"
#include "hipotool/scan.hpp"

#include "rewrite/bad_record.hpp"

#include <algorithm>
#include <utility>

namespace hipotool {
inline namespace v0 {
namespace {

// Collects the keys that banks have in records as they are when edited.
class UsedBanks {
 public:
  UsedBanks(const BankEditor& editor, const FileReader& input) : editor_(editor), input_(input) {}

  void add(const Record& record) {
    for (const BankBlock& block : record.blocks()) {
      add(block.key, [&](const auto& counts) {
        return std::any_of(
            block.occurrences.begin(), block.occurrences.end(),
            [&](const BankOccurrence& occurrence) { return counts(record.tag(occurrence.event)); });
      });
    }
  }
  void add(const RecordDirectory& directory) {
    for (std::size_t b = 0; b < directory.banks.size(); ++b) {
      add(directory.banks[b].key, [&](const auto& counts) {
        for (std::uint32_t event = 0; event < directory.event_count; ++event) {
          if (directory.present(b, event) && counts(directory.tag(event))) {
            return true;
          }
        }
        return false;
      });
    }
  }
  [[nodiscard]] std::set<BankKey> take() { return std::move(keys_); }

 private:
  template <typename HeldWhere>
  void add(BankKey key, const HeldWhere& held_where) {
    const BankFate* fate = editor_.fate(input_, key);
    const bool kept = fate == nullptr || fate->kept;
    const BankKey after = fate == nullptr ? key : fate->new_key.value_or(key);
    if (!keys_.contains(after) &&
        held_where([&](std::uint32_t tag) { return kept || editor_.is_special(tag); })) {
      keys_.insert(after);
    }
  }

  const BankEditor& editor_;
  const FileReader& input_;
  std::set<BankKey> keys_;
};

// A record that does not decode is dealt with where it is rewritten.
void add_split_records(const FileReader& input, const ScanOptions& options, UsedBanks& banks) {
  CodecContext context(options.memory_bytes);
  StoredRecord stored;
  RecordDirectory directory;
  for (std::size_t index = 0; index < input.records().size(); ++index) {
    const RecordHeader& header = input.records()[index].header;
    if (header.layout == LayoutId::per_chunk) {
      continue;
    }
    if (options.stop.stop_requested()) {
      throw Error(ErrorCode::cancelled, "interrupted");
    }
    try {
      input.read_directory(index, context, stored, directory);
    } catch (const Error& error) {
      if (!rewriting::is_bad_record(header, error)) {
        throw;
      }
      continue;
    }
    banks.add(directory);
  }
}

}  // namespace

void BankEditor::drop_unused_schemas(unsigned threads, std::uint64_t memory_bytes,
                                     std::stop_token stop) {
  std::set<BankKey> used;
  ScanOptions options{.threads = threads, .memory_bytes = memory_bytes, .stop = std::move(stop)};
  options.on_bad_record = [](const Error&, std::size_t) {};
  for (const FileReader* input : inputs_) {
    UsedBanks split(*this, *input);
    add_split_records(*input, options, split);
    used.merge(split.take());
    options.wants_record = [&](std::size_t index) {
      return input->records()[index].header.layout == LayoutId::per_chunk;
    };
    scan(
        *input, Projection::everything(), options,
        [&](const Record& record, std::size_t) {
          UsedBanks banks(*this, *input);
          banks.add(record);
          return banks.take();
        },
        [&](std::set<BankKey> keys, std::size_t) { used.merge(std::move(keys)); });
  }
  for (auto& [dictionary, bound] : bound_) {
    std::erase_if(bound.dictionary, [&](const DictionaryEvent& event) {
      const Dictionary one(std::span{&event, 1});
      const auto schemas = one.schemas();
      return !schemas.empty() && !used.contains(schemas.front()->key());
    });
  }
}

}  // namespace v0
}  // namespace hipotool
