// Completion scripts, one form for each shell: commands, their options, the words that an option
// takes where they are few, and file names everywhere else.

#include "generated_text.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace hipotool::app {

namespace {

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string text;
  for (const std::string& word : words) {
    text += text.empty() ? "" : between;
    text += word;
  }
  return text;
}

std::string replaced(std::string text, std::string_view what, std::string_view with) {
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
  return text;
}

// For people who look at a list: the first sentence, or what stands before a colon if that is more
// than a word.
std::string first_sentence(const std::string& help) {
  constexpr std::size_t kMoreThanAWord = 12;
  const std::size_t end = std::min(help.find(". "), help.find(": ", kMoreThanAWord));
  std::string sentence = help.substr(0, end);
  if (sentence.ends_with('.')) {
    sentence.pop_back();
  }
  return sentence;
}

// Of a verb: all options, and that which every verb has.
std::vector<Option> options_of(const Verb& verb) {
  std::vector<Option> all{global_options().front()};
  for (const OptionSection& section : verb.sections) {
    all.insert(all.end(), section.options.begin(), section.options.end());
  }
  return all;
}

std::vector<std::string> verb_names(const std::vector<Verb>& verbs) {
  std::vector<std::string> names;
  names.reserve(verbs.size());
  for (const Verb& verb : verbs) {
    names.push_back(verb.name);
  }
  return names;
}

std::vector<std::string> all_names(const std::vector<Option>& options) {
  std::vector<std::string> names;
  for (const Option& option : options) {
    const std::vector<std::string> more = names_of(option);
    names.insert(names.end(), more.begin(), more.end());
  }
  return names;
}

// Within single quotes of bash, zsh or fish.
std::string in_quotes(const std::string& text) {
  return "'" + replaced(text, "'", R"('\'')") + "'";
}

// ---- bash

// The cases of options that take a value: "    recook:--codec) words='none lz4' ;;".
std::string bash_cases(const std::string& verb, const std::vector<Option>& options) {
  std::string text;
  for (const Option& option : options) {
    if (option.placeholder.empty()) {
      continue;
    }
    std::string patterns;
    for (const std::string& name : names_of(option)) {
      patterns += patterns.empty() ? "    " : "|";
      patterns += verb;
      patterns += ':';
      patterns += name;
    }
    text += patterns + ") ";
    if (!option.choices.empty()) {
      text += "words='" + joined(option.choices, " ") + "'";
    } else {
      text += names_file(option) ? "return" : "compopt +o default; return";
    }
    text += " ;;\n";
  }
  return text;
}

}  // namespace

std::string bash_completion(const std::vector<Verb>& verbs) {
  std::string text =
      "# bash completion for hipo-tool, made by hipo-tool --generate bash\n"
      "_hipo_tool() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
      "  local verb= words= i\n"
      "  COMPREPLY=()\n"
      "  # bash takes --layout=WORD apart at the =\n"
      "  if [[ $current == '=' ]]; then\n"
      "    current=\n"
      "  elif [[ $before == '=' ]]; then\n"
      "    before=${COMP_WORDS[COMP_CWORD-2]}\n"
      "  fi\n"
      "  for ((i = 1; i < COMP_CWORD; ++i)); do\n"
      "    case ${COMP_WORDS[i]} in\n"
      "      " +
      joined(verb_names(verbs), "|") +
      ") verb=${COMP_WORDS[i]}; break ;;\n"
      "    esac\n"
      "  done\n"
      "  case $verb:$before in\n";
  text += bash_cases("", global_options());
  for (const Verb& verb : verbs) {
    text += bash_cases(verb.name, options_of(verb));
  }
  text +=
      "  esac\n"
      "  if [[ -n $words ]]; then\n"
      "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
      "    compopt +o default\n"
      "    return\n"
      "  fi\n"
      "  case $verb in\n"
      "    '') words='" +
      joined(verb_names(verbs), " ") + " " + joined(all_names(global_options()), " ") + "' ;;\n";
  for (const Verb& verb : verbs) {
    text += "    " + verb.name + ") words='" + joined(all_names(options_of(verb)), " ") + "' ;;\n";
  }
  text +=
      "  esac\n"
      "  # Operands of a command are files, which the default completes.\n"
      "  if [[ -z $verb || $current == -* ]]; then\n"
      "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
      "    compopt +o default\n"
      "  fi\n"
      "}\n"
      "complete -o default -F _hipo_tool hipo-tool\n";
  return text;
}

// ---- zsh

namespace {

// One argument of _arguments: '(-j --threads)'{-j,--threads}'[Threads]:N: '
std::string zsh_argument(const Option& option) {
  const std::vector<std::string> names = names_of(option);
  std::string help = first_sentence(option.help);
  for (const char* special : {"\\", "[", "]"}) {
    help = replaced(help, special, std::string("\\") + special);
  }
  std::string rest = "[" + help + "]";
  if (!option.placeholder.empty()) {
    rest += ":" + option.placeholder + ":";
    if (!option.choices.empty()) {
      rest += "(" + joined(option.choices, " ") + ")";
    } else {
      rest += names_file(option) ? "_files" : " ";
    }
  }
  const std::string first = option.repeatable ? "'*'" : "'(" + joined(names, " ") + ")'";
  const std::string all = names.size() > 1 ? "{" + joined(names, ",") + "}" : names.front();
  return "    " + first + all + in_quotes(rest) + " \\\n";
}

std::string function_name(const Verb& verb) {
  return "_hipo_tool_" + replaced(verb.name, "-", "_");
}

}  // namespace

std::string zsh_completion(const std::vector<Verb>& verbs) {
  std::string text =
      "#compdef hipo-tool\n"
      "# zsh completion for hipo-tool, made by hipo-tool --generate zsh\n";
  for (const Verb& verb : verbs) {
    text += "\n" + function_name(verb) + "() {\n  _arguments -s -S \\\n";
    for (const Option& option : options_of(verb)) {
      text += zsh_argument(option);
    }
    text += "    '*:file:_files'\n}\n";
  }
  text +=
      "\n_hipo_tool() {\n"
      "  local context state state_descr line\n"
      "  typeset -A opt_args\n"
      "  _arguments -C \\\n";
  for (const Option& option : global_options()) {
    text += zsh_argument(option);
  }
  text +=
      "    '1:command:->command' \\\n"
      "    '*::argument:->argument'\n"
      "  case $state in\n"
      "    command)\n"
      "      local -a commands\n"
      "      commands=(\n";
  for (const Verb& verb : verbs) {
    text += "        " + in_quotes(verb.name + ":" + replaced(verb.summary, ":", "\\:")) + "\n";
  }
  text +=
      "      )\n"
      "      _describe command commands\n"
      "      ;;\n"
      "    argument)\n"
      "      case $words[1] in\n";
  for (const Verb& verb : verbs) {
    text += "        " + verb.name + ") " + function_name(verb) + " ;;\n";
  }
  text +=
      "      esac\n"
      "      ;;\n"
      "  esac\n"
      "}\n"
      "\n"
      "_hipo_tool \"$@\"\n";
  return text;
}

// ---- fish

namespace {

std::string fish_line(const std::string& condition, const Option& option) {
  std::string text = "complete -c hipo-tool -n " + in_quotes(condition);
  for (const std::string& name : names_of(option)) {
    text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  if (!option.choices.empty()) {
    text += " -x -a " + in_quotes(joined(option.choices, " "));
  } else if (!option.placeholder.empty()) {
    text += names_file(option) ? " -r -F" : " -x";
  }
  return text + " -d " + in_quotes(replaced(first_sentence(option.help), "\\", "\\\\")) + "\n";
}

}  // namespace

std::string fish_completion(const std::vector<Verb>& verbs) {
  const std::string no_verb = "not __fish_seen_subcommand_from " + joined(verb_names(verbs), " ");
  std::string text = "# fish completion for hipo-tool, made by hipo-tool --generate fish\n";
  for (const Verb& verb : verbs) {
    text += "complete -c hipo-tool -n " + in_quotes(no_verb) + " -f -a " + verb.name + " -d " +
            in_quotes(verb.summary) + "\n";
  }
  for (const Option& option : global_options()) {
    text += fish_line(no_verb, option);
  }
  for (const Verb& verb : verbs) {
    text += "\n";
    for (const Option& option : options_of(verb)) {
      text += fish_line("__fish_seen_subcommand_from " + verb.name, option);
    }
  }
  return text;
}

}  // namespace hipotool::app
