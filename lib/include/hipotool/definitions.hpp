#pragma once
// Bank definitions as experiments keep them: a folder of JSON files, one such file, or whatever a
// HIPO file's dictionary holds.

#include "hipotool/schema.hpp"

#include <filesystem>
#include <vector>

namespace hipotool {
inline namespace v0 {

// All schemas, those of a folder by the names of its files *.json, without its subfolders. A bank
// that is defined twice in the same words comes once. Error{io, corrupt} with the file,
// {invalid_argument} for two definitions of one name or of one id, and {not_found} where there is
// none at all.
[[nodiscard]] std::vector<Schema> read_definitions(const std::filesystem::path& path);

}  // namespace v0
}  // namespace hipotool
