// What the order desk did so far in this process. Thread safety: synchronised inside; read at any
// time, each number by itself.
#pragma once

#include <atomic>
#include <cstdint>

#include "fetch/fetcher.h"
#include "links/links.h"

namespace opic::node {

struct DeskCounters {
  std::atomic<uint64_t> requests = 0, robots_requests = 0, wire_bytes = 0, body_bytes = 0;
  std::atomic<uint64_t> transient = 0, network_errors = 0, http_errors = 0, too_large = 0,
                        scanner_pages = 0;
  std::atomic<uint64_t> links_found = 0, links_rejected = 0, forbidden = 0;

  // The answer to a request for a page, or a robots.txt.
  void Count(const fetch::Response& response, bool robots);
  void Count(const links::Result& document);
};

}  // namespace opic::node
