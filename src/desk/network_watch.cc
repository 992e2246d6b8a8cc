#include "desk/network_watch.h"

#include <algorithm>

#include "url/scope.h"

namespace opic::desk {
namespace {

// Said by the system of this machine itself.
bool IsOwn(fetch::Knocked what) {
  return what == fetch::Knocked::kNoRoute || what == fetch::Knocked::kNoResolver;
}

std::string WhyLost(const std::vector<NetworkWatch::Knock>& knocks) {
  const auto all = [&knocks](fetch::Knocked what) {
    return std::all_of(knocks.begin(), knocks.end(),
                       [what](const NetworkWatch::Knock& knock) { return knock.what == what; });
  };
  if (all(fetch::Knocked::kNoRoute)) return "there is no route to any host";
  if (all(fetch::Knocked::kNoResolver)) return "no name server answers";
  return "no host answers, not even those that answered before";
}

}  // namespace

Place PlaceOf(const url::Url& url) { return {std::string(url.host()), url.port()}; }

void NetworkWatch::Remember(std::deque<Place>& places, const Place& place) {
  if (!places.empty() && places.back() == place) return;
  std::erase(places, place);
  places.push_back(place);
  if (places.size() > kPlacesKept) places.pop_front();
}

NetworkWatch::Verdict NetworkWatch::Judge(absl::Time begun, absl::Time ended) const {
  if (loss_ || begun < back_) return Verdict::kNobodys;
  return ended <= there_ ? Verdict::kHosts : Verdict::kWaits;
}

void NetworkWatch::Heard(const Place& place, absl::Time begun, absl::Time now) {
  Remember(answered_, place);
  if (loss_ && begun < loss_->since) return;  // that late bytes come in says nothing of now
  NetworkIsThere(begun, now);
  if (unheard_.empty()) doubt_ = limits_.doubt_first;
}

void NetworkWatch::NetworkIsThere(absl::Time begun, absl::Time now) {
  there_ = std::max(there_, begun);
  if (loss_) {
    loss_.reset();
    back_ = now;
    unheard_.clear();
  }
  std::erase_if(unheard_, [this](const Unheard& one) { return one.last <= there_; });
  knock_at_ = absl::InfiniteFuture();
  if (unheard_.empty()) return;
  const absl::Duration doubt = Doubt();
  for (const Unheard& one : unheard_) knock_at_ = std::min(knock_at_, one.last + doubt);
}

// How long to wait whether somebody else is heard. A site and its www are one, since mostly one of
// them only leads to the other.
absl::Duration NetworkWatch::Doubt() const {
  absl::flat_hash_set<std::string_view> hosts;
  for (const std::deque<Place>* places : {&answered_, &silent_}) {
    for (const Place& place : *places) {
      std::string_view host = place.host;
      if (host.starts_with("www.")) host.remove_prefix(4);
      hosts.insert(host);
    }
  }
  return hosts.size() > 1 ? doubt_ : absl::ZeroDuration();
}

void NetworkWatch::NotHeard(const Place& place, absl::Time now) {
  Remember(silent_, place);
  if (loss_) return;
  const std::string domain = url::RegistrableDomain(place.host);
  const auto known = std::find_if(unheard_.begin(), unheard_.end(),
                                  [&](const Unheard& one) { return one.domain == domain; });
  if (known != unheard_.end()) {
    known->last = now;
  } else if (unheard_.size() < kDomainsKept) {
    unheard_.push_back({domain, now, now});
  } else {
    unheard_.back().last = now;  // that there are more is enough to know
  }
  knock_at_ = std::min(knock_at_, now + Doubt());
}

absl::Time NetworkWatch::knock_at() const { return knock_at_; }

std::vector<Place> NetworkWatch::PlacesToKnock() {
  std::vector<Place> places;
  const auto add = [&places](const Place& place) {
    const bool there = std::find(places.begin(), places.end(), place) != places.end();
    if (!there && places.size() < kPlacesAsked) places.push_back(place);
  };
  for (size_t i = 0; i < answered_.size(); ++i) add(answered_[(next_ + i) % answered_.size()]);
  if (!answered_.empty()) next_ = (next_ + 1) % answered_.size();
  // While it is lost those that were not heard may be the only ones that are still there.
  if (loss_ && !silent_.empty() && places.size() == kPlacesAsked) places.pop_back();
  for (auto place = silent_.rbegin(); place != silent_.rend(); ++place) add(*place);
  return places;
}

void NetworkWatch::Knocked(const std::vector<Knock>& knocks, absl::Time begun, absl::Time now) {
  const bool heard = std::any_of(knocks.begin(), knocks.end(), [](const Knock& knock) {
    return knock.what == fetch::Knocked::kHeard;
  });
  if (!heard && (loss_ || IsLost(knocks))) {
    if (!loss_) {
      absl::Time since = now;
      for (const Unheard& one : unheard_) since = std::min(since, one.first);
      loss_ = Loss{since, WhyLost(knocks)};
      pause_ = limits_.pause_first;
    } else {
      pause_ = std::min(2 * pause_, limits_.pause_max);
    }
    knock_at_ = now + pause_;
    return;
  }
  // Hosts that answer knocks alone are not to be asked every moment.
  doubt_ = std::min(2 * doubt_, limits_.doubt_max);
  NetworkIsThere(begun, now);
}

bool NetworkWatch::IsLost(const std::vector<Knock>& knocks) const {
  if (knocks.empty()) return false;
  const bool own = std::all_of(knocks.begin(), knocks.end(),
                               [](const Knock& knock) { return IsOwn(knock.what); });
  absl::flat_hash_set<std::string> silent, known;
  for (const Unheard& one : unheard_) silent.insert(one.domain);
  for (const Knock& knock : knocks) silent.insert(url::RegistrableDomain(knock.place.host));
  known = silent;
  for (const Place& place : answered_) known.insert(url::RegistrableDomain(place.host));
  if (answered_.empty()) return own && static_cast<int>(silent.size()) >= limits_.hosts_silent;
  if (own) return true;
  return static_cast<int>(silent.size()) >=
         std::clamp(static_cast<int>(known.size()), 2, std::max(2, limits_.hosts_silent));
}

}  // namespace opic::desk
