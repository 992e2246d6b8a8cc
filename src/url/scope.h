// Which URLs a crawl may fetch: relation to the seeds, include and exclude patterns, parameter stripping.
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
  std::vector<std::string> include;  // RE2-free globs over the whole URL: '*' any run, '?' any one; empty: all
  std::vector<std::string> exclude;  // wins over include
};

// kHost: the host of a seed. kDomain: same registrable domain as a seed (public suffix list; an IP address or
// a host that is itself a suffix counts as its own domain). kAny: every host.
// Thread safety: immutable after construction and AddSeed.
class Scope {
 public:
  explicit Scope(ScopeOptions options);
  void AddSeed(const Url& seed);
  bool Contains(const Url& url) const;
  // A stable hash of options and seeds: a changed scope must be noticed on resume.
  uint64_t Fingerprint() const;

 private:
  ScopeOptions options_;
  absl::flat_hash_set<std::string> allowed_;  // hosts or registrable domains
};

// The registrable domain ("example.co.uk") of a host, or the host itself when it has none.
std::string RegistrableDomain(std::string_view host);

// Drops query parameters known to identify sessions or campaigns (jsessionid, PHPSESSID, sid, utm_*, gclid,
// fbclid, ... also ";jsessionid=" in the path), keeping the others in order.
Url StripTracking(const Url& url);

}  // namespace opic::url
