#include "layout/big_endian.hpp"

#include "hipotool/error.hpp"
#include "hipotool/record.hpp"

#include "format/constants.hpp"
#include "format/structure.hpp"
#include "format/swap.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace hipotool::inline v0::layout {
namespace {

using format::swap_elements;

// The file index has a fixed shape and is in no dictionary.
const Schema& file_index_schema() {
  static const Schema schema("file::index", format::kFileIndexKey,
                             {{"position", ColumnType::i64},
                              {"length", ColumnType::i32},
                              {"entries", ColumnType::i32},
                              {"userWordOne", ColumnType::i64},
                              {"userWordTwo", ColumnType::i64}});
  return schema;
}

void swap_table(const Schema& schema, std::byte* data, std::uint32_t size) {
  if (schema.row_size() == 0) {
    return;
  }
  const std::uint64_t rows = size / schema.row_size();
  for (const Column& column : schema.columns()) {
    swap_elements(data + rows * column.row_offset, rows * column.length, size_of(column.type));
  }
}

void swap_composite(std::byte* data, const format::StructureHeader& header) {
  const std::vector<ColumnType> fields = composite_fields({data, header.format_length});
  std::uint64_t row_size = 0;
  for (const ColumnType field : fields) {
    row_size += size_of(field);
  }
  if (row_size == 0) {
    return;
  }
  std::byte* at = data + header.format_length;
  for (std::uint64_t rows = (header.size - header.format_length) / row_size; rows > 0; --rows) {
    for (const ColumnType field : fields) {
      swap_elements(at, 1, size_of(field));
      at += size_of(field);
    }
  }
}

void swap_structures(MutableByteSpan event, const Dictionary& dictionary) {
  std::size_t at = format::kEventHeaderBytes;
  while (event.size() - at >= format::kStructureHeaderBytes) {
    std::byte* header_at = event.data() + at;
    swap_elements(header_at, 1, 2);
    swap_elements(header_at + 4, 1, 4);
    const format::StructureHeader header = format::load_structure_header(header_at);
    at += format::kStructureHeaderBytes;
    if (header.size > event.size() - at || header.format_length > header.size) {
      return;  // damage, which the walk over the structures reports
    }
    std::byte* data = event.data() + at;
    if (header.format_length != 0) {
      swap_composite(data, header);
    } else if (header.key == format::kFileIndexKey) {
      swap_table(file_index_schema(), data, header.size);
    } else if (const Schema* schema = dictionary.find(header.key)) {
      swap_table(*schema, data, header.size);
    }
    at += header.size;
  }
}

}  // namespace

void normalise_big_endian(const RecordHeader& header, const Dictionary& dictionary,
                          MutableByteSpan payload) {
  swap_elements(payload.data(), header.index_bytes / 4, 4);
  std::uint64_t at =
      std::uint64_t{header.index_bytes} + header.user_header_bytes + header.user_header_padding();
  for (std::uint32_t event = 0; event < header.event_count; ++event) {
    const auto size = load_le<std::uint32_t>(payload.data() + std::size_t{4} * event);
    if (size > payload.size() - at) {
      throw Error(ErrorCode::corrupt,
                  "an event of " + std::to_string(size) + " bytes runs past its record's payload",
                  {.event = event});
    }
    if (size >= format::kEventHeaderBytes) {
      const MutableByteSpan bytes = payload.subspan(at, size);
      if (std::memcmp(bytes.data(), "TNVE", 4) == 0) {
        std::memcpy(bytes.data(), "EVNT", 4);
      }
      swap_elements(bytes.data() + 4, 3, 4);
      swap_structures(bytes, dictionary);
    }
    at += size;
  }
}

}  // namespace hipotool::inline v0::layout
