#include "cli/program.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/exit_code.h"
#include "cli/settings.h"

extern char** environ;

namespace opic::cli {
namespace {

bool Knows(const CLI::App& app, const std::string& name) {
  return app.get_option_no_throw("--" + name) != nullptr && name != "help";
}

// The command that the arguments begin with; null: none, `--help` or an unknown one.
const Command* CommandOf(const std::vector<Command>& commands,
                         const std::vector<std::string>& arguments) {
  if (commands.size() == 1) return &commands.front();
  if (arguments.empty()) return nullptr;
  for (const Command& command : commands) {
    if (command.app->get_name() == arguments.front()) return &command;
  }
  return nullptr;
}

}  // namespace

int ParseAndRun(CLI::App& app, const std::vector<Command>& commands, int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  const Command* command = CommandOf(commands, arguments);
  const bool whole_program = commands.size() == 1;
  if (command != nullptr) {
    std::vector<std::string> environment;
    for (char** entry = environ; *entry != nullptr; ++entry) environment.emplace_back(*entry);
    const absl::StatusOr<std::vector<std::string>> gathered = GatherArguments(
        {arguments.begin() + (whole_program ? 0 : 1), arguments.end()}, environment,
        [&](const std::string& name) { return Knows(*command->app, name); },
        [&](const std::string& name) {
          return std::any_of(commands.begin(), commands.end(),
                             [&](const Command& other) { return Knows(*other.app, name); });
        });
    if (!gathered.ok()) return PrintError(gathered.status());
    arguments = *gathered;
    if (!whole_program) arguments.insert(arguments.begin(), command->app->get_name());
  } else if (!arguments.empty() && arguments.front()[0] != '-') {
    fmt::print(stderr, "opic: there is no command \"{}\"\nTry --help.\n", arguments.front());
    return kUsage;
  }
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 takes them
  try {
    app.parse(arguments);
  } catch (const CLI::Success& asked) {  // --help, --version
    return app.exit(asked);
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "opic: {}\nTry --help.\n", error.what());
    return kUsage;
  }
  return command == nullptr ? kUsage : command->run();
}

}  // namespace opic::cli
