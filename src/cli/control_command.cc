// opic control: steers a running node, or all nodes of a cluster.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "cli/crawl_flags.h"
#include "cli/factor_list.h"
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
  std::optional<double> share;
  std::vector<std::string> factors;
  bool as_started = false;
};

const std::vector<std::string>& Actions() {
  static const auto& actions =
      *new std::vector<std::string>{"pause", "resume", "stop", "seed", "budget", "refresh"};
  return actions;
}

absl::Status WrongAction(const std::string& typed) {
  const std::string meant = Nearest(typed, Actions());
  return absl::InvalidArgumentError(absl::StrCat(
      "\"", typed, "\" is not an action; it must be one of ", absl::StrJoin(Actions(), ", "),
      meant.empty() ? "" : absl::StrCat("; did you mean ", meant, " ?")));
}

absl::Status SetBudget(const ControlFlags& flags, rpc::NodeClient& node) {
  if (std::isnan(flags.rate))
    return absl::InvalidArgumentError("--rate nan: must be a number of pages a second");
  if (flags.rate < 0 && flags.delay.empty()) {
    return absl::InvalidArgumentError(
        "budget needs --rate (pages a second, 0 for no limit), --delay, or both");
  }
  absl::Duration delay = -absl::Seconds(1);
  if (!flags.delay.empty()) {
    ASSIGN_OR_RETURN(delay, ParseDuration(flags.delay, "delay"));
  }
  RETURN_IF_ERROR(NameTheScheduler(node.SetBudget(flags.rate, delay), "--node"));
  if (flags.rate <= 0) return absl::OkStatus();
  // The node plans with it when pages are read again. A scheduler by itself has no plan, nor has a
  // node that reads each page once.
  const absl::Status planned = node.TuneRefresh({.pages_per_s = flags.rate}, /*anew=*/false);
  const bool has_none = absl::IsUnimplemented(planned) || absl::IsFailedPrecondition(planned);
  return has_none ? absl::OkStatus() : planned;
}

absl::Status TuneRefresh(const ControlFlags& flags, rpc::NodeClient& node) {
  node::RefreshTuning changes;
  changes.share = flags.share;
  ASSIGN_OR_RETURN(changes.factors, ParseFactors(flags.factors, "factor"));
  if (!flags.share && flags.factors.empty() && !flags.as_started) {
    return absl::InvalidArgumentError(
        "refresh needs --share (of the rate, for pages that were read before), --factor "
        "NAME=FACTOR, or --as-started");
  }
  return node.TuneRefresh(changes, flags.as_started);
}

absl::Status Steer(const ControlFlags& flags, rpc::NodeClient& node, bool in_cluster) {
  if (flags.action == "pause" || flags.action == "resume")
    return node.Pause(flags.action == "pause");
  if (flags.action == "stop") return node.StopNode();
  if (flags.action == "seed")
    return in_cluster ? node.BeginCrawl({.seeds = flags.seeds}) : node.AddSeeds(flags.seeds);
  if (flags.action == "budget") return SetBudget(flags, node);
  if (flags.action == "refresh") return TuneRefresh(flags, node);
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
      opic, "control", "control a running node: pause, resume, stop, seed, budget, refresh",
      RunControl, [](CLI::App& app, ControlFlags& flags) {
        app.add_option("action", flags.action, "pause, resume, stop, seed, budget or refresh")
            ->required()
            ->check([](const std::string& typed) {  // before anybody is asked
              const auto& all = Actions();
              const bool known = std::find(all.begin(), all.end(), typed) != all.end();
              return known ? std::string() : std::string(WrongAction(typed).message());
            });
        app.add_option("seeds", flags.seeds, "for seed: URLs");
        app.add_option("--rate", flags.rate, "for budget: pages a second, 0 for no limit");
        app.add_option("--delay", flags.delay, "for budget: pause between fetches of a host");
        app.add_option("--share", flags.share,
                       "for refresh: share of the rate for pages that were read before");
        app.add_option("--factor", flags.factors,
                       "for refresh: NAME=FACTOR on the importance of a category's pages; 0: they "
                       "are not read again. Categories: " +
                           CategoryNames());
        app.add_flag("--as-started", flags.as_started,
                     "for refresh: forget the share and the factors that were set before");
      });
}

}  // namespace opic::cli
