// The node of a LeaseMachine: orders, messages, shards.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "scheduler/host_state.h"
#include "tests/scheduler/lease_machine.h"
#include "tests/scheduler/lease_world.h"

namespace opic::scheduler {
namespace {

const absl::Time kBegin = VirtualTime().now();

std::string TextOf(const schedule::LeaseMessage& message) {
  std::string text = absl::StrCat(" (process ", message.process, ")");
  for (const std::string& host : message.requests) absl::StrAppend(&text, ", requests for ", host);
  for (const auto& lease : message.leases) {
    absl::StrAppend(
        &text, ", lends ", lease.host, " ", lease.id % 1000, " ",
        absl::FormatDuration(DecodePaceToGo(lease.pace, kBegin)->next_allowed - kBegin));
  }
  for (const auto& back : message.returns) {
    absl::StrAppend(&text, ", returns ", back.host, " ", back.id % 1000, " ",
                    absl::FormatDuration(DecodePaceToGo(back.pace, kBegin)->next_allowed - kBegin));
  }
  if (message.clear_before != 0) absl::StrAppend(&text, ", is clear before ", message.clear_before);
  return text;
}

}  // namespace

void LeaseMachine::Take(schedule::ToNode message) {
  if (auto* directive = std::get_if<schedule::Directive>(&message)) {
    Answer(*directive);
  } else if (auto* orders = std::get_if<schedule::Orders>(&message)) {
    for (const schedule::Order& order : orders->orders) Take(order);
  } else if (auto* lease = std::get_if<schedule::LeaseMessage>(&message)) {
    RelayFromScheduler(std::move(*lease));
  } else if (auto* released = std::get_if<schedule::Released>(&message)) {
    const auto leaving = leaving_.find(released->shard);
    if (leaving == leaving_.end()) return;
    leaving->second.released = true;
    leaving->second.hosts = std::move(released->hosts);
    DepartWhenFree();
  } else if (auto* adopted = std::get_if<schedule::Adopted>(&message)) {
    world_.shard(adopted->shard).workable = true;
    world_.Trace(absl::StrCat("shard ", adopted->shard.value, " is adopted by ", self_.value));
    ToScheduler(schedule::Capacity{fetches_max_});
  }
}

// --- Pages.

bool LeaseMachine::MayOffer(ShardId shard) const {
  const LeaseShard& truth = world_.shard(shard);
  return truth.owner == self_ && !truth.under_way && truth.workable && !leaving_.contains(shard);
}

void LeaseMachine::Answer(const schedule::Directive& directive) {
  schedule::Offers offers{.directive = directive.id, .offers = {}, .exhausted = true};
  for (uint16_t n = 0; n < LeaseWorld::kShards; ++n) {
    if (!MayOffer(ShardId{n})) continue;
    for (const LeasePage* page : world_.shard(ShardId{n}).pages) {
      if (page->done || ordered_.contains(page->id)) continue;
      if (offers.offers.size() == directive.want) offers.exhausted = false;
      if (!offers.exhausted) break;
      offers.offers.push_back({page->id, page->host, cash::Amount(1)});
      ordered_.insert(page->id);
    }
  }
  ToScheduler(std::move(offers));
}

void LeaseMachine::Take(const schedule::Order& order) {
  tasks_[order.page] = {order, world_.time().now(), std::nullopt};
  const bool late = world_.Chance(0.03);
  In(node_, world_.Some(absl::ZeroDuration(), late ? absl::Seconds(8) : absl::Milliseconds(20)),
     [this, page = order.page] { Begin(page); });
}

bool LeaseMachine::MayBegin(const Task& task) const {
  const absl::Time now = world_.time().now();
  if (now > task.taken + schedule::kOrderPatience) return false;
  return !world_.plan().late_orders || terms_.MayAsk(world_.page(task.order.page).host, Local());
}

void LeaseMachine::Begin(PageId id) {
  const auto found = tasks_.find(id);
  if (found == tasks_.end() || found->second.request) return;
  if (!MayBegin(found->second)) return Postpone(id);
  LeasePage& page = world_.page(id);
  const LeasePlan& plan = world_.plan();
  const absl::Time now = world_.time().now();
  const bool robots = world_.Chance(0.05), hangs = !world_.healing() && world_.Chance(plan.hangs);
  schedule::Outcome outcome{.page = id, .host = page.host, .requested = true, .status = 200};
  if (robots) {
    outcome.result = schedule::Result::kPostponed;
  } else {
    page.asked = true;
    const bool again = !found->second.order.last_attempt;
    if (!world_.healing() && world_.Chance(plan.refuses)) {
      outcome.status = 503;
      outcome.retry_after = absl::Seconds(static_cast<double>(1 + world_.rng().Below(12)));
      if (again) outcome.result = schedule::Result::kTransient;
    } else if (!world_.healing() && world_.Chance(plan.fails)) {
      outcome.status = 0;
      outcome.network_failure = true;
      if (again) outcome.result = schedule::Result::kTransient;
    }
  }
  const uint64_t request = world_.web().Begin(page.host, self_, now);
  found->second.request = request;
  world_.Trace("request " + std::to_string(request) + " to " + page.host + " by " +
               std::to_string(self_.value));
  const absl::Duration lasts = hangs ? plan.request_time_max * (1 - 0.3 * world_.rng().Uniform())
                                     : world_.Some(absl::Milliseconds(5), absl::Milliseconds(300));
  // At the server it ends whatever becomes of the node.
  world_.time().After(lasts, [this, host = page.host, request] {
    world_.web().End(host, request, world_.time().now());
  });
  In(node_, lasts, [this, id, request, outcome, now] { Ended(id, request, outcome, now); });
}

void LeaseMachine::Ended(PageId id, uint64_t request, schedule::Outcome outcome, absl::Time begun) {
  const auto found = tasks_.find(id);
  if (found == tasks_.end() || found->second.request != request) return;
  tasks_.erase(found);
  LeasePage& page = world_.page(id);
  if (outcome.result == schedule::Result::kDone) page.done = true;
  outcome.ended = Local();
  const NodeId home = world_.shard(world_.HomeShardOf(page.host)).owner;
  if (world_.traces()) world_.Trace(absl::StrCat(self_.value, " tells the end of ", request));
  Send(to_scheduler_, [this, outcome, begun, home, request] {
    if (world_.traces()) world_.Trace(absl::StrCat(self_.value, " knows the end of ", request));
    if (outcome.retry_after > absl::ZeroDuration()) {
      world_.web().AskForPatience(outcome.host, self_, home,
                                  outcome.ended - clock_ahead_ + outcome.retry_after, begun);
    }
    Handle(outcome);
  });
  DepartWhenFree();
}

void LeaseMachine::Postpone(PageId id) {
  ++world_.counts().postponed;
  tasks_.erase(id);
  ToScheduler(schedule::Outcome{.page = id,
                                .host = world_.page(id).host,
                                .result = schedule::Result::kPostponed,
                                .ended = Local(),
                                .address_busy = true});
  DepartWhenFree();
}

void LeaseMachine::SetCapacity(uint32_t fetches) {
  if (!node_.up || fetches_max_ == fetches) return;
  fetches_max_ = fetches;
  ToScheduler(schedule::Capacity{fetches});
}

std::string LeaseMachine::Explain(PageId id) const {
  if (core_ == nullptr || !linked_) return "no scheduler";
  const std::string& host = world_.page(id).host;
  const HostExplanation text = core_->Explain(host, Local());
  const std::optional<NodeId> home = HomeOf(host);
  return absl::StrCat("at ", self_.value, MayOffer(id.shard()) ? "" : ", closed",
                      ordered_.contains(id) ? ", offered" : "",
                      tasks_.contains(id) ? ", in progress" : "", ", home of its host ",
                      home ? absl::StrCat(home->value) : "nowhere", "; ", text.queued, " queued, ",
                      text.in_flight ? "in flight; " : "; ", text.reason);
}

// --- Messages.

std::optional<NodeId> LeaseMachine::HomeOf(const std::string& host) const {
  const ShardId shard = world_.HomeShardOf(host);
  const NodeId owner = beliefs_[shard.value].owner;
  if (owner == self_ && !MayOffer(shard)) return std::nullopt;
  return owner;
}

void LeaseMachine::RelayFromScheduler(schedule::LeaseMessage message) {
  if (message.peer) return SendTo(*message.peer, std::move(message));
  terms_.OnRequests(message.sent, Local());
  std::map<NodeId, schedule::LeaseMessage> to;
  for (std::string& host : message.requests) {
    if (const std::optional<NodeId> home = HomeOf(host)) to[*home].requests.push_back(host);
  }
  for (auto& [home, requests] : to) {
    requests.sent = message.sent;
    SendTo(home, std::move(requests));
  }
}

void LeaseMachine::SendTo(NodeId peer, schedule::LeaseMessage message) {
  message.process = process_;
  if (peer == self_) return Deliver(self_, std::move(message));
  world_.network().Send(self_, peer, std::move(message));
}

void LeaseMachine::FromPeer(NodeId peer, schedule::LeaseMessage message) {
  std::erase_if(message.requests, [&](const std::string& host) { return HomeOf(host) != self_; });
  Deliver(peer, std::move(message));
}

void LeaseMachine::Deliver(NodeId from, schedule::LeaseMessage message) {
  for (const schedule::HostLease& lease : message.leases) terms_.OnLease(lease, Local());
  if (world_.traces())
    world_.Trace(absl::StrCat(self_.value, " hears ", from.value, TextOf(message)));
  message.peer = from;
  ToScheduler(std::move(message));
}

void LeaseMachine::Connected(NodeId peer) {
  In(node_, absl::ZeroDuration(), [this, peer] { SendTo(peer, schedule::LeaseMessage()); });
}

void LeaseMachine::Disconnected(NodeId peer) {
  In(node_, absl::ZeroDuration(), [this, peer] { Deliver(peer, schedule::LeaseMessage()); });
}

// --- Shards.

void LeaseMachine::Move(ShardId shard, NodeId to) {
  if (!node_.up || !MayOffer(shard) || to == self_) return;
  leaving_[shard].to = to;
  ToScheduler(schedule::Release{shard, LeaseWorld::kShards});
}

void LeaseMachine::DepartWhenFree() {
  for (auto it = leaving_.begin(); it != leaving_.end();) {
    const auto& [shard, leaving] = *it;
    const bool busy =
        std::any_of(tasks_.begin(), tasks_.end(),
                    [&, &shard = shard](const auto& task) { return task.first.shard() == shard; });
    if (busy || !leaving.released) {
      ++it;
      continue;
    }
    beliefs_[shard.value] = {leaving.to, world_.shard(shard).move + 1};
    for (const LeasePage* page : world_.shard(shard).pages) ordered_.erase(page->id);
    world_.Depart(shard, leaving.to, leaving.hosts);
    it = leaving_.erase(it);
  }
}

void LeaseMachine::ShardArrived(ShardId shard) {
  world_.Trace(absl::StrCat("shard ", shard.value, " arrives at ", self_.value));
  HearOf(shard, self_, world_.shard(shard).move);
  ToScheduler(schedule::Adopt{shard, world_.shard(shard).hosts});
}

void LeaseMachine::HearOf(ShardId shard, NodeId owner, uint64_t move) {
  Belief& belief = beliefs_[shard.value];
  if (move > belief.move) belief = {owner, move};
}

}  // namespace opic::scheduler
