#include <CLI/CLI.hpp>

#include "absl/strings/str_cat.h"
#include "base/version.h"
#include "cli/commands.h"
#include "cli/program.h"
#include "ledger/charter.h"

namespace opic::cli {

int OpicMain(int argc, char** argv) {
  CLI::App app("opic crawls the web and ranks its pages while it crawls (Adaptive OPIC).", "opic");
  // The format is what tells whether two releases fit together (docs/operations.md).
  app.set_version_flag("--version",
                       absl::StrCat("opic ", base::Version(), ", format ", ledger::kFormatVersion));
  app.require_subcommand(1);
  std::vector<Command> commands;
  for (auto add : {AddCrawl, AddDemo, AddTop, AddImportance, AddStatus, AddMetrics, AddAudit,
                   AddVerify, AddRestate, AddExplain, AddHealth, AddControl, AddCluster,
                   AddSampleWeb, AddSim, AddRank, AddExport, AddCompare}) {
    commands.push_back(add(app));
    commands.back().app->add_option(
        "--config", "file of `key = value` lines; variables OPIC_* and flags win over it");
  }
  app.footer(
      "Settings are flags, OPIC_* variables or lines of a --config file, of the same names.\n"
      "Exit codes: 0 done, 1 failed, 2 usage, 3 data folder refused, 4 data folder damaged, 5 not "
      "found,\n"
      "6 unreachable, 7 partial (a node of the cluster did not answer), 74 full disk or I/O error "
      "(nothing lost),\n130 interrupted (saved).");
  return ParseAndRun(app, commands, argc, argv);
}

}  // namespace opic::cli
