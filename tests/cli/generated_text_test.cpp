#include "generated_text.hpp"

#include "cli/tool_files.hpp"
#include "commands.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <regex>
#include <string>
#include <system_error>
#include <vector>

namespace hipotool::test {
namespace {

namespace fs = std::filesystem;
using app::Option;
using app::Verb;

// Whether the program is there; under a package-less machine some shells are not.
bool exists(const std::string& program) {
  return run_program("sh", {.arguments = {"-c", "command -v " + program}}).exit_code == 0;
}

void for_each_option(const std::vector<Verb>& verbs,
                     const std::function<void(const Verb&, const Option&)>& look) {
  for (const Verb& verb : verbs) {
    for (const app::OptionSection& section : verb.sections) {
      for (const Option& option : section.options) {
        look(verb, option);
      }
    }
  }
}

std::string roff_name(const std::string& name) {
  return std::regex_replace(name, std::regex("-"), "\\-");
}

TEST(GeneratedText, NamesEveryOptionOfEveryCommand) {
  const std::vector<Verb> verbs = app::all_commands();
  const std::string bash = app::bash_completion(verbs);
  const std::string zsh = app::zsh_completion(verbs);
  const std::string fish = app::fish_completion(verbs);
  for_each_option(verbs, [&](const Verb& verb, const Option& option) {
    const std::string page = app::verb_page(verb, verbs);
    const std::size_t in_bash = bash.rfind("    " + verb.name + ") words='");
    const std::string bash_words = bash.substr(in_bash, bash.find('\n', in_bash + 1) - in_bash);
    std::string function = "_hipo_tool_" + std::regex_replace(verb.name, std::regex("-"), "_");
    const std::size_t in_zsh = zsh.find(function + "() {");
    const std::string zsh_words = zsh.substr(in_zsh, zsh.find("\n}\n", in_zsh) - in_zsh);
    for (const std::string& name : app::names_of(option)) {
      EXPECT_TRUE(std::regex_search(bash_words, std::regex("[' ]" + name + "[' ]"))) << name;
      EXPECT_TRUE(std::regex_search(zsh_words, std::regex("[(' {,]" + name + "[) },']"))) << name;
      const std::string letter =
          name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      EXPECT_TRUE(std::regex_search(
          fish, std::regex("__fish_seen_subcommand_from " + verb.name + "'.*" + letter + " ")))
          << verb.name << name;
      EXPECT_NE(page.find("\\fB" + roff_name(name) + "\\fR"), std::string::npos) << name;
    }
  });
}

// The words offered are those that are taken, and there is no other.
TEST(GeneratedText, OffersWordsThatAreTaken) {
  std::size_t seen = 0;
  const auto failure_of = [](const std::string& verb, const std::string& option,
                             const std::string& value) -> std::string {
    std::vector<Verb> verbs = app::all_commands();
    const std::vector<const char*> words{"hipo-tool", verb.c_str(), option.c_str(), value.c_str()};
    try {
      static_cast<void>(
          app::parse_command_line(static_cast<int>(words.size()), words.data(), verbs));
      return "";
    } catch (const app::UsageError& error) {
      return error.what();
    }
  };
  for_each_option(app::all_commands(), [&](const Verb& verb, const Option& option) {
    const std::string name = app::names_of(option).front();
    if (option.placeholder == "WORD") {
      EXPECT_FALSE(option.choices.empty()) << verb.name << ' ' << name;
    }
    for (const std::string& word : option.choices) {
      EXPECT_EQ(failure_of(verb.name, name, word), "") << verb.name;
      ++seen;
    }
    if (!option.choices.empty()) {
      EXPECT_NE(failure_of(verb.name, name, "frobnicate"), "") << verb.name << ' ' << name;
    }
  });
  EXPECT_GT(seen, 50U);
}

class BashCompletion : public ::testing::Test {
 protected:
  void SetUp() override { write_text(script_, run_tool({"--generate", "bash"}).out); }

  // What is offered for the last of these words.
  std::string offered(const std::vector<std::string>& words) {
    std::string list;
    for (const std::string& word : words) {
      list += " '" + word + "'";
    }
    const ProgramResult result =
        run_program("bash", {.arguments = {"-c",
                                           "source \"$0\"; COMP_WORDS=(" + list +
                                               "); COMP_CWORD=" + std::to_string(words.size() - 1) +
                                               "; _hipo_tool 2>/dev/null; echo \"${COMPREPLY[*]}\"",
                                           script_.string()}});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.out.substr(0, result.out.find('\n'));
  }

  TempDir folder_;
  fs::path script_ = folder_ / "hipo-tool.bash";
};

TEST_F(BashCompletion, CompletesCommandsOptionsAndWords) {
  EXPECT_EQ(offered({"hipo-tool", "re"}), "recook");
  EXPECT_EQ(offered({"hipo-tool", "--ver"}), "--version");
  EXPECT_EQ(offered({"hipo-tool", "--generate", "f"}), "fish");
  EXPECT_EQ(offered({"hipo-tool", "recook", "--lay"}), "--layout");
  EXPECT_EQ(offered({"hipo-tool", "recook", "--layout", ""}), "per-chunk per-bank per-column");
  EXPECT_EQ(offered({"hipo-tool", "recook", "--layout", "=", "per-c"}), "per-chunk per-column");
  EXPECT_EQ(offered({"hipo-tool", "recook", "a.hipo", "--codec", "lz"}), "lz4 lz4hc");
  EXPECT_EQ(offered({"hipo-tool", "stats", "--format", "="}), "text json csv markdown");
  EXPECT_EQ(offered({"hipo-tool", "tag-filter", "--by", "e"}), "event either");
  EXPECT_EQ(offered({"hipo-tool", "dump", "--layout", "p"}), "");  // dump has no such option
  EXPECT_EQ(offered({"hipo-tool", "recook", "in"}), "");           // left to file names
}

TEST(GeneratedText, IsWhatItsProgramsUnderstand) {
  const TempDir folder;
  struct Check {
    std::string word;
    std::string program;
    std::vector<std::string> arguments;
  };
  std::vector<Check> checks{{"bash", "bash", {"-n"}},
                            {"zsh", "zsh", {"-n"}},
                            {"fish", "fish", {"-n"}},
                            {"man", "groff", {"-ww", "-man", "-z", "-Tutf8"}}};
  for (const Verb& verb : app::all_commands()) {
    checks.push_back({"man:" + verb.name, "groff", {"-ww", "-man", "-z", "-Tutf8"}});
  }
  for (const Check& check : checks) {
    const ProgramResult text = run_tool({"--generate", check.word});
    ASSERT_EQ(text.exit_code, 0) << text.err;
    ASSERT_NE(text.out, "");
    if (!exists(check.program)) {
      continue;
    }
    const fs::path file = folder / "text";
    write_text(file, text.out);
    std::vector<std::string> arguments = check.arguments;
    arguments.push_back(file.string());
    const ProgramResult result = run_program(check.program, {.arguments = arguments});
    EXPECT_EQ(result.exit_code, 0) << check.word;
    EXPECT_EQ(result.err, "") << check.word;
  }
  EXPECT_EQ(run_tool({"--generate", "tcsh"}).exit_code, 2);
}

TEST(GeneratedText, IsWhatTheBuildInstalls) {
  const fs::path share = HIPO_GENERATED_DIR;
  EXPECT_EQ(read_text(share / "bash-completion/completions/hipo-tool"),
            run_tool({"--generate", "bash"}).out);
  EXPECT_EQ(read_text(share / "zsh/site-functions/_hipo-tool"),
            run_tool({"--generate", "zsh"}).out);
  EXPECT_EQ(read_text(share / "fish/vendor_completions.d/hipo-tool.fish"),
            run_tool({"--generate", "fish"}).out);
  EXPECT_EQ(read_text(share / "man/man1/hipo-tool.1"), run_tool({"--generate", "man"}).out);
  for (const Verb& verb : app::all_commands()) {
    EXPECT_EQ(read_text(share / ("man/man1/hipo-tool-" + verb.name + ".1")),
              run_tool({"--generate", "man:" + verb.name}).out);
  }
}

}  // namespace
}  // namespace hipotool::test
