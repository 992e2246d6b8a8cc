// A question to the whole cluster, answered by asking every node for its own part.
//
// A node that does not answer makes the answer partial: it is named in `missing`, and nothing is
// guessed in its place.
//
// Thread safety: synchronised inside; questions may be asked from several threads.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cluster/shard_map.h"
#include "ledger/peer_book.h"
#include "node/node.h"
#include "rpc/tls.h"
#include "url/page_id.h"

namespace opic::rpc {

// One node, as the questions see it: this process's own, or another one behind a NodeClient.
struct ClusterMember {
  std::shared_ptr<node::Answers> answers;  // of its own pages only
  // Its part of the consistent cut `epoch`. Aborted: a later epoch has begun.
  std::function<absl::StatusOr<ledger::Cut>(uint64_t epoch)> cut;
};

class ClusterAnswers final : public node::Answers {
 public:
  // `members` by node number, one for each of the map's nodes; `self` is in this process. `owner`
  // knows where a shard is now; without it the map does.
  ClusterAnswers(const cluster::ShardMap& map, NodeId self, std::vector<ClusterMember> members,
                 std::function<NodeId(ShardId)> owner = nullptr);

  // Asks the owners. A page whose owner does not answer says so in `unanswered_by`.
  absl::StatusOr<std::vector<node::PageImportance>> Importance(
      const std::vector<std::string>& urls) override;
  // Unavailable, here and below: no node answers.
  absl::StatusOr<TopPages> Top(size_t count) override;
  // A consistent cut of all nodes, to the unit. Of a partial one the cash in flight and the
  // difference are not known. Aborted: restarts tore every cut that was tried.
  absl::StatusOr<node::Audit> TakeAudit() override;
  absl::StatusOr<node::NodeStats> Stats() override;

 private:
  // What every member answers, asked at the same time.
  template <typename Answer>
  std::vector<absl::StatusOr<Answer>> AskAll(
      const std::function<absl::StatusOr<Answer>(const ClusterMember&)>& ask) const;
  // The names of those that did not. Unavailable: nobody did.
  template <typename Answer>
  absl::StatusOr<std::vector<std::string>> Missing(
      const std::vector<absl::StatusOr<Answer>>& answers) const;
  absl::StatusOr<node::Audit> TryAudit(uint64_t epoch) const;
  uint64_t LatestEpoch(bool ask_everybody) const;

  const cluster::ShardMap map_;
  const url::UrlHash hash_;
  const NodeId self_;
  const std::vector<ClusterMember> members_;
  const std::function<NodeId(ShardId)> owner_;
};

// Members for ClusterAnswers: `self` is `own`, the others are asked over gRPC.
std::vector<ClusterMember> MembersOf(const cluster::ShardMap& map, NodeId self, ClusterMember own,
                                     const std::optional<TlsIdentity>& tls);

}  // namespace opic::rpc
