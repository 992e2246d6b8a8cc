// Draws the synthetic web: its sites, its pages and their links.
#pragma once

#include "absl/status/statusor.h"
#include "sample/options.h"
#include "sample/web.h"

namespace opic::sample {

// InvalidArgument: no hosts, fewer pages than hosts, more than 10,000 hosts or 2,000,000 pages,
// shares that are negative or more than half of the pages, links_per_page not in 0 to 1,000.
// A web of only a few pages may lack the feed, the sitemap and some of the forbidden pages.
absl::StatusOr<Web> BuildWeb(const Options& options);

}  // namespace opic::sample
