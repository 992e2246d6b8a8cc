#include "node/page_scope.h"

#include <utility>

#include "absl/time/civil_time.h"
#include "base/status_macros.h"
#include "node/page_filter.h"

namespace opic::node {
namespace {

int YearOf(absl::Time now) {
  return static_cast<int>(absl::ToCivilYear(now, absl::UTCTimeZone()).year());
}

}  // namespace

url::Trap TrapAt(const std::string& url, absl::Time now) {
  const std::optional<url::Url> parsed = url::Parse(url);
  return parsed ? url::TrapOf(*parsed, YearOf(now)) : url::Trap::kNone;
}

PageScope::PageScope(const CrawlMemory& crawl, absl::Time now)
    : scope_(crawl.MakeScope()),
      depth_max_(crawl.depth_max),
      host_depths_(crawl.host_depths),
      traps_(crawl.traps) {
  for (const std::string& seed : crawl.seeds) {
    if (TrapAt(seed, now) != url::Trap::kNone) seeds_.insert(seed);
  }
}

// By the host's own line, or else its domain's.
bool PageScope::IsTooDeep(const ledger::PageRow& page, const url::Url& url) const {
  if (host_depths_.empty() || page.depth == 0) return false;
  std::string host(url.host());
  while (host.ends_with('.')) host.pop_back();
  auto most = host_depths_.find({false, host});
  if (most == host_depths_.end()) most = host_depths_.find({true, url::RegistrableDomain(host)});
  return most != host_depths_.end() && most->second > 0 && page.depth > most->second;
}

PageScope::Verdict PageScope::Judge(const ledger::PageRow& page, absl::Time now) const {
  Verdict verdict;
  if (depth_max_ > 0 && page.depth > depth_max_) return verdict;
  std::optional<url::Url> url = url::Parse(page.url);
  if (!url || !scope_.Contains(*url) || IsTooDeep(page, *url)) return verdict;
  if (traps_ != url::TrapUse::kOff && !seeds_.contains(url->text()))
    verdict.trap = url::TrapOf(*url, YearOf(now));
  const bool skipped = traps_ == url::TrapUse::kSkip && url::IsCertain(verdict.trap);
  if (!skipped) verdict.url = std::move(url);
  return verdict;
}

absl::StatusOr<UnreadStates> UnreadStates::Of(store::Store& store, absl::Time now) {
  ASSIGN_OR_RETURN(const CrawlMemory crawl, RecallCrawl(store));
  if (!crawl.given()) return UnreadStates(std::nullopt, now);
  return UnreadStates(PageScope(crawl, now), now);
}

std::string UnreadStates::Of(const ledger::PageRow& page) const {
  const bool left_out = scope_ && !scope_->Judge(page, now_).url;
  return std::string(left_out ? ledger::Name(ledger::VisitKind::kOutOfScope) : kUnreadState);
}

}  // namespace opic::node
