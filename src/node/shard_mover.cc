#include "node/shard_mover.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/log.h"
#include "base/status_macros.h"

namespace opic::node {

// Depart takes what the Page Scheduler has released.
static_assert(schedule::kHostsBytesMax <= ledger::ShardMoves::kHostsBytesMax);

std::string_view Name(ShardStatus::State state) {
  switch (state) {
    case ShardStatus::State::kResting:
      return "resting";
    case ShardStatus::State::kLeaving:
      return "leaving";
    case ShardStatus::State::kUnderWay:
      return "under way";
    case ShardStatus::State::kArriving:
      return "arriving";
  }
  return "unknown";
}

ShardMover::ShardMover(ledger::Ledger& ledger) : ledger_(ledger), closed_(ledger.charter().shards) {
  UpdateClosed();
}

void ShardMover::Start(desk::SchedulerLink& link, LeaseRelay* relay) {
  link_ = &link;
  relay_ = relay;
  TellHomes();
}

absl::Status ShardMover::Move(ShardId shard, NodeId to) {
  if (shard.value >= ledger_.charter().shards) {
    return absl::InvalidArgumentError(absl::StrCat("there is no shard ", shard.value));
  }
  const NodeId owner = ledger_.placements().OwnerOf(shard);
  if (owner == to) return absl::OkStatus();
  if (owner != ledger_.charter().node) {
    return absl::FailedPreconditionError(
        absl::StrCat("shard ", shard.value, " is at node ", owner.value, ": ask that one"));
  }
  if (!ledger_.moves().Workable(shard)) {
    return absl::UnavailableError(
        absl::StrCat("shard ", shard.value, " is still arriving: try again"));
  }
  if (const auto stuck = stuck_.find(shard); stuck != stuck_.end()) return stuck->second;
  const auto [leaving, added] = leaving_.try_emplace(shard);
  leaving->second.to = to;
  UpdateClosed();  // before: no request for its hosts may follow the release
  if (added) SendRelease(shard);
  return absl::OkStatus();
}

void ShardMover::SendRelease(ShardId shard) {
  if (link_ != nullptr) link_->Send(schedule::Release{shard, ledger_.charter().shards});
}

// What was released stays so: nothing was offered since.
void ShardMover::BeginSession() {
  for (const auto& [shard, leaving] : leaving_) SendRelease(shard);
  for (const auto& [shard, hosts] : arrived_) link_->Send(schedule::Adopt{shard, hosts});
}

void ShardMover::Take(schedule::Released released) {
  const auto leaving = leaving_.find(released.shard);
  if (leaving == leaving_.end()) return;
  leaving->second.released = true;
  leaving->second.hosts = std::move(released.hosts);
}

absl::StatusOr<bool> ShardMover::Step(absl::Span<const PageId> in_progress) {
  for (ledger::ArrivedShard& arrived : ledger_.moves().TakeArrived()) {
    if (budgets_ != nullptr) {
      ASSIGN_OR_RETURN(arrived.hosts, budgets_->Unpack(arrived.shard, std::move(arrived.hosts)));
    }
    link_->Send(schedule::Adopt{arrived.shard, arrived.hosts});
    arrived_[arrived.shard] = std::move(arrived.hosts);
  }
  std::erase_if(arrived_, [&](const auto& arrived) {
    return ledger_.moves().Workable(arrived.first) || !ledger_.placements().Owns(arrived.first);
  });
  bool departed = false;
  for (auto it = leaving_.begin(); it != leaving_.end() && !departed; ++it) {
    const auto& [shard, leaving] = *it;
    const bool busy = std::any_of(in_progress.begin(), in_progress.end(),
                                  [&, in = shard](PageId page) { return page.shard() == in; });
    if (!leaving.released || busy) continue;
    OPIC_CHECK(closed_.Contains(shard)) << "shard " << shard.value << " departs and is offered";
    std::string hosts = leaving.hosts;
    if (budgets_ != nullptr) {
      ASSIGN_OR_RETURN(hosts,
                       budgets_->Pack(shard, std::move(hosts), ledger::ShardMoves::kHostsBytesMax));
    }
    const absl::Status status = ledger_.moves().Depart(shard, leaving.to, hosts);
    OPIC_CHECK(!status.ok() || !ledger_.placements().Owns(shard))
        << "shard " << shard.value << " has departed and is owned here";
    if (absl::IsUnavailable(status)) continue;  // too much is under way to that node
    if (absl::IsFailedPrecondition(status)) {
      base::LogWarning("shard {} does not move: {}", shard.value, status.ToString());
      // It is whole and here, so that it is the shard itself that cannot travel.
      if (ledger_.moves().Workable(shard)) stuck_.emplace(shard, status);
      stranded_ = true;
    } else if (!status.ok()) {
      return status;
    }
    departed = status.ok();
    leaving_.erase(it);
    break;
  }
  return departed;
}

void ShardMover::UpdateClosed() {
  closed_.Clear();
  for (const auto& [shard, leaving] : leaving_) closed_.Add(shard);
  for (uint32_t n = 0; n < ledger_.charter().shards; ++n) {
    const ShardId shard = ShardAt(n);
    const bool empty = ledger_.books().table().totals(shard).pages == 0;
    if (!empty && (order_awaited_ || !ledger_.moves().Workable(shard))) closed_.Add(shard);
  }
  TellHomes();
}

// A host has its home where its shard is, while that is workable there and does not leave.
void ShardMover::TellHomes() {
  if (relay_ == nullptr) return;
  std::vector<std::optional<NodeId>> homes(ledger_.charter().shards);
  for (uint32_t n = 0; n < homes.size(); ++n) {
    const ShardId shard = ShardAt(n);
    const NodeId owner = ledger_.placements().OwnerOf(shard);
    const bool here = owner == ledger_.charter().node;
    if (!here || (ledger_.moves().Workable(shard) && !leaving_.contains(shard))) homes[n] = owner;
  }
  if (homes == homes_) return;
  homes_ = homes;
  relay_->SetHomes(std::move(homes));
}

std::vector<ShardStatus> ShardMover::Status() const {
  std::vector<ShardStatus> all;
  for (uint32_t n = 0; n < ledger_.charter().shards; ++n) {
    const ShardId shard = ShardAt(n);
    ShardStatus status{shard, ledger_.placements().OwnerOf(shard),
                       ledger_.placements().move(shard)};
    status.pages = ledger_.books().table().totals(shard).pages;
    if (leaving_.contains(shard)) {
      status.state = ShardStatus::State::kLeaving;
    } else if (status.node == ledger_.charter().node && !ledger_.moves().Workable(shard)) {
      status.state = ShardStatus::State::kArriving;
    }
    all.push_back(status);
  }
  for (ShardId shard : ledger_.placements().arriving())
    all[shard.value].state = ShardStatus::State::kArriving;
  for (const ledger::DepartingShard& departing : ledger_.peers().Departing()) {
    all[departing.shard.value].state = ShardStatus::State::kUnderWay;
  }
  return all;
}

}  // namespace opic::node
