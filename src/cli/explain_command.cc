// opic explain: what became of a page, or why it is not fetched yet.
#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "absl/strings/ascii.h"
#include "absl/time/clock.h"
#include "base/counted.h"
#include "base/status_macros.h"
#include "cli/crawl_flags.h"
#include "cli/human.h"
#include "cli/json_output.h"
#include "cli/page_listing.h"
#include "cli/question.h"
#include "cli/scheduler_beside.h"
#include "refresh/page_plan.h"
#include "url/trap.h"

namespace opic::cli {
namespace {

struct ExplainFlags : TargetFlags {
  std::string url;
  std::string scheduler;
  bool idle = false;
};

absl::StatusOr<std::unique_ptr<rpc::NodeClient>> NamedScheduler(const ExplainFlags& flags) {
  ASSIGN_OR_RETURN(rpc::NodeClientOptions options, ClientOptions(flags));
  options.kind = "scheduler";
  return rpc::NodeClient::To(flags.scheduler, options);
}

absl::StatusOr<scheduler::WaitingReport> OfNamedScheduler(const ExplainFlags& flags) {
  ASSIGN_OR_RETURN(const auto scheduler, NamedScheduler(flags));
  return scheduler->ExplainWaiting();
}

bool LeadsNowhere(const node::PageImportance& page) {
  return page.state == "gone" && page.http_status >= 300 && page.http_status < 400;
}

// Also of a page that is fetched: a seed, or with --traps show.
std::string WhatTrapItIs(url::Trap trap) {
  if (trap == url::Trap::kNone) return "";
  return fmt::format("Its URL looks like one of a trap: {} ({}{}).\n", url::Describe(trap),
                     url::Name(trap), url::IsCertain(trap) ? "; --traps" : ", not certain");
}

std::string HowItEnded(const node::PageImportance& page) {
  const std::string tries =
      page.fetches == 0 ? "It was never asked for"
                        : fmt::format("It was fetched {}", base::Counted(page.fetches, "time"));
  const std::string fetched = fmt::format("{}, last at {}.\n", tries, UtcTime(page.fetched_at));
  if (page.state == "failed" && page.http_status == 0) {
    return fmt::format(
        "{} failed: {}.\n{}", page.url,
        page.failure.empty() ? "no answer (an earlier release kept no cause)" : page.failure,
        page.fetches == 0 ? "" : fetched);
  }
  if (page.state == "forbidden") return page.url + " is forbidden by its host's robots.txt.\n";
  if (page.state == "out_of_scope") {
    return page.url +
           " is out of the crawl's scope (--scope, --include, --exclude, --depth, --traps, depth "
           "in "
           "the hosts file): it is known by links, and not fetched.\n";
  }
  const auto line = [](std::string_view what, const std::string& url) {
    return url.empty() ? "" : fmt::format("{}: {}\n", what, url);
  };
  return fmt::format(
      "{}: {}, HTTP status {}{}. {}{}{}{}{}{}", page.url, page.state, page.http_status,
      LeadsNowhere(page)
          ? ", a redirect that has no Location, or one that is no http(s) URL (fetches.jsonl "
            "has it): only its site can mend that"
          : "",
      page.fetches == 0 ? tries + ".\n" : fetched,
      page.left_out.empty() ? "" : page.left_out + "\n", line("Its canonical", page.canonical),
      line("The first page with its content", page.duplicate_of),
      line("The page that it is a near duplicate of", page.near_duplicate_of),
      line("The first page that is similar to it", page.similar_to));
}

std::string WhenItIsReadAgain(const node::PageImportance& page) {
  std::string text;
  if (page.change_rate > 0) {
    text = fmt::format("It changes about once in {} (within {:.0f} %).\n",
                       HumanTime(absl::Seconds(1 / page.change_rate)),
                       100 * page.change_rate_deviation);
  }
  if (page.due == refresh::PagePlan::kAtOnce) {
    text += "It is to be read again at once.\n";
  } else if (page.due > 0) {
    text += fmt::format("It is to be read again at {}.\n", UtcTime(page.due));
  } else if (!page.publications.empty()) {
    text += "It is not read again.\n";
  } else if (!page.category.empty() && page.state == "fetched") {
    text += fmt::format(
        "Pages of its category, {}, are not read again now (`opic control refresh --factor`).\n",
        page.category);
  }
  return text;
}

std::string WhatIsPublished(const node::PageImportance& page) {
  std::string text;
  for (const std::string& publication : page.publications)
    text += fmt::format("Published: {}.\n", publication);
  return text;
}

const char* Sentence(scheduler::HostWait wait) {
  using scheduler::HostWait;
  switch (wait) {
    case HostWait::kFetching:
      return "a page is being fetched (so many at a time: --per-host)";
    case HostWait::kNoNode:
      return "no node is connected";
    case HostWait::kBlocked:
      return "blocked (opic control unblock, or the node's hosts file)";
    case HostWait::kBudget:
      return "their budgets of pages or bytes are used up";
    case HostWait::kOnLoan:
      return "another node of the cluster has the host, or is to have it";
    case HostWait::kGivenUp:
      return "given up for a day: no answer to many requests";
    case HostWait::kRetries:
      return "its pages left have failed, and are tried again later";
    case HostWait::kBackoff:
      return "backing off after failures";
    case HostWait::kDelay:
      return "the delay between two fetches (--delay, Crawl-delay)";
    case HostWait::kRoom:
      return "the memory for answers is full (--memory)";
    case HostWait::kHeld:
      return "the node put the last request off (`opic status` counts why)";
    case HostWait::kAddress:
      return "fetches from its IP address are at their limit";
    case HostWait::kGroup:
      return "their share of --rate, or the delay or the fetch of their group";
    case HostWait::kPaused:
      return "fetching is paused";
    case HostWait::kFetches:
      return "all fetches at once are in use (--in-flight)";
    case HostWait::kRate:
      return "the pages a second are used up (--rate)";
    case HostWait::kNext:
      return "nothing: ordered next";
  }
  return "";
}

void PrintWaiting(const scheduler::WaitingReport& report) {
  fmt::print("{:>9} {:>11}  {:<62} first\n", "hosts", "pages", "wait for");
  for (size_t i = 0; i < scheduler::kHostWaits; ++i) {
    const scheduler::WaitingHosts& waiting = report.reasons[i];
    if (waiting.hosts == 0) continue;
    const std::string at =
        waiting.first == absl::InfiniteFuture() ? "" : UtcTime(waiting.first) + " ";
    fmt::print("{:>9} {:>11}  {:<62} {}{}\n", waiting.hosts, waiting.pages,
               Sentence(static_cast<scheduler::HostWait>(i)), at, waiting.example);
  }
  fmt::print("{}\n", report.idle_reason.empty()
                         ? "Pages are being ordered."
                         : "Nothing is ordered now: " + report.idle_reason + ".");
}

nlohmann::ordered_json WaitingJson(const scheduler::WaitingReport& report) {
  nlohmann::ordered_json json = {{"idle_reason", report.idle_reason},
                                 {"waiting", nlohmann::ordered_json::array()}};
  for (size_t i = 0; i < scheduler::kHostWaits; ++i) {
    const scheduler::WaitingHosts& waiting = report.reasons[i];
    if (waiting.hosts == 0) continue;
    nlohmann::ordered_json entry = {{"reason", Name(static_cast<scheduler::HostWait>(i))},
                                    {"hosts", waiting.hosts},
                                    {"pages", waiting.pages},
                                    {"example", waiting.example}};
    if (waiting.first != absl::InfiniteFuture())
      entry["first"] = absl::ToUnixSeconds(waiting.first);
    json["waiting"].push_back(std::move(entry));
  }
  return json;
}

int ShowWaiting(const ExplainFlags& flags, const scheduler::WaitingReport& report) {
  if (flags.json) {
    PrintJson(WaitingJson(report));
  } else {
    PrintWaiting(report);
  }
  return kOk;
}

// A scheduler that is named is asked alone: its node need not be known.
int RunIdleOfNamedScheduler(const ExplainFlags& flags) {
  const absl::StatusOr<scheduler::WaitingReport> report = OfNamedScheduler(flags);
  return report.ok() ? ShowWaiting(flags, *report) : PrintError(report.status());
}

// Of each node by itself, because each has a scheduler.
absl::StatusOr<int> ExplainIdleOfCluster(const ExplainFlags& flags, Target& target) {
  nlohmann::ordered_json all = nlohmann::ordered_json::object();
  absl::Status first;  // why a node is missing
  for (const cluster::MemberNode& node : target.map().nodes()) {
    const absl::StatusOr<scheduler::WaitingReport> report =
        target.nodes()[node.id.value]->ExplainWaiting();
    if (!report.ok()) {
      const absl::Status why =
          base::WithContext(NameTheScheduler(report.status(), "--scheduler"), "node " + node.name);
      fmt::print(stderr, "{}\n", std::string(why.message()));
      first.Update(why);
      continue;
    }
    all[node.name] = WaitingJson(*report);
    if (flags.json) continue;
    fmt::print("Node {}:\n", node.name);
    PrintWaiting(*report);
  }
  if (all.empty()) return first;
  if (flags.json) PrintJson(all);
  return first.ok() ? kOk : kPartial;
}

absl::StatusOr<int> RunExplainIdle(const ExplainFlags& flags, Target& target) {
  if (target.client() == nullptr)
    return absl::UnavailableError("no node uses this data folder, so nothing is fetched");
  if (!target.nodes().empty() && flags.node.empty()) return ExplainIdleOfCluster(flags, target);
  const absl::StatusOr<scheduler::WaitingReport> report = target.client()->ExplainWaiting();
  if (!report.ok()) return NameTheScheduler(report.status(), "--scheduler");
  return ShowWaiting(flags, *report);
}

std::string WhatTheHostWaitsFor(const node::PageExplanation& explained) {
  return explained.host ? "Its host: " + explained.host->reason + "\n" : "";
}

// Of an unread page; nothing where it counts as much as its cash says.
std::string WhatItsCashCounts(const node::PageExplanation& explained) {
  const double all = explained.cash_factor, interest = explained.interest_factor;
  if (interest <= 0 || (all == 1 && interest == 1)) return "";
  if (interest == 1)
    return fmt::format("Its cash counts {:.3g} times (--focus, opic publish boost).\n", all);
  if (all == interest) return fmt::format("Its cash counts {:.3g} times (--interest).\n", all);
  return fmt::format(
      "Its cash counts {:.3g} times: {:.3g} by --interest, times {:.3g} by --focus or opic publish "
      "boost.\n",
      all, interest, all / interest);
}

std::string HowItWasFound(const node::PageImportance& page) {
  if (page.referrer.empty()) return "";
  return fmt::format("It was found on {}, {} from a seed.\n", page.referrer,
                     base::Counted(page.depth, "link"));
}

std::string InWords(const node::PageExplanation& explained, bool at_rest) {
  const node::PageImportance& page = explained.page;
  if (!page.unanswered_by.empty()) {
    return fmt::format("{} is a page of node {}, which did not answer.\n", page.url,
                       page.unanswered_by);
  }
  if (!page.known) {
    return page.url +
           " is not known: no page that was read links to it, except perhaps by nofollow links, "
           "which are not followed.\n";
  }
  const std::string more = WhatTrapItIs(explained.trap);
  if (page.state == node::kUnreadState && at_rest) {
    return fmt::format("{} is unread. No process uses this data folder, so nothing is fetched.\n{}",
                       page.url, HowItWasFound(page));
  }
  if (page.state == node::kUnreadState) {
    return fmt::format("{} is unread, with {} units of cash. {}{}{}{}{}", page.url,
                       page.cash.units(), WhatTheHostWaitsFor(explained),
                       WhatItsCashCounts(explained), more, WhatIsPublished(page),
                       HowItWasFound(page));
  }
  return HowItEnded(page) + more + WhenItIsReadAgain(page) + WhatTheHostWaitsFor(explained) +
         WhatIsPublished(page) + HowItWasFound(page);
}

// With what the host waits for, according to the scheduler that is named, or the node's own.
absl::StatusOr<node::PageExplanation> ExplainPage(const ExplainFlags& flags, Target& target) {
  ASSIGN_OR_RETURN(node::PageExplanation explained, target.answers().Explain(flags.url));
  if (target.client() == nullptr || !node::WaitsToBeFetched(explained.page, absl::Now()))
    return explained;
  if (!flags.scheduler.empty()) {
    ASSIGN_OR_RETURN(const auto scheduler, NamedScheduler(flags));
    ASSIGN_OR_RETURN(explained.host,
                     scheduler->ExplainHost(std::string(url::HostOf(explained.page.url))));
  }
  if (explained.host || explained.page.state != node::kUnreadState) return explained;
  return absl::UnavailableError(
      fmt::format("{} waits to be fetched, but it is not known why: {}", explained.page.url,
                  explained.host_unknown.empty() ? "the node runs an earlier release"
                                                 : explained.host_unknown));
}

nlohmann::ordered_json HostJson(const scheduler::HostExplanation& host) {
  nlohmann::ordered_json json = {
      {"reason", host.reason},     {"known", host.known},
      {"queued", host.queued},     {"in_flight", host.in_flight},
      {"parallel", host.parallel}, {"failures", host.failures},
      {"given_up", host.given_up}, {"delay_seconds", absl::ToDoubleSeconds(host.delay)}};
  if (host.next_allowed > absl::UnixEpoch() && host.next_allowed < absl::InfiniteFuture())
    json["next_request"] = absl::ToUnixSeconds(host.next_allowed);
  if (!host.address.empty()) json["address"] = host.address;
  return json;
}

nlohmann::ordered_json ExplanationJson(const node::PageExplanation& explained,
                                       const std::string& words) {
  const node::PageImportance& page = explained.page;
  nlohmann::ordered_json json = PageJson(page);
  if (explained.trap != url::Trap::kNone) json["trap"] = std::string(url::Name(explained.trap));
  if (explained.interest_factor > 0) {
    json["cash_factor"] = explained.cash_factor;
    json["interest_factor"] = explained.interest_factor;
  }
  if (!page.category.empty()) json["category"] = page.category;
  if (page.due > 0) json["due"] = page.due;
  if (page.change_rate > 0) {
    json["change_rate"] = page.change_rate;
    json["change_rate_deviation"] = page.change_rate_deviation;
  }
  if (!page.publications.empty()) json["publications"] = page.publications;
  if (explained.host) json["host"] = HostJson(*explained.host);
  json["explanation"] = std::string(absl::StripTrailingAsciiWhitespace(words));
  return json;
}

absl::StatusOr<int> RunExplain(const ExplainFlags& flags, Target& target) {
  if (flags.idle) return RunExplainIdle(flags, target);
  ASSIGN_OR_RETURN(const node::PageExplanation explained, ExplainPage(flags, target));
  const std::string words = InWords(explained, target.client() == nullptr);
  if (flags.json) {
    PrintJson(ExplanationJson(explained, words));
  } else {
    fmt::print("{}", words);
  }
  if (!explained.page.unanswered_by.empty()) return kPartial;
  return explained.page.known ? kOk : kNotFound;
}

void AddMore(CLI::App& app, ExplainFlags& flags) {
  CLI::Option* url = app.add_option("url", flags.url, "the URL");
  CLI::Option* idle =
      app.add_flag("--idle", flags.idle,
                   "instead: what hosts with queued pages wait for; of a cluster, node by node");
  url->excludes(idle);
  app.add_option(
      "--scheduler", flags.scheduler,
      "HOST:PORT of the opic-scheduler to ask instead of its node, which passes questions "
      "on to it");
}

int Run(const ExplainFlags& flags) {
  if (flags.url.empty() && !flags.idle) return PrintUsage("give a URL, or --idle");
  if (flags.idle && !flags.scheduler.empty()) return RunIdleOfNamedScheduler(flags);
  return Ask(flags, [&](Target& target) { return RunExplain(flags, target); });
}

}  // namespace

Command AddExplain(CLI::App& opic) {
  auto flags = std::make_shared<ExplainFlags>();
  CLI::App* app = opic.add_subcommand(
      "explain", "say why a URL is not fetched yet, and when it will be; or what hosts wait for");
  flags->AddTo(*app);
  AddMore(*app, *flags);
  return {app, [flags] { return Run(*flags); }};
}

}  // namespace opic::cli
