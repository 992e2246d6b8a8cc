#include "scheduler/scheduler_core.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "base/log.h"
#include "base/status_macros.h"

namespace opic::scheduler {
namespace {

constexpr absl::Duration kSaveInterval = absl::Seconds(1);
constexpr absl::Duration kOverdueMax = absl::Minutes(10);
// Asking widely stops here: memory's worth and three times that in the spill.
constexpr uint64_t kQueuedPerInMemory = 4;

schedule::PaceLimits LimitsOf(const Options& options) {
  return {.delay = options.delay,
          .crawl_delay_max = options.crawl_delay_max,
          .backoff_first = options.backoff_first,
          .backoff_max = options.backoff_max,
          .host_failures_max = options.host_failures_max,
          .parallel = options.per_host_max};
}

}  // namespace

absl::StatusOr<std::unique_ptr<Scheduler>> Scheduler::Open(const Options& options,
                                                           store::Store& store, absl::Time now) {
  auto scheduler = std::make_unique<SchedulerCore>(options, store);
  RETURN_IF_ERROR(scheduler->Start(store, now));
  return scheduler;
}

SchedulerCore::SchedulerCore(const Options& options, store::Store& store)
    : options_(options),
      store_(store),
      limits_(LimitsOf(options)),
      pages_(store, options.queued_in_memory_max),
      line_(options.per_address_max, options.address_delay),
      demand_(options.ready_low_water, kQueuedPerInMemory * options.queued_in_memory_max),
      rate_(options.pages_per_s_max) {}

absl::Status SchedulerCore::Start(store::Store& store, absl::Time now) {
  saved_ = now;
  ASSIGN_OR_RETURN(hosts_, HostTable::Open(store, limits_, now));
  RETURN_IF_ERROR(TakeUpBudget());
  leases_.emplace(*hosts_, line_, open_orders_, releasing_);
  moving_.emplace(*hosts_, line_, pages_, open_orders_, *leases_, releasing_);
  pages_.Clear();
  return pages_.Flush();
}

void SchedulerCore::Handle(const schedule::ToScheduler& message, absl::Time now) {
  if (stopped_) return;  // nobody would save it; the node tells it to the next process
  std::visit([&](const auto& kind) { On(kind, now); }, message);
}

void SchedulerCore::On(const schedule::NodeHello& hello, absl::Time now) {
  ForgetSession(now);
  session_ = true;
  fetches_max_ = hello.fetches_max;
  without_network_ = false;
  SetRateFactor(1);
  withheld_told_ = 0;
  const schedule::HostRules told(hello.rules, hello.groups);
  for (const schedule::InFlight& fetch : hello.in_flight)
    AdoptInFlight(fetch, told.GroupOf(fetch.host), now);
  leases_->BeginSession(hello.lending, now);
  On(schedule::Rules{hello.rules, hello.groups, hello.place, hello.given_up_again}, now);
  if (!node_.empty() && node_ != hello.node) {
    base::LogWarning(
        "node {} takes the place of node {}: a Page Scheduler works for one node; where both are "
        "to "
        "run, give each its own (--scheduler)",
        hello.node, node_);
  }
  node_ = hello.node;
  if (!options_.tells_sessions) return;
  base::LogInfo("node {} is connected to this scheduler; {} of its fetches are under way",
                hello.node, hello.in_flight.size());
}

void SchedulerCore::ForgetSession(absl::Time now) {
  line_.Clear(now);
  pages_.Clear();
  open_orders_.clear();
  demand_.BeginSession();
  no_room_until_ = absl::InfinitePast();
  starved_ = false;
  moving_->EndSession();
  leases_->EndSession();
  hosts_->ForEach([&](Host* host) {
    host->leaving = false;
    // A fetch that nobody tells the end of may have ended just now.
    if (host->in_flight > 0) host->pace.WaitFullPause(now, hosts_->LimitsOf(host->name));
    host->in_flight = 0;
    host->queue.Clear();
    host->hold_until = absl::InfinitePast();
    host->holds = 0;
    leases_->Rest(host, now);
  });
  FlushSpill();
}

void SchedulerCore::AdoptInFlight(const schedule::InFlight& fetch, const schedule::HostGroup* group,
                                  absl::Time now) {
  const auto [order, added] = open_orders_.try_emplace(fetch.page);
  if (!added) return;
  Host* host = hosts_->Get(fetch.host, now);
  hosts_->SetBusy(host);
  ++host->in_flight;
  order->second.host = host;
  order->second.page.page = fetch.page;
  order->second.since = now;
  order->second.failures = host->failures;
  line_.Join(host, group, now);
  order->second.counted = line_.Start(host, now);
}

// A node also sends its capacity again to say that pages may have come from elsewhere.
void SchedulerCore::On(const schedule::Capacity& capacity, absl::Time) {
  fetches_max_ = capacity.fetches_max;
  without_network_ = capacity.without_network;
  SetRateFactor(capacity.rate_factor);
  pages_.SetRefreshShare(capacity.refresh_share);
  demand_.SomethingHappened();
}

void SchedulerCore::On(const schedule::Offers& offers, absl::Time now) {
  bool new_host = false;
  for (const schedule::Offer& offer : offers.offers) {
    Host* host = hosts_->Get(offer.host, now);
    if (host->leaving || moving_->has_left(offer.page)) continue;  // offered before the node knew
    const bool had_none = host->queue.empty(), had_later = host->queue.only_waiting();
    const bool becomes_favoured = offer.favoured && host->queue.favoured == 0;
    pages_.Add(host->queue, offer.page, offer.cash, offer.favoured, DueOf(offer, now));
    new_host |= had_none;
    if (!host->MayHaveMore() || host->waits_for != nullptr) continue;
    if (had_later) leases_->RequestNow(host, now);
    if (!had_none && !had_later && !(becomes_favoured && line_.Has(host))) continue;
    if (line_.Has(host)) line_.Withdraw(host);  // Rejoin may find its lease over
    Rejoin(host, now);
  }
  FlushSpill();
  demand_.Close(offers.directive, offers.exhausted, new_host, now);
}

// One that has waited for long (its host was away, or it is published to be read at once) does not
// bring all others of its host forward with it; and clocks differ.
std::optional<DueSince> SchedulerCore::DueOf(const schedule::Offer& offer, absl::Time now) const {
  if (!offer.due) return std::nullopt;
  const absl::Time due = std::min(*offer.due - wall_ahead_, now);
  return DueSince{.plan = due, .turn = std::max(due, now - kOverdueMax)};
}

void SchedulerCore::On(const schedule::Release& release, absl::Time now) {
  moving_->Take(release, now);
  FlushSpill();
}

void SchedulerCore::On(const schedule::Adopt& adopt, absl::Time now) { moving_->Take(adopt, now); }

void SchedulerCore::On(const schedule::LeaseMessage& message, absl::Time now) {
  for (Host* host : leases_->Take(message, now)) Rejoin(host, now);
}

void SchedulerCore::On(const schedule::Rules& rules, absl::Time now) {
  absl::flat_hash_map<Host*, absl::Duration> pauses;
  hosts_->ForEach(
      [&](Host* host) { pauses[host] = host->pace.Pause(hosts_->LimitsOf(host->name)); });
  hosts_->SetRules(schedule::HostRules(rules.rules, rules.groups));
  line_.SetGroups(rules.groups, now);
  WarnOfIdleShares(rules.groups);
  line_.SetPlace(rules.place);
  hosts_->ForEach([](Host* host) { host->over_budget.clear(); });
  for (const auto& [host, pause] : pauses) TakeUpRules(host, pause, now);
  TryGivenUpAgain(rules.given_up_again, now);
}

// Each is asked for one page, at its time. That many failures are remembered: without an answer it
// is given up for another day.
void SchedulerCore::TryGivenUpAgain(uint64_t told, absl::Time now) {
  const absl::StatusOr<std::vector<Host*>> tried = hosts_->TryGivenUpAgain(told, now);
  if (!tried.ok()) {
    base::LogError("hosts that are given up are not tried again: {}", tried.status().ToString());
    return;
  }
  for (Host* host : *tried) JoinAnew(host, now);
}

void SchedulerCore::WarnOfIdleShares(const std::vector<schedule::HostGroup>& groups) const {
  if (budget_.pages_per_s.value_or(options_.pages_per_s_max) > 0) return;
  for (const schedule::HostGroup& group : groups) {
    if (group.share == 0) continue;
    const std::string one = schedule::WithOwnShare(group.name);
    base::LogWarning(
        "{} of the hosts file has a share of --rate, and there is no --rate: "
        "it is asked like others until `opic control budget --rate` gives one",
        one.empty() ? "the group " + group.name : one);
  }
}

// A longer pause holds from now on, as if the last request had just ended; a shorter one ends the
// present wait where that is a plain pause.
void SchedulerCore::TakeUpRules(Host* host, absl::Duration pause_before, absl::Time now) {
  const schedule::PaceLimits limits = hosts_->LimitsOf(host->name);
  const absl::Duration pause = host->pace.Pause(limits);
  const bool wider = std::exchange(host->parallel, limits.parallel) < limits.parallel;
  const bool withheld = hosts_->rules().BlockOf(host->name) != nullptr;
  const bool regrouped = !ReadyLine::IsOf(*host, hosts_->rules().GroupOf(host->name));
  if (pause == pause_before && withheld == host->queue.withheld && !regrouped && !wider) return;
  if (pause > pause_before) host->pace.WaitFullPause(now, limits);
  if (pause < pause_before && host->pace.backoff == absl::ZeroDuration())
    host->pace.next_allowed = std::min(host->pace.next_allowed, now + pause);
  pages_.Withhold(host->queue, withheld);
  JoinAnew(host, now);
}

void SchedulerCore::JoinAnew(Host* host, absl::Time now) {
  if (line_.Holds(host)) line_.Withdraw(host);
  if (host->MayHaveMore()) Rejoin(host, now);  // else an outcome does
}

bool SchedulerCore::MayOrderBeside(const Host& host, absl::Time now) const {
  if (!host.MayHaveMore() || !host.WantsOrders()) return false;
  if (!leases_->lending()) return true;
  return host.lease && std::max(host.ReadyTime(now), now) < host.lease->until;
}

void SchedulerCore::Rejoin(Host* host, absl::Time now) {
  line_.Join(host, hosts_->rules().GroupOf(host->name), now);
  if (host->in_flight > 0) {  // its last outcome sees to its lease
    if (MayOrderBeside(*host, now)) line_.Add(host, host->ReadyTime(now));
    return;
  }
  const bool may_order = !leases_->lending() || leases_->Keeps(host, now);
  if (!host->WantsOrders() || !may_order) {
    leases_->Rest(host, now);
    return;
  }
  hosts_->SetBusy(host);
  line_.Add(host, host->ReadyTime(now));
}

std::vector<schedule::ToNode> SchedulerCore::Tick(absl::Time now) {
  std::vector<schedule::ToNode> out;
  if (stopped_) return out;
  ticked_ = now;
  if (leases_->lending()) leases_->Tick(now);
  AppendOrders(now, out);
  AppendDirective(now, out);
  SaveWhenDue(now);
  moving_->AppendReleased(now, out);
  AppendAdopted(now, out);
  AppendWithheld(out);
  if (leases_->lending() && session_) leases_->AppendMessages(fetches_max_ > 0, now, out);
  hosts_->DropIdle(now, [&](Host* host) { line_.Forget(host); });
  return out;
}

void SchedulerCore::AppendDirective(absl::Time now, std::vector<schedule::ToNode>& out) {
  if (!session_ || !spill_works_ || demand_.When(supply()) > now) return;
  out.emplace_back(schedule::Directive{
      .id = demand_.Open(), .strategy = options_.strategy, .want = options_.offers_wanted});
}

OfferDemand::Supply SchedulerCore::supply() const {
  return {.queued = pages_.queued() - pages_.withheld(),
          .hosts_queued = pages_.hosts() - pages_.hosts_withheld(),
          .fetches_max = fetches_max_,
          .starved = starved_};
}

// What came of the hosts is on disk when the node hears so.
void SchedulerCore::AppendAdopted(absl::Time now, std::vector<schedule::ToNode>& out) {
  if (!moving_->any_adopted()) return;
  if (hosts_->changed()) {
    if (const absl::Status saved = Save(now, /*clean=*/false); !saved.ok()) {
      base::LogError("{}", saved.ToString());
      return;
    }
  }
  moving_->AppendAdopted(out);
}

void SchedulerCore::AppendWithheld(std::vector<schedule::ToNode>& out) {
  if (!session_ || withheld_told_ == pages_.withheld()) return;
  withheld_told_ = pages_.withheld();
  out.emplace_back(schedule::Withheld{withheld_told_});
}

void SchedulerCore::SaveWhenDue(absl::Time now) {
  if (!must_save() || now < saved_ + kSaveInterval) return;
  if (const absl::Status saved = Save(now, /*clean=*/false); !saved.ok()) {
    base::LogError("{}", saved.ToString());
  }
}

// With orders open a stop is not clean: nobody will know when they have ended, and what was learnt.
// Nor is it with hosts on loan to others, or while it is not known whether what an earlier process
// has lent is over. While a host may still have to wait of which only an earlier process, that was
// killed, has known so, the next one is told since when. (Where hosts are lent it waits each one's
// pause anyway.)
HostTable::Stop SchedulerCore::StopAt(absl::Time now) const {
  using Stop = HostTable::Stop;
  if (!session_) return hosts_->last_stop();
  if (leases_->lending()) return leases_->NothingOut(now) ? Stop::kClean : Stop::kUnclean;
  if (!open_orders_.empty()) return Stop::kUnclean;
  return now >= hosts_->AnyHostWaitsUntil() ? Stop::kClean : Stop::kHostsWait;
}

absl::Status SchedulerCore::Save(absl::Time now, bool clean) {
  saved_ = now;
  FlushSpill();
  if (clean && leases_->lending()) leases_->EndOwnLoans();
  RETURN_IF_ERROR(hosts_->Save(now, clean ? StopAt(now) : HostTable::Stop::kUnclean));
  stopped_ = clean;
  return absl::OkStatus();
}

void SchedulerCore::FlushSpill() {
  const absl::Status flushed = pages_.Flush();
  if (!flushed.ok() && spill_works_) base::LogError("{}", flushed.ToString());
  spill_works_ = flushed.ok();
}

absl::Time SchedulerCore::next_wake() const {
  if (stopped_) return absl::InfiniteFuture();
  absl::Time wake = absl::InfiniteFuture();
  if (has_free_fetch() && line_.next() < absl::InfiniteFuture()) {
    wake = std::max(line_.next(), rate_.next());
  }
  if (session_ && spill_works_) wake = std::min(wake, demand_.When(supply()));
  if (leases_->lending()) {
    wake = std::min(wake, leases_->next(session_ && fetches_max_ > 0, ticked_));
  }
  // What is asked of a host that is to be let go ends by itself.
  for (const auto& [shard, hash] : releasing_) {
    const absl::Time from = hosts_->UnknownHostsWaitUntil(shard, hash);
    if (from > ticked_) wake = std::min(wake, from);
  }
  if (moving_->any_adopted() || must_save()) wake = std::min(wake, saved_ + kSaveInterval);
  return wake;
}

}  // namespace opic::scheduler
