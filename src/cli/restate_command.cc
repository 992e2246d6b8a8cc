// opic restate: the equation of every page, worked out anew from a crawl's rows, and its cash
// corrected where it is off.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "base/status_macros.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "node/restatement.h"

namespace opic::cli {
namespace {

struct RestateFlags {
  std::vector<std::string> data = {"opic-data"};
  bool check = false, json = false;
};

absl::StatusOr<int> RunRestate(const RestateFlags& flags) {
  std::vector<std::unique_ptr<node::DataFolder>> folders;
  for (const std::string& path : flags.data) {
    ASSIGN_OR_RETURN(auto folder, node::DataFolder::Lock(path, /*create=*/false));
    folders.push_back(std::move(folder));
  }
  ASSIGN_OR_RETURN(const node::Restatement found, node::Restate(folders, !flags.check));
  if (flags.json) {
    const nlohmann::ordered_json json = {{"pages", found.pages},   {"links", found.links},
                                         {"pages_off", found.off}, {"largest_bases", found.largest},
                                         {"error", found.error},   {"corrected", found.corrected}};
    fmt::print("{}\n", json.dump(2));
    return kOk;
  }
  fmt::print("{} pages, {} links: the cash of {} pages is off, by {:.2g} of a base at most\n",
             found.pages, found.links, found.off, found.largest);
  fmt::print("the ranking can be off by {:.2g} % because of that{}\n", 100 * found.error,
             found.corrected ? "; it is corrected, and settled by the next `opic crawl`" : "");
  return kOk;
}

}  // namespace

Command AddRestate(CLI::App& opic) {
  auto flags = std::make_shared<RestateFlags>();
  CLI::App* app = opic.add_subcommand("restate",
                                      "compute what the cash of every page should be, and correct "
                                      "it (data folders at rest; ledger push)");
  app->add_option("--data", flags->data,
                  "data folder (default opic-data); for a cluster give the folders of all nodes");
  app->add_flag("--check", flags->check, "only report how far it is off; write nothing");
  app->add_flag("--json", flags->json, "print JSON");
  return {app, [flags]() -> int {
            const absl::StatusOr<int> code = RunRestate(*flags);
            return code.ok() ? *code : Complain(code.status());
          }};
}

}  // namespace opic::cli
