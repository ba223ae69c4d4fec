#include "arguments.hpp"

#include "hipotool/names.hpp"

#include "generated_text.hpp"
#include "version.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <utility>

namespace hipotool::app {

namespace {

// The options nearest to a word that looks like one and that the verb lacks, as the end of a
// message.
std::string suggested_options(const Verb& verb, int count, const char* const* words) {
  std::vector<std::string> names;
  for (const OptionSection& section : verb.sections) {
    for (const Option& option : section.options) {
      if (const std::size_t dashes = option.names.find("--"); dashes != std::string::npos) {
        names.push_back(option.names.substr(dashes + 2));
      }
    }
  }
  for (int i = 1; i < count && std::string_view(words[i]) != "--"; ++i) {
    const std::string_view word(words[i]);
    if (!word.starts_with("--")) {
      continue;
    }
    const std::string name(word.substr(2, word.find('=') - 2));
    if (std::find(names.begin(), names.end(), name) != names.end()) {
      continue;
    }
    std::string nearest;
    for (const std::string& known : nearest_names(name, names)) {
      nearest += (nearest.empty() ? "; the nearest: --" : ", --") + known;
    }
    return nearest;
  }
  return "";
}

std::string seen_name(const Option& option) {
  const auto comma = option.names.rfind(',');
  return comma == std::string::npos ? option.names : option.names.substr(comma + 1);
}

void take_with_name(const Option& option, const std::string& value) {
  try {
    option.take(value);
  } catch (const UsageError& error) {
    throw UsageError(seen_name(option) + ": " + error.what());
  }
}

void declare(CLI::App& app, const Option& option) {
  if (option.placeholder.empty()) {
    app.add_flag_callback(option.names, [&option] { take_with_name(option, ""); });
  } else if (option.repeatable) {
    // Without extra arguments: each time takes one value, and no operand that follows.
    app.add_option_function<std::vector<std::string>>(option.names,
                                                      [&option](const auto& values) {
                                                        for (const std::string& value : values) {
                                                          take_with_name(option, value);
                                                        }
                                                      })
        ->allow_extra_args(false)
        ->type_name(option.placeholder);
  } else {
    app.add_option_function<std::string>(
           option.names, [&option](const std::string& value) { take_with_name(option, value); })
        ->type_name(option.placeholder);
  }
}

CLI::App* declare(CLI::App& app, Verb& verb) {
  CLI::App* sub = app.add_subcommand(verb.name, verb.summary);
  for (const OptionSection& section : verb.sections) {
    for (const Option& option : section.options) {
      declare(*sub, option);
    }
  }
  // One list: the library cannot parse "some files, then one more".
  sub->add_option("operands", *verb.operands);
  return sub;
}

}  // namespace

Verb& Verb::section(std::string title) {
  sections.push_back({.title = std::move(title)});
  return *this;
}

Verb& Verb::option(std::string names, std::string placeholder, std::string help,
                   std::function<void(const std::string&)> take) {
  sections.back().options.push_back(
      {std::move(names), std::move(placeholder), std::move(help), std::move(take)});
  return *this;
}

Verb& Verb::repeatable_option(std::string names, std::string placeholder, std::string help,
                              std::function<void(const std::string&)> take) {
  option(std::move(names), std::move(placeholder), std::move(help), std::move(take));
  sections.back().options.back().repeatable = true;
  return *this;
}

Verb& Verb::flag(std::string names, std::string help, bool& target) {
  return option(std::move(names), "", std::move(help),
                [&target](const std::string&) { target = true; });
}

Verb& Verb::choices(std::vector<std::string> words) {
  sections.back().options.back().choices = std::move(words);
  return *this;
}

Verb& Verb::example(std::string line, std::string meaning) {
  examples.push_back({std::move(line), std::move(meaning)});
  return *this;
}

const std::vector<Option>& global_options() {
  static const std::vector<Option> options{
      {"-h,--help", "", "This text; after a command, the help of that command.", {}},
      {"--version", "", "Revision, build and libraries.", {}},
      {"--generate",
       "WORD",
       "Print a shell's completion script (bash, zsh, fish) or a manual page (man; man:COMMAND).",
       {},
       false,
       {"bash", "zsh", "fish", "man"}}};
  return options;
}

ParsedCommandLine parse_command_line(int count, const char* const* words,
                                     std::vector<Verb>& verbs) {
  CLI::App app;
  app.name("hipo-tool");
  app.require_subcommand(0, 1);
  bool version = false;
  app.add_flag("--version", version);
  std::string generate;
  app.add_option("--generate", generate);
  std::vector<CLI::App*> subs;
  subs.reserve(verbs.size());
  for (Verb& verb : verbs) {
    subs.push_back(declare(app, verb));
  }
  const auto chosen = [&]() -> Verb* {
    for (std::size_t i = 0; i < subs.size(); ++i) {
      if (subs[i]->parsed()) {
        return &verbs[i];
      }
    }
    return nullptr;
  };
  try {
    app.parse(count, words);
  } catch (const CLI::CallForHelp&) {
    const Verb* verb = chosen();
    return {.text = verb == nullptr ? overview_help(verbs) : verb_help(*verb)};
  } catch (const CLI::ParseError& error) {
    const Verb* verb = chosen();
    if (verb == nullptr && count > 1 && words[1][0] != '-') {
      throw UsageError("there is no command '" + std::string(words[1]) +
                       "' (see: hipo-tool --help)");
    }
    const bool unexpected =
        dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && verb != nullptr;
    throw UsageError(error.what() + (unexpected ? suggested_options(*verb, count, words) : "") +
                     " (see: hipo-tool " + (verb == nullptr ? "" : verb->name + " ") + "--help)");
  }
  if (version) {
    return {.text = version_text()};
  }
  if (!generate.empty()) {
    return {.text = generated_text(generate, verbs)};
  }
  if (chosen() == nullptr) {
    throw UsageError("no command given (see: hipo-tool --help)");
  }
  return {.verb = chosen()};
}

}  // namespace hipotool::app
