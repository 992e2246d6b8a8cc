#include "desk/network_guard.h"

#include <pthread.h>

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "base/log_part.h"

namespace opic::desk {
namespace {

// Whether somebody was there: a host, or what stands before it.
bool IsWord(const fetch::Response& response) {
  using fetch::Error;
  if (response.unheard) return false;
  switch (response.error) {
    case Error::kNone:
    case Error::kConnect:  // refused
    case Error::kTls:
    case Error::kTooSlow:
    case Error::kNoAnswer:
    case Error::kCut:
    case Error::kReset:
    case Error::kGarbage:
    case Error::kBadHeader:
    case Error::kHeaderTooLarge:
    case Error::kBadChunks:
    case Error::kBodyTooLarge:
    case Error::kBadEncoding:
      return true;
    default:
      return false;
  }
}

NetworkGuard::Whose WhoseIs(NetworkWatch::Verdict verdict) {
  switch (verdict) {
    case NetworkWatch::Verdict::kHosts:
      return NetworkGuard::Whose::kHosts;
    case NetworkWatch::Verdict::kNobodys:
      return NetworkGuard::Whose::kNobodys;
    case NetworkWatch::Verdict::kWaits:
      break;
  }
  return NetworkGuard::Whose::kUnknown;
}

}  // namespace

NetworkGuard::NetworkGuard(const NetworkLimits& limits, base::Clock& clock, Callbacks callbacks)
    : limits_(limits), clock_(clock), callbacks_(std::move(callbacks)), watch_(limits) {
  thread_ = std::thread(base::OfThisPart([this] { Run(); }));
}

NetworkGuard::~NetworkGuard() { Stop(); }

void NetworkGuard::Stop() {
  stopped_ = true;
  changed_.Ring();
  if (thread_.joinable()) thread_.join();
  absl::MutexLock lock(&mu_);
  kept_.clear();
}

std::optional<NetworkWatch::Loss> NetworkGuard::loss() const {
  absl::MutexLock lock(&mu_);
  std::optional<NetworkWatch::Loss> loss = watch_.loss();
  if (loss) loss->since = OnWall(loss->since);
  return loss;
}

void NetworkGuard::Take(const Place& place, const fetch::Response& response,
                        std::function<void(Whose)> settle) {
  // Its times are of the wall clock; a step of that is at worst a failure judged too soon.
  const absl::Duration ahead = clock_.Now() - clock_.Steady();
  const absl::Time begun = response.started - ahead;
  Whose whose = Whose::kHosts;
  {
    absl::MutexLock lock(&mu_);
    const absl::Time now = clock_.Steady();
    // Not after now: what is heard from now on tells whose it is.
    const absl::Time ended = std::min(response.ended - ahead, now);
    if (response.unheard) {
      watch_.NotHeard(place, now);
      const NetworkWatch::Verdict verdict = watch_.Judge(begun, ended);
      if (verdict == NetworkWatch::Verdict::kWaits && kept_.size() < kKeptMax) {
        kept_.push_back({begun, ended, std::move(settle)});
        changed_.Ring();
        return;
      }
      whose = WhoseIs(verdict);
    } else if (IsWord(response)) {
      watch_.Heard(place, begun, now);
      if (!kept_.empty() || lost_) changed_.Ring();
    }
  }
  settle(whose);
}

void NetworkGuard::LetGo() {
  std::vector<Kept> kept;
  {
    absl::MutexLock lock(&mu_);
    kept.swap(kept_);
  }
  for (const Kept& one : kept) one.settle(Whose::kUnknown);
}

NetworkGuard::Settled NetworkGuard::TakeSettled() {
  Settled settled;
  std::vector<Kept> waiting;
  for (Kept& one : kept_) {
    const NetworkWatch::Verdict verdict = watch_.Judge(one.begun, one.ended);
    if (verdict == NetworkWatch::Verdict::kWaits) {
      waiting.push_back(std::move(one));
    } else {
      settled.emplace_back(std::move(one.settle), WhoseIs(verdict));
    }
  }
  kept_.swap(waiting);
  return settled;
}

// Says so, once each time.
bool NetworkGuard::NoteChange() {
  const bool lost = watch_.loss().has_value();
  if (lost == lost_) return false;
  lost_ = lost;
  if (lost) {
    lost_since_ = watch_.loss()->since;
    base::LogWarning(
        "this node has had no network since {}: {}. Nothing is fetched until something answers "
        "again; no host or page is given up meanwhile",
        absl::FormatTime("%Y-%m-%d %H:%M:%S UTC", OnWall(lost_since_), absl::UTCTimeZone()),
        watch_.loss()->why);
  } else {
    base::LogInfo(
        "the network is back after {}; fetching goes on",
        absl::FormatDuration(absl::Trunc(clock_.Steady() - lost_since_, absl::Milliseconds(100))));
  }
  return true;
}

void NetworkGuard::Knock() {
  std::vector<Place> places = watch_.PlacesToKnock();
  const absl::Time begun = clock_.Steady();
  std::vector<NetworkWatch::Knock> knocks;
  mu_.Unlock();
  for (Place& place : places) {
    if (stopped_ || !callbacks_.may_knock(place.host)) continue;
    const fetch::Knocked what = callbacks_.knock(place, stopped_);
    knocks.push_back({std::move(place), what});
    if (what == fetch::Knocked::kHeard) break;
  }
  mu_.Lock();
  if (!stopped_) watch_.Knocked(knocks, begun, clock_.Steady());
}

void NetworkGuard::Run() {
  pthread_setname_np(pthread_self(), "opic-network");
  mu_.Lock();
  while (!stopped_) {
    const bool changed = NoteChange();
    const Settled settled = TakeSettled();
    if (changed || !settled.empty()) {
      mu_.Unlock();
      for (const auto& [settle, whose] : settled) settle(whose);
      if (changed) callbacks_.changed();
      mu_.Lock();
      continue;
    }
    const absl::Duration wait = watch_.knock_at() - clock_.Steady();
    if (wait <= absl::ZeroDuration()) {
      Knock();
    } else {
      mu_.Unlock();
      changed_.Await(wait);
      mu_.Lock();
    }
  }
  mu_.Unlock();
}

}  // namespace opic::desk
