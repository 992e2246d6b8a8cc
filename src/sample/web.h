// The plan of the synthetic web: its sites, its pages and who links to whom. No bytes of pages, no
// network: `page_text.h` writes the pages, `answer.h` speaks HTTP, `sample_web.cc` serves.
//
//   site 0 --> front page of every site         (its front page is the seed)
//   every other page <-- an HTML page of its own site with a lower number
//
// so every page can be reached from the seed without passing a forbidden one. All further links
// are drawn so that the in-degrees follow a power law.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "graph/graph.h"

namespace opic::sample {

enum class PageKind : uint8_t {
  kHtml,
  kForbidden,  // under /private/, which the site's robots.txt disallows
  kRedirect,   // its one link is the target
  kDead,       // 404
  kFeed,       // Atom
  kSitemap,    // lists the HTML pages of its site; named in robots.txt and linked by the front page
};

enum class RobotsKind : uint8_t { kOpen, kPrivate, kCrawlDelay, kMissing };

struct Site {
  std::string host;
  RobotsKind robots;
  uint32_t front;  // its first page; the others follow up to `end`
  uint32_t end;
};

struct Page {
  uint32_t site;
  PageKind kind = PageKind::kHtml;
  std::string target;  // path and query
};

// Thread safety: immutable once built.
struct Web {
  uint64_t seed = 0;
  std::vector<Site> sites;
  std::vector<Page> pages;
  graph::Graph links;  // what a crawler finds: nothing from dead and forbidden pages
  absl::flat_hash_map<std::string, uint32_t> by_address;  // host + target -> page

  const Site& SiteOf(uint32_t page) const { return sites[pages[page].site]; }
  std::string UrlOf(uint32_t page) const;
  // A 64-bit draw that belongs to this page and `purpose`: the same for the same web.
  uint64_t DrawFor(uint32_t page, std::string_view purpose) const;
};

}  // namespace opic::sample
