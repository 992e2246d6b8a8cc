// The Scheduler of scheduler.h, assembled: what is queued (PageQueue), whose turn it is
// (ReadyLine), how each host is to be asked (HostTable), when to ask for more (OfferDemand), how
// fast over all (RateBudget), who else may ask it (Leases), and who comes and goes with a shard
// (MovingHosts).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "schedule/rate_budget.h"
#include "scheduler/budget_memory.h"
#include "scheduler/host_table.h"
#include "scheduler/leases.h"
#include "scheduler/moving_hosts.h"
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
  SchedulerStatus status(absl::Time now) const override;
  HostExplanation Explain(const std::string& host, absl::Time now) const override;
  WaitingReport ExplainAll(absl::Time now) const override;
  void SetWallAhead(absl::Duration ahead) override {
    hosts_->SetWallAhead(ahead);
    line_.SetWallAhead(ahead);
    wall_ahead_ = ahead;
  }
  absl::Status SetBudget(std::optional<double> pages_per_s_max,
                         std::optional<absl::Duration> delay) override;

 private:
  absl::Status TakeUpBudget();
  void SetRateFactor(double factor);
  double rate_in_force() const { return budget_.pages_per_s.value_or(options_.pages_per_s_max); }

  // Messages.
  void On(const schedule::NodeHello& hello, absl::Time now);
  void On(const schedule::Capacity& capacity, absl::Time now);
  void On(const schedule::Offers& offers, absl::Time now);
  std::optional<DueSince> DueOf(const schedule::Offer& offer, absl::Time now) const;
  void On(const schedule::Outcome& outcome, absl::Time now);
  void On(const schedule::Release& release, absl::Time now);
  void On(const schedule::Adopt& adopt, absl::Time now);
  void On(const schedule::LeaseMessage& message, absl::Time now);
  void On(const schedule::Rules& rules, absl::Time now);
  void OnStray(const schedule::Outcome& outcome, absl::Time now);
  void ForgetSession(absl::Time now);
  void AdoptInFlight(const schedule::InFlight& fetch, const schedule::HostGroup* group,
                     absl::Time now);

  // Hosts.
  void WarnOfIdleShares(const std::vector<schedule::HostGroup>& groups) const;
  void TakeUpRules(Host* host, absl::Duration pause_before, absl::Time now);
  void TryGivenUpAgain(uint64_t told, absl::Time now);
  void Learn(const OpenOrder& order, const schedule::Outcome& outcome, absl::Time ended);
  void Withhold(Host* host, const schedule::Outcome& outcome);
  void Hold(Host* host, const schedule::Outcome& outcome, absl::Time now);
  void FinishIn(const OpenOrder& order, const schedule::Outcome& outcome, absl::Time ended);
  void Requeue(Host* host, QueuedPage page, const schedule::Outcome& outcome, absl::Time ended);
  // Puts a host in line that may be asked for a page, or for one more, and one of which nothing is
  // asked and that may not, among the idle ones. REQUIRES: it is not in line, nor waiting.
  void Rejoin(Host* host, absl::Time now);
  // Its time may be another one.
  void JoinAnew(Host* host, absl::Time now);
  // One more order, beside those that it has.
  bool MayOrderBeside(const Host& host, absl::Time now) const;
  void RejoinAfter(Host* host, absl::Time now);

  // What is sent.
  void AppendOrders(absl::Time now, std::vector<schedule::ToNode>& out);
  Host* NextHost(absl::Time now);
  Choice ChoiceFor(const Host& host) const;
  bool OrderFrom(Host* host, absl::Time now, std::vector<schedule::Order>& orders);
  void AppendDirective(absl::Time now, std::vector<schedule::ToNode>& out);
  void SaveWhenDue(absl::Time now);
  void AppendAdopted(absl::Time now, std::vector<schedule::ToNode>& out);
  void AppendWithheld(std::vector<schedule::ToNode>& out);
  OfferDemand::Supply supply() const;
  // What a stop would be now. Clean: nobody asks anything that the next process would not know of.
  HostTable::Stop StopAt(absl::Time now) const;
  bool must_save() const { return hosts_->changed() || !spill_works_; }
  bool has_free_fetch() const { return session_ && open_orders_.size() < fetches_max_; }
  void FlushSpill();

  // Sentences.
  std::string IdleReason(absl::Time now) const;
  HostWait WaitOf(const Host& host, absl::Time now) const;
  std::string BlockedReason(const schedule::HostRule& rule, uint64_t queued) const;
  std::string BudgetReason(const Host& host) const;
  std::string GroupReason(const Crowd& group, absl::Time now) const;
  static std::string FetchingReason(const Host& host);
  std::string QueuedReason(const Host& host, absl::Time now) const;

  const Options options_;
  store::Store& store_;
  schedule::PaceLimits limits_;
  BudgetMemory budget_;                       // an operator's
  std::unique_ptr<HostTable> hosts_;          // set by Start
  absl::Time saved_;                          // last time it was tried
  absl::Time ticked_ = absl::InfinitePast();  // the last Tick
  bool stopped_ = false;                      // saved cleanly
  absl::Duration wall_ahead_ = absl::ZeroDuration();

  // State of the session.
  bool session_ = false;
  std::string node_;  // the last whose session it was
  uint32_t fetches_max_ = 0;
  bool without_network_ = false;  // why that is 0
  double rate_factor_ = 1;        // of rate_in_force(), as the node says
  OpenOrders open_orders_;
  PageQueue pages_;
  ReadyLine line_;
  OfferDemand demand_;
  schedule::RateBudget rate_;
  Releasing releasing_;
  uint64_t withheld_told_ = 0;
  absl::Time no_room_until_ = absl::InfinitePast();  // some host is held (HostWait::kRoom)
  bool starved_ = false;  // a fetch was free and no host due at the last Tick
  bool spill_works_ = true;

  // Parts that share the above; set by Start.
  std::optional<Leases> leases_;
  std::optional<MovingHosts> moving_;

  struct {
    uint64_t orders = 0, outcomes = 0, transient = 0, postponed = 0;
  } counts_;
};

}  // namespace opic::scheduler
