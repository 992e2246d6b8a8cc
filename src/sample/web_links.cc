#include "sample/web_links.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "absl/container/flat_hash_set.h"
#include "graph/power_law.h"

namespace opic::sample {
namespace {

constexpr uint64_t kInsidePercent = 80;  // of the tries; hubs soon have all of their own site
constexpr uint32_t kFeedEntries = 20;

class LinkDrawing {
 public:
  LinkDrawing(const Web& web, base::Rng rng);
  graph::Graph Draw(double links_per_page);

 private:
  // Pages that have links of their own choice, of one site and of all.
  struct Sources {
    uint32_t begin, end;  // in sources_
  };
  uint32_t OneOf(Sources range) {
    return sources_[range.begin + rng_.Below(range.end - range.begin)];
  }
  Sources AllOfSite(uint32_t page) const { return by_site_[web_.pages[page].site]; }

  void LinkFrontPages();
  void LinkFromParent(uint32_t page);
  void LinkFromRedirect(uint32_t page);
  void LinkFromDocument(uint32_t page);
  void LinkByPowerLaw(uint64_t wanted);
  void LinkTo(uint32_t page, absl::Span<const uint32_t> linked, uint64_t wanted);

  const Web& web_;
  base::Rng rng_;
  std::vector<uint32_t> sources_;  // all HTML pages, ascending
  std::vector<Sources> by_site_;
  Sources everywhere_;
  std::vector<graph::Edge> edges_;
};

LinkDrawing::LinkDrawing(const Web& web, base::Rng rng) : web_(web), rng_(rng) {
  for (const Site& site : web.sites) {
    const uint32_t begin = static_cast<uint32_t>(sources_.size());
    for (uint32_t page = site.front; page < site.end; ++page) {
      if (web.pages[page].kind == PageKind::kHtml) sources_.push_back(page);
    }
    by_site_.push_back({begin, static_cast<uint32_t>(sources_.size())});
  }
  everywhere_ = {0, static_cast<uint32_t>(sources_.size())};
}

graph::Graph LinkDrawing::Draw(double links_per_page) {
  const uint32_t pages = static_cast<uint32_t>(web_.pages.size());
  LinkFrontPages();
  for (uint32_t page = 0; page < pages; ++page) {
    if (page != web_.SiteOf(page).front) LinkFromParent(page);
    const PageKind kind = web_.pages[page].kind;
    if (kind == PageKind::kRedirect) LinkFromRedirect(page);
    if (kind == PageKind::kFeed || kind == PageKind::kSitemap) LinkFromDocument(page);
  }
  const uint64_t wanted = std::llround(links_per_page * pages);
  if (wanted > edges_.size()) LinkByPowerLaw(wanted - edges_.size());
  return graph::Graph::FromEdges(pages, std::move(edges_));
}

// From the seed to all sites, and from every other page home.
void LinkDrawing::LinkFrontPages() {
  for (const Site& site : web_.sites) edges_.push_back({web_.sites[0].front, site.front});
  for (const uint32_t page : sources_) {
    if (rng_.Below(2) == 0) edges_.push_back({page, web_.SiteOf(page).front});
  }
}

// A parent has a lower number, so the front page is everybody's ancestor.
void LinkDrawing::LinkFromParent(uint32_t page) {
  const PageKind kind = web_.pages[page].kind;
  Sources older = AllOfSite(page);
  const auto first = sources_.begin();
  older.end =
      static_cast<uint32_t>(std::lower_bound(first + older.begin, first + older.end, page) - first);
  if (kind == PageKind::kFeed || kind == PageKind::kSitemap) older.end = older.begin + 1;
  edges_.push_back({OneOf(older), page});
}

void LinkDrawing::LinkFromRedirect(uint32_t page) {
  edges_.push_back({page, OneOf(rng_.Below(4) == 0 ? everywhere_ : AllOfSite(page))});
}

void LinkDrawing::LinkFromDocument(uint32_t page) {
  const Sources site = AllOfSite(page);
  edges_.push_back({page, web_.SiteOf(page).front});
  if (web_.pages[page].kind == PageKind::kFeed) {
    for (uint32_t i = 0; i < kFeedEntries; ++i) edges_.push_back({page, OneOf(site)});
  } else {
    for (uint32_t i = site.begin; i < site.end; ++i) edges_.push_back({page, sources_[i]});
  }
}

// Draws an in-degree for every page and scales them all, so that they add up to `wanted`.
void LinkDrawing::LinkByPowerLaw(uint64_t wanted) {
  const uint64_t most = std::max<uint64_t>(1, sources_.size() / 2);
  const graph::PowerLaw law(static_cast<uint32_t>(most));
  std::vector<uint64_t> degrees(web_.pages.size());
  for (uint64_t& degree : degrees) degree = law.Draw(rng_);
  const uint64_t drawn = std::accumulate(degrees.begin(), degrees.end(), uint64_t{0});
  const graph::Graph linked =
      graph::Graph::FromEdges(static_cast<uint32_t>(degrees.size()), edges_).Reversed();
  uint64_t before = 0;
  for (uint32_t page = 0; page < degrees.size(); ++page) {
    const uint64_t after = before + degrees[page];
    LinkTo(page, linked.LinksOf(page),
           std::min(most, after * wanted / drawn - before * wanted / drawn));
    before = after;
  }
}

// From `wanted` distinct pages beside those `linked` already, as far as some tries find them.
void LinkDrawing::LinkTo(uint32_t page, absl::Span<const uint32_t> linked, uint64_t wanted) {
  absl::flat_hash_set<uint32_t> sources(linked.begin(), linked.end());
  const uint64_t enough = linked.size() + wanted;
  for (uint64_t tries = 0; sources.size() < enough && tries < 8 * wanted + 16; ++tries) {
    const bool inside = rng_.Below(100) < kInsidePercent;
    const uint32_t source = OneOf(inside ? AllOfSite(page) : everywhere_);
    if (source != page && sources.insert(source).second) edges_.push_back({source, page});
  }
}

}  // namespace

graph::Graph DrawLinks(const Web& web, double links_per_page, base::Rng rng) {
  return LinkDrawing(web, rng).Draw(links_per_page);
}

}  // namespace opic::sample
