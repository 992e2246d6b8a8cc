// The control of a running node: what operators and the other nodes of its cluster have it do, and
// what they have set. The service opic.v1.Control has the same, call by call (rpc/control.h). A
// call that only means something in a cluster is Unimplemented on a node in no cluster.
//
// Thread safety: synchronised inside. Calls wait for the ledger's thread; not to be made on it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/log.h"
#include "ledger/charter.h"
#include "node/crawl_order.h"
#include "node/due_times.h"
#include "node/host_rule_book.h"
#include "node/in_force.h"
#include "node/limits.h"
#include "node/refresh_options.h"
#include "node/seed_result.h"
#include "node/shard_mover.h"
#include "refresh/publication.h"

namespace opic::node {

// What Control::MendEpoch has changed.
struct MendedEpoch {
  uint64_t before = 0;   // the node's epoch until then
  uint64_t batches = 0;  // that wait for peers and carried a later epoch
};

// The data folder of a peer that is lost for good.
struct Loss {
  NodeId peer;
  uint32_t generation = 2;  // of the folder that takes its place
  bool ask = false;         // nothing is declared; the answer is what it would be
};

// What Control::Publish has done.
struct Published {
  bool added = false;   // false: it was there already
  bool seeded = false;  // its page was not known: it is a seed now, of this node
};

class Control {
 public:
  virtual ~Control() = default;

  // No new fetches. What still goes on: see NodeStats::in_progress.
  virtual absl::Status Pause(bool paused) = 0;
  // Its process drains, saves and ends.
  virtual absl::Status StopNode() = 0;
  // The given limits from now on, also after restarts; those that were set before stay, unless
  // `as_started`. `depth`, as that of a CrawlOrder, is the crawl's: it extends or narrows the
  // scope. InvalidArgument: out of bounds (CheckLimits).
  virtual absl::Status SetLimits(const LimitChanges& changes, std::optional<uint32_t> depth,
                                 bool as_started) = 0;
  // Of its process's log, until it ends. InvalidArgument: there is no such module.
  virtual absl::Status SetLogLevel(const base::LogLevelChange& change) = 0;
  // What operators have set, and what is crawled.
  virtual absl::StatusOr<InForce> WhatIsInForce() = 0;
  // Both extend the crawl that the folder remembers, come back when that is durable, and say what
  // became of each seed.
  //
  // New seeds; their hosts come into the scope of this node. Those of peers are sent to them; what
  // is not a URL is refused, and the others are taken. FailedPrecondition: a node of a cluster that
  // has no order yet (NodeParts::CheckOrdered).
  virtual absl::StatusOr<SeedResults> AddSeeds(const std::vector<std::string>& urls) = 0;
  // This node takes up its own seeds; all of them count for the scope. Pages that came
  // into it are fetched after all. The same order again changes nothing. InvalidArgument names what
  // is wrong, also a seed; nothing is taken then.
  virtual absl::StatusOr<SeedResults> BeginCrawl(const CrawlOrder& order) = 0;
  // What it crawls, as an order for another node.
  virtual absl::StatusOr<CrawlOrder> Order() = 0;
  // Rules for hosts, as HostRuleBook::Change. A block is obeyed at once: no request to the host
  // begins any more, and one that was sent is cut; its pages keep their cash and stay unread. `by`:
  // who, for people.
  virtual absl::StatusOr<std::vector<KeptRule>> TuneHosts(const std::vector<HostChange>& changes,
                                                          const std::string& by) = 0;

  // How pages are read again, from now on, also after restarts: the given fields change, those that
  // were changed before stay, unless `anew`. InvalidArgument: out of the bounds of RefreshOptions;
  // FailedPrecondition: this node does not read pages again.
  virtual absl::Status TuneRefresh(const RefreshTuning& changes, bool anew) = 0;
  // When the pages of this node are read again. FailedPrecondition as above.
  virtual absl::StatusOr<DueTimes> WhenDue() = 0;
  // How pages are visited, whatever the plan finds best (refresh/publication.h); durable, and in
  // force from then on. `given` is set here, and `until` of a "now" that has none, to 30 days. The
  // same id again for the same changes nothing. InvalidArgument: a field is out of bounds, or the
  // page is out of the crawl's scope; AlreadyExists, FailedPrecondition: as PublicationBook::Add;
  // FailedPrecondition as above, too, but for a boost, which discovery follows.
  virtual absl::StatusOr<Published> Publish(const refresh::Publication& publication) = 0;
  // Those in force, the first one first. A "now" of a URL is listed by the node that has its page
  // alone.
  virtual absl::StatusOr<std::vector<refresh::Publication>> Publications() = 0;
  // NotFound: there is none of this id.
  virtual absl::Status Withdraw(uint64_t id) = 0;

  // An epoch that nobody can pass is forgotten here (Exchange::MendEpoch). To be done on all nodes
  // of the cluster; the same again changes nothing.
  virtual absl::StatusOr<MendedEpoch> MendEpoch() = 0;
  // As Ledger::BeginAnew. What passed between the peer's lost folders and this node, over all
  // times; the same again changes nothing. FailedPrecondition: the peer is there, or has a later
  // generation already.
  virtual absl::StatusOr<ledger::LostChannel> DeclareLost(const Loss& loss) = 0;
  // These shards are to go to another node, as soon as nothing of them is being fetched.
  // Idempotent; to be asked again after a restart. FailedPrecondition: one is not here;
  // Unavailable: one is arriving; the others are taken all the same.
  virtual absl::Status MoveShards(const std::vector<ShardId>& shards, NodeId to) = 0;
  // Every shard, by number, as this node knows it.
  virtual absl::StatusOr<std::vector<ShardStatus>> Shards() = 0;
};

}  // namespace opic::node
