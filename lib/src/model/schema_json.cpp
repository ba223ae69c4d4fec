// The JSON form of a schema. The only file of the library that sees a JSON parser.

#include "hipotool/error.hpp"
#include "hipotool/schema.hpp"

#include "model/schema_parts.hpp"

#include <nlohmann/json.hpp>

#include <utility>

namespace hipotool {
inline namespace v0 {
namespace {

Schema schema_of(const nlohmann::json& json) {
  std::vector<Column> columns;
  for (const auto& entry : json.at("entries")) {
    columns.push_back(
        model::make_column(model::trimmed(entry.at("name").get_ref<const std::string&>()),
                           model::trimmed(entry.at("type").get_ref<const std::string&>())));
  }
  return model::make_schema(json.at("name").get<std::string>(),
                            json.at("group").get<std::uint64_t>(),
                            json.at("item").get<std::uint64_t>(), std::move(columns));
}

}  // namespace

Schema Schema::parse_json(std::string_view text) {
  try {
    return schema_of(nlohmann::json::parse(text.begin(), text.end()));
  } catch (const nlohmann::json::exception& error) {
    throw Error(ErrorCode::corrupt, std::string("schema JSON: ") + error.what());
  }
}

std::vector<Schema> Schema::parse_json_list(std::string_view text) {
  try {
    const auto json = nlohmann::json::parse(text.begin(), text.end());
    std::vector<Schema> schemas;
    if (!json.is_array()) {
      schemas.push_back(schema_of(json));
      return schemas;
    }
    for (const auto& one : json) {
      schemas.push_back(schema_of(one));
    }
    return schemas;
  } catch (const nlohmann::json::exception& error) {
    throw Error(ErrorCode::corrupt, std::string("schema JSON: ") + error.what());
  }
}

std::string Schema::json_text() const {
  // In the order and with the members that C++ hipo4 writes, so that its reader finds them.
  nlohmann::ordered_json json;
  json["name"] = name_;
  json["group"] = key_.group;
  json["item"] = key_.item;
  json["info"] = " ";
  auto& entries = json["entries"] = nlohmann::ordered_json::array();
  for (const Column& column : columns_) {
    entries.push_back({{"name", column.name}, {"type", model::type_token(column)}, {"info", " "}});
  }
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace v0
}  // namespace hipotool
