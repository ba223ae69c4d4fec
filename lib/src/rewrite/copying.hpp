#pragma once
// Which stored records may move to a new file unopened, their header alone rewritten.

#include "hipotool/dictionary.hpp"
#include "hipotool/reader.hpp"
#include "hipotool/rewrite.hpp"

#include <set>
#include <span>

namespace hipotool::inline v0::rewriting {

// How a record is stored, with the codec's usual level: what is stored does not tell it.
[[nodiscard]] Compression stored_compression(const RecordDirectory& directory, CodecId codec);

class CopyPolicy {
 public:
  CopyPolicy(std::span<const FileReader* const> inputs, const Dictionary& output_dictionary,
             const RewriteOptions& options);

  // Whether this record of `input` can stay as it is: same tag, format version and byte order, a
  // raw size of half to all of the target (or `alone`: neither neighbour has its user words), and
  // every bank with the schema that it has now. A function of record, neighbours and options alone.
  [[nodiscard]] bool may_copy(const FileReader& input, const StoredRecord& stored,
                              const RecordDirectory& directory, bool alone) const;
  // The same question where may_copy() left it open: a per-chunk record of an edited file, decoded.
  [[nodiscard]] bool keeps_schemas(const FileReader& input, const Record& record) const;
  [[nodiscard]] const Dictionary& output_dictionary() const noexcept { return *output_; }

 private:
  [[nodiscard]] bool keeps_schemas(const FileReader& input, const RecordDirectory& directory) const;

  const RewriteOptions* options_;
  const Dictionary* output_;
  std::set<const Dictionary*> same_dictionary_;  // of inputs whose schemas all stay
};

}  // namespace hipotool::inline v0::rewriting
