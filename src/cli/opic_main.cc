#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/program.h"

namespace opic::cli {

std::vector<Command> AddAllCommands(CLI::App& opic) {
  std::vector<Command> commands;
  for (const auto add : kCommands) commands.push_back(add(opic));
  return commands;
}

Program OpicProgram(const std::string& commit) {
  Program program;
  program.app = std::make_shared<CLI::App>(
      "opic crawls the web and ranks its pages while it crawls (Adaptive OPIC).", "opic");
  program.app->require_subcommand(1);
  program.commands = AddAllCommands(*program.app);
  return Complete(std::move(program), commit);
}

int OpicMain(int argc, char** argv, const std::string& commit) {
  return ParseAndRun(OpicProgram(commit), argc, argv);
}

}  // namespace opic::cli
