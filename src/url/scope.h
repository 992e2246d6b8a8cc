// Which URLs a crawl may fetch: relation to the seeds, include and exclude patterns, parameter
// stripping.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "url/url.h"

namespace opic::url {

enum class ScopeKind : uint8_t { kHost, kDomain, kAny };

struct ScopeOptions {
  ScopeKind kind = ScopeKind::kHost;
  // Globs over the whole URL: '*' stands for any run, '?' for any one byte.
  std::vector<std::string> include;  // empty: all
  std::vector<std::string> exclude;  // wins over include
};

// kHost: the host of a seed (any port). kDomain: same registrable domain as a seed (public suffix
// list; an IP address or a host that is itself a suffix counts as its own domain). kAny: every
// host. Patterns are matched in time at most their length times the URL's, whatever they hold.
//
// Thread safety: immutable after construction and AddSeed.
class Scope {
 public:
  explicit Scope(ScopeOptions options);
  void AddSeed(const Url& seed);
  bool Contains(const Url& url) const;
  // A stable hash of options and seeds: a changed scope must be noticed on resume. The order of
  // patterns and of seeds, and seeds that change nothing (a second on the same host, any under
  // kAny), do not count.
  uint64_t Fingerprint() const;

 private:
  bool IsAllowedHost(std::string_view host) const;

  ScopeOptions options_;
  absl::flat_hash_set<std::string> allowed_;  // hosts or registrable domains
};

// The registrable domain ("example.co.uk") of a host, or the host itself when it has none: an IP
// address, a public suffix, a single label. Final dots do not count. Under an unlisted top-level
// domain the list's default rule "*" holds: "sample.test" is the domain of "site1.sample.test".
std::string RegistrableDomain(std::string_view host);

// Drops query parameters known to identify sessions or campaigns (jsessionid, PHPSESSID, sid,
// utm_*, gclid, fbclid, ... also ";jsessionid=" in the path), keeping the others in order.
Url StripTracking(const Url& url);

}  // namespace opic::url
