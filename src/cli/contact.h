// Whether a crawl may begin without saying who is behind it.
#pragma once

#include "absl/status/status.h"
#include "cli/crawl_flags.h"

namespace opic::cli {

// A crawl without --contact is confined to loopback. InvalidArgument: the host of a seed, which is
// named, lies elsewhere or is not known. Each host is looked up once, until one lies elsewhere.
absl::Status RequireContact(const CrawlFlags& flags, node::CrawlOptions& options);

}  // namespace opic::cli
