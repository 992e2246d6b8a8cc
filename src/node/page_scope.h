// Which pages a crawl may fetch: by their URL, their depth, and whether they look as if a site made
// them without end.
//
// Thread safety: immutable.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "ledger/rows.h"
#include "node/crawl_memory.h"
#include "store/store.h"
#include "url/scope.h"
#include "url/trap.h"

namespace opic::node {

// The rule that the URL breaks; kNone also for what is no URL.
url::Trap TrapAt(const std::string& url, absl::Time now);

class PageScope {
 public:
  // `now`, here and below: what is a date far away.
  PageScope(const CrawlMemory& crawl, absl::Time now);

  struct Verdict {
    std::optional<url::Url> url;        // of the page; nothing: the crawl may not fetch it
    url::Trap trap = url::Trap::kNone;  // the rule that it breaks; kNone also with --traps off
  };
  // A seed is no trap: who names it wants it.
  Verdict Judge(const ledger::PageRow& page, absl::Time now) const;

 private:
  bool IsTooDeep(const ledger::PageRow& page, const url::Url& url) const;

  const url::Scope scope_;
  const uint32_t depth_max_;
  const HostDepths host_depths_;
  const url::TrapUse traps_;
  absl::flat_hash_set<std::string> seeds_;  // those that break a rule
};

// What pages that were never visited are called: "unread", or as those that the crawl may not fetch
// are called once they were ordered.
class UnreadStates {
 public:
  // By what the store remembers of the crawl. `now`: what is a date far away.
  static absl::StatusOr<UnreadStates> Of(store::Store& store, absl::Time now);
  std::string Of(const ledger::PageRow& page) const;

 private:
  UnreadStates(std::optional<PageScope> scope, absl::Time now)
      : scope_(std::move(scope)), now_(now) {}

  std::optional<PageScope> scope_;  // nothing: nobody has said yet what to crawl
  absl::Time now_;
};

}  // namespace opic::node
