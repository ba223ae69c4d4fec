#pragma once
// Which events a command writes or shows: the options for it, the same for all that do.

#include "hipotool/dictionary.hpp"
#include "hipotool/selection.hpp"

#include "arguments.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hipotool::app {

struct SelectionOptions {
  Selection selection{};
  bool has_range = false;  // also one of all events
  // Bits as they were written: numbers, or names of the registry, which is known later.
  std::optional<std::string> any{};
  std::optional<std::string> all{};
  std::optional<std::string> none{};
  std::optional<std::string> tags_from{};
  std::optional<TagSource> by{};
  std::optional<std::uint64_t> seed{};
};

// Over which events positions are counted.
enum class PositionsOver : std::uint8_t { all_inputs, each_file };

// The sections "Events by tag" and "Events by content and position". `options` must outlive the
// verb's run.
void add_selection(Verb& verb, SelectionOptions& options,
                   PositionsOver positions = PositionsOver::all_inputs);

// Whether any event may be left out.
[[nodiscard]] bool chooses_events(const SelectionOptions& options);
// Whether any of the options was given.
[[nodiscard]] bool is_given(const SelectionOptions& options);

// Throws UsageError for options that have nothing to act on.
void require_effects(const SelectionOptions& options);

// The tag registry of a file. Error{not_found} where it has none.
[[nodiscard]] std::vector<TagName> tag_names_in(const std::string& path);
// Throws UsageError for names that `names` lacks, and as require_effects() does.
[[nodiscard]] Selection selection_of(const SelectionOptions& options,
                                     const std::vector<TagName>& names);

}  // namespace hipotool::app
