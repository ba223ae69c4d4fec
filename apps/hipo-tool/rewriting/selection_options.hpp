#pragma once
// Which events a command writes: the options for it, the same for all commands that rewrite files.

#include "hipotool/dictionary.hpp"
#include "hipotool/selection.hpp"

#include "arguments.hpp"

#include <optional>
#include <string>
#include <vector>

namespace hipotool::app {

struct SelectionOptions {
  Selection selection{};
  // Bits as they were written: numbers, or names of the registry, which is known later.
  std::optional<std::string> any{};
  std::optional<std::string> all{};
  std::optional<std::string> none{};
  std::optional<std::string> tags_from{};
  std::optional<TagSource> by{};
  std::optional<std::uint64_t> seed{};
};

// The sections "Events by tag" and "Events by content and position". `options` must outlive the
// verb's run.
void add_selection(Verb& verb, SelectionOptions& options);

// Whether any event may be left out.
[[nodiscard]] bool chooses_events(const SelectionOptions& options);
// Whether any of the options was given.
[[nodiscard]] bool is_given(const SelectionOptions& options);

// The tag registry of a file. Error{not_found} where it has none.
[[nodiscard]] std::vector<TagName> tag_names_in(const std::string& path);
// Throws UsageError for names that `names` lacks, and for options that have nothing to act on.
[[nodiscard]] Selection selection_of(const SelectionOptions& options,
                                     const std::vector<TagName>& names);

}  // namespace hipotool::app
