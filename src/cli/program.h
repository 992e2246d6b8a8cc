// What the three programs share: settings gathered from file, environment and flags; CLI11's errors
// as exit codes.
#pragma once

#include <string>
#include <vector>

#include "cli/commands.h"

namespace CLI {
class App;
}

namespace opic::cli {

// Parses with the settings of `command`'s options (`anywhere` are all apps whose variables are
// known) and runs it.
int ParseAndRun(CLI::App& app, const std::vector<Command>& commands, int argc, char** argv);

}  // namespace opic::cli
