#include "cli/share_rules.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "node/host_rule_book.h"

namespace opic::cli {
namespace {

using Rules = std::vector<node::KeptRule>;

constexpr size_t kRulesAtOnce = 2'000;  // about a megabyte at most

// Those of `all` that are not, or not so, in `own`.
Rules LackingIn(const Rules& own, const Rules& all) {
  std::map<std::pair<bool, std::string>, schedule::HostRule> known;
  for (const node::KeptRule& one : own) known[{one.rule.domain, one.rule.name}] = one.rule;
  Rules lacking;
  for (const node::KeptRule& one : all) {
    const auto found = known.find({one.rule.domain, one.rule.name});
    if (found == known.end() || found->second != one.rule) lacking.push_back(one);
  }
  return lacking;
}

absl::Status Tell(rpc::NodeClient& node, const Rules& rules) {
  for (size_t first = 0; first < rules.size(); first += kRulesAtOnce) {
    node::CrawlOrder order;
    const size_t end = std::min(first + kRulesAtOnce, rules.size());
    order.hosts.assign(rules.begin() + static_cast<std::ptrdiff_t>(first),
                       rules.begin() + static_cast<std::ptrdiff_t>(end));
    RETURN_IF_ERROR(node.BeginCrawl(order));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ShareRules(const cluster::ShardMap& map,
                        absl::Span<const std::shared_ptr<rpc::NodeClient>> nodes) {
  absl::Status first;
  const auto note = [&](size_t i, const absl::Status& status) {
    first.Update(base::WithContext(status, "node " + map.nodes()[i].name));
  };
  Rules all;
  std::vector<std::optional<Rules>> known(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    absl::StatusOr<node::CrawlOrder> order = nodes[i]->Order();
    note(i, order.status());
    if (!order.ok()) continue;
    all = node::UnionOf(all, order->hosts);
    known[i] = std::move(order->hosts);
  }
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (known[i]) note(i, Tell(*nodes[i], LackingIn(*known[i], all)));
  }
  return first;
}

}  // namespace opic::cli
