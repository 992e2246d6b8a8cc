// The cookies of hosts, each host's by itself: what one has set is shown to no other, also where
// its Domain attribute would allow that. libcurl reads and matches them (RFC 6265, public suffixes
// by libpsl); here they are lines of CURLINFO_COOKIELIST.
//
// Bounded: of a host's cookies the oldest leave first, of the hosts those asked least recently. A
// cookie that is lost is a new session of that host, and nothing else.
//
// In memory; who has a disk takes rows from TakeChanged now and then, and gives them to Restore
// (docs/formats/store.md). They are secrets: in no log, over no wire.
//
// Of two requests to a host that are under way at once the one that ends last counts.
//
// Thread safety: synchronised inside.
#pragma once

#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace opic::fetch {

inline constexpr size_t kCookiesOfHostMax = 50;
inline constexpr size_t kCookieBytesMax = 4096;  // a line, with domain and path
inline constexpr size_t kCookieBytesOfHostMax = 16 << 10;
inline constexpr size_t kCookieHostsMax = 100'000;

class CookieJar {
 public:
  // `bytes_max` is of all hosts together, with what each takes besides.
  explicit CookieJar(size_t bytes_max, size_t hosts_max = kCookieHostsMax)
      : bytes_max_(bytes_max), hosts_max_(hosts_max) {}

  // Those that have not expired, oldest first.
  std::vector<std::string> Of(std::string_view host, absl::Time now);
  // All that `host` has after an answer. False: the same as before.
  bool Keep(std::string_view host, std::vector<std::string> cookies, absl::Time now);

  size_t hosts() const;
  size_t bytes() const;

  struct Row {
    std::string host;
    std::string value;  // empty: it has none any more
  };
  // Of the hosts that have changed since the last call.
  std::vector<Row> TakeChanged();
  // Puts `rows` into an empty jar. A value that cannot be read is passed over, and so is what
  // expired before `now`, and what goes beyond the bounds; TakeChanged tells of these.
  void Restore(const std::vector<Row>& rows, absl::Time now);
  // Whether a jar has made this value.
  static bool CanRead(std::string_view value);

 private:
  struct Host {
    std::string name;
    std::vector<std::string> cookies;  // oldest first; not empty
    absl::Time asked;
    size_t bytes = 0;
  };
  using Hosts = std::list<Host>;  // least recently asked first

  Hosts::iterator Find(std::string_view host) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Put(std::string_view host, std::vector<std::string> cookies, absl::Time asked)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Drop(Hosts::iterator host) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void MakeRoom() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  const size_t bytes_max_, hosts_max_;
  mutable absl::Mutex mu_;
  Hosts hosts_ ABSL_GUARDED_BY(mu_);
  absl::flat_hash_map<std::string, Hosts::iterator> by_name_ ABSL_GUARDED_BY(mu_);
  size_t bytes_ ABSL_GUARDED_BY(mu_) = 0;
  absl::flat_hash_set<std::string> changed_ ABSL_GUARDED_BY(mu_);
};

}  // namespace opic::fetch
