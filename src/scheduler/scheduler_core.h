// The Scheduler of scheduler.h, assembled: what is queued (PageQueue), whose turn it is
// (ReadyLine), how each host is to be asked (HostTable), when to ask for more (OfferDemand), how
// fast over all (RateBudget), who else may ask it (LentHosts, BorrowedHosts).
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "schedule/rate_budget.h"
#include "scheduler/borrowed_hosts.h"
#include "scheduler/host_table.h"
#include "scheduler/lent_hosts.h"
#include "scheduler/offer_demand.h"
#include "scheduler/open_order.h"
#include "scheduler/page_queue.h"
#include "scheduler/ready_line.h"
#include "scheduler/scheduler.h"
#include "url/page_id.h"

namespace opic::scheduler {

// Thread safety: confined to the owner thread.
class SchedulerCore final : public Scheduler {
 public:
  SchedulerCore(const Options& options, store::Store& store);
  absl::Status Start(store::Store& store, absl::Time now);

  void Handle(const schedule::ToScheduler& message, absl::Time now) override;
  std::vector<schedule::ToNode> Tick(absl::Time now) override;
  absl::Time next_wake() const override;
  absl::Status Save(absl::Time now, bool clean) override;
  Status status(absl::Time now) const override;
  HostExplanation Explain(const std::string& host, absl::Time now) const override;
  void SetWallAhead(absl::Duration ahead) override { hosts_->SetWallAhead(ahead); }
  void SetDelay(absl::Duration delay) override { limits_.delay = delay; }
  void SetRate(double pages_per_s_max) override { rate_.SetRate(pages_per_s_max); }

 private:
  // Messages.
  void On(const schedule::Hello& hello, absl::Time now);
  void On(const schedule::Capacity& capacity, absl::Time now);
  void On(const schedule::Offers& offers, absl::Time now);
  void On(const schedule::Outcome& outcome, absl::Time now);
  void On(const schedule::Release& release, absl::Time now);
  void On(const schedule::Adopt& adopt, absl::Time now);
  void On(const schedule::LeaseLetter& letter, absl::Time now);
  void OnStray(const schedule::Outcome& outcome, absl::Time now);
  void ForgetSession(absl::Time now);
  void AdoptInFlight(const schedule::InFlight& fetch, absl::Time now);

  // Hosts.
  void Learn(Host* host, const schedule::Outcome& outcome, absl::Time ended);
  // `host` is to be stored when it knows more than `before` that outlasts a restart.
  void NoteChange(Host* host, const schedule::HostPace& before, absl::Time ended);
  void Hold(Host* host, const schedule::Outcome& outcome, absl::Time now);
  void Requeue(Host* host, QueuedPage page, schedule::Result result);
  // Puts a host without an order in line, or among the idle ones.
  void Rejoin(Host* host, absl::Time now);
  void Rest(Host* host, absl::Time now);
  absl::Time ReadyTime(const Host& host, absl::Time now) const;

  // What is sent.
  void AppendOrders(absl::Time now, std::vector<schedule::ToNode>& out);
  Host* NextHost(absl::Time now);
  bool OrderFrom(Host* host, absl::Time now, std::vector<schedule::Order>& orders);
  void AppendDirective(absl::Time now, std::vector<schedule::ToNode>& out);
  void SaveWhenDue(absl::Time now);
  // Moves of shards (moving_hosts.cc).
  void AppendReleased(absl::Time now, std::vector<schedule::ToNode>& out);
  void AppendAdopted(absl::Time now, std::vector<schedule::ToNode>& out);
  std::string HostsOf(ShardId shard, const url::UrlHash& hash, absl::Time now) const;
  // Leases (leases.cc).
  bool lending() const { return lending_.has_value(); }
  void BeginLending(const schedule::Hello& hello, absl::Time now);
  void AskWhoIsClear(absl::Time now);
  void NoteProcess(NodeId node, uint64_t process, absl::Time now);
  void OnLeaseRequest(const std::string& name, const schedule::LeaseLetter& letter, absl::Time now);
  void OnLease(const schedule::HostLease& told, NodeId home, absl::Time now);
  void OnReturn(const schedule::HostReturn& back, NodeId holder, absl::Time now);
  void OnClear(NodeId node, absl::Time now);
  void LearnFromReturn(Host* host, const schedule::HostReturn& back, bool ends_loan,
                       absl::Time now);
  void FreeAllHosts(absl::Time now);
  // Something is asked under a lease that this process does not know.
  bool AsksWithoutLease() const;
  bool KeepsLease(Host* host, absl::Time now);
  void GiveBack(Host* host, absl::Time now);
  void EndLeases(absl::Time now);
  void LendDue(absl::Time now);
  absl::Time FreeTime(const Host& host, absl::Time now) const;
  void FreeHost(Host* host, absl::Time now);
  schedule::LeaseLetter& LetterTo(NodeId node, absl::Time now);
  void AppendLetters(absl::Time now, std::vector<schedule::ToNode>& out);
  bool MayRelease(ShardId shard, const url::UrlHash& hash, absl::Time now) const;
  absl::Time next_lease() const;
  OfferDemand::Supply supply() const;
  // A stop now is a clean one: nobody asks anything that the next process would not know of.
  bool may_stop_cleanly(absl::Time now) const;
  bool must_save() const { return hosts_->changed() || !spill_works_; }
  bool has_left(PageId page) const { return left_.contains(page.shard()); }
  // It was queued when its shard left; it is offered again if the shard is back.
  bool is_stale(const QueuedPage& queued) const;
  bool has_free_fetch() const { return session_ && open_orders_.size() < fetches_max_; }
  void FlushSpill();

  // Sentences.
  std::string IdleReason(absl::Time now) const;
  std::string QueuedReason(const Host& host, absl::Time now) const;

  const Options options_;
  schedule::PaceLimits limits_;
  std::unique_ptr<HostTable> hosts_;          // set by Start
  absl::flat_hash_set<Host*> given_up_;       // hosts that were, some of them until now
  absl::Time saved_;                          // last time it was tried
  absl::Time ticked_ = absl::InfinitePast();  // the last Tick
  bool stopped_ = false;                      // saved cleanly

  // State of the session.
  bool session_ = false;
  absl::Time session_began_ = absl::InfinitePast();
  uint32_t fetches_max_ = 0;
  OpenOrders open_orders_;
  PageQueue pages_;
  ReadyLine line_;
  OfferDemand demand_;
  schedule::RateBudget rate_;
  std::map<ShardId, url::UrlHash> releasing_;
  std::set<ShardId> left_;                // lending: released; their pages may still be queued
  std::map<ShardId, uint64_t> returned_;  // lending: came back; pages that arrived before are stale
  std::vector<ShardId> adopted_;          // and not told yet, because it is not on disk
  bool starved_ = false;                  // a fetch was free and no host due at the last Tick
  bool spill_works_ = true;

  // Leases; none without `lending_`. They outlive sessions, because a host stays leased.
  std::optional<schedule::Lending> lending_;
  LentHosts lent_;
  BorrowedHosts borrowed_;
  std::map<NodeId, uint64_t> processes_;                          // of the nodes, as last heard
  std::map<NodeId, std::vector<schedule::LeaseLetter>> letters_;  // to be sent
  std::set<NodeId> owes_clear_, clear_;                           // to tell so; have told so
  absl::Time quiet_until_ = absl::InfinitePast();                 // nothing is lent before
  uint64_t lender_ = 0;                                           // as noted in the store

  struct {
    uint64_t orders = 0, outcomes = 0, transient = 0, postponed = 0;
  } counts_;
};

}  // namespace opic::scheduler
