#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/program.h"

namespace opic::cli {

std::vector<Command> AddAllCommands(CLI::App& opic) {
  std::vector<Command> commands;
  for (const auto add : kCommands) commands.push_back(add(opic));
  return commands;
}

int OpicMain(int argc, char** argv) {
  CLI::App app("opic crawls the web and ranks its pages while it crawls (Adaptive OPIC).", "opic");
  app.set_version_flag("--version", VersionText("opic"));
  app.require_subcommand(1);
  const std::vector<Command> commands = AddAllCommands(app);
  app.footer(
      "Settings are flags, OPIC_* variables or lines of a --config file, of the same names.\n"
      "Exit codes: 0 done, 1 failed, 2 usage, 3 data folder refused, 4 data folder damaged, 5 not "
      "found,\n"
      "6 unreachable, 7 partial (a node of the cluster did not answer), 8 nothing could be "
      "fetched,\n9 "
      "it runs, but somebody must see to it, 74 full disk or I/O error (nothing lost),\n130 "
      "interrupted (saved).");
  return ParseAndRun(app, commands, argc, argv);
}

}  // namespace opic::cli
