#include "cli/share_rules.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/counted.h"
#include "base/status_macros.h"
#include "base/utf8.h"
#include "node/host_rule_book.h"
#include "refresh/publication_book.h"

namespace opic::cli {
namespace {

// About a megabyte at most.
constexpr size_t kRulesAtOnce = 2'000, kPublicationsAtOnce = 400;
constexpr size_t kRulesNamed = 5, kWordsBytesMax = 2'000;

// What operators have said to a node.
struct Known {
  std::vector<node::KeptRule> rules;
  std::vector<refresh::Publication> publications;
};

// What is in `all` and not, or not so, in `own`.
Known LackingIn(const Known& own, const Known& all) {
  std::map<schedule::HostName, schedule::HostRule> rules;
  for (const node::KeptRule& one : own.rules) rules[schedule::NameOf(one.rule)] = one.rule;
  std::map<uint64_t, refresh::Publication> publications;
  for (const refresh::Publication& one : own.publications) publications[one.id] = one;
  Known lacking;
  for (const node::KeptRule& one : all.rules) {
    const auto found = rules.find(schedule::NameOf(one.rule));
    if (found == rules.end() || found->second != one.rule) lacking.rules.push_back(one);
  }
  for (const refresh::Publication& one : all.publications) {
    const auto found = publications.find(one.id);
    if (found == publications.end() || found->second != one) lacking.publications.push_back(one);
  }
  return lacking;
}

// Calls `tell` with `at_once` of them at a time.
template <typename Value>
absl::Status InParts(const std::vector<Value>& all, size_t at_once,
                     const std::function<absl::Status(std::vector<Value>)>& tell) {
  for (size_t first = 0; first < all.size(); first += at_once) {
    const size_t end = std::min(first + at_once, all.size());
    RETURN_IF_ERROR(tell({all.begin() + static_cast<std::ptrdiff_t>(first),
                          all.begin() + static_cast<std::ptrdiff_t>(end)}));
  }
  return absl::OkStatus();
}

absl::Status Tell(rpc::NodeClient& node, const Known& lacking) {
  RETURN_IF_ERROR(InParts<node::KeptRule>(lacking.rules, kRulesAtOnce,
                                          [&node](std::vector<node::KeptRule> rules) {
                                            node::CrawlOrder order;
                                            order.hosts = std::move(rules);
                                            return node.control().BeginCrawl(order).status();
                                          }));
  return InParts<refresh::Publication>(lacking.publications, kPublicationsAtOnce,
                                       [&node](std::vector<refresh::Publication> publications) {
                                         node::CrawlOrder order;
                                         order.publications = std::move(publications);
                                         return node.control().BeginCrawl(order).status();
                                       });
}

// A rule that was lifted on some nodes has come back to them.
void SayWhatItLearnt(const std::string& node, const std::vector<node::KeptRule>& rules) {
  if (rules.empty()) return;
  const size_t named = std::min(rules.size(), kRulesNamed);
  std::string words;
  for (size_t i = 0; i < named; ++i)
    absl::StrAppend(&words, i == 0 ? "" : "; ", node::InWords(rules[i].rule));
  if (named < rules.size()) absl::StrAppend(&words, "; and ", rules.size() - named, " more");
  fmt::print(stderr, "{}: {} for hosts that other nodes have: {}\n", node,
             base::Counted(rules.size(), "rule"), base::PlainText(words, kWordsBytesMax));
}

// Before anybody is told: a node keeps all that it is told or nothing.
absl::Status CheckNumber(const Known& all) {
  if (all.rules.size() <= schedule::kHostRulesMax) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "the nodes have ", all.rules.size(), " rules for hosts together, and a node keeps at most ",
      schedule::kHostRulesMax,
      ": `opic control show --cluster FILE` lists them; lift some with `opic control unblock` and "
      "`host --clear`, with --cluster FILE, or block a domain instead of its hosts"));
}

}  // namespace

bool DoesNotAnswer(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status);
}

absl::Status ShareRules(const cluster::ShardMap& map,
                        absl::Span<const std::shared_ptr<rpc::NodeClient>> nodes) {
  absl::Status refused, away;
  const auto note = [&](size_t i, const absl::Status& status) {
    absl::Status& first = DoesNotAnswer(status) ? away : refused;
    first.Update(base::WithContext(status, "node " + map.nodes()[i].name));
  };
  Known all;
  std::vector<std::optional<Known>> known(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    absl::StatusOr<node::CrawlOrder> order = nodes[i]->control().Order();
    note(i, order.status());
    if (!order.ok()) continue;
    all.rules = node::UnionOf(all.rules, order->hosts);
    all.publications = refresh::UnionOf(all.publications, order->publications);
    known[i] = Known{std::move(order->hosts), std::move(order->publications)};
  }
  RETURN_IF_ERROR(CheckNumber(all));
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (!known[i]) continue;
    const Known lacking = LackingIn(*known[i], all);
    const absl::Status told = Tell(*nodes[i], lacking);
    if (told.ok()) SayWhatItLearnt(map.nodes()[i].name, lacking.rules);
    note(i, told);
  }
  return refused.ok() ? away : refused;
}

}  // namespace opic::cli
