// Manual pages, in the macros of man(7).

#include "build_info.hpp"
#include "generated_text.hpp"

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

namespace hipotool::app {

namespace {

// Text as roff has it: no escape or request by chance, and hyphens that can be copied.
std::string roff(std::string_view text) {
  std::string safe;
  for (const char character : text) {
    if (character == '\\') {
      safe += "\\e";
    } else if (character == '-') {
      safe += "\\-";
    } else if (character == '\'') {
      safe += "\\(aq";
    } else if (character == '^') {
      safe += "\\(ha";
    } else if (character == '~') {
      safe += "\\(ti";
    } else if (character == '`') {
      safe += "\\(ga";
    } else {
      safe += character;
    }
  }
  return safe.starts_with('.') ? "\\&" + safe : safe;
}

std::string upper(std::string_view text) {
  std::string all(text);
  std::transform(all.begin(), all.end(), all.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::toupper(letter)); });
  return all;
}

// A title, the name and what it is. No date: the same sources give the same page.
std::string heading(const std::string& page, const std::string& summary) {
  std::string text = ".TH " + roff(upper(page)) + " 1 \"\" \"hipo\\-tool ";
  text += roff(kBuildInfo.version);
  text += "\" \"User Commands\"\n.SH NAME\n" + roff(page) + " \\- " + roff(summary) + "\n";
  return text;
}

std::string paragraphs(std::string_view text) {
  std::string all;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    all += (all.empty() ? "" : ".PP\n") + roff(text.substr(0, end)) + "\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return all;
}

std::string option_entry(const Option& option) {
  std::string names;
  for (const std::string& name : names_of(option)) {
    names += names.empty() ? "" : ", ";
    names += "\\fB" + roff(name) + "\\fR";
  }
  if (!option.placeholder.empty()) {
    names += " \\fI" + roff(option.placeholder) + "\\fR";
  }
  return ".TP\n" + names + "\n" + roff(option.help) + "\n";
}

constexpr std::string_view kEnvironment =
    ".SH ENVIRONMENT\n"
    ".TP\n"
    "\\fBNO_COLOR\\fR\n"
    "Set to anything but the empty string: no colour, unless \\fB\\-\\-color always\\fR is "
    "given.\n";

constexpr std::string_view kStatus =
    ".SH EXIT STATUS\n"
    "0 done or yes, 1 failed or no, 2 wrong usage, 3 recovered with possible losses, 130 and 143\n"
    "interrupted.\n";

std::string see_also(const std::string& but, const std::vector<Verb>& verbs) {
  std::vector<std::string> pages{"hipo-tool"};
  for (const Verb& verb : verbs) {
    pages.push_back("hipo-tool-" + verb.name);
  }
  std::erase(pages, but);
  std::string text = ".SH SEE ALSO\n";
  for (const std::string& page : pages) {
    text += ".BR " + roff(page) + (page == pages.back() ? " (1)\n" : " (1),\n");
  }
  return text;
}

}  // namespace

std::string program_page(const std::vector<Verb>& verbs) {
  std::string text = heading("hipo-tool", "read, check and rewrite HIPO files");
  text +=
      ".SH SYNOPSIS\n"
      "\\fBhipo\\-tool\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR...] \\fIFILE\\fR...\n"
      ".SH DESCRIPTION\n"
      "Reads, checks and rewrites HIPO files of the CLAS12 experiment, whatever their codec and\n"
      "layout.\n"
      ".SH COMMANDS\n";
  for (const Verb& verb : verbs) {
    text += ".TP\n\\fB" + roff(verb.name) + "\\fR\n" + roff(verb.summary) + "\n";
  }
  text += ".SH OPTIONS\n";
  for (const Option& option : global_options()) {
    text += option_entry(option);
  }
  text += kStatus;
  text += kEnvironment;
  return text + see_also("hipo-tool", verbs);
}

std::string verb_page(const Verb& verb, const std::vector<Verb>& verbs) {
  const std::string page = "hipo-tool-" + verb.name;
  std::string summary = verb.summary;
  if (summary.ends_with('.')) {
    summary.pop_back();
  }
  std::string text = heading(page, summary) + ".SH SYNOPSIS\n";
  for (std::size_t form = 0; form < verb.usage.size(); ++form) {
    text += (form == 0 ? "" : ".br\n") + ("\\fBhipo\\-tool " + roff(verb.name)) + "\\fR " +
            roff(verb.usage[form]) + "\n";
  }
  text += ".SH DESCRIPTION\n" + paragraphs(verb.description) + ".SH OPTIONS\n";
  for (const OptionSection& section : verb.sections) {
    text += ".SS " + roff(section.title) + "\n";
    for (const Option& option : section.options) {
      text += option_entry(option);
    }
  }
  text += ".SH EXAMPLES\n";
  for (const Example& example : verb.examples) {
    text += ".TP\n\\fB" + roff(example.line) + "\\fR\n" + roff(example.meaning) + "\n";
  }
  text += kStatus;
  text += kEnvironment;
  return text + see_also(page, verbs);
}

}  // namespace hipotool::app
