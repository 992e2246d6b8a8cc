// What a data folder remembers of the crawl it holds: its seeds and its scope, so that `opic crawl`
// without seeds goes on where it stood, and a changed scope is noticed. In a cluster every node
// remembers all seeds: they are a part of the scope.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ledger/ledger.h"
#include "node/crawl_options.h"
#include "node/hosts_file.h"
#include "store/store.h"
#include "url/trap.h"

namespace opic::node {

struct CrawlMemory {
  std::vector<std::string> seeds;  // normalised, distinct, in the order given
  url::ScopeOptions scope;
  uint32_t depth_max = 0;
  url::TrapUse traps = url::TrapUse::kSkip;
  bool strip_tracking = false;
  HostDepths host_depths;  // of the hosts file, as it was read last; a row of its own

  // Somebody has said what to crawl. Until then no page can be called out of scope.
  bool given() const { return !seeds.empty() || scope.kind == url::ScopeKind::kAny; }

  std::string Encode() const;  // but for host_depths
  static absl::StatusOr<CrawlMemory> Decode(std::string_view bytes);
  // Adds seeds that are not there yet. REQUIRES: they are normalised URLs.
  void AddSeeds(const std::vector<ledger::Link>& pages);
  // Whether the same URLs may be fetched.
  bool SameScope(const CrawlMemory& other) const;
  // The scope with every seed added. REQUIRES: `seeds` are normalised URLs.
  url::Scope MakeScope() const;
};

// "host", "domain", "any".
std::optional<url::ScopeKind> ScopeFromName(std::string_view name);
std::string_view Name(url::ScopeKind kind);

// URLs typed by a person, as pages. InvalidArgument names the first that is no URL.
absl::StatusOr<std::vector<ledger::Link>> PagesOf(const std::vector<std::string>& typed,
                                                  const url::UrlHash& hash);

// Nothing is remembered yet: an empty memory.
absl::StatusOr<CrawlMemory> RecallCrawl(store::Store& store);
absl::Status RememberCrawl(store::Store& store, const CrawlMemory& memory);

}  // namespace opic::node
