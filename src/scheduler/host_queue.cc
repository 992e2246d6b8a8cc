#include "scheduler/host_queue.h"

#include <algorithm>

#include "base/check.h"

namespace opic::scheduler {
namespace {

// Pages put off go behind all others, those that come back before them.
enum Rank { kNone, kPutOff, kOffered, kCameBack };
Rank RankOf(const PageLane& lane) {
  if (lane.empty()) return kNone;
  if (lane.first_cash() == kFront) return kCameBack;
  return lane.first_cash() > kPutOffMax ? kOffered : kPutOff;
}

}  // namespace

PageLane& HostQueue::NextLane() {
  const Rank discovery = RankOf(discoveries), refresh = RankOf(rereadings);
  if (refresh != discovery) return refresh > discovery ? rereadings : discoveries;
  return owed_to_refreshes_ >= 0 ? rereadings : discoveries;
}

bool HostQueue::has_refresh_turn() const {
  const Rank discovery = RankOf(discoveries), refresh = RankOf(rereadings);
  if (refresh == kNone && discovery == kNone) return refreshes.count() == size();
  return refresh >= discovery;
}

// Of one kind alone at most one turn is remembered.
void HostQueue::Took(const QueuedPage& page, double share, absl::Time now) {
  const double owed = owed_to_refreshes_ + share - (page.refresh ? 1 : 0);
  owed_to_refreshes_ = static_cast<float>(std::clamp(owed, share - 1, share));
  order.Taken(page, now);
}

absl::Time HostQueue::first_time() const {
  if (!only_waiting()) return absl::InfinitePast();
  return DelayedComesFirst() ? delayed_.front().not_before : put_off_until;
}

bool HostQueue::DelayedComesFirst() const {
  return put_off == 0 || (!delayed_.empty() && delayed_.front().not_before <= put_off_until);
}

void HostQueue::Delay(const QueuedPage& page, absl::Time not_before) {
  delayed_.push_back({not_before, page});
  std::push_heap(delayed_.begin(), delayed_.end(), Later);
}

QueuedPage HostQueue::PopDelayed() {
  OPIC_CHECK(!delayed_.empty()) << "no page is delayed";
  std::pop_heap(delayed_.begin(), delayed_.end(), Later);
  const QueuedPage first = delayed_.back().page;
  delayed_.pop_back();
  if (delayed_.size() <= delayed_.capacity() / 2) delayed_.shrink_to_fit();
  return first;
}

}  // namespace opic::scheduler
