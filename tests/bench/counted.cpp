// One piece of work whose instructions are counted, the codec libraries left out:
//
//   hipo-counted FILE column|bank|everything|encode
//
// Reads every record of FILE into the same memory, or stores the records again as lz4, per-column,
// and compares them. Run by scripts/count_instructions.py.

#include "hipotool/error.hpp"
#include "hipotool/reader.hpp"

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace {

namespace hipo = hipotool;

hipo::Projection projection_of(const hipo::FileReader& reader, std::string_view what) {
  const hipo::Schema* schema = reader.dictionary().find("REC::Particle");
  if (schema == nullptr || (what != "column" && what != "bank")) {
    return hipo::Projection::everything();
  }
  const std::optional<std::size_t> column = schema->find_column("px");
  return what == "column" && column ? hipo::Projection::nothing().add(schema->key(), {*column})
                                    : hipo::Projection::nothing().add(schema->key());
}

void run(const hipo::FileReader& reader, std::string_view what) {
  const hipo::Projection projection = projection_of(reader, what);
  hipo::CodecContext context;
  hipo::EncodedRecord encoded;
  hipo::RecordDirectory directory;
  hipo::Record proof;
  const auto record = std::make_shared<hipo::Record>();
  for (std::size_t i = 0; i < reader.records().size(); ++i) {
    reader.read_record(i, projection, context, *record);
    if (what != "encode") {
      continue;
    }
    hipo::EventBatch batch;
    batch.append(record, 0, record->event_count());
    hipo::encode(batch, {hipo::CodecId::lz4, hipo::LayoutId::per_column}, reader.dictionary(),
                 context, encoded);
    const auto stored = hipo::StoredRecord::borrow(std::as_const(encoded).bytes());
    hipo::read_directory(stored, context, directory);
    hipo::decode(stored, directory, reader.dictionary(), hipo::Projection::everything(), context,
                 proof);
    hipo::require_equal(batch, proof);
  }
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) {
    std::fputs("usage: hipo-counted FILE column|bank|everything|encode\n", stderr);
    return 2;
  }
  try {
    run(hipo::FileReader(std::filesystem::path(words[1])), words[2]);
    return 0;
  } catch (const hipo::Error& error) {
    std::fprintf(stderr, "hipo-counted: %s\n", error.what());
    return 1;
  }
}
