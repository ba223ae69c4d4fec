// Parses the command line, runs the command, turns what it throws into an exit code.

#include "hipotool/error.hpp"

#include "arguments.hpp"
#include "commands.hpp"
#include "invocation.hpp"
#include "log.hpp"
#include "process.hpp"

#include <csignal>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <vector>

namespace hipotool::app {
namespace {

constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;

int fail(Invocation& invocation, const Error& error, int signal) {
  invocation.flush_before_failing();
  if (error.code() == ErrorCode::cancelled && signal != 0) {
    invocation.complain(
        Error(ErrorCode::cancelled, std::string("interrupted by SIG") + ::sigabbrev_np(signal)));
    return 128 + signal;
  }
  invocation.complain(invocation.explained(error));
  return kFailed;
}

int run_verb(const Verb& verb, Interrupts& interrupts) {
  Invocation invocation(*verb.common, interrupts);
  try {
    invocation.set_status(verb.run(invocation));
    invocation.close_output();
    return invocation.status();
  } catch (const ClosedPipe&) {
    return invocation.status();
  } catch (const UsageError& error) {
    invocation.log().error(error.what());
    return kWrongUsage;
  } catch (const Error& error) {
    return fail(invocation, error, interrupts.received());
  } catch (const std::bad_alloc&) {
    return fail(invocation, Error(ErrorCode::over_budget, "out of memory"), 0);
  } catch (const std::exception& error) {
    return fail(invocation, Error(ErrorCode::io, error.what()), 0);
  }
}

int print(const std::string& text) {
  Output output = Output::to_stdout();
  try {
    output.write(text);
    output.close();
    return EXIT_SUCCESS;
  } catch (const ClosedPipe&) {
    return EXIT_SUCCESS;
  } catch (const Error& error) {
    Log(false).error(error.what());
    return kFailed;
  }
}

int run_tool(int count, const char* const* words) {
  Interrupts interrupts;
  std::vector<Verb> verbs = all_commands();
  try {
    const ParsedCommandLine parsed = parse_command_line(count, words, verbs);
    return parsed.verb != nullptr ? run_verb(*parsed.verb, interrupts) : print(parsed.text);
  } catch (const UsageError& error) {
    Log(false).error(error.what());
    return kWrongUsage;
  }
}

}  // namespace
}  // namespace hipotool::app

int main(int count, char** words) {
  hipotool::app::prepare_process();
  return hipotool::app::run_tool(count, words);
}
