// opic control: steers a running node, or all nodes of a cluster.
#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/check.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/quoted.h"
#include "base/status_macros.h"
#include "cli/control_output.h"
#include "cli/control_show.h"
#include "cli/crawl_flags.h"
#include "cli/factor_list.h"
#include "cli/given_options.h"
#include "cli/host_control.h"
#include "cli/json_output.h"
#include "cli/question.h"
#include "cli/scheduler_beside.h"
#include "cli/seed_control.h"
#include "cli/share_rules.h"
#include "cli/suggestion.h"
#include "rpc/gate.h"
#include "rpc/resting_trail.h"

namespace opic::cli {
namespace {

struct ControlFlags : TargetFlags {
  ControlFlags() { steers = true; }
  std::string action;
  std::vector<std::string> names;  // seeds, or hosts
  std::optional<double> rate;
  std::string delay;
  std::optional<double> share;
  std::optional<uint64_t> pages;
  std::string bytes;
  std::vector<std::string> factors;
  std::optional<uint32_t> in_flight, depth;
  std::string level;                 // of the log,
  std::vector<std::string> modules;  // and of what in it
  bool as_started = false, domain = false, clear = false;
};

const std::vector<std::string>& Actions() {
  static const auto& actions =
      *new std::vector<std::string>{"pause",   "resume", "stop",    "seed", "budget", "limits",
                                    "refresh", "block",  "unblock", "host", "log",    "show"};
  return actions;
}

bool PausesOrResumes(const std::string& action) { return action == "pause" || action == "resume"; }

// A host is paused by the rule that blocks it.
std::string OfNames(const std::string& action) {
  return action == "pause" ? "block" : action == "resume" ? "unblock" : action;
}

// Why `action` takes no name; empty: it takes names. Else who means one host would stop all of
// them.
std::string WhyNoName(const std::string& action, const std::string& name) {
  if (IsHostAction(action) || action == "seed" || PausesOrResumes(action)) return "";
  return absl::StrCat(action, " takes no names: \"", name,
                      "\"; to say which node is meant, use --node");
}

absl::Status SetBudget(const ControlFlags& flags, rpc::NodeClient& node) {
  if (!flags.rate && flags.delay.empty()) {
    return absl::InvalidArgumentError(
        "budget needs --rate (pages a second, 0 for no limit), --delay, or both");
  }
  absl::Duration delay = -absl::Seconds(1);
  if (!flags.delay.empty()) {
    ASSIGN_OR_RETURN(delay, ParseDuration(flags.delay, "delay"));
  }
  RETURN_IF_ERROR(NameTheScheduler(node.SetBudget(flags.rate.value_or(-1), delay), "--node"));
  if (flags.rate.value_or(0) == 0) return absl::OkStatus();
  // The node plans with it when pages are read again. A scheduler by itself has no plan, nor has a
  // node that reads each page once: it is not asked, because its trail would have the refusal.
  const absl::StatusOr<node::InForce> now = node.control().WhatIsInForce();
  if (absl::IsUnimplemented(now.status())) return absl::OkStatus();
  RETURN_IF_ERROR(now.status());
  if (!now->reads_again) return absl::OkStatus();
  return node.control().TuneRefresh({.pages_per_s = *flags.rate}, /*anew=*/false);
}

absl::Status TuneRefresh(const ControlFlags& flags, node::Control& control) {
  node::RefreshTuning changes;
  changes.share = flags.share;
  ASSIGN_OR_RETURN(changes.factors, ParseFactors(flags.factors, "factor"));
  if (!flags.share && flags.factors.empty() && !flags.as_started) {
    return absl::InvalidArgumentError(
        "refresh needs --share (of the rate, for pages that were read before), --factor "
        "NAME=FACTOR, or --as-started");
  }
  return control.TuneRefresh(changes, flags.as_started);
}

absl::Status SetLimits(const ControlFlags& flags, node::Control& control) {
  const node::LimitChanges changes{flags.pages, flags.in_flight};
  if (changes.empty() && !flags.depth && !flags.as_started) {
    return absl::InvalidArgumentError(
        "limits needs --pages (0 for no limit), --in-flight, --depth (0 for no limit), or "
        "--as-started");
  }
  return control.SetLimits(changes, flags.depth, flags.as_started);
}

absl::Status SetLog(const ControlFlags& flags, node::Control& control) {
  if (flags.level.empty())
    return absl::InvalidArgumentError("log needs --level: debug, info, warning or error");
  absl::StatusOr<base::LogLevelChange> change = base::ParseLogLevels(flags.level);
  if (!change.ok()) return base::WithContext(change.status(), "--level");
  if (flags.modules.empty()) return control.SetLogLevel(*change);
  if (!change->modules.empty())
    return absl::InvalidArgumentError("--module goes with one level: --level debug --module rpc");
  for (const std::string& module : flags.modules) {
    RETURN_IF_ERROR(base::WithContext(base::CheckModule(module), "--module"));
    change->modules[module] = *change->all;
  }
  change->all.reset();
  return control.SetLogLevel(*change);
}

// A node without an order would begin with the seeds, and perhaps it was not told all rules.
absl::StatusOr<node::SeedResults> SeedIfOrdered(const std::vector<std::string>& urls,
                                                node::Control& control) {
  ASSIGN_OR_RETURN(const node::CrawlOrder order, control.Order());
  if (order.seeds.empty()) {
    return absl::UnavailableError(
        "nobody has told it yet what to crawl, and it can be told the rules for hosts only when "
        "all "
        "nodes answer; repeat the command when they do");
  }
  return control.BeginCrawl({.seeds = urls});
}

absl::Status Steer(const ControlFlags& flags, rpc::NodeClient& node) {
  node::Control& control = node.control();
  if (flags.action == "pause" || flags.action == "resume")
    return control.Pause(flags.action == "pause");
  if (flags.action == "stop") return control.StopNode();
  if (flags.action == "budget") return SetBudget(flags, node);
  if (flags.action == "limits") return SetLimits(flags, control);
  if (flags.action == "log") return SetLog(flags, control);
  OPIC_CHECK(flags.action == "refresh");
  return TuneRefresh(flags, control);
}

bool AsksOne(const ControlFlags& flags, const Target& target) {
  return target.nodes().empty() || !flags.node.empty();
}

// Every node of a cluster is told, also when one before it does not answer.
std::vector<NodeAnswer> TellAll(const ControlFlags& flags, Target& target,
                                const std::function<absl::Status(rpc::NodeClient&)>& tell) {
  if (AsksOne(flags, target)) return {{"", tell(*target.client())}};
  std::vector<NodeAnswer> answers;
  bool failed = false;
  for (const cluster::MemberNode& node : target.map().nodes()) {
    const absl::Status done =
        base::WithContext(tell(*target.nodes()[node.id.value]), "node " + node.name);
    // The first failure is told at the end.
    if (!done.ok() && std::exchange(failed, true))
      fmt::print(stderr, "{}\n", std::string(done.message()));
    answers.push_back({node.name, done});
  }
  return answers;
}

// What each node says that holds after it. A scheduler by itself has a budget and nothing else.
std::vector<NodeAnswer> SteerAll(const ControlFlags& flags, Target& target) {
  std::vector<std::optional<Shown>> after;  // of those that have done it
  std::vector<NodeAnswer> answers = TellAll(flags, target, [&](rpc::NodeClient& node) {
    absl::Status done = Steer(flags, node);
    if (!done.ok()) return done;
    after.emplace_back();
    if (CallOf(flags.action).empty()) return done;
    if (absl::StatusOr<Shown> shown = AskShown(node); shown.ok()) {
      after.back() = *std::move(shown);
    } else if (auto status = node.SchedulerStatus(); flags.action == "budget" && status.ok()) {
      after.back() = Shown{.scheduler = *std::move(status)};
    }
    return done;
  });
  size_t done = 0;
  for (NodeAnswer& answer : answers) {
    if (answer.status.ok()) answer.after = std::move(after[done++]);
  }
  return answers;
}

absl::Status FirstFailure(const std::vector<NodeAnswer>& answers) {
  absl::Status first;
  for (const NodeAnswer& answer : answers) first.Update(answer.status);
  return first;
}

// `rules`: for the hosts that it was about.
void PrintAction(const ControlFlags& flags, const std::vector<NodeAnswer>& answers,
                 const std::vector<node::KeptRule>& rules = {}) {
  const auto told = static_cast<size_t>(std::count_if(
      answers.begin(), answers.end(), [](const NodeAnswer& answer) { return answer.status.ok(); }));
  const bool one = answers.size() == 1 && answers.front().node.empty();
  if (!flags.json) {
    fmt::print("{}", ActionWords(flags.action, answers));
    PrintRules(rules, one ? 0 : told);
  } else if (told > 0 || !one) {  // an error is not told on standard output
    PrintJson(ActionJson(flags.action, answers, rules));
  }
}

absl::Status TuneHosts(const ControlFlags& flags, Target& target) {
  ASSIGN_OR_RETURN(const std::vector<node::HostChange> changes,
                   HostChanges(flags.action, {flags.names, flags.domain, flags.delay, flags.pages,
                                              flags.bytes, flags.clear}));
  if (target.folder() != nullptr) {
    ASSIGN_OR_RETURN(const std::vector<node::KeptRule> rules,
                     node::ChangeRulesAtRest(*target.folder(), changes, rpc::UserAtRest(),
                                             base::RealClock::Get().Now()));
    PrintAction(flags, {{"", absl::OkStatus()}}, rules);
    ASSIGN_OR_RETURN(rpc::RestingTrail trail, rpc::RestingTrail::Open(*target.folder()));
    trail.HostsTuned(changes);
    return absl::OkStatus();
  }
  std::vector<node::KeptRule> rules;
  const std::vector<NodeAnswer> answers =
      TellAll(flags, target, [&](rpc::NodeClient& node) -> absl::Status {
        ASSIGN_OR_RETURN(rules, node.control().TuneHosts(changes, ""));
        return absl::OkStatus();
      });
  PrintAction(flags, answers, rules);
  absl::Status done = FirstFailure(answers);
  if (!done.ok() && !rules.empty())
    return base::WithContext(done,
                             "some nodes lack the change: repeat the command when they answer");
  if (done.ok() && AsksOne(flags, target)) WarnIfOthersMustKnow(*target.client());
  return done;
}

absl::StatusOr<int> Seed(const ControlFlags& flags, Target& target) {
  if (flags.names.empty()) return absl::InvalidArgumentError("seed needs at least one URL");
  SeedAnswers seeds(flags.names);
  // A node that has no order yet begins with the first seed. Nodes that do not answer are named
  // below.
  const bool in_cluster = !target.nodes().empty();
  bool shared = false;
  if (in_cluster) {
    const absl::Status told = ShareRules(target.map(), target.nodes());
    if (!told.ok() && !DoesNotAnswer(told))
      return base::WithContext(told, "no node was given the seed");
    shared = told.ok();
  }
  const auto tell = [&](node::Control& control) {
    if (!in_cluster) return control.AddSeeds(seeds.to_tell());
    return shared ? control.BeginCrawl({.seeds = seeds.to_tell()})
                  : SeedIfOrdered(seeds.to_tell(), control);
  };
  const std::vector<NodeAnswer> answers =
      TellAll(flags, target, [&](rpc::NodeClient& node) -> absl::Status {
        ASSIGN_OR_RETURN(const node::SeedResults results, tell(node.control()));
        seeds.Take(results);
        return absl::OkStatus();
      });
  const absl::Status done = FirstFailure(answers);
  // Of several nodes, those that answered have taken what is theirs.
  const bool has_answers = done.ok() || !AsksOne(flags, target);
  if (has_answers && !flags.json) fmt::print("{}", seeds.InWords());
  if (has_answers && flags.json) {
    nlohmann::ordered_json json = ActionJson(flags.action, answers, {});
    json["seeds"] = seeds.ToJson();
    PrintJson(json);
  }
  RETURN_IF_ERROR(done);
  return seeds.any_refused() ? kUsage : kOk;
}

// What an action that is for a running node comes to with a folder at rest.
absl::Status NobodyToSteer(const ControlFlags& flags) {
  const std::string crawl = flags.data == "opic-data"
                                ? "`opic crawl"
                                : absl::StrCat("`opic crawl --data ", ForShell(flags.data));
  std::string instead = "; start one, or give --node HOST:PORT";
  if (flags.action == "limits") {
    instead = absl::StrCat("; give --pages (0: no limit) or --depth to the next ", crawl,
                           "`, where they take the place of what was set; --in-flight and ",
                           "--as-started need one that runs");
  } else if (flags.action == "seed") {
    instead = absl::StrCat("; give the seeds to the next ", crawl, " URL...`");
  } else if (flags.action != "stop") {
    instead = absl::StrCat("; start it (", crawl, "`, with other options as before), and repeat ",
                           "this while it runs, or give --node HOST:PORT");
  }
  return absl::UnavailableError(absl::StrCat("no node uses the data folder ", flags.data, instead));
}

absl::StatusOr<int> RunControl(const ControlFlags& typed, Target& target) {
  ControlFlags flags = typed;
  if (!flags.names.empty() || flags.domain) flags.action = OfNames(flags.action);
  if (target.client() == nullptr && !IsHostAction(flags.action)) return NobodyToSteer(flags);
  if (flags.rate) RETURN_IF_ERROR(CheckRate(*flags.rate));  // once, not at every node
  if (flags.action == "show") return ShowControl(flags, target);
  if (IsHostAction(flags.action)) {
    RETURN_IF_ERROR(TuneHosts(flags, target));
    return kOk;
  }
  if (flags.action == "seed") return Seed(flags, target);
  const std::vector<NodeAnswer> answers = SteerAll(flags, target);
  PrintAction(flags, answers);
  RETURN_IF_ERROR(FirstFailure(answers));
  return kOk;
}

// `option` is an order to a running node: it is refused with an action that it is not for, instead
// of being left out, and it must be typed: the settings file of a crawl has a rate and a depth,
// too, which nobody means to set anew.
CLI::Option* Order(CLI::Option* option, const ControlFlags& flags,
                   const std::vector<std::string>& actions) {
  return option->configurable(false)->check([&flags, actions](const std::string&) {
    if (std::find(actions.begin(), actions.end(), flags.action) != actions.end())
      return std::string();
    return absl::StrCat("is for ", absl::StrJoin(actions, ", "), ", not for ", flags.action);
  });
}

void AddOrders(CLI::App& app, ControlFlags& flags) {
  const auto option = [&](const char* name, auto& value, const std::string& help,
                          const std::vector<std::string>& actions) {
    return Order(app.add_option(name, value, help), flags, actions);
  };
  const auto flag = [&](const char* name, bool& value, const char* help,
                        const std::vector<std::string>& actions) {
    Order(app.add_flag(name, value, help), flags, actions);
  };
  option("--rate", flags.rate, "for budget: pages a second, 0 for no limit", {"budget"});
  option("--delay", flags.delay,
         "for budget: time between two fetches of any host; for host: of these hosts",
         {"budget", "host"});
  flag("--domain", flags.domain,
       "the names are registrable domains (example.org): the action is for all their hosts",
       {"pause", "resume", "block", "unblock", "host"});
  flag("--clear", flags.clear, "for host: back to the delay and the budget of all hosts", {"host"});
  option("--pages", flags.pages,
         "for host: fetch at most this many pages of it over all time, with --domain of all its "
         "hosts together; for limits: page requests of each node, those made before included; 0: "
         "no limit",
         {"host", "limits"})
      ->check(CheckCount);
  option("--bytes", flags.bytes,
         "for host: receive at most this many bytes for its pages, likewise, e.g. 1G; 0: no limit",
         {"host"});
  option("--share", flags.share, "for refresh: share of the rate for pages that were read before",
         {"refresh"});
  option("--factor", flags.factors,
         "for refresh: NAME=FACTOR on the importance of a category's pages; 0: they are not read "
         "again. Categories: " +
             CategoryNames(),
         {"refresh"});
  flag("--as-started", flags.as_started,
       "for refresh: forget the share and the factors that were set before; for limits: forget "
       "--pages and --in-flight that were set before (--depth stays)",
       {"refresh", "limits"});
  option("--in-flight", flags.in_flight, "for limits: fetches of each node at once", {"limits"})
      ->check(CLI::Range(1u, node::kFetchesMax));
  option("--depth", flags.depth, "for limits: links followed from a seed; 0 for no limit",
         {"limits"});
  option("--level", flags.level,
         "for log: write lines of this level and above, until the process ends: debug, info, "
         "warning or error; MODULE=LEVEL for one module of the source, e.g. info,fetch=debug",
         {"log"});
  option("--module", flags.modules, "for log: only of this module, e.g. rpc; may be repeated",
         {"log"})
      ->allow_extra_args(false);
}

}  // namespace

Command AddControl(CLI::App& opic) {
  return QuestionCommand<ControlFlags>(
      opic, "control",
      "control a running node or cluster: pause, resume, stop, seed, budget, limits, refresh, "
      "block, unblock, host, log, show",
      RunControl, [](CLI::App& app, ControlFlags& flags) {
        app.add_option("action", flags.action,
                       "pause, resume, stop, seed, budget, limits, refresh, block, unblock, host, "
                       "log or show")
            ->required()
            // Before anybody is asked.
            ->check([](const std::string& typed) { return WhyNoAction(typed, Actions()); });
        app.add_option(
               "names", flags.names,
               "seed: URLs; block, unblock, host: hosts; pause, resume: hosts (then the same as "
               "block and unblock), or none: all fetching")
            ->check([&flags](const std::string& name) { return WhyNoName(flags.action, name); });
        AddOrders(app, flags);
      });
}

}  // namespace opic::cli
