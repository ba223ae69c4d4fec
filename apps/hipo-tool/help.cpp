// The text of --help, made from the table of verbs.

#include "arguments.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace hipotool::app {

namespace {

constexpr std::size_t kWidth = 96;
constexpr std::size_t kIndent = 2;
constexpr std::size_t kHelpColumn = 28;

// Fills lines up to kWidth, all but the first indented to `column`. `text` starts at `column`.
std::string wrapped(std::string_view text, std::size_t column) {
  std::string lines;
  std::size_t at = column;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (at > column && at + 1 + word.size() > kWidth) {
      lines += "\n" + std::string(column, ' ');
      at = column;
    } else if (at > column) {
      lines += ' ';
      ++at;
    }
    lines += word;
    at += word.size();
  }
  return lines + "\n";
}

// "  -j,--threads N           How many ..."
std::string entry(std::string_view left, std::string_view help) {
  std::string line = std::string(kIndent, ' ');
  line += left;
  line += line.size() + 2 > kHelpColumn ? "\n" + std::string(kHelpColumn, ' ')
                                        : std::string(kHelpColumn - line.size(), ' ');
  return line + wrapped(help, kHelpColumn);
}

std::string option_left(const Option& option) {
  std::string left;
  for (const char character : option.names) {
    left += character == ',' ? ", " : std::string(1, character);
  }
  return option.placeholder.empty() ? left : left + " " + option.placeholder;
}

}  // namespace

std::string overview_help(const std::vector<Verb>& verbs) {
  std::string text =
      "usage: hipo-tool COMMAND [OPTION...] FILE...\n"
      "\n"
      "Reads, checks and rewrites HIPO files of the CLAS12 experiment, whatever their codec and\n"
      "layout.\n";
  std::vector<std::string> purposes;
  for (const Verb& verb : verbs) {
    if (std::find(purposes.begin(), purposes.end(), verb.purpose) == purposes.end()) {
      purposes.push_back(verb.purpose);
    }
  }
  for (const std::string& purpose : purposes) {
    text += "\n" + purpose + "\n";
    for (const Verb& verb : verbs) {
      if (verb.purpose == purpose) {
        text += entry(verb.name, verb.summary);
      }
    }
  }
  text += "\nOptions\n";
  for (const Option& option : global_options()) {
    text += entry(option_left(option), option.help);
  }
  text +=
      "\n"
      "Exit codes: 0 done or yes, 1 failed or no, 2 wrong usage, 130 and 143 interrupted;\n"
      "`hipo-tool check --help` lists those of check.\n";
  return text;
}

std::string verb_help(const Verb& verb) {
  std::string text;
  for (const std::string& form : verb.usage) {
    text +=
        (text.empty() ? "usage: hipo-tool " : "       hipo-tool ") + verb.name + " " + form + "\n";
  }
  text += "\n" + wrapped(verb.summary, 0);
  for (std::size_t at = 0; at < verb.description.size();) {
    const std::size_t end = std::min(verb.description.find('\n', at), verb.description.size());
    text += "\n" + wrapped(std::string_view(verb.description).substr(at, end - at), 0);
    at = end + 1;
  }
  for (const OptionSection& section : verb.sections) {
    text += "\n" + section.title + "\n";
    for (const Option& option : section.options) {
      text += entry(option_left(option), option.help);
    }
  }
  text += "\nExamples\n";
  for (const Example& example : verb.examples) {
    text += "  " + example.line + "\n      " + wrapped(example.meaning, 6);
  }
  return text;
}

}  // namespace hipotool::app
