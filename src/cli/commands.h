// The commands of `opic`. Add... puts a command into the application; its Run happens after
// parsing.
//
// Thread safety: confined to the program's main thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace CLI {
class App;
}

namespace opic::cli {

struct Command {
  CLI::App* app = nullptr;
  std::function<int()> run;  // gives the exit code
  // What `run` would refuse of its settings before it does anything; may be null.
  std::function<absl::Status()> check = nullptr;
};

// For the services, whose app itself is the command.
Command AddNodeService(CLI::App& app);
Command AddSchedulerService(CLI::App& app);
// All of kCommands.
std::vector<Command> AddAllCommands(CLI::App& opic);

// The commands of `opic`: each is declared here, and listed below.
Command AddCrawl(CLI::App& opic);
Command AddDemo(CLI::App& opic);
Command AddTop(CLI::App& opic);
Command AddSites(CLI::App& opic);
Command AddWatch(CLI::App& opic);
Command AddImportance(CLI::App& opic);
Command AddStatus(CLI::App& opic);
Command AddMetrics(CLI::App& opic);
Command AddAudit(CLI::App& opic);
Command AddVerify(CLI::App& opic);
Command AddRestate(CLI::App& opic);
Command AddExplain(CLI::App& opic);
Command AddHosts(CLI::App& opic);
Command AddCookies(CLI::App& opic);
Command AddCalendar(CLI::App& opic);
Command AddHealth(CLI::App& opic);
Command AddControl(CLI::App& opic);
Command AddPublish(CLI::App& opic);
Command AddCluster(CLI::App& opic);
Command AddSampleWeb(CLI::App& opic);
Command AddSim(CLI::App& opic);
Command AddRank(CLI::App& opic);
Command AddExport(CLI::App& opic);
Command AddCompare(CLI::App& opic);
Command AddBench(CLI::App& opic);

// In the order of --help.
using AddCommand = Command(CLI::App& opic);
inline constexpr AddCommand* kCommands[] = {
    AddCrawl,    AddDemo,   AddTop,     AddSites,   AddWatch,   AddImportance, AddStatus,
    AddMetrics,  AddAudit,  AddVerify,  AddRestate, AddExplain, AddHosts,      AddCookies,
    AddCalendar, AddHealth, AddControl, AddPublish, AddCluster, AddSampleWeb,  AddSim,
    AddRank,     AddExport, AddCompare, AddBench,
};

// Whole programs: parse, run, exit code. `commit` is what they were built from; empty: not known.
int OpicMain(int argc, char** argv, const std::string& commit = "");
int NodeMain(int argc, char** argv, const std::string& commit = "");
int SchedulerMain(int argc, char** argv, const std::string& commit = "");

}  // namespace opic::cli
