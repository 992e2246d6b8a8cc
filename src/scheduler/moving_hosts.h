// Hosts whose shard goes to another node, or has come from one (schedule/messages.h: Release,
// Adopt). So that no host is asked by two nodes at once, or too soon: it is let go when nothing of
// it is under way, and what it must still wait goes along.
//
// Thread safety: confined to the owner thread.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "schedule/messages.h"
#include "scheduler/leases.h"
#include "scheduler/page_queue.h"

namespace opic::scheduler {

class MovingHosts {
 public:
  // All must outlive it. `releasing` is changed by this part alone.
  MovingHosts(HostTable& hosts, ReadyLine& line, PageQueue& pages, const OpenOrders& orders,
              Leases& leases, Releasing& releasing);

  void EndSession();
  // Pages may have been dropped from the queue: PageQueue::Flush must follow.
  void Take(const schedule::Release& release, absl::Time now);
  void Take(const schedule::Adopt& adopt, absl::Time now);

  // What can be let go now.
  void AppendReleased(absl::Time now, std::vector<schedule::ToNode>& out);
  bool any_adopted() const { return !adopted_.empty(); }
  // REQUIRES: the hosts are saved.
  void AppendAdopted(std::vector<schedule::ToNode>& out);

  // Its shard was released in this session: nothing more of it is queued or ordered.
  bool has_left(PageId page) const { return left_.contains(page.shard()); }
  // It was queued when its shard left; it is offered again if the shard is back.
  bool is_stale(const QueuedPage& queued) const;

 private:
  std::string HostsOf(ShardId shard, const url::UrlHash& hash, absl::Time now) const;

  HostTable& hosts_;
  ReadyLine& line_;
  PageQueue& pages_;
  const OpenOrders& orders_;
  Leases& leases_;
  Releasing& releasing_;

  std::set<ShardId> left_;                // lending: released; their pages may still be queued
  std::map<ShardId, uint64_t> returned_;  // lending: came back; pages that arrived before are stale
  std::vector<ShardId> adopted_;          // and not reported yet, because it is not on disk
};

}  // namespace opic::scheduler
