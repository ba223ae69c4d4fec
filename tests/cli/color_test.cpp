#include "color.hpp"

#include "cli/tool_files.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace hipotool::test {
namespace {

using app::ColorMode;
using app::wants_color;

TEST(Color, IsForTerminalsAndThoseWhoDoNotRefuseIt) {
  const int controller = ::posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_GE(controller, 0);
  ASSERT_EQ(::grantpt(controller), 0);
  ASSERT_EQ(::unlockpt(controller), 0);
  const int terminal = ::open(::ptsname(controller), O_RDWR | O_NOCTTY);
  ASSERT_GE(terminal, 0);
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);

  ::setenv("TERM", "xterm", 1);
  ::unsetenv("NO_COLOR");
  EXPECT_TRUE(wants_color(ColorMode::automatic, terminal));
  EXPECT_FALSE(wants_color(ColorMode::automatic, pipe[1]));
  EXPECT_TRUE(wants_color(ColorMode::always, pipe[1]));
  EXPECT_FALSE(wants_color(ColorMode::never, terminal));
  ::setenv("NO_COLOR", "", 1);
  EXPECT_TRUE(wants_color(ColorMode::automatic, terminal));
  ::setenv("NO_COLOR", "0", 1);
  EXPECT_FALSE(wants_color(ColorMode::automatic, terminal));
  EXPECT_TRUE(wants_color(ColorMode::always, terminal));
  ::unsetenv("NO_COLOR");
  ::setenv("TERM", "dumb", 1);
  EXPECT_FALSE(wants_color(ColorMode::automatic, terminal));
  for (const int descriptor : {controller, terminal, pipe[0], pipe[1]}) {
    ::close(descriptor);
  }
}

TEST(Color, IsInPipesOnlyWhereItIsWanted) {
  const TempDir folder;
  make_sample(folder / "in.hipo", {"--events", "5", "--profile", "tiny"});
  const std::string in = (folder / "in.hipo").string();
  const auto run = [](std::vector<std::string> words, const std::string& no_color) {
    return run_tool(ProgramRun{.arguments = std::move(words),
                               .environment = {{"NO_COLOR", no_color}, {"TERM", "xterm"}}});
  };
  for (const char* no_color : {"", "1"}) {
    const ProgramResult plain = run({"stats", in, "--per-bank"}, no_color);
    EXPECT_EQ(plain.out.find('\x1b'), std::string::npos);
    EXPECT_EQ(run({"stats", in, "--per-bank", "--color", "never"}, no_color).out, plain.out);
    const ProgramResult colored = run({"stats", in, "--per-bank", "--color", "always"}, no_color);
    EXPECT_NE(colored.out.find("\x1b[1mbanks\x1b[0m\n"), std::string::npos) << colored.out;
    EXPECT_EQ(run({"stats", in, "--json", "--color", "always"}, no_color).out.find('\x1b'),
              std::string::npos);
    EXPECT_EQ(run({"recook", "no/such", "out", "--color", "always"}, no_color)
                  .err.rfind("hipo-tool: \x1b[1;31merror:\x1b[0m ", 0),
              0U);
    EXPECT_EQ(run({"recook", "no/such", "out"}, no_color).err.rfind("hipo-tool: error: ", 0), 0U);
  }
  const std::string report = (folder / "report.txt").string();
  EXPECT_EQ(run({"stats", in, "--color", "always", "--report-file", report}, "").exit_code, 0);
  EXPECT_EQ(read_text(report).find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace hipotool::test
