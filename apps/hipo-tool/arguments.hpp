#pragma once
// What the command line of a verb looks like, as plain data, and the parsing of it. Help, and
// whatever else is made from the same table, cannot drift apart from what is parsed. Only
// arguments.cpp knows the parsing library: it is expensive to compile, and its exit codes are not
// ours.

#include "common_options.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace hipotool::app {

class Invocation;

// The command line makes no sense: exit code 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Option {
  std::string names;        // "-j,--threads"
  std::string placeholder;  // "N"; empty for an option without a value
  std::string help;
  // Takes the value ("" without one); what it throws as UsageError gets the option's name in front.
  std::function<void(const std::string&)> take;
  bool repeatable = false;             // may be given several times; `take` is called for each
  std::vector<std::string> choices{};  // all words that the value can be, or be a list of; or empty
};

struct OptionSection {
  std::string title;
  std::vector<Option> options{};
};

struct Example {
  std::string line;
  std::string meaning;
};

struct Verb {
  std::string name;
  std::string purpose;               // verbs of one purpose are listed together
  std::string summary;               // one line
  std::vector<std::string> usage{};  // what follows the name, one form each
  std::string description{};
  std::vector<OptionSection> sections{};
  std::vector<Example> examples{};

  std::function<int(Invocation&)> run{};
  // Filled by parsing; shared, since options and run() refer to it.
  std::shared_ptr<CommonOptions> common = std::make_shared<CommonOptions>();
  std::shared_ptr<std::vector<std::string>> operands = std::make_shared<std::vector<std::string>>();

  // Options belong to the section begun last.
  Verb& section(std::string title);
  Verb& option(std::string names, std::string placeholder, std::string help,
               std::function<void(const std::string&)> take);
  // May be given several times.
  Verb& repeatable_option(std::string names, std::string placeholder, std::string help,
                          std::function<void(const std::string&)> take);
  Verb& flag(std::string names, std::string help, bool& target);
  // Of the option given last.
  Verb& choices(std::vector<std::string> words);
  Verb& example(std::string line, std::string meaning);
};

// What comes before any verb.
[[nodiscard]] const std::vector<Option>& global_options();

// Either a verb whose options have been taken over, or something to print on stdout.
struct ParsedCommandLine {
  Verb* verb = nullptr;
  std::string text{};
};

// Throws UsageError.
[[nodiscard]] ParsedCommandLine parse_command_line(int count, const char* const* words,
                                                   std::vector<Verb>& verbs);

// The two kinds of --help.
[[nodiscard]] std::string overview_help(const std::vector<Verb>& verbs);
[[nodiscard]] std::string verb_help(const Verb& verb);

}  // namespace hipotool::app
