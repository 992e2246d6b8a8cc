// What the three programs share: settings gathered from file, environment and flags; CLI11's errors
// as exit codes.
//
// Thread safety: confined to the program's main thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"

namespace CLI {
class App;
}

namespace opic::cli {

// A program before it has parsed anything.
struct Program {
  std::shared_ptr<CLI::App> app;
  std::vector<Command> commands;  // of a service there is only one: `app` itself
  bool service = false;
};

// `commit` is what they were built from, for --version; may be empty.
Program OpicProgram(const std::string& commit);
Program NodeProgram(const std::string& commit);
Program SchedulerProgram(const std::string& commit);

// For these: gives `program` what all have, when its commands are known.
Program Complete(Program program, const std::string& commit);

// What --version says: release, commit and format.
std::string VersionText(const std::string& program, const std::string& commit);
// How settings can be given, in a sentence.
std::string SettingsText();

// Parses with the settings of the command that is named and runs it, or looks at its settings.
// Whatever the umask, others may write to nothing that the program makes.
int ParseAndRun(const Program& program, int argc, char** argv);

}  // namespace opic::cli
