#include "hipotool/definitions.hpp"

#include "hipotool/byte_source.hpp"
#include "hipotool/error.hpp"
#include "hipotool/reader.hpp"

#include <algorithm>
#include <string_view>
#include <system_error>

namespace hipotool {
inline namespace v0 {
namespace {

namespace fs = std::filesystem;

std::vector<Schema> schemas_of(const fs::path& path) {
  if (path.extension() != ".json") {
    const FileReader file(path);
    std::vector<Schema> schemas;
    for (const Schema* schema : file.dictionary().schemas()) {
      schemas.push_back(*schema);
    }
    return schemas;
  }
  return with_context(
      [&] { return ErrorContext{.path = path.string()}; },
      [&] {
        const auto source = open_file(path);
        Buffer bytes(source->size());
        source->read_at(0, bytes.span());
        return Schema::parse_json_list({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
      });
}

std::vector<fs::path> files_of(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    return {path};
  }
  std::vector<fs::path> files;
  for (fs::directory_iterator entries(path, error), end; !error && entries != end;
       entries.increment(error)) {
    if (entries->path().extension() == ".json") {
      files.push_back(entries->path());
    }
  }
  if (error) {
    throw Error(ErrorCode::io, error.message(), {.path = path.string()});
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

std::vector<Schema> read_definitions(const fs::path& path) {
  std::vector<Schema> definitions;
  for (const fs::path& file : files_of(path)) {
    for (Schema& schema : schemas_of(file)) {
      const auto rival =
          std::find_if(definitions.begin(), definitions.end(), [&](const Schema& known) {
            return known.name() == schema.name() || known.key() == schema.key();
          });
      if (rival == definitions.end()) {
        definitions.push_back(std::move(schema));
      } else if (*rival != schema) {
        throw Error(ErrorCode::invalid_argument,
                    schema.text() + " contradicts " + rival->text() + ", defined before",
                    {.path = file.string()});
      }
    }
  }
  if (definitions.empty()) {
    throw Error(ErrorCode::not_found, "no bank definition in it", {.path = path.string()});
  }
  return definitions;
}

}  // namespace v0
}  // namespace hipotool
