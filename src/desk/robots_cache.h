// The robots.txt verdicts of origins ("http://host[:port]"): asked before each fetch, kept for a
// day (RFC 9309 section 2.4) in Table::kRobots and, the recent ones, in memory.
//
// Redirects are followed (section 2.3.1.2), each in a slot of the host that it is asked of: five
// from the robots.txt of one origin to that of another, whose verdict is taken over for as long as
// it holds there ("http://a" may lead to "http://b", and that to "https://b"); and five of each
// origin.
//
// Thread safety: synchronised inside.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "desk/failure.h"
#include "fetch/fetcher.h"
#include "robots/robots.h"
#include "store/store.h"
#include "url/url.h"

namespace opic::desk {

class RobotsCache {
 public:
  struct Options {
    std::string product_token = "opic";
    absl::Duration lifetime = absl::Hours(24);
    absl::Duration unreachable_lifetime = absl::Hours(1);
    int attempts_max = 3;             // failed requests before an origin counts as unreachable
    size_t remembered_max = 100'000;  // origins in memory; and with failed requests, at least 1
    size_t remembered_bytes_max = 64 << 20;  // of their rules; the others are in the store
  };
  // `store` must outlive the cache.
  RobotsCache(const Options& options, store::Store& store) : options_(options), store_(store) {}

  struct Verdict {
    std::shared_ptr<const robots::Robots> rules;  // set: known
    Failure unreachable = Failure::kNone;         // why the rules forbid all: nobody answered
    std::optional<url::Url> fetch;  // set: fetch this first, in a slot of `fetch->host()`
  };
  absl::StatusOr<Verdict> Lookup(const url::Url& url, absl::Time now);

  struct Learned {
    bool settled = false;  // the origin's verdict is known now
    // That holds now for the host that was asked; zero: none. Nothing: as before.
    std::optional<absl::Duration> crawl_delay;
    std::vector<url::Url> sitemaps;  // at most kSitemapsAtOnce
    size_t sitemaps_left = 0;        // named besides; later readings take them, in turn
  };
  // The answer to the request `asked` that Lookup(page) wanted. Not settled: look up again, for the
  // next hop or attempt.
  absl::StatusOr<Learned> Answered(const url::Url& page, const url::Url& asked,
                                   const fetch::Response& response, absl::Time now);
  // Instead of that request: its host is given up.
  absl::StatusOr<Learned> GivenUp(const url::Url& page, const url::Url& asked, absl::Time now);
  // Instead of it, too: it would go to a host that an operator has blocked. Only the verdict of the
  // page's own origin is settled; that of the other host is not known.
  absl::StatusOr<Learned> Blocked(const url::Url& page, absl::Time now);

  // Origins of which nobody answered until `now` are asked once more. Not those whose own server
  // has asked to come back later.
  void AskSilentAgain(absl::Time now);

  // What is known of all origins of a host ("example.org", without port), for another node's cache,
  // failed requests of origins that are being found out among it; empty: nothing, or more than
  // kRowsBytesMax.
  absl::StatusOr<std::string> RowsOf(const std::string& host, absl::Time now);
  // Takes over what another node's RowsOf says, where it is newer: attempts_max holds for all nodes
  // together. What no cache would have said is passed over, and failed requests of more than
  // remembered_max origins.
  absl::Status Absorb(const std::string& host, std::string_view rows, absl::Time now);
  // Whether this is a row of Table::kRobots.
  static bool CanRead(std::string_view row);
  // A page each: they bring no more pages at once than a sitemap that lists sitemaps may have.
  static constexpr size_t kSitemapsAtOnce = 50'000;
  static constexpr size_t kRowsBytesMax = 512 << 10;
  // Bytes of the rules in memory: at most remembered_bytes_max and those of one origin.
  size_t remembered_bytes() const {
    absl::MutexLock lock(&mu_);
    return bytes_;
  }
  // For tests: origins in memory, and those with failed requests. remembered_max at most of each.
  size_t remembered() const {
    absl::MutexLock lock(&mu_);
    return entries_.size();
  }
  size_t failing() const {
    absl::MutexLock lock(&mu_);
    return failures_.size();
  }

 private:
  struct Entry {
    std::shared_ptr<const robots::Robots> rules;  // null: not known yet
    Failure unreachable = Failure::kNone;
    absl::Time expires;
    // While it is being found out.
    int hops = 0;
    std::optional<url::Url> next;  // where a redirect led
  };
  // Origins none of which has a verdict yet, each redirected to the robots.txt of the next. If they
  // are too many, the first alone.
  struct Trail {
    std::vector<std::string> origins;
    std::optional<url::Url> asked;  // what tells the verdict of the last one
    // Not `asked`: where it ends, at an origin that is known, or at too many redirects.
    std::shared_ptr<const robots::Robots> rules;
    Failure unreachable = Failure::kNone;
    absl::Time expires;
  };
  absl::StatusOr<Trail> Follow(std::string origin, absl::Time now)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  absl::StatusOr<std::string> OriginToSettle(const url::Url& page, const url::Url& asked,
                                             absl::Time now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void SetRules(Entry& entry, robots::Robots rules) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void DropRules(Entry& entry) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void MakeRoom() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  int& FailuresOf(const std::string& origin) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  absl::Duration LifetimeOf(Failure unreachable) const;
  bool Lasts(Failure unreachable, absl::Time expires, absl::Time now) const;
  bool Holds(Failure unreachable, absl::Time expires) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  absl::Status Load(const std::string& origin, absl::Time now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void NameSitemaps(const url::Url& base, const std::vector<std::string>& named, absl::Time now,
                    Learned& learned) const;
  absl::StatusOr<Learned> Read(const url::Url& page, const url::Url& asked, const std::string& body,
                               absl::Time now) ABSL_LOCKS_EXCLUDED(mu_);
  absl::Status AbsorbOne(const std::string& origin, std::string_view row, absl::Time now)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  absl::StatusOr<Learned> Settle(const std::string& origin, robots::Robots rules,
                                 Failure unreachable, absl::Time now)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // What the answer says, and, of a Crawl-delay, what this origin asks for.
  absl::StatusOr<Learned> Judge(const url::Url& page, const url::Url& asked,
                                const fetch::Response& response, absl::Time now)
      ABSL_LOCKS_EXCLUDED(mu_);
  // The same, of what was read, or is not there, at `asked`.
  absl::StatusOr<Learned> SettleRead(const std::string& origin, const url::Url& asked,
                                     robots::Robots rules, absl::Time now)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // The longest delay that one of the host's origins asks for; nothing: `delay` is zero, and so are
  // those of the origins that were looked at, but there are more.
  absl::StatusOr<std::optional<absl::Duration>> WithOtherPorts(absl::Duration delay,
                                                               const std::string& host,
                                                               absl::Time now) const;
  // The host's verdicts in the store: of both schemes, and of all ports. False: there are more.
  absl::StatusOr<bool> EachRowOf(
      const std::string& host,
      absl::FunctionRef<void(std::string_view origin, std::string_view row)> take) const;
  // Writes the verdict down.
  absl::Status Keep(const std::string& origin, robots::Robots rules, Failure unreachable,
                    absl::Time expires) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  const Options options_;
  store::Store& store_;
  mutable absl::Mutex mu_;
  absl::flat_hash_map<std::string, Entry> entries_ ABSL_GUARDED_BY(mu_);
  // Requests that have failed, of origins that are being found out.
  absl::btree_map<std::string, int> failures_ ABSL_GUARDED_BY(mu_);
  size_t bytes_ ABSL_GUARDED_BY(mu_) = 0;  // of the rules in `entries_`
  absl::Time silent_until_ ABSL_GUARDED_BY(mu_) = absl::InfinitePast();  // that is forgotten
};

}  // namespace opic::desk
