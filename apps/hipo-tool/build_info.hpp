#pragma once
// What this program was built from and with. The definitions are generated in every build
// (build_info.cmake), so the revision is that of the sources compiled, not of the last configure.

#include <string_view>

namespace hipotool::app {

struct BuildInfo {
  std::string_view version;     // "0.1.0"
  std::string_view revision;    // "1a2b3c4d5e6f", with "-dirty" where files differ; or "unknown"
  std::string_view build_type;  // "Release"
  std::string_view compiler;    // "GNU 12.2.0"
  std::string_view flags;       // "-O3 -DNDEBUG"
  std::string_view sanitizers;  // "address,undefined", or empty
};

// NOLINTNEXTLINE(readability-identifier-naming): a constant, if not of this unit
extern const BuildInfo kBuildInfo;

}  // namespace hipotool::app
