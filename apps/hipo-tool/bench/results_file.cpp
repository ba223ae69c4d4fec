#include "bench/results_file.hpp"

#include "hipotool/counted.hpp"
#include "hipotool/error.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fstream>

namespace hipotool::app::bench {

namespace {

using Json = nlohmann::json;

constexpr std::string_view kSchema = "hipo-tool/bench/1";
// Results are some hundred kilobytes.
constexpr std::size_t kLongestLine = std::size_t{256} << 20U;

std::string text_or_empty(const Json& object, const char* key) {
  const Json& value = object.at(key);
  return value.is_null() ? std::string() : value.get<std::string>();
}

StoredCell cell_of(const Json& table, const Json& row, const Json& measurement) {
  const Json& real = measurement.at("real");
  return {.table = table.at("name").get<std::string>(),
          .row = row.at("name").get<std::string>(),
          .work = measurement.at("work").get<std::string>(),
          .threads = measurement.at("threads").get<std::uint64_t>(),
          .measure = {.median = real.at("median_seconds").get<double>(),
                      .noise_floor = real.at("noise_floor").get<double>()},
          .checksum = text_or_empty(measurement, "checksum")};
}

StoredResult result_of(const Json& document, const std::string& path) {
  if (!document.is_object() || document.value("schema", "") != kSchema ||
      document.value("view", "") != "results") {
    throw Error(ErrorCode::unsupported,
                fmt::format("no results of `bench --format json` ({})", kSchema));
  }
  StoredResult result{.path = path};
  const Json& environment = document.at("environment");
  result.cpu = text_or_empty(environment, "cpu");
  result.revision = text_or_empty(environment, "revision");
  for (const Json& table : document.at("tables")) {
    for (const Json& row : table.at("rows")) {
      for (const Json& measurement : row.at("measurements")) {
        result.cells.push_back(cell_of(table, row, measurement));
      }
    }
  }
  return result;
}

}  // namespace

std::string StoredCell::key() const {
  return fmt::format("{}: {}, {}, {}", table, row, work, counted(threads, "thread"));
}

std::vector<StoredResult> read_results(const std::filesystem::path& path) {
  return with_context([&] { return ErrorContext{.path = path.string()}; },
                      [&] {
                        std::ifstream file(path, std::ios::binary);
                        std::error_code failed;
                        if (!file || std::filesystem::is_directory(path, failed)) {
                          throw Error(ErrorCode::io, "cannot be read");
                        }
                        std::vector<StoredResult> results;
                        for (std::string line; std::getline(file, line);) {
                          if (line.find_first_not_of(" \t\r") == line.npos) {
                            continue;
                          }
                          if (line.size() > kLongestLine) {
                            throw Error(ErrorCode::corrupt, "a line that no benchmark writes");
                          }
                          try {
                            results.push_back(result_of(Json::parse(line), path.string()));
                          } catch (const Json::exception&) {
                            throw Error(ErrorCode::corrupt,
                                        "no JSON as `bench --format json` writes it");
                          }
                        }
                        if (results.empty()) {
                          throw Error(ErrorCode::corrupt, "there is no result in it");
                        }
                        return results;
                      });
}

}  // namespace hipotool::app::bench
