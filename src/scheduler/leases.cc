#include "scheduler/leases.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "scheduler/host_state.h"

namespace opic::scheduler {
namespace {

constexpr size_t kHostNameMax = 255;
// For orders and messages that are late between a scheduler and its node.
constexpr absl::Duration kLateness = absl::Seconds(5);

// From the grant on: a lease ends, an order of its last moment begins late, its request lasts.
absl::Duration LapseAfter(const schedule::Lending& lending) {
  return schedule::kLeaseTerm + schedule::kOrderPatience + lending.request_time_max + kLateness;
}

absl::Time WholeMicroseconds(absl::Time time) {
  return absl::FromUnixMicros(absl::ToUnixMicros(time));
}

size_t EntriesOf(const schedule::LeaseMessage& message) {
  return message.requests.size() + message.leases.size() + message.returns.size();
}

}  // namespace

Leases::Leases(HostTable& hosts, ReadyLine& line, const OpenOrders& orders,
               const Releasing& releasing)
    : hosts_(hosts), line_(line), orders_(orders), releasing_(releasing) {}

void Leases::EndSession() {
  outgoing_.clear();
  given_back_.clear();
  borrowed_.ForgetRequests();
  lent_.ForgetRequests(std::nullopt);
}

void Leases::BeginSession(const std::optional<schedule::Lending>& with, absl::Time now) {
  session_began_ = WholeMicroseconds(now);
  const bool first = !lending();
  lending_ = with;
  if (!lending()) return;
  if (first) {
    // A process before this one made less than a million loans a second.
    lent_ = LentHosts(static_cast<uint64_t>(std::max<int64_t>(absl::ToUnixMicros(now), 1)));
    // What the node asked for an earlier scheduler, and does not list, may have ended just now.
    quiet_until_ = now;
    if (!hosts_.stopped_cleanly() && lending_->nodes > 1) {
      quiet_until_ = std::max(now, hosts_.opened() + LapseAfter(*lending_));
      AskWhoIsClear(now);
    }
  }
  if (lending_->process != lender_) {
    lender_ = lending_->process;
    const absl::Status noted = hosts_.SetLender(lender_);
    if (!noted.ok()) base::LogError("{}", noted.ToString());
  }
  FreeAllHosts(now);
  NoteProcess(lending_->self, lending_->process, now);
  std::vector<Host*> held;
  borrowed_.ForEach([&](Host* host) { held.push_back(host); });
  for (Host* host : held) {
    if (host->in_flight > 0) continue;
    GiveBack(host, now);
    Rest(host, now);
  }
}

std::vector<Host*> Leases::Take(const schedule::LeaseMessage& message, absl::Time now) {
  std::vector<Host*> begun;
  if (!lending() || !message.peer) return begun;
  NoteProcess(*message.peer, message.process, now);
  if (message.clear_before == lending_->process) OnClear(*message.peer, now);
  // A message that says nothing but its process asks for that answer.
  const bool asks = EntriesOf(message) == 0 && message.clear_before == 0 && message.process != 0;
  if (asks && *message.peer != lending_->self) owes_clear_.insert(*message.peer);
  for (const schedule::HostReturn& back : message.returns) OnReturn(back, *message.peer, now);
  for (const schedule::HostLease& lease : message.leases) {
    if (Host* host = OnLease(lease, *message.peer, now); host != nullptr) begun.push_back(host);
  }
  for (const std::string& name : message.requests) OnRequest(name, message, now);
  return begun;
}

void Leases::AskWhoIsClear(absl::Time now) {
  for (uint32_t n = 0; n < lending_->nodes; ++n) {
    const NodeId node = NodeAt(n);
    if (node != lending_->self) MessageTo(node, now);
  }
}

void Leases::NoteProcess(NodeId node, uint64_t process, absl::Time now) {
  if (process == 0) return lent_.ForgetRequests(node);
  const auto [known, first] = processes_.try_emplace(node, process);
  if (!first && known->second == process) return;
  known->second = process;
  if (node != lending_->self) owes_clear_.insert(node);
  if (first) return;
  lent_.ForgetRequests(node);
  for (Host* host : lent_.EndLoansOf(node)) {
    host->pace.WaitFullPause(now, hosts_.LimitsOf(host->name));
    hosts_.MarkChanged(host);
    FreeHost(host, now);
  }
  borrowed_.Cancel(node, now);
}

// --- As the home.

void Leases::OnRequest(const std::string& name, const schedule::LeaseMessage& message,
                       absl::Time now) {
  if (name.empty() || name.size() > kHostNameMax) return;
  for (const auto& [shard, hash] : releasing_) {
    if (hash.ShardOfHost(name) == shard) return;
  }
  Host* host = hosts_.Get(name, now);
  hosts_.SetBusy(host);
  lent_.Request(host, *message.peer, message.sent, now, FreeTime(*host, now));
}

// What an earlier process has lent may be asked until the quiet ends, and what it has lent to this
// node may still be asked now.
absl::Time Leases::FreeTime(const Host& host, absl::Time now) const {
  if (host.in_flight > 0) return absl::InfiniteFuture();
  const absl::Time asked = quiet_until_ + host.pace.Pause(hosts_.LimitsOf(host.name));
  return std::max(host.pace.given_up(now) ? now : host.pace.next_allowed, asked);
}

void Leases::FreeHost(Host* host, absl::Time now) {
  const bool forgotten = lent_.Free(host, FreeTime(*host, now));
  if (forgotten && host->in_flight == 0 && host->queue.empty()) Rest(host, now);
}

void Leases::LendDue(absl::Time now) {
  for (;;) {
    const LentHosts::Due due = lent_.NextDue(now);
    if (due.host == nullptr) return;
    Host* host = due.host;
    if (due.lapsed) {
      base::LogWarning("the lease of host {} was not returned and has lapsed", host->name);
      host->pace.WaitFullPause(now, hosts_.LimitsOf(host->name));
      hosts_.MarkChanged(host);
    }
    if (due.lapsed || FreeTime(*host, now) > now) {
      FreeHost(host, now);
      continue;
    }
    const auto grant = lent_.Lend(host, now, now + LapseAfter(*lending_));
    if (!grant) {
      FreeHost(host, now);
      continue;
    }
    MessageTo(grant->node, now)
        .leases.push_back({.host = host->name,
                           .id = grant->id,
                           .requested = grant->requested,
                           .term = schedule::kLeaseTerm,
                           .pace = EncodePaceToGo(host->pace, now),
                           .robots = {}});
  }
}

void Leases::OnReturn(const schedule::HostReturn& back, NodeId holder, absl::Time now) {
  if (back.host.empty() || back.host.size() > kHostNameMax) return;
  Host* host = hosts_.Get(back.host, now);
  const bool ends_loan = lent_.Return(host, holder, back.id);
  if (holder != lending_->self) LearnFromReturn(host, back, ends_loan, now);
  if (lent_.Knows(host)) {
    FreeHost(host, now);
  } else if (host->in_flight == 0 && host->queue.empty()) {
    Rest(host, now);
  }
}

// What comes back too late, or to a process that has not lent it, still teaches how long to wait.
void Leases::LearnFromReturn(Host* host, const schedule::HostReturn& back, bool ends_loan,
                             absl::Time now) {
  const schedule::HostPace before = host->pace;
  const std::optional<schedule::HostPace> returned = DecodePaceToGo(back.pace, now);
  if (!returned) {
    host->pace.WaitFullPause(now, hosts_.LimitsOf(host->name));
  } else if (ends_loan) {
    host->pace = *returned;
  }
  host->pace.next_allowed =
      std::max(before.next_allowed, returned ? returned->next_allowed : host->pace.next_allowed);
  host->pace.CutFutureTimes(now, hosts_.LimitsOf(host->name));
  hosts_.NoteChange(host, before, now);
}

// A message may have been on its way since before an earlier scheduler lent something to its
// writer; of a process for which no earlier scheduler lent, it tells the truth.
void Leases::OnClear(NodeId node, absl::Time now) {
  if (node == lending_->self || node.value >= lending_->nodes) return;
  if (lending_->process == hosts_.lender_before()) return;
  clear_.insert(node);
  if (clear_.size() + 1 < lending_->nodes || now >= quiet_until_) return;
  quiet_until_ = now;
  FreeAllHosts(now);
}

void Leases::FreeAllHosts(absl::Time now) {
  std::vector<Host*> waiting;
  lent_.ForEach([&](Host* host) { waiting.push_back(host); });
  // So that a simulation can be repeated.
  std::sort(waiting.begin(), waiting.end(),
            [](const Host* a, const Host* b) { return a->name < b->name; });
  for (Host* host : waiting) FreeHost(host, now);
}

void Leases::Leaves(ShardId shard, const url::UrlHash& hash) {
  lent_.ForgetRequests([&](const Host& host) { return hash.ShardOfHost(host.name) == shard; });
}

bool Leases::MayRelease(ShardId shard, const url::UrlHash& hash, absl::Time now) const {
  return now >= quiet_until_ + hosts_.LongestDelayIn(shard, hash) &&
         !lent_.AnyOut([&](const Host& host) { return hash.ShardOfHost(host.name) == shard; });
}

// --- As the holder.

// A lease answers a request of this session: for the home, what it granted to the node's process
// before is over.
Host* Leases::OnLease(const schedule::HostLease& lease, NodeId home, absl::Time now) {
  Host* host = hosts_.Find(lease.host);
  const std::optional<schedule::HostPace> pace = DecodePaceToGo(lease.pace, now);
  const absl::Time until = std::min(now + schedule::kLeaseTurn, lease.requested + lease.term);
  if (host == nullptr || !pace || !borrowed_.Requests(host) || until <= now ||
      lease.requested < session_began_) {
    MessageTo(home, now).returns.push_back(
        {.host = lease.host, .id = lease.id, .pace = lease.pace, .robots = {}});
    return nullptr;
  }
  if (home != lending_->self) {
    const absl::Time known = host->pace.next_allowed;  // of a return that was lost, perhaps
    host->pace = *pace;
    host->pace.next_allowed = std::max(known, pace->next_allowed);
    host->pace.CutFutureTimes(now, hosts_.LimitsOf(host->name));
  }
  borrowed_.Begin(host, Lease{home, lease.id, until});
  return host;
}

bool Leases::Keeps(Host* host, absl::Time now) {
  const absl::Time ready = line_.TurnFrom(*host, std::max(host->ReadyTime(now), now));
  const bool over = host->lease && ready >= host->lease->until;
  if (host->lease && (over || !host->WantsOrders())) {
    GiveBack(host, now);
  } else if (!host->lease && host->WantsOrders() && !borrowed_.Requests(host)) {
    hosts_.SetBusy(host);
    borrowed_.Request(host, line_.TurnFrom(*host, std::max(now, host->queue.first_time())));
  }
  return host->lease.has_value();
}

void Leases::RequestNow(Host* host, absl::Time now) {
  if (borrowed_.Requests(host)) borrowed_.Request(host, line_.TurnFrom(*host, now));
}

void Leases::GiveBack(Host* host, absl::Time now) {
  given_back_.emplace_back(host, *host->lease);
  borrowed_.End(host);
  if (!host->WantsOrders()) return;
  const absl::Time from = std::max({now, host->hold_until, host->queue.first_time()});
  borrowed_.Request(host, line_.TurnFrom(*host, from));
}

void Leases::FetchesEnded(Host* host, absl::Time now) {
  if (lent_.Knows(host)) FreeHost(host, now);
}

void Leases::Rest(Host* host, absl::Time now) {
  if (borrowed_.Requests(host)) return;
  if (host->lease || lent_.Knows(host) || !host->queue.empty()) {
    hosts_.SetBusy(host);
  } else {
    hosts_.SetIdle(host, now);
  }
}

void Leases::Tick(absl::Time now) {
  EndLeases(now);
  LendDue(now);
}

void Leases::EndLeases(absl::Time now) {
  while (Host* host = borrowed_.NextOver(now)) {
    if (line_.Holds(host)) line_.Withdraw(host);
    if (host->in_flight > 0) continue;  // its last outcome gives it back
    GiveBack(host, now);
  }
}

// --- Messages.

schedule::LeaseMessage& Leases::MessageTo(NodeId node, absl::Time now) {
  std::vector<schedule::LeaseMessage>& messages = outgoing_[node];
  if (messages.empty() || EntriesOf(messages.back()) >= schedule::kLeaseEntriesMax) {
    messages.emplace_back();
    messages.back().peer = node;
    messages.back().sent = WholeMicroseconds(now);
  }
  return messages.back();
}

void Leases::AppendMessages(bool may_request, absl::Time now, std::vector<schedule::ToNode>& out) {
  for (const auto& [host, lease] : std::exchange(given_back_, {})) {
    MessageTo(lease.home, now)
        .returns.push_back({.host = host->name,
                            .id = lease.id,
                            .pace = EncodePaceToGo(host->pace, now),
                            .robots = {}});
  }
  std::erase_if(owes_clear_, [&](NodeId node) {
    if (borrowed_.HoldsAnyOf(node) || AsksWithoutLease()) return false;
    MessageTo(node, now).clear_before = processes_.at(node);
    return true;
  });
  for (auto& [node, messages] : outgoing_) {
    for (schedule::LeaseMessage& message : messages) out.emplace_back(std::move(message));
  }
  outgoing_.clear();
  if (!may_request) return;
  schedule::LeaseMessage requests;
  requests.sent = WholeMicroseconds(now);
  requests.requests = borrowed_.DueRequests(now, schedule::kLeaseEntriesMax);
  if (!requests.requests.empty()) out.emplace_back(std::move(requests));
}

bool Leases::AsksWithoutLease() const {
  return std::any_of(orders_.begin(), orders_.end(),
                     [](const auto& order) { return !order.second.host->lease; });
}

absl::Time Leases::next(bool may_request, absl::Time ticked) const {
  absl::Time next = std::min(lent_.next(), borrowed_.next_over());
  if (may_request) next = std::min(next, borrowed_.next_request());
  // What else a release waits for comes by messages and outcomes.
  for (const auto& [shard, hash] : releasing_) {
    const absl::Time may_release = quiet_until_ + hosts_.LongestDelayIn(shard, hash);
    if (may_release > ticked) next = std::min(next, may_release);
  }
  if (!outgoing_.empty() || !given_back_.empty()) next = absl::InfinitePast();
  return next;
}

}  // namespace opic::scheduler
