// A small crawl under way, as it tells of itself.
#pragma once

#include "node/answers.h"

namespace opic::cli {

// Five pages: three read, one gone, one unread.
inline node::NodeStats Crawled() {
  node::NodeStats stats;
  stats.uptime = absl::Seconds(10);
  stats.loop.pages = 5;
  stats.loop.by_kind[static_cast<size_t>(ledger::VisitKind::kFetched)] = 3;
  stats.loop.by_kind[static_cast<size_t>(ledger::VisitKind::kGone)] = 1;
  stats.loop.unread = 1;
  stats.counters[desk::Counter::kRequests] = 4;
  stats.counters[desk::Counter::kHttpErrors] = 1;
  return stats;
}

}  // namespace opic::cli
