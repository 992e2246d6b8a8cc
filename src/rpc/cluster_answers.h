// A question to the whole cluster, answered by asking every node for its own part.
//
// A node that does not answer makes the answer partial: it is named in `missing`, and nothing is
// guessed in its place.
//
// Thread safety: synchronised inside; questions may be asked from several threads.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "cluster/cut_sum.h"
#include "cluster/shard_map.h"
#include "ledger/peer_book.h"
#include "node/running_node.h"
#include "rpc/tls.h"
#include "url/page_id.h"

namespace opic::rpc {

// The nodes of a cluster by number: this process's own, others behind a NodeClient that asks each
// of its own pages only.
using ClusterMembers = std::vector<std::shared_ptr<node::RunningNode>>;

class ClusterAnswers final : public node::Answers {
 public:
  // One member for each of the map's nodes; `self` is in this process. `owners` tells where every
  // shard is now (node::Node::Owners); without it the map does.
  using Owners = std::shared_ptr<const std::vector<NodeId>>;
  ClusterAnswers(const cluster::ShardMap& map, NodeId self, ClusterMembers members,
                 std::function<Owners()> owners = nullptr);

  // Asks the owners. A page whose owner does not answer says so in `unanswered_by`.
  absl::StatusOr<std::vector<node::PageImportance>> Importance(
      const std::vector<std::string>& urls) override;
  // Likewise, of its owner.
  absl::StatusOr<node::PageExplanation> Explain(const std::string& url) override;
  // Unavailable, here and below: no node answers.
  absl::StatusOr<TopPages> Top(const node::TopQuery& query) override;
  // OutOfRange: a node has too many sites.
  absl::StatusOr<node::TopSites> Sites(const node::SitesQuery& query) override;
  // A consistent cut of all nodes, to the unit. In a partial one the cash in flight and the
  // difference are not known. Aborted: restarts tore every cut that was tried. DataLoss: two nodes
  // contradict each other, and no audit will ever fit; says which, about what, since when, and what
  // to do.
  absl::StatusOr<node::Audit> TakeAudit() override;
  absl::StatusOr<node::NodeStats> Stats() override;

  // Whether that node is there to answer. REQUIRES: it is one of the map's.
  bool IsThere(NodeId node) const { return members_[node.value]->Stats().ok(); }

 private:
  // What every member answers, asked at the same time.
  template <typename Answer>
  std::vector<absl::StatusOr<Answer>> AskAll(
      const std::function<absl::StatusOr<Answer>(node::RunningNode&)>& ask) const;
  // The names of those that did not. Unavailable: nobody did.
  template <typename Answer>
  absl::StatusOr<std::vector<std::string>> Missing(
      const std::vector<absl::StatusOr<Answer>>& answers);
  void NoteAnswer(const cluster::MemberNode& node, const absl::Status& answer);
  using Parts = std::vector<absl::StatusOr<ledger::Cut>>;
  Parts TakeCuts(uint64_t epoch) const;
  absl::StatusOr<node::Audit> Sum(uint64_t epoch, const Parts& parts);
  // Ok, or DataLoss: parts of two torn cuts that no restart explains.
  absl::Status CheckContradiction(const Parts& earlier, const Parts& later);
  // What is said of it, with the times of this process' audits.
  std::string Tell(const cluster::Contradiction& found);
  uint64_t LatestEpoch(bool ask_everybody) const;
  NodeId OwnerOf(const url::Url& page, const Owners& owners) const;

  const cluster::ShardMap map_;
  const url::UrlHash hash_;
  const NodeId self_;
  const ClusterMembers members_;
  const std::function<Owners()> owners_;

  absl::Mutex mu_;
  std::set<NodeId> away_ ABSL_GUARDED_BY(mu_);                     // as the log says
  absl::Time fitted_ ABSL_GUARDED_BY(mu_) = absl::InfinitePast();  // the last audit that did
  // When the nodes were first found to contradict each other.
  std::map<std::pair<NodeId, NodeId>, absl::Time> contradict_since_ ABSL_GUARDED_BY(mu_);
};

// `self` is `own`, the others are asked over gRPC. `token` is shown to them (rpc/gate.h).
ClusterMembers MembersOf(const cluster::ShardMap& map, NodeId self,
                         std::shared_ptr<node::RunningNode> own,
                         const std::optional<TlsIdentity>& tls, const std::string& token = "");

}  // namespace opic::rpc
