#include "cli/in_force_words.h"

#include <fmt/core.h>

#include <map>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/counted.h"
#include "base/status_macros.h"
#include "cli/human.h"
#include "refresh/category.h"

namespace opic::cli {
namespace {

const node::LastAct* LastOf(const node::InForce& node, std::string_view call) {
  for (const node::LastAct& act : node.acts) {
    if (act.name == call) return &act;
  }
  return nullptr;
}

// " (since ..., by ...)" of the last call of that name; empty: there was none.
std::string Since(const node::InForce& node, std::string_view call) {
  const node::LastAct* act = LastOf(node, call);
  return act == nullptr ? "" : fmt::format(" (since {}, by {})", UtcTime(act->at), act->by);
}

// "anna@desk, operator by token, ipv4:127.0.0.1:4711" up to the address.
void CutAddress(std::string& by) {
  const size_t comma = by.rfind(", ");
  if (comma == std::string::npos) return;
  const std::string_view last = std::string_view(by).substr(comma + 2);
  if (last.starts_with("ipv4:") || last.starts_with("ipv6:") || last.starts_with("unix:"))
    by.resize(comma);
}

}  // namespace

absl::StatusOr<Shown> AskShown(rpc::NodeClient& client) {
  Shown shown;
  ASSIGN_OR_RETURN(shown.node, client.control().WhatIsInForce());
  if (auto status = client.SchedulerStatus(); status.ok()) shown.scheduler = *std::move(status);
  return shown;
}

Shown WithoutAddresses(Shown shown) {
  for (node::LastAct& act : shown.node.acts) CutAddress(act.by);
  for (node::KeptRule& kept : shown.node.hosts) CutAddress(kept.by);
  return shown;
}

std::string FetchingWords(const Shown& shown) {
  if (!shown.node.paused_since) return "not paused" + Since(shown.node, "Pause");
  const node::LastAct* act = LastOf(shown.node, "Pause");
  return absl::StrCat("paused since ", UtcTime(*shown.node.paused_since),
                      act == nullptr ? "" : ", by " + act->by);
}

std::string BudgetWords(const Shown& shown) {
  if (!shown.scheduler)
    return "not known here: the Page Scheduler did not answer, or is in another process";
  const scheduler::SchedulerStatus& pace = *shown.scheduler;
  return absl::StrCat(
      pace.pages_per_s_max > 0 ? fmt::format("{} pages/s", pace.pages_per_s_max)
                               : "no limit of pages/s",
      ", ", absl::FormatDuration(pace.delay), " between two fetches of a host",
      pace.rate_was_set || pace.delay_was_set ? Since(shown.node, "SetBudget") : " (as started)");
}

std::string LimitsWords(const Shown& shown) {
  const node::InForce& node = shown.node;
  return absl::StrCat(
      node.limits.pages > 0 ? base::Counted(node.limits.pages, "page") : "any number of pages",
      ", ", base::Counted(node.limits.in_flight, "fetch", "fetches"), " at once",
      node.limits_set.empty() ? " (as started)" : Since(node, "SetLimits"));
}

std::string ScopeWords(const Shown& shown) {
  const node::CrawlOrder& crawl = shown.node.crawl;
  const auto patterns = [](const char* name, const std::optional<std::vector<std::string>>& given) {
    return given && !given->empty() ? absl::StrCat(" ", name, " ", absl::StrJoin(*given, " ")) : "";
  };
  return absl::StrCat(
      crawl.scope, patterns("including", crawl.include), patterns("excluding", crawl.exclude), ", ",
      crawl.depth.value_or(0) == 0 ? "any depth" : fmt::format("depth {}", *crawl.depth), ", ",
      base::Counted(shown.node.seeds, "seed"));
}

std::string RefreshWords(const Shown& shown) {
  const node::RefreshTuning& tuning = shown.node.refresh;
  std::vector<std::string> parts;
  if (tuning.share) parts.push_back(fmt::format("share {}", *tuning.share));
  for (size_t c = 0; c < refresh::kCategories; ++c) {
    if (!tuning.factors[c]) continue;
    parts.push_back(fmt::format("{}={}", refresh::NameOf(static_cast<refresh::Category>(c)),
                                *tuning.factors[c]));
  }
  return (parts.empty() ? "as started" : absl::StrJoin(parts, ", ")) +
         Since(shown.node, "TuneRefresh");
}

std::string CallOf(const std::string& action) {
  static const auto& calls = *new std::map<std::string, std::string>{
      {"pause", "Pause"},      {"resume", "Pause"},    {"budget", "SetBudget"},
      {"limits", "SetLimits"}, {"log", "SetLogLevel"}, {"refresh", "TuneRefresh"}};
  const auto found = calls.find(action);
  return found == calls.end() ? "" : found->second;
}

std::string WordsAfter(const std::string& action, const Shown& shown) {
  if (action == "pause" || action == "resume") return FetchingWords(shown);
  if (action == "budget") return BudgetWords(shown);
  if (action == "limits") return LimitsWords(shown) + "; scope " + ScopeWords(shown);
  if (action == "refresh") return "refresh " + RefreshWords(shown);
  if (action == "log")
    return "level " + base::InWords(shown.node.log) + Since(shown.node, "SetLogLevel");
  return "";
}

}  // namespace opic::cli
