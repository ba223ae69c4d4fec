// The parts of tool_files.hpp that need a JSON library, which is slow to compile.

#include "cli/tool_files.hpp"

#include <nlohmann/json.hpp>

#include <bit>
#include <cstdint>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

namespace hipotool::test {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

// f32 and f64 by their bits. The reference spells non-finite numbers as Python does.
bool same_number(const json& ours, const json& theirs, char type) {
  if (theirs.is_string()) {
    return ours == (theirs == "nan" ? "NaN" : theirs == "inf" ? "Infinity" : "-Infinity");
  }
  if (!ours.is_number() || !theirs.is_number()) {
    return false;
  }
  if (type == 'F') {
    return std::bit_cast<std::uint32_t>(ours.get<float>()) ==
           std::bit_cast<std::uint32_t>(theirs.get<float>());
  }
  if (type == 'D') {
    return std::bit_cast<std::uint64_t>(ours.get<double>()) ==
           std::bit_cast<std::uint64_t>(theirs.get<double>());
  }
  return ours.is_number_integer() && theirs.is_number_integer() && ours == theirs;
}

bool same_values(const json& ours, const json& theirs, char type) {
  if (!ours.is_array() || !theirs.is_array()) {
    return same_number(ours, theirs, type);
  }
  if (ours.size() != theirs.size()) {
    return false;
  }
  for (std::size_t i = 0; i < ours.size(); ++i) {
    if (!same_values(ours[i], theirs[i], type)) {
      return false;
    }
  }
  return true;
}

// Type letters of a bank's columns from the reference's schema texts "{NAME/1/2}{x/F,y/D#3}".
std::map<std::string, char> column_types(const json& dictionary, const std::string& bank) {
  std::map<std::string, char> types;
  for (const std::string text : dictionary) {
    if (!text.starts_with("{" + bank + "/")) {
      continue;
    }
    std::string columns = text.substr(text.rfind('{') + 1);
    columns.back() = ',';
    for (std::size_t at = 0; at < columns.size(); at = columns.find(',', at) + 1) {
      const std::size_t slash = columns.find('/', at);
      types[columns.substr(at, slash - at)] = columns[slash + 1];
    }
  }
  return types;
}

bool same_composite(const json& ours, const json& theirs) {
  const std::string format = theirs["format"];
  const json& rows = theirs["values"];
  if (ours["rows"] != theirs["rows"] || ours["columns"].size() != format.size()) {
    return false;
  }
  for (std::size_t field = 0; field < format.size(); ++field) {
    const json& column = ours["columns"]["f" + std::to_string(field)];
    const char type = format[field] == 'f' ? 'F' : format[field] == 'd' ? 'D' : 'I';
    for (std::size_t row = 0; row < rows.size(); ++row) {
      if (!same_number(column[row], rows[row][field], type)) {
        return false;
      }
    }
  }
  return true;
}

bool same_bank(const json& ours, const json& theirs, const json& dictionary) {
  for (const char* key : {"group", "item", "type"}) {
    if (ours[key] != theirs[key]) {
      return false;
    }
  }
  if (theirs.contains("composite")) {
    return same_composite(ours, theirs["composite"]);
  }
  if (!theirs.contains("columns")) {
    return ours["hex"] == theirs["hex"] && ours["size"] == theirs["size"];
  }
  const std::string name = theirs["name"];
  const auto types = column_types(dictionary, name);
  if (ours["name"] != name || ours["rows"] != theirs["rows"] ||
      ours["columns"].size() != theirs["columns"].size()) {
    return false;
  }
  for (const auto& [column, values] : theirs["columns"].items()) {
    if (!same_values(ours["columns"][column], values, types.at(column))) {
      return false;
    }
  }
  return true;
}

void sort_banks(json& banks) {
  std::stable_sort(banks.begin(), banks.end(), [](const json& a, const json& b) {
    return std::pair(a["group"].get<int>(), a["item"].get<int>()) <
           std::pair(b["group"].get<int>(), b["item"].get<int>());
  });
}

}  // namespace

std::string schema_errors(const std::string& schema, const std::string& document) {
  const fs::path path = fs::path(HIPO_TEST_DATA_DIR) / "../../docs/schema" / (schema + ".json");
  const json rules = json::parse(read_text(path));
  valijson::Schema parsed;
  valijson::SchemaParser parser(valijson::SchemaParser::kDraft7);
  parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(rules), parsed);
  valijson::Validator validator;
  valijson::ValidationResults results;
  const json value = json::parse(document, nullptr, false);
  if (value.is_discarded()) {
    return "not JSON: " + document;
  }
  if (validator.validate(parsed, valijson::adapters::NlohmannJsonAdapter(value), &results)) {
    return "";
  }
  std::string errors;
  for (const valijson::ValidationResults::Error& error : results) {
    for (const std::string& step : error.context) {
      errors += step;
    }
    errors += ": " + error.description + "\n";
  }
  return errors;
}

std::string json_at(const std::string& document, const std::string& pointer) {
  const json value = json::parse(document, nullptr, false);
  const json::json_pointer at(pointer);
  return value.is_discarded() || !value.contains(at) ? "nothing" : value[at].dump();
}

std::string json_without(const std::string& document, const std::vector<std::string>& keys) {
  const json value = json::parse(
      document,
      [&keys](int /*depth*/, json::parse_event_t event, const json& parsed) {
        return event != json::parse_event_t::key ||
               std::find(keys.begin(), keys.end(), parsed.get<std::string>()) == keys.end();
      },
      false);
  return value.dump();
}

std::string first_difference(const std::string& dump, const fs::path& expected) {
  json reference = json::parse(read_text(expected));
  const std::vector<std::string> lines = lines_of(dump);
  if (lines.size() != reference["events"].size()) {
    return "number of events: " + std::to_string(lines.size());
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const json ours = json::parse(lines[i]);
    json& theirs = reference["events"][i];
    sort_banks(theirs["banks"]);
    bool same = ours["event"] == i && ours["tag"] == theirs["tag"] &&
                ours["banks"].size() == theirs["banks"].size();
    for (std::size_t bank = 0; same && bank < theirs["banks"].size(); ++bank) {
      same = same_bank(ours["banks"][bank], theirs["banks"][bank], reference["dictionary"]);
    }
    if (!same) {
      return "event " + std::to_string(i) + ":\n" + lines[i] + "\n" + theirs.dump();
    }
  }
  return "";
}

}  // namespace hipotool::test
