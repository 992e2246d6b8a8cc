// opic cookies: whose cookies a data folder at rest has (--cookies), and how to be rid of them.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/counted.h"
#include "base/quoted.h"
#include "base/status_macros.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/json_output.h"
#include "desk/kept_cookies.h"
#include "node/data_folder.h"
#include "node/host_change.h"
#include "node/resting_ledger.h"

namespace opic::cli {
namespace {

struct CookiesFlags {
  std::string data = "opic-data";
  std::vector<std::string> hosts;  // empty: all
  bool forget = false, all = false, json = false;
};

absl::Status Check(const CookiesFlags& flags) {
  if (flags.forget && flags.hosts.empty() && !flags.all)
    return absl::InvalidArgumentError("--forget: name hosts, or give --all");
  if (flags.all && !flags.hosts.empty())
    return absl::InvalidArgumentError("--all: give it, or hosts, and not both");
  return absl::OkStatus();
}

// Those that were named, as people write hosts. NotFound: one of them has none.
absl::StatusOr<std::vector<desk::CookieHost>> Named(const std::vector<std::string>& typed,
                                                    std::vector<desk::CookieHost> hosts) {
  const auto has = [&](const std::string& name) {
    return std::any_of(hosts.begin(), hosts.end(),
                       [&](const auto& host) { return host.host == name; });
  };
  std::vector<std::string> names = typed;
  for (std::string& name : names) {
    if (has(name)) continue;  // exactly as the list has it
    ASSIGN_OR_RETURN(name, node::HostNamed(name));
    if (!has(name)) return absl::NotFoundError("no cookies of " + base::Quoted(name) + " are kept");
  }
  if (names.empty()) return hosts;
  std::erase_if(hosts, [&](const auto& host) {
    return std::find(names.begin(), names.end(), host.host) == names.end();
  });
  return hosts;
}

void Print(const std::vector<desk::CookieHost>& hosts, const CookiesFlags& flags) {
  if (flags.json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const desk::CookieHost& host : hosts)
      list.push_back({{"host", host.host}, {"bytes", host.bytes}});
    PrintJson({{"hosts", std::move(list)}, {"forgotten", flags.forget ? hosts.size() : 0}});
    return;
  }
  for (const desk::CookieHost& host : hosts) fmt::print("{:>8}  {}\n", host.bytes, host.host);
  const std::string count = base::Counted(hosts.size(), "host");
  if (hosts.empty()) {
    fmt::print("no cookies are kept here\n");
  } else if (flags.forget) {
    fmt::print("forgotten: the cookies of {}\n", count);
  } else {
    fmt::print("{}; the number is the bytes of {} cookies\n", count,
               hosts.size() == 1 ? "its" : "their");
  }
}

absl::Status Run(const CookiesFlags& flags) {
  RETURN_IF_ERROR(Check(flags));
  ASSIGN_OR_RETURN(const auto folder, node::DataFolder::Lock(flags.data, /*create=*/false));
  ASSIGN_OR_RETURN(node::RestingLedger resting, node::RestingLedger::Open(*folder, flags.forget));
  ASSIGN_OR_RETURN(std::vector<desk::CookieHost> all, desk::HostsWithCookies(*resting.store));
  ASSIGN_OR_RETURN(const std::vector<desk::CookieHost> hosts, Named(flags.hosts, std::move(all)));
  if (flags.forget) {
    std::vector<std::string> names;
    for (const desk::CookieHost& host : hosts) names.push_back(host.host);
    RETURN_IF_ERROR(desk::ForgetCookies(names, *resting.store));
  }
  Print(hosts, flags);
  return absl::OkStatus();
}

}  // namespace

Command AddCookies(CLI::App& opic) {
  auto flags = std::make_shared<CookiesFlags>();
  CLI::App* app = opic.add_subcommand(
      "cookies", "hosts whose cookies a data folder at rest keeps (crawl --cookies); delete them");
  app->add_option("hosts", flags->hosts, "of these hosts alone: names, or URLs on them");
  app->add_option("--data", flags->data, "data folder, at rest (default opic-data)");
  app->add_flag("--forget", flags->forget, "delete them: the hosts see a new visitor");
  app->add_flag("--all", flags->all, "with --forget: of all hosts");
  app->add_flag("--json", flags->json, "print JSON");
  return {app, [flags] {
            const absl::Status status = Run(*flags);
            return status.ok() ? kOk : PrintError(status);
          }};
}

}  // namespace opic::cli
