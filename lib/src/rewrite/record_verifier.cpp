#include "rewrite/record_verifier.hpp"

#include "hipotool/projection.hpp"

#include "model/batch_comparison.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace hipotool::inline v0::rewriting {
namespace {

// Banks are decoded together up to this many bytes: they are compared while a processor's cache
// still holds them, and records of few events do not pay for each bank apart.
constexpr std::uint64_t kTogether = std::uint64_t{512} << 10U;

// The directory's banks in turn, by as many as are decoded together.
std::vector<Projection> portions_of(const RecordDirectory& directory) {
  std::vector<Projection> portions;
  std::uint64_t bytes = kTogether;
  for (const DirectoryBank& bank : directory.banks) {
    if (bytes >= kTogether) {
      portions.push_back(Projection::nothing());
      bytes = 0;
    }
    portions.back().add(bank.key);
    for (const StreamInfo& stream : directory.streams_of(bank)) {
      bytes += stream.raw_bytes;
    }
  }
  return portions;
}

}  // namespace

void RecordVerifier::require_holds(const StoredRecord& stored, const EventBatch& batch,
                                   const Dictionary& dictionary, CodecContext& context) {
  read_directory(stored, context, directory_);
  const std::vector<Projection> portions = portions_of(directory_);
  if (portions.size() <= 1) {
    decode(stored, directory_, dictionary, Projection::everything(), context, decoded_);
    require_equal(batch, decoded_);
    return;
  }
  const BatchComparison comparison(batch);
  for (const Projection& portion : portions) {
    decode(stored, directory_, dictionary, portion, context, decoded_);
    if (&portion == &portions.front()) {
      comparison.require_tags(decoded_);
    }
    for (const BankBlock& block : decoded_.blocks()) {
      comparison.require_bank(block.key, &block);
    }
  }
  for (const BankKey key : comparison.banks()) {
    if (directory_.find(key) == nullptr) {
      comparison.require_bank(key, nullptr);
    }
  }
}

}  // namespace hipotool::inline v0::rewriting
