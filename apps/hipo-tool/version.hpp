#pragma once

#include <string>

namespace hipotool::app {

// What `hipo-tool --version` prints: revision, build, compiler, libraries, and what is missing.
[[nodiscard]] std::string version_text();

}  // namespace hipotool::app
