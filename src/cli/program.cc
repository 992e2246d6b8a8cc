#include "cli/program.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
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

// The command that is meant; after `opic cluster`, its subcommand, if one was given.
struct Asked {
  CLI::App* app;
  size_t words;  // of the arguments that name it
};

Asked AskedOf(const Command& command, const std::vector<std::string>& arguments,
              bool whole_program) {
  if (whole_program) return {command.app, 0};
  if (arguments.size() < 2) return {command.app, 1};
  const std::vector<CLI::App*> inner = command.app->get_subcommands(
      [&](const CLI::App* app) { return app->get_name() == arguments[1]; });
  return inner.empty() ? Asked{command.app, 1} : Asked{inner.front(), 2};
}

int NoSuchCommand(const std::vector<Command>& commands, const std::string& typed) {
  std::vector<std::string> names;
  for (const Command& command : commands) names.push_back(command.app->get_name());
  return PrintUsage(
      absl::StrCat("there is no command \"", typed, "\"", DidYouMean(Nearest(typed, names))));
}

// The arguments with what files and variables add.
absl::StatusOr<std::vector<std::string>> WithSettings(const Asked& asked,
                                                      const std::vector<std::string>& arguments) {
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) environment.emplace_back(*entry);
  const auto given = arguments.begin() + static_cast<std::ptrdiff_t>(asked.words);
  absl::StatusOr<GatheredSettings> gathered = GatherArguments(
      {given, arguments.end()}, environment,
      [&](const std::string& name, const std::string& value) {
        return HasSetting(*asked.app, name, value);
      },
      IsSettingOfAnyProgram);
  if (!gathered.ok()) return gathered.status();
  RememberSources(std::move(gathered->sources));
  gathered->arguments.insert(gathered->arguments.begin(), arguments.begin(), given);
  return std::move(gathered->arguments);
}

// Debian's Abseil is built for debugging: it looks at each lock that is taken, and ends the process
// when two were ever taken in the other order. The tests, under sanitizers, want that.
void CheckLocksInTestsOnly() {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
#endif
}

bool Given(const std::vector<std::string>& arguments, const std::string& flag) {
  return std::find(arguments.begin(), arguments.end(), flag) != arguments.end();
}

// --print-config and --check-config; nothing: neither was given.
std::optional<int> LookAtSettings(const Command& command, const CLI::App& app) {
  const bool print = app.count("--print-config") > 0;
  if (!print && app.count("--check-config") == 0) return std::nullopt;
  if (print) fmt::print("{}", PrintSettings(app));
  if (command.check) {
    if (const absl::Status status = command.check(); !status.ok()) return PrintError(status);
  }
  if (!print) fmt::print("the settings are in order\n");
  return kOk;
}

// So that no file of ours becomes what others take for the standard output.
void OpenMissingStandardFiles() {
  for (int file = 0; file <= 2; ++file) {
    if (fcntl(file, F_GETFD) == -1) open("/dev/null", O_RDWR);
  }
}

// Whoever read the standard output has gone, which is no error of ours.
bool ReaderIsGone() {
  pollfd output{.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
  return poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0;
}

// What a command has said to the standard output is written, or its exit code says that it is not.
int RunAndWrite(const Command& command) {
  int code = kOk;
  int error = 0;
  try {
    code = command.run();
    // What the command flushed itself has left no reason that still holds.
    if (std::ferror(stdout)) error = ReaderIsGone() ? EPIPE : EIO;
    if (std::fflush(stdout) != 0) error = errno;
  } catch (const std::system_error& failed) {
    if (!std::ferror(stdout)) throw;
    error = failed.code().value();
  }
  if (error == 0 || error == EPIPE) return code;
  fmt::print(stderr, "opic: the standard output cannot be written: {}\n",
             std::generic_category().message(error));
  return code == kOk ? kStoreFailed : code;
}

}  // namespace

std::string VersionText(const std::string& program, const std::string& commit) {
  // The formats are what tells whether two releases fit together (docs/operations.md).
  return absl::StrCat(program, " ", base::ReleaseOf(commit), ", format ", ledger::kFormatVersion,
                      " (opens folders of formats ", ledger::kFormatVersionMin, " to ",
                      ledger::kFormatVersionMax, "), between nodes ", ledger::kExchangeVersion);
}

std::string SettingsText() {
  return "Settings are flags, OPIC_* variables or lines of a --config file, of the same names.";
}

Program Complete(Program program, const std::string& commit) {
  CLI::App& app = *program.app;
  base::SetCommit(commit);
  const std::string version = VersionText(app.get_name(), commit);
  for (const Command& command : program.commands) {
    AddSettingsFlags(*command.app, version);
    for (CLI::App* inner : command.app->get_subcommands({})) AddSettingsFlags(*inner, version);
  }
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
  OpenMissingStandardFiles();
  // While a command sleeps between two questions nobody but gRPC itself looks whether a node that
  // has refused a connection takes one now: every 5 s, unless it is told.
  if (!program.service) setenv("GRPC_CLIENT_CHANNEL_BACKUP_POLL_INTERVAL_MS", "200", 0);
  umask(umask(0077) | 0022);
  signal(SIGXFSZ, SIG_IGN);  // a write beyond `ulimit -f` fails, and is told
  CheckLocksInTestsOnly();
  SetProgramName(app.get_name());
  RememberSources({});
  std::vector<std::string> arguments(argv + 1, argv + argc);
  const Command* command = CommandOf(commands, arguments);
  Asked asked{&app, 0};
  if (command != nullptr) {
    asked = AskedOf(*command, arguments, commands.size() == 1);
    absl::StatusOr<std::vector<std::string>> all = WithSettings(asked, arguments);
    if (!all.ok()) return PrintError(all.status());
    arguments = *std::move(all);
    if (Given(arguments, "--print-config")) CaptureDefaults(*asked.app);
  } else if (!arguments.empty() && arguments.front()[0] != '-') {
    return NoSuchCommand(commands, arguments.front());
  }
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 takes them
  try {
    app.parse(arguments);
  } catch (const CLI::Success& asked) {  // --help, --version
    return app.exit(asked);
  } catch (const CLI::ParseError& error) {
    return PrintUsage(ParseErrorText(*asked.app, error));
  }
  if (command == nullptr) return kUsage;
  if (const std::optional<int> looked = LookAtSettings(*command, *asked.app)) return *looked;
  return RunAndWrite(*command);
}

}  // namespace opic::cli
