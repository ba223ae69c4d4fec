#pragma once
// The independent decoder and encoder of $HIPO_ORACLE_DIR, run as another process.

#include "hipotool/digest.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace hipotool::test {

// Whether the decoder refuses events with bytes after their last structure or without a header.
enum class Strictness { strict, lenient };

// What the decoder says of each file: "ORDERED UNORDERED EVENTS". A file that it refuses has its
// message instead. One process for all.
[[nodiscard]] std::map<std::filesystem::path, std::string> oracle_digests(
    const std::filesystem::path& oracle, const std::vector<std::filesystem::path>& files,
    Strictness strictness = Strictness::strict);

// The same text for a digest of ours.
[[nodiscard]] std::string digest_text(const Digest& digest);

// The lines of a text, each split at its tabs.
[[nodiscard]] std::vector<std::vector<std::string>> tab_separated(const std::string& text);

}  // namespace hipotool::test
