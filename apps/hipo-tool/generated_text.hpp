#pragma once
// Texts made from the table of verbs, besides the help: completion scripts and manual pages. They
// are installed with the program, and cannot say anything else than what is parsed.

#include "arguments.hpp"

#include <string>
#include <vector>

namespace hipotool::app {

// `word`: bash, zsh, fish, man (of the program), or man:VERB. Throws UsageError for another one.
[[nodiscard]] std::string generated_text(const std::string& word, const std::vector<Verb>& verbs);

[[nodiscard]] std::string bash_completion(const std::vector<Verb>& verbs);
[[nodiscard]] std::string zsh_completion(const std::vector<Verb>& verbs);
[[nodiscard]] std::string fish_completion(const std::vector<Verb>& verbs);

[[nodiscard]] std::string program_page(const std::vector<Verb>& verbs);
[[nodiscard]] std::string verb_page(const Verb& verb, const std::vector<Verb>& verbs);

// "-j,--threads": "-j" and "--threads".
[[nodiscard]] std::vector<std::string> names_of(const Option& option);
// Whether a value is the name of a file or folder.
[[nodiscard]] bool names_file(const Option& option);

}  // namespace hipotool::app
