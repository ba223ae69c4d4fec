#include "hipotool/schema.hpp"

#include "hipotool/error.hpp"

#include "model/schema_parts.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

namespace hipotool {
inline namespace v0 {
namespace {

constexpr std::string_view kLetters = "BSIFDL";
constexpr std::uint64_t kMaxArrayLength = std::uint64_t{1} << 24;

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorCode::corrupt, "schema: " + what);
}

std::uint64_t parse_number(std::string_view text, std::uint64_t max, std::string_view what) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value > max) {
    refuse(std::string(what) + " \"" + std::string(text) + "\" is not a number up to " +
           std::to_string(max));
  }
  return value;
}

// The next {..} block at or after `from`; moves `from` past it.
std::string_view next_block(std::string_view text, std::size_t& from) {
  const std::size_t open = text.find('{', from);
  const std::size_t close = open == text.npos ? text.npos : text.find('}', open);
  if (close == text.npos) {
    refuse("two {...} blocks expected");
  }
  from = close + 1;
  return text.substr(open + 1, close - open - 1);
}

}  // namespace

char letter_of(ColumnType type) noexcept {
  return kLetters[static_cast<std::size_t>(type)];
}

std::optional<ColumnType> column_type_of(char letter) noexcept {
  const std::size_t at = kLetters.find(letter);
  if (at == kLetters.npos) {
    return std::nullopt;
  }
  return static_cast<ColumnType>(at);
}

std::string to_string(BankKey key) {
  return std::to_string(key.group) + "/" + std::to_string(key.item);
}

Schema::Schema(std::string name, BankKey key, std::vector<Column> columns)
    : name_(std::move(name)), key_(key), columns_(std::move(columns)) {
  for (Column& column : columns_) {
    column.row_offset = row_size_;
    row_size_ += column.width();
  }
}

Schema Schema::parse_text(std::string_view text) {
  std::size_t at = 0;
  const std::string_view head = next_block(text, at);
  const std::string_view body = next_block(text, at);
  const std::size_t first = head.find('/');
  const std::size_t second = first == head.npos ? head.npos : head.find('/', first + 1);
  if (second == head.npos) {
    refuse("its head must be name/group/item");
  }
  const auto group = parse_number(model::trimmed(head.substr(first + 1, second - first - 1)),
                                  std::numeric_limits<std::uint16_t>::max(), "group");
  const auto item = parse_number(model::trimmed(head.substr(second + 1)),
                                 std::numeric_limits<std::uint8_t>::max(), "item");
  std::vector<Column> columns;
  std::size_t begin = 0;
  while (begin <= body.size()) {
    const std::size_t end = std::min(body.find(',', begin), body.size());
    const std::string_view entry = model::trimmed(body.substr(begin, end - begin));
    begin = end + 1;
    if (entry.empty()) {
      continue;
    }
    const std::size_t slash = entry.find('/');
    if (slash == entry.npos) {
      refuse("column \"" + std::string(entry) + "\" has no type");
    }
    columns.push_back(
        model::make_column(model::trimmed(entry.substr(0, slash)), entry.substr(slash + 1)));
  }
  return model::make_schema(std::string(model::trimmed(head.substr(0, first))), group, item,
                            std::move(columns));
}

std::optional<std::size_t> Schema::find_column(std::string_view name) const noexcept {
  const auto found = std::find_if(columns_.begin(), columns_.end(),
                                  [&](const Column& column) { return column.name == name; });
  if (found == columns_.end()) {
    return std::nullopt;
  }
  return static_cast<std::size_t>(found - columns_.begin());
}

std::string Schema::text() const {
  std::string out = "{" + name_ + "/" + to_string(key_) + "}{";
  for (const Column& column : columns_) {
    if (&column != columns_.data()) {
      out += ',';
    }
    out += column.name + "/" + model::type_token(column);
  }
  return out + "}";
}

namespace model {

std::string_view trimmed(std::string_view text) noexcept {
  constexpr std::string_view kSpace = " \t\r\n\v\f";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == text.npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::string type_token(const Column& column) {
  std::string token(1, letter_of(column.type));
  if (column.length > 1) {
    token += "#" + std::to_string(column.length);
  }
  return token;
}

Column make_column(std::string_view name, std::string_view type) {
  const std::size_t hash = type.find('#');
  const std::string_view letter = trimmed(type.substr(0, hash));
  const auto known = letter.size() == 1 ? column_type_of(letter.front()) : std::nullopt;
  if (!known) {
    refuse("column \"" + std::string(name) + "\" has the unknown type \"" + std::string(type) +
           "\"");
  }
  Column column{std::string(name), *known};
  if (hash != type.npos) {
    column.length = static_cast<std::uint32_t>(
        parse_number(trimmed(type.substr(hash + 1)), kMaxArrayLength, "array length"));
    if (column.length == 0) {
      refuse("column \"" + std::string(name) + "\" has array length 0");
    }
  }
  return column;
}

Schema make_schema(std::string name, std::uint64_t group, std::uint64_t item,
                   std::vector<Column> columns) {
  if (group > std::numeric_limits<std::uint16_t>::max() ||
      item > std::numeric_limits<std::uint8_t>::max()) {
    refuse("\"" + name + "\" has an id out of range");
  }
  if (columns.size() > std::numeric_limits<std::uint16_t>::max()) {
    refuse("\"" + name + "\" has more than 65535 columns");
  }
  return Schema(std::move(name),
                {static_cast<std::uint16_t>(group), static_cast<std::uint8_t>(item)},
                std::move(columns));
}

}  // namespace model
}  // namespace v0
}  // namespace hipotool
