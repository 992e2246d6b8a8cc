// What the bound of the error is to come down to (ledger push): --error, and a quarter of that when
// nothing is left to fetch.
//
// Settling is cut off when the bound is low enough, wherever it stands. Pages of a site that are
// made from one template link to each other, and are equally important or nearly so; the one that
// was settled last is ahead by what it has passed on. One to three more visits a page leave a
// quarter of that, which is less than what sets such pages apart
// (docs/decisions/2026-11-26-restated-at-the-end.md). A crawl that goes on for ever has no end to
// do that at.
//
// Pure functions.
#pragma once

#include "node/crawl_options.h"

namespace opic::node {

inline constexpr double kErrorAtTheEnd = 0.25;  // of --error

inline double ErrorGoal(const CrawlOptions& options, bool fetching_over) {
  const bool ends = fetching_over && !options.refresh.on();
  return ends ? kErrorAtTheEnd * options.error_max : options.error_max;
}

}  // namespace opic::node
