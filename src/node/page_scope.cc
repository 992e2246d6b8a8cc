#include "node/page_scope.h"

#include <utility>

#include "absl/time/civil_time.h"

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
    : scope_(crawl.MakeScope()), depth_max_(crawl.depth_max), traps_(crawl.traps) {
  for (const std::string& seed : crawl.seeds) {
    if (TrapAt(seed, now) != url::Trap::kNone) seeds_.insert(seed);
  }
}

PageScope::Verdict PageScope::Judge(const ledger::PageRow& page, absl::Time now) const {
  Verdict verdict;
  if (depth_max_ > 0 && page.depth > depth_max_) return verdict;
  std::optional<url::Url> url = url::Parse(page.url);
  if (!url || !scope_.Contains(*url)) return verdict;
  if (traps_ != url::TrapUse::kOff && !seeds_.contains(url->text()))
    verdict.trap = url::TrapOf(*url, YearOf(now));
  const bool skipped = traps_ == url::TrapUse::kSkip && url::IsCertain(verdict.trap);
  if (!skipped) verdict.url = std::move(url);
  return verdict;
}

}  // namespace opic::node
