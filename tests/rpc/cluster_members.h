// The three nodes of a cluster, whose books are made up, and who asks them all.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rpc/cluster_answers.h"
#include "tests/rpc/scripted_node.h"

namespace opic::rpc {

// One node of three, whose books are made up.
class MadeUpNode final : public ScriptedNode {
 public:
  absl::StatusOr<std::vector<node::PageImportance>> Importance(
      const std::vector<std::string>& urls) override {
    if (away) return absl::UnavailableError("away");
    asked = urls;
    std::vector<node::PageImportance> pages;
    for (const std::string& url : urls) pages.push_back({.url = url, .known = true});
    return pages;
  }
  absl::StatusOr<TopPages> Top(const node::TopQuery& query) override {
    if (away) return absl::UnavailableError("away");
    filter = query.filter;
    return top;
  }
  absl::StatusOr<node::TopSites> Sites(const node::SitesQuery& query) override {
    if (away) return absl::UnavailableError("away");
    if (too_many_sites) return absl::OutOfRangeError("too many");
    return ScriptedNode::Sites(query);
  }
  absl::StatusOr<node::Audit> TakeAudit() override { return absl::InternalError("not asked"); }
  absl::StatusOr<node::NodeStats> Stats() override {
    if (away) return absl::UnavailableError("away");
    node::NodeStats answer = stats;
    answer.loop.epoch = tells_late ? 0 : cut.epoch;
    return answer;
  }
  absl::StatusOr<ledger::Cut> TakeCut(uint64_t epoch) override {
    if (away) return absl::UnavailableError("away");
    if (epoch < cut.epoch) return absl::AbortedError("a later epoch has begun");
    cut.epoch = epoch;
    if (on_cut) on_cut();
    return cut;
  }

  bool away = false, too_many_sites = false;
  bool tells_late = false;  // its epoch
  std::vector<std::string> asked;
  TopPages top;
  node::PageFilter filter;
  node::NodeStats stats;
  ledger::Cut cut;
  std::function<void()> on_cut;
};

class ClusterAnswersTest : public testing::Test {
 protected:
  ClusterAnswersTest() {
    std::vector<cluster::MemberNode> nodes;
    ClusterMembers members;
    for (int n = 0; n < 3; ++n) {
      nodes.push_back({NodeAt(n), "node" + std::to_string(n), "h:1"});
      nodes_.push_back(std::make_shared<MadeUpNode>());
      members.push_back(nodes_[n]);
      for (int peer = 0; peer < 3; ++peer) {
        if (peer != n) nodes_[n]->cut.channels.push_back({NodeAt(peer), {}, {}});
      }
    }
    nodes_[0]->cut.genesis = nodes_[0]->cut.virtual_page = cash::kSupply.units();
    map_ = cluster::ShardMap::Even(ledger::Charter{}, nodes);
    answers_ = std::make_unique<ClusterAnswers>(*map_, NodeId{1}, members);
  }
  ledger::Cut::ChannelState& Channel(int of, int to) {
    for (ledger::Cut::ChannelState& channel : nodes_[of]->cut.channels) {
      if (channel.peer.value == to) return channel;
    }
    std::abort();
  }
  // `from` seals a batch with this cash, taken off its virtual page.
  void Seal(int from, int to, uint64_t units) {
    ledger::Cut::ChannelState& channel = Channel(from, to);
    ++channel.book.sealed;
    channel.book.sealed_cash += units;
    channel.retained.push_back({channel.book.sealed, 100, units});
    nodes_[from]->cut.virtual_page -= units;
  }
  // `to` applies the next batch.
  void Apply(int from, int to, uint64_t units) {
    ledger::PeerBook& book = Channel(to, from).book;
    ++book.applied;
    book.applied_cash += units;
    nodes_[to]->cut.table += units;
  }
  // One of node `n`'s pages.
  std::string UrlOf(int n) const {
    const ledger::Charter charter;
    const url::UrlHash hash(charter.shard_by, charter.shards);
    for (int i = 0;; ++i) {
      const std::string url = "http://host" + std::to_string(i) + ".test/";
      if (map_->OwnerOf(hash.PageOf(*url::Parse(url)).shard()).value == n) return url;
    }
  }

  std::vector<std::shared_ptr<MadeUpNode>> nodes_;
  std::optional<cluster::ShardMap> map_;
  std::unique_ptr<ClusterAnswers> answers_;
};

}  // namespace opic::rpc
