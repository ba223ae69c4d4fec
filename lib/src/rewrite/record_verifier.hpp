#pragma once
// Decodes a record that is about to be written and compares it with the events that it was made
// from.

#include "hipotool/dictionary.hpp"
#include "hipotool/directory.hpp"
#include "hipotool/event_batch.hpp"
#include "hipotool/record.hpp"
#include "hipotool/transcode.hpp"

namespace hipotool::inline v0::rewriting {

// Keeps its memory from record to record; one for each thread.
class RecordVerifier {
 public:
  // Error{corrupt} naming event and bank unless `stored` holds exactly the events of `batch`.
  void require_holds(const StoredRecord& stored, const EventBatch& batch,
                     const Dictionary& dictionary, CodecContext& context);

 private:
  RecordDirectory directory_;
  Record decoded_;
};

}  // namespace hipotool::inline v0::rewriting
