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

// What --version says: release and format.
std::string VersionText(const std::string& program);

// Parses with the settings of the command that is named (of a service there is only one) and runs
// it, or looks at its settings.
int ParseAndRun(CLI::App& app, const std::vector<Command>& commands, int argc, char** argv);

}  // namespace opic::cli
