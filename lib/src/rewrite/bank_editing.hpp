#pragma once
// What a BankEditor says, done to decoded records.

#include "hipotool/bank_edit.hpp"
#include "hipotool/dictionary.hpp"
#include "hipotool/projection.hpp"
#include "hipotool/record.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace hipotool::inline v0::rewriting {

// What an edit means for a record of a split layout, known from its directory.
struct SplitEdit {
  bool changes = false;
  Projection projection = Projection::everything();  // what is left of its banks
};
[[nodiscard]] SplitEdit plan_split_edit(const BankEditor& editor, const FileReader& input,
                                        const RecordDirectory& directory);

// The events that lost something of a bank, which has the key that it had in the input; ascending.
struct EditedEvents {
  std::map<BankKey, std::vector<std::uint32_t>> dropped{};
  std::map<BankKey, std::vector<std::uint32_t>> narrowed{};
};

// Edits records, one after the other. One thread.
class RecordEditing {
 public:
  // Both must outlive it. Banks get the schemas of `output`.
  RecordEditing(const BankEditor& editor, const Dictionary& output)
      : editor_(&editor), output_(&output) {}

  // `record` was decoded whole or, with a `directory`, for SplitEdit::projection. The events of a
  // per-chunk record, which has none, keep the order of their banks and all that a split layout
  // cannot hold. False: nothing changes. Error{not_representable, invalid_argument} with event and
  // bank.
  bool edit(const FileReader& input, const RecordDirectory* directory, Record& record);
  // Of the record edited last.
  [[nodiscard]] EditedEvents& edited() noexcept { return edited_; }

 private:
  enum class Treatment : std::uint8_t { as_it_is, dropped, laid_out };
  struct BlockEdit;

  [[nodiscard]] Treatment treatment(const BankFate& fate, const BankBlock& block,
                                    const BankOccurrence& occurrence, std::uint32_t tag) const;
  [[nodiscard]] std::uint32_t size_after(const BankFate& fate, const BankBlock& block,
                                         const BankOccurrence& occurrence,
                                         Treatment treatment) const;
  bool look(const FileReader& input, const RecordDirectory* directory, const Record& record);
  bool look_at(const BankBlock& block, const BankFate& fate, const Record& record);
  bool note_undecoded(const FileReader& input, const RecordDirectory& directory,
                      const Record& record);
  void require_distinct(const Record& record) const;
  void edit_images(Record& record);
  std::byte* edit_image(const Record& record, std::uint32_t event, std::byte* to) const;
  void edit_blocks(Record& record);
  [[nodiscard]] BlockEdit plan_block(const Record& record, std::size_t block) const;
  void grow(std::uint64_t bytes, Record& record);
  void apply(const BlockEdit& edit, ByteSpan zeros, Record& record) const;
  static void set_event_sizes(Record& record);

  const BankEditor* editor_;
  const Dictionary* output_;
  EditedEvents edited_;
  std::vector<const BankFate*> fates_;  // of the record's blocks
  std::vector<std::uint64_t> sizes_;    // of its events
  Buffer spare_;
};

}  // namespace hipotool::inline v0::rewriting
