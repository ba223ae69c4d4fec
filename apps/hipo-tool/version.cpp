#include "version.hpp"

#include "hipotool/compression.hpp"

#include "build_info.hpp"

#include <CLI/Version.hpp>
#include <fmt/core.h>
#include <nlohmann/detail/abi_macros.hpp>
#include <spdlog/version.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>
#include <xxhash.h>

namespace hipotool::app {

std::string version_text() {
  std::vector<std::string> libraries;
  std::string lacking;
  for (const CodecInfo& codec : codecs()) {
    const std::string library(codec.library);
    if (!codec.available) {
      lacking += lacking.empty() ? "codec " : ", codec ";
      lacking += codec.name;
    } else if (!library.empty() &&
               std::find(libraries.begin(), libraries.end(), library) == libraries.end()) {
      libraries.push_back(library);
    }
  }
  if (codec_info(CodecId::gzip).library.starts_with("zlib")) {
    lacking += lacking.empty() ? "" : ", ";
    lacking += "libdeflate (gzip is written with zlib)";
  }
  libraries.push_back(
      fmt::format("xxHash {}.{}.{}", XXH_VERSION_MAJOR, XXH_VERSION_MINOR, XXH_VERSION_RELEASE));
  libraries.push_back(
      fmt::format("fmt {}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100));
  libraries.push_back(
      fmt::format("spdlog {}.{}.{}", SPDLOG_VER_MAJOR, SPDLOG_VER_MINOR, SPDLOG_VER_PATCH));
  libraries.push_back(fmt::format("nlohmann_json {}.{}.{}", NLOHMANN_JSON_VERSION_MAJOR,
                                  NLOHMANN_JSON_VERSION_MINOR, NLOHMANN_JSON_VERSION_PATCH));
  libraries.push_back("CLI11 " CLI11_VERSION);

  std::string text = fmt::format("hipo-tool {}\nrevision   {}\nbuild      {}{}{}\ncompiler   {}\n",
                                 kBuildInfo.version, kBuildInfo.revision, kBuildInfo.build_type,
                                 kBuildInfo.sanitizers.empty() ? "" : ", sanitizers ",
                                 kBuildInfo.sanitizers, kBuildInfo.compiler);
  for (std::size_t i = 0; i < libraries.size(); ++i) {
    text += (i == 0 ? "libraries  " : "           ") + libraries[i] + "\n";
  }
  text += "lacks      " + (lacking.empty() ? "nothing" : lacking) + "\n";
  return text;
}

}  // namespace hipotool::app
