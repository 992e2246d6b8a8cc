#include "sample/build_web.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_format.h"
#include "base/encoding.h"
#include "base/rng.h"
#include "sample/web_links.h"

namespace opic::sample {
namespace {

absl::Status CheckOptions(const Options& options) {
  if (options.hosts < 1 || options.hosts > 10'000) {
    return absl::InvalidArgumentError("a sample web has 1 to 10,000 hosts");
  }
  if (options.pages < options.hosts || options.pages > 2'000'000) {
    return absl::InvalidArgumentError("a sample web has a page for each host, at most 2,000,000");
  }
  const double shares[] = {options.forbidden_share, options.redirect_share, options.dead_share};
  double sum = 0;
  for (const double share : shares) {
    if (!(share >= 0)) return absl::InvalidArgumentError("a share of pages is negative");
    sum += share;
  }
  if (!(sum <= 0.5)) return absl::InvalidArgumentError("the shares are more than half the pages");
  if (!(options.links_per_page >= 0 && options.links_per_page <= 1000)) {
    return absl::InvalidArgumentError("links per page must be 0 to 1,000");
  }
  return absl::OkStatus();
}

RobotsKind RobotsOf(uint32_t site) {
  if (site == 2) return RobotsKind::kCrawlDelay;
  constexpr RobotsKind kInTurn[] = {RobotsKind::kPrivate, RobotsKind::kMissing, RobotsKind::kOpen,
                                    RobotsKind::kPrivate};
  return kInTurn[site % 4];
}

// Sites of different sizes, the largest about three times the mean, and at least a page each.
void LayOutSites(const Options& options, base::Rng rng, Web& web) {
  std::vector<uint64_t> weights(options.hosts);
  uint64_t total = 0;
  for (uint64_t& weight : weights) total += weight = 2600 / (10 + rng.Below(100));
  const int digits = std::max<int>(2, std::to_string(options.hosts - 1).size());
  const uint64_t to_share = options.pages - options.hosts;
  uint64_t before = 0;
  uint32_t begin = 0;
  for (uint32_t i = 0; i < options.hosts; ++i) {
    before += weights[i];
    const uint32_t end = static_cast<uint32_t>(to_share * before / total) + i + 1;
    web.sites.push_back(
        {absl::StrFormat("site%0*u.sample.test", digits, i), RobotsOf(i), begin, end});
    for (uint32_t page = begin; page < end; ++page) web.pages.push_back({.site = i});
    begin = end;
  }
}

void PlaceDocuments(Web& web) {
  const Site& first = web.sites[0];
  if (first.end - first.front > 1) web.pages[first.front + 1].kind = PageKind::kSitemap;
  const Site& second = web.sites[1 % web.sites.size()];
  const uint32_t last = second.end - 1;
  if (last > second.front && web.pages[last].kind == PageKind::kHtml) {
    web.pages[last].kind = PageKind::kFeed;
  }
}

// Gives `kind` to `wanted` of the candidates, from the back of their shuffled list; candidates that
// do not suit keep their place.
void Assign(PageKind kind, uint64_t wanted, std::vector<uint32_t>& candidates, Web& web) {
  for (size_t i = candidates.size(); i-- > 0 && wanted > 0;) {
    const uint32_t page = candidates[i];
    if (kind == PageKind::kForbidden && web.SiteOf(page).robots != RobotsKind::kPrivate) continue;
    web.pages[page].kind = kind;
    candidates.erase(candidates.begin() + i);
    --wanted;
  }
}

void PlaceOddPages(const Options& options, base::Rng rng, Web& web) {
  std::vector<uint32_t> candidates;
  for (uint32_t page = 0; page < web.pages.size(); ++page) {
    const bool plain = web.pages[page].kind == PageKind::kHtml;
    if (plain && page != web.SiteOf(page).front) candidates.push_back(page);
  }
  for (size_t i = candidates.size(); i > 1; --i)
    std::swap(candidates[i - 1], candidates[rng.Below(i)]);
  const auto count = [&](double share) {
    return static_cast<uint64_t>(std::llround(share * options.pages));
  };
  Assign(PageKind::kForbidden, count(options.forbidden_share), candidates, web);
  Assign(PageKind::kRedirect, count(options.redirect_share), candidates, web);
  Assign(PageKind::kDead, count(options.dead_share), candidates, web);
}

std::string TargetOf(const Web& web, uint32_t page, base::Rng& rng) {
  const uint32_t number = page - web.SiteOf(page).front;
  constexpr const char* kFolders[] = {"/p/", "/p/archive/", "/docs/", "/news/2024/"};
  const std::string folder = kFolders[rng.Below(4)];
  if (number == 0) return "/";
  switch (web.pages[page].kind) {
    case PageKind::kForbidden:
      return absl::StrFormat("/private/%03u.html", number);
    case PageKind::kFeed:
      return "/feed.atom";
    case PageKind::kSitemap:
      return "/sitemap.xml";
    default:
      break;
  }
  if (rng.Below(40) == 0) return absl::StrFormat("/find?topic=%u&page=%u", number % 7, number);
  return absl::StrFormat("%s%03u.html", folder, number);
}

void NamePages(base::Rng rng, Web& web) {
  for (uint32_t page = 0; page < web.pages.size(); ++page) {
    web.pages[page].target = TargetOf(web, page, rng);
    web.by_address[web.SiteOf(page).host + web.pages[page].target] = page;
  }
}

}  // namespace

absl::StatusOr<Web> BuildWeb(const Options& options) {
  if (absl::Status status = CheckOptions(options); !status.ok()) return status;
  Web web;
  web.seed = options.seed;
  const auto chance = [&](std::string_view step) {
    return base::Rng(base::Hash64(step, options.seed));
  };
  LayOutSites(options, chance("sites"), web);
  PlaceDocuments(web);
  PlaceOddPages(options, chance("odd pages"), web);
  NamePages(chance("names"), web);
  web.links = DrawLinks(web, options.links_per_page, chance("links"));
  return web;
}

}  // namespace opic::sample
