#include "generated_text.hpp"

#include "options.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace hipotool::app {

std::vector<std::string> names_of(const Option& option) {
  return split_list(option.names);
}

bool names_file(const Option& option) {
  constexpr std::array<std::string_view, 5> kFiles{"FILE", "PATH", "OUT", "OTHER", "DIR"};
  return std::any_of(kFiles.begin(), kFiles.end(), [&](std::string_view word) {
    return option.placeholder.find(word) != std::string::npos;
  });
}

std::string generated_text(const std::string& word, const std::vector<Verb>& verbs) {
  if (word == "bash") {
    return bash_completion(verbs);
  }
  if (word == "zsh") {
    return zsh_completion(verbs);
  }
  if (word == "fish") {
    return fish_completion(verbs);
  }
  if (word == "man") {
    return program_page(verbs);
  }
  for (const Verb& verb : verbs) {
    if (word == "man:" + verb.name) {
      return verb_page(verb, verbs);
    }
  }
  throw UsageError("--generate: '" + word + "' is none of bash, zsh, fish, man, man:COMMAND");
}

}  // namespace hipotool::app
