// Whether this node has a network, as far as its fetches and knocks tell (fetch/knock.h).
//
// A host that is not heard (fetch::Response::unheard) may be down, or this node's own network may
// be lost. So its failure waits: whatever is heard of anybody by a request that was begun later
// says that there is a network, and then the failure is the host's. When nothing is heard for a
// while, hosts are knocked at, first those that have answered before, then those that were not
// heard. What none of them answers means depends on how they are silent:
//
//   the system knows no way there, or no   this machine's own failure: one host is enough, if any
//   name server answers, for all of them   has answered before, and else hosts_silent of them
//   silence                                hosts_silent hosts are needed, two where no more are
//                                          known, and some must have answered before: a crawl of
//                                          one host, or of hosts that never answered, ends as ever
//
// Where one alone is known nobody else can be heard, so it is knocked at at once: a crawl of one
// host would stand still after each failure.
//
// Hosts count by registrable domain or address. While the network is lost, hosts are knocked at
// again after a pause that grows; whatever is heard ends that. What was begun before then is
// nobody's failure.
//
// Pure: outcomes in, verdicts out. Times are steady ones. Memory is bounded by the constants below.
// Thread safety: confined to its owner.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/time/time.h"
#include "fetch/knock.h"
#include "url/url.h"

namespace opic::desk {

struct NetworkLimits {
  int hosts_silent = 3;
  absl::Duration doubt_first = absl::Milliseconds(500);  // before the first knock; it doubles
  absl::Duration doubt_max = absl::Seconds(8);           // as long as only knocks are heard
  absl::Duration pause_first = absl::Seconds(1);         // between knocks while it is lost; doubles
  absl::Duration pause_max = absl::Seconds(30);
  absl::Duration knock_time = absl::Seconds(5);  // for each
};

// Where to knock.
struct Place {
  std::string host;  // as url::Url::host()
  uint16_t port = 0;
  friend bool operator==(const Place&, const Place&) = default;
};
Place PlaceOf(const url::Url& url);

class NetworkWatch {
 public:
  explicit NetworkWatch(const NetworkLimits& limits) : limits_(limits) {}

  static constexpr size_t kPlacesKept = 16;   // that have answered, and as many that have not
  static constexpr size_t kDomainsKept = 64;  // that were not heard
  static constexpr size_t kPlacesAsked = 3;   // knocked at, one after the other

  // What a request ended in whose host was not heard.
  enum class Verdict : uint8_t {
    kHosts,   // a failure of its host
    kWaits,   // not known yet: to be judged again after whatever is told to this class
    kNobodys  // there was no network: to be asked for again
  };
  Verdict Judge(absl::Time begun, absl::Time ended) const;

  // A request begun at `begun` was answered, or refused, by somebody.
  void Heard(const Place& place, absl::Time begun, absl::Time now);
  // One that ended now was not.
  void NotHeard(const Place& place, absl::Time now);

  // When to knock; infinite future: not at all as things are.
  absl::Time knock_at() const;
  // Where, in this order, until somebody is heard. Never empty when knock_at() has come.
  std::vector<Place> PlacesToKnock();
  struct Knock {
    Place place;
    fetch::Knocked what = fetch::Knocked::kSilent;
  };
  // What came of it. Knocking began at `begun`.
  void Knocked(const std::vector<Knock>& knocks, absl::Time begun, absl::Time now);

  struct Loss {
    absl::Time since;  // of the first failure
    std::string why;   // for people: "there is no route to any host"
  };
  const std::optional<Loss>& loss() const { return loss_; }

 private:
  struct Unheard {
    std::string domain;
    absl::Time first, last;  // when a request to it ended
  };
  void NetworkIsThere(absl::Time begun, absl::Time now);
  bool IsLost(const std::vector<Knock>& knocks) const;
  absl::Duration Doubt() const;
  static void Remember(std::deque<Place>& places, const Place& place);

  const NetworkLimits limits_;
  std::deque<Place> answered_, silent_;      // the latest last, each once
  std::vector<Unheard> unheard_;             // since somebody was heard
  size_t next_ = 0;                          // of `answered_`, so that each is asked in turn
  absl::Time there_ = absl::InfinitePast();  // a request begun then was answered
  absl::Time back_ = absl::InfinitePast();   // the last loss ended
  absl::Time knock_at_ = absl::InfiniteFuture();
  absl::Duration doubt_ = limits_.doubt_first, pause_ = absl::ZeroDuration();
  std::optional<Loss> loss_;
};

}  // namespace opic::desk
