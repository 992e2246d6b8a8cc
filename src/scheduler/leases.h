// Hosts on loan (schedule/lease_message.h): this scheduler as the home of hosts, which it lends
// (LentHosts), and as the holder of others, which it borrows (BorrowedHosts); its own are lent to
// itself in the same way.
//
// One asker a host: a loan ends by its return, by the end of the holder's process, or when it must
// be over for the holder. A home that has forgotten its loans, in an unclean stop, is *quiet*: it
// lends nothing until all peers have said that they hold nothing of it, or all must have lapsed.
//
// What is known of leases outlives sessions, because a host stays leased.
//
// Thread safety: confined to the owner thread.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "schedule/messages.h"
#include "scheduler/borrowed_hosts.h"
#include "scheduler/host_table.h"
#include "scheduler/lent_hosts.h"
#include "scheduler/open_order.h"
#include "scheduler/ready_line.h"
#include "url/page_id.h"

namespace opic::scheduler {

// The shards that the node wants to let go, and the hash that says which hosts are theirs.
using Releasing = std::map<ShardId, url::UrlHash>;

class Leases {
 public:
  // All must outlive it.
  Leases(HostTable& hosts, ReadyLine& line, const OpenOrders& orders, const Releasing& releasing);

  bool lending() const { return lending_.has_value(); }

  // Requests and lease messages of the session before are forgotten.
  void EndSession();
  // REQUIRES: what the node says to be in flight is among the orders.
  void BeginSession(const std::optional<schedule::Lending>& lending, absl::Time now);
  // The hosts whose lease has begun: they may be put in line.
  std::vector<Host*> Take(const schedule::LeaseMessage& message, absl::Time now);
  // Gives back what is over, lends what is due. REQUIRES: lending(), here and below.
  void Tick(absl::Time now);
  // Hosts go back with what is known of them now: right behind its Hello a node tells what has
  // ended between two sessions. What it tells after that, or to a process that does not know the
  // lease, does not reach the home. `may_request`: the node can fetch something. REQUIRES: no host
  // has left memory since it was given back.
  void AppendMessages(bool may_request, absl::Time now, std::vector<schedule::ToNode>& out);
  // When there may be something to do; `ticked`: the last Tick.
  absl::Time next(bool may_request, absl::Time ticked) const;

  // Whether the host, of which nothing is in flight, may be in line. If not, its lease is given
  // back when it has one, and requested when something is queued.
  bool Keeps(Host* host, absl::Time now);
  // A host that is requested for later is requested at once.
  void RequestNow(Host* host, absl::Time now);
  // The host's last fetch has ended.
  void FetchesEnded(Host* host, absl::Time now);
  // Out of line. What is on loan in either direction, or requested, is not forgotten. Also without
  // lending().
  void Rest(Host* host, absl::Time now);

  // The shard is to leave: its hosts are lent no more.
  void Leaves(ShardId shard, const url::UrlHash& hash);
  bool MayRelease(ShardId shard, const url::UrlHash& hash, absl::Time now) const;
  // Nothing is lent before; InfinitePast without lending().
  absl::Time quiet_until() const { return quiet_until_; }

  // Nobody asks a host of this home, as far as is known.
  bool NothingOut(absl::Time now) const { return lent_.out() == 0 && now >= quiet_until_; }
  // The next process's NodeHello tells what is asked of the node's own hosts.
  void EndOwnLoans() { lent_.EndLoansOf(lending_->self); }

 private:
  void AskWhoIsClear(absl::Time now);
  void NoteProcess(NodeId node, uint64_t process, absl::Time now);
  void OnRequest(const std::string& name, const schedule::LeaseMessage& message, absl::Time now);
  // Null: it is of no use here, and goes back.
  Host* OnLease(const schedule::HostLease& lease, NodeId home, absl::Time now);
  void OnReturn(const schedule::HostReturn& back, NodeId holder, absl::Time now);
  void OnClear(NodeId node, absl::Time now);
  void LearnFromReturn(Host* host, const schedule::HostReturn& back, bool ends_loan,
                       absl::Time now);
  void FreeAllHosts(absl::Time now);
  // Something is asked under a lease that this process does not know.
  bool AsksWithoutLease() const;
  void GiveBack(Host* host, absl::Time now);
  void EndLeases(absl::Time now);
  void LendDue(absl::Time now);
  absl::Time FreeTime(const Host& host, absl::Time now) const;
  void FreeHost(Host* host, absl::Time now);
  schedule::LeaseMessage& MessageTo(NodeId node, absl::Time now);

  HostTable& hosts_;
  ReadyLine& line_;
  const OpenOrders& orders_;
  const Releasing& releasing_;

  std::optional<schedule::Lending> lending_;
  absl::Time session_began_ = absl::InfinitePast();
  LentHosts lent_{1};
  BorrowedHosts borrowed_;
  std::map<NodeId, uint64_t> processes_;                            // of the nodes, as last heard
  std::map<NodeId, std::vector<schedule::LeaseMessage>> outgoing_;  // to be sent
  std::vector<std::pair<Host*, Lease>> given_back_;                 // the home is to be told
  std::set<NodeId> owes_clear_, clear_;                             // to be answered, answered
  absl::Time quiet_until_ = absl::InfinitePast();
  uint64_t lender_ = 0;  // as noted in the store
};

}  // namespace opic::scheduler
