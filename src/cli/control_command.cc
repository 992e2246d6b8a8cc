// opic control: steers a running node, or all nodes of a cluster.
#include <fmt/core.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "cli/crawl_flags.h"
#include "cli/question.h"
#include "cli/scheduler_beside.h"
#include "cli/suggestion.h"

namespace opic::cli {
namespace {

struct ControlFlags : TargetFlags {
  ControlFlags() { steers = true; }
  std::string action;
  std::vector<std::string> seeds;
  double rate = -1;
  std::string delay;
};

const std::vector<std::string>& Actions() {
  static const auto& actions =
      *new std::vector<std::string>{"pause", "resume", "stop", "seed", "budget"};
  return actions;
}

absl::Status WrongAction(const std::string& typed) {
  const std::string meant = Nearest(typed, Actions());
  return absl::InvalidArgumentError(absl::StrCat(
      "\"", typed, "\" is not an action; it must be one of ", absl::StrJoin(Actions(), ", "),
      meant.empty() ? "" : absl::StrCat("; did you mean ", meant, " ?")));
}

absl::Status Steer(const ControlFlags& flags, rpc::NodeClient& node, bool in_cluster) {
  if (flags.action == "pause" || flags.action == "resume")
    return node.Pause(flags.action == "pause");
  if (flags.action == "stop") return node.StopNode();
  if (flags.action == "seed")
    return in_cluster ? node.BeginCrawl({.seeds = flags.seeds}) : node.AddSeeds(flags.seeds);
  if (flags.action == "budget") {
    if (flags.rate < 0 && flags.delay.empty()) {
      return absl::InvalidArgumentError(
          "budget needs --rate (pages a second, 0 for no limit), --delay, or both");
    }
    absl::Duration delay = -absl::Seconds(1);
    if (!flags.delay.empty()) {
      ASSIGN_OR_RETURN(delay, ParseDuration(flags.delay, "delay"));
    }
    return NameTheScheduler(node.SetBudget(flags.rate, delay), "--node");
  }
  return WrongAction(flags.action);
}

// Every node of a cluster is told, also when one before it does not answer.
absl::StatusOr<int> RunControl(const ControlFlags& flags, Target& target) {
  if (target.client() == nullptr)
    return absl::UnavailableError(
        "no node uses this data folder; start one, or give --node HOST:PORT");
  if (target.nodes().empty() || !flags.node.empty()) {
    RETURN_IF_ERROR(Steer(flags, *target.client(), !target.nodes().empty()));
    return kOk;
  }
  absl::Status first;
  for (const cluster::MemberNode& node : target.map().nodes()) {
    const absl::Status told = base::WithContext(
        Steer(flags, *target.nodes()[node.id.value], /*in_cluster=*/true), "node " + node.name);
    if (!told.ok()) fmt::print(stderr, "{}\n", std::string(told.message()));
    first.Update(told);
  }
  RETURN_IF_ERROR(first);
  return kOk;
}

}  // namespace

Command AddControl(CLI::App& opic) {
  return QuestionCommand<ControlFlags>(
      opic, "control", "control a running node: pause, resume, stop, seed, budget", RunControl,
      [](CLI::App& app, ControlFlags& flags) {
        app.add_option("action", flags.action, "pause, resume, stop, seed or budget")
            ->required()
            ->check([](const std::string& typed) {  // before anybody is asked
              const auto& all = Actions();
              const bool known = std::find(all.begin(), all.end(), typed) != all.end();
              return known ? std::string() : std::string(WrongAction(typed).message());
            });
        app.add_option("seeds", flags.seeds, "for seed: URLs");
        app.add_option("--rate", flags.rate, "for budget: pages a second, 0 for no limit");
        app.add_option("--delay", flags.delay, "for budget: pause between fetches of a host");
      });
}

}  // namespace opic::cli
