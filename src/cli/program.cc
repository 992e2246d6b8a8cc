#include "cli/program.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/version.h"
#include "cli/exit_code.h"
#include "cli/program_settings.h"
#include "cli/settings.h"
#include "cli/suggestion.h"
#include "ledger/charter.h"

extern char** environ;

namespace opic::cli {
namespace {

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

int NoSuchCommand(const std::vector<Command>& commands, const std::string& typed) {
  std::vector<std::string> names;
  for (const Command& command : commands) names.push_back(command.app->get_name());
  const std::string meant = Nearest(typed, names);
  return PrintUsage(
      absl::StrCat("there is no command \"", typed, "\"",
                   meant.empty() ? "" : absl::StrCat("; did you mean \"", meant, "\" ?")));
}

// The arguments with what files and variables add.
absl::StatusOr<std::vector<std::string>> WithSettings(const Command& command,
                                                      std::vector<std::string> arguments,
                                                      bool whole_program) {
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) environment.emplace_back(*entry);
  if (!whole_program) arguments.erase(arguments.begin());
  absl::StatusOr<GatheredSettings> gathered = GatherArguments(
      arguments, environment,
      [&](const std::string& name, const std::string& value) {
        return HasSetting(*command.app, name, value);
      },
      IsSettingOfAnyProgram);
  if (!gathered.ok()) return gathered.status();
  RememberSources(std::move(gathered->sources));
  if (!whole_program)
    gathered->arguments.insert(gathered->arguments.begin(), command.app->get_name());
  return std::move(gathered->arguments);
}

bool Given(const std::vector<std::string>& arguments, const std::string& flag) {
  return std::find(arguments.begin(), arguments.end(), flag) != arguments.end();
}

// --print-config and --check-config; nothing: neither was given.
std::optional<int> LookAtSettings(const Command& command) {
  const bool print = command.app->count("--print-config") > 0;
  if (!print && command.app->count("--check-config") == 0) return std::nullopt;
  if (print) fmt::print("{}", PrintSettings(*command.app));
  if (command.check) {
    if (const absl::Status status = command.check(); !status.ok()) return PrintError(status);
  }
  if (!print) fmt::print("the settings are in order\n");
  return kOk;
}

}  // namespace

std::string VersionText(const std::string& program, const std::string& commit) {
  // The format is what tells whether two releases fit together (docs/operations.md).
  return absl::StrCat(program, " ", base::Version(), ", commit ",
                      commit.empty() ? "unknown" : commit, ", format ", ledger::kFormatVersion,
                      " (opens folders of formats ", ledger::kFormatVersionMin, " to ",
                      ledger::kFormatVersion, ")");
}

std::string SettingsText() {
  return "Settings are flags, OPIC_* variables or lines of a --config file, of the same names.";
}

Program Complete(Program program, const std::string& commit) {
  CLI::App& app = *program.app;
  const std::string version = VersionText(app.get_name(), commit);
  for (const Command& command : program.commands) AddSettingsFlags(*command.app, version);
  if (!program.service) app.set_version_flag("--version", version);
  std::string footer = SettingsText() + "\nExit codes:";
  for (const ExitMeaning& code : ExitMeanings(program.service))
    footer += fmt::format("\n  {:>3}  {}", code.code, code.meaning);
  app.footer(footer);
  return program;
}

int ParseAndRun(const Program& program, int argc, char** argv) {
  CLI::App& app = *program.app;
  const std::vector<Command>& commands = program.commands;
  SetProgramName(app.get_name());
  RememberSources({});
  std::vector<std::string> arguments(argv + 1, argv + argc);
  const Command* command = CommandOf(commands, arguments);
  if (command != nullptr) {
    absl::StatusOr<std::vector<std::string>> all =
        WithSettings(*command, std::move(arguments), commands.size() == 1);
    if (!all.ok()) return PrintError(all.status());
    arguments = *std::move(all);
    if (Given(arguments, "--print-config")) CaptureDefaults(*command->app);
  } else if (!arguments.empty() && arguments.front()[0] != '-') {
    return NoSuchCommand(commands, arguments.front());
  }
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 takes them
  try {
    app.parse(arguments);
  } catch (const CLI::Success& asked) {  // --help, --version
    return app.exit(asked);
  } catch (const CLI::ParseError& error) {
    return PrintUsage(command == nullptr ? error.what() : ParseErrorText(*command->app, error));
  }
  if (command == nullptr) return kUsage;
  if (const std::optional<int> looked = LookAtSettings(*command)) return *looked;
  return command->run();
}

}  // namespace opic::cli
