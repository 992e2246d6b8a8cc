// How pages are fetched and read. Every field but `network` is an option of `opic crawl` with the
// same meaning (docs/operations.md).
#pragma once

#include <string>

#include "absl/time/time.h"
#include "desk/accept_list.h"
#include "desk/duplicate.h"
#include "desk/network_watch.h"
#include "fetch/fetcher.h"
#include "links/links.h"

namespace opic::desk {

struct DeskOptions {
  int workers = 1;                     // threads that read rows and parse
  std::string product_token = "opic";  // in robots.txt and meta tags
  links::Limits links;
  AcceptList accept;
  fetch::Options fetch;   // its `accept` and `wants` come from the list above, its jar from here
  NetworkLimits network;  // when the node's own network counts as lost; no options
  bool cookies =
      false;  // hosts' cookies are kept and sent (desk/cookie_keeper.h); not to robots.txt
  size_t cookie_bytes_max = 16 << 20;  // of them, in memory and on disk
  uint64_t bodies_bytes_max =
      128 << 20;                       // of answers, until they are parsed (fetch::Options::bodies)
  size_t robots_bytes_max = 64 << 20;  // RobotsCache::Options::remembered_bytes_max
  bool strip_tracking = false;         // url::StripTracking on every link
  bool canonical = true;               // pages pay their canonical page (desk/canonical.h)
  // Needs links::Limits::text_digest: without digests nothing is a duplicate.
  DuplicateUse duplicates = DuplicateUse::kMerge;
  // Needs links::Limits::text_sketch likewise (desk/near_text.h).
  DuplicateUse near_duplicates = DuplicateUse::kMerge;
  uint64_t fetch_log_bytes_max = 100 << 20;  // of fetches.jsonl, which is then begun anew; 0: never
  int fetch_log_files = 4;                   // older ones that are kept: fetches.jsonl.1, ...
  absl::Duration robots_lifetime = absl::Hours(24);
  absl::Duration robots_unreachable_lifetime = absl::Hours(1);
};

}  // namespace opic::desk
