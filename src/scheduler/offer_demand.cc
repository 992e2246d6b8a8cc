#include "scheduler/offer_demand.h"

#include <algorithm>

namespace opic::scheduler {
namespace {

constexpr absl::Duration kPause = absl::Milliseconds(50);
constexpr absl::Duration kPauseMax = absl::Minutes(1);
constexpr int kBarrenPerDoubling = 4;
// Where hosts answer within a quarter of their pause, so many keep the fetches busy. Where they
// answer faster, or pause for longer, it takes more.
constexpr uint64_t kHostsPerFetch = 4, kHostsPerFetchMax = 256;
constexpr uint64_t kHostsMax = 100'000;  // of which each takes memory
constexpr absl::Duration kPauseOfMany = absl::Milliseconds(250);
constexpr uint64_t kPagesPerHost = 64;

absl::Duration PauseAfter(int barren) {
  const int doublings = std::min(barren / kBarrenPerDoubling, 20);
  return std::min(kPause * (int64_t{1} << doublings), kPauseMax);
}

}  // namespace

void OfferDemand::BeginSession() {
  open_ = exhausted_ = happened_ = false;
  barren_ = 0;
  answered_ = absl::InfinitePast();
}

absl::Time OfferDemand::When(const Supply& supply) const {
  if (open_ || supply.fetches_max == 0 || exhausted()) return absl::InfiniteFuture();
  absl::Time earliest = absl::InfinitePast();
  if (exhausted_ && supply.queued > 0) earliest = answered_ + kPause;
  if (supply.queued < low_water_ || supply.queued == 0) return earliest;
  if (!supply.starved || supply.queued >= queued_max_) return absl::InfiniteFuture();
  absl::Duration pause = PauseAfter(barren_);
  if (supply.hosts_queued >= kHostsPerFetch * supply.fetches_max) {
    if (supply.hosts_queued >= std::min(kHostsMax, kHostsPerFetchMax * supply.fetches_max) ||
        supply.queued >= kPagesPerHost * supply.hosts_queued) {
      return absl::InfiniteFuture();
    }
    pause = std::max(pause, kPauseOfMany);
  }
  return std::max(earliest, answered_ + pause);
}

uint64_t OfferDemand::Open() {
  open_ = true;
  happened_ = false;
  return ++id_;
}

void OfferDemand::Close(uint64_t id, bool exhausted, bool new_host, absl::Time now) {
  if (!open_ || id != id_) return;  // pages of an earlier session's question
  barren_ = new_host ? 0 : barren_ + 1;
  open_ = false;
  exhausted_ = exhausted;
  answered_ = now;
}

}  // namespace opic::scheduler
