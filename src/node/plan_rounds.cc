#include "node/plan_rounds.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/types/span.h"
#include "cash/amount.h"

namespace opic::node {
namespace {

constexpr auto kHeldMax = static_cast<double>(cash::kHoldingMax.units());

}  // namespace

void PlanRounds::Start(NodeId self, uint16_t nodes, Way way) {
  self_ = self;
  peers_.resize(nodes);
  way_ = std::move(way);
}

bool PlanRounds::Possible() const {
  for (uint16_t n = 0; n < nodes(); ++n) {
    if (NodeId{n} != self_ && !way_.plans_together(NodeId{n})) return false;
  }
  return peers_.size() > 1 && plan_ < cluster::PlanPart::kPlanMax;
}

bool PlanRounds::Called() const {
  return !in_plan_ && std::any_of(peers_.begin(), peers_.end(),
                                  [&](const Peer& peer) { return peer.plan > plan_ && !peer.out; });
}

bool PlanRounds::IsLate() const {
  return std::any_of(peers_.begin(), peers_.end(),
                     [&](const Peer& peer) { return peer.plan > plan_; });
}

void PlanRounds::Begin(absl::Time now) {
  ++plan_;
  for (const Peer& peer : peers_) plan_ = std::max(plan_, peer.plan + (peer.out ? 1 : 0));
  in_plan_ = true;
  pays_ = false;
  round_ = 0;
  said_at_ = now;
  touched_ = absl::InfinitePast();
  KeepInTouch(now);
}

void PlanRounds::Tell(const cluster::PlanPart& part) {
  for (uint16_t n = 0; n < nodes(); ++n) {
    if (NodeId{n} != self_) way_.say(NodeId{n}, part);
  }
}

void PlanRounds::KeepInTouch(absl::Time now) {
  if ((!in_plan_ && !pays_) || now < touched_ + kTouchEvery) return;
  touched_ = now;
  Tell({.plan = plan_});
}

void PlanRounds::Say(const Sums& own, absl::Time now,
                     std::vector<std::vector<cluster::PlannedPayment>> payments) {
  const auto whole = [](double units) { return std::clamp(std::round(units), 0.0, kHeldMax); };
  own_ = {whole(own.left), whole(own.may_be_left)};
  ++round_;
  said_at_ = touched_ = now;
  payments.resize(peers_.size());
  for (uint16_t n = 0; n < nodes(); ++n) {
    if (NodeId{n} == self_) continue;
    absl::Span<const cluster::PlannedPayment> rest = payments[n];
    cluster::PlanPart part{.plan = plan_,
                           .round = round_,
                           .last = false,
                           .left = static_cast<int64_t>(own_.left),
                           .may_be_left = static_cast<int64_t>(own_.may_be_left)};
    while (!part.last) {
      const auto some = rest.subspan(0, cluster::PlanPart::kPaymentsMax);
      rest.remove_prefix(some.size());
      part.payments.assign(some.begin(), some.end());
      part.last = rest.empty();
      way_.say(NodeId{n}, part);
    }
  }
}

PlanRounds::Heard PlanRounds::Listen(absl::Time now) {
  if (IsLate()) {
    if (round_ > kArrived) return Heard::kBroken;
    Begin(now);
    return Heard::kNotYet;
  }
  bool all = true;
  for (uint16_t n = 0; n < nodes(); ++n) {
    if (NodeId{n} == self_) continue;
    const Peer& peer = peers_[n];
    const bool with_us = peer.plan == plan_;
    if (!way_.plans_together(NodeId{n}) || (with_us && peer.out)) return Heard::kBroken;
    if (with_us && peer.said >= round_) continue;
    all = false;
    // One that is in the plan before still pays by it, and says so.
    if (now > std::max(said_at_, peer.heard) + kPatience) return Heard::kBroken;
  }
  return all ? Heard::kAll : Heard::kNotYet;
}

PlanRounds::Sums PlanRounds::sums() const {
  Sums sum;
  for (uint16_t n = 0; n < nodes(); ++n) {
    const Sums& part = NodeId{n} == self_ ? own_ : peers_[n].sums[round_ % 2];
    sum.left += part.left;
    sum.may_be_left += part.may_be_left;
  }
  return sum;
}

bool PlanRounds::Take(NodeId from, const cluster::PlanPart& part, absl::Time now) {
  if (from.value >= peers_.size() || from == self_) return false;
  Peer& peer = peers_[from.value];
  // A peer that was started anew counts its plans from 1, and is told where the others are.
  if (part.plan + 1 < plan_ && !part.out) way_.say(from, {.plan = plan_, .out = true});
  if (part.plan < peer.plan) return false;
  if (part.plan > peer.plan) peer = {.plan = part.plan, .out = false, .said = 0, .sums = {}};
  peer.heard = now;
  peer.out = peer.out || part.out;
  // One round after the other; a part of another is none of a peer that follows the rules.
  if (part.round != peer.said + 1 || peer.out) return false;
  if (part.last) {
    peer.said = part.round;
    peer.sums[part.round % 2] = {static_cast<double>(part.left),
                                 static_cast<double>(part.may_be_left)};
  }
  return in_plan_ && part.plan == plan_ && part.round >= kFirstPayments && round_ >= kHeld;
}

void PlanRounds::Leave() {
  pays_ = false;
  if (!in_plan_ && !Called()) return;
  for (const Peer& peer : peers_) plan_ = std::max(plan_, peer.plan);
  in_plan_ = false;
  Tell({.plan = plan_, .out = true});
}

}  // namespace opic::node
