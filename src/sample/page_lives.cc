#include "sample/page_lives.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_format.h"
#include "base/encoding.h"
#include "base/rng.h"
#include "sample/discovery_tree.h"
#include "sample/poisson_process.h"

namespace opic::sample {

PageLives::PageLives(const Changes& changes, Web& web)
    : vanish_rate_(changes.vanish_rate),
      seed_(base::Hash64("vanish", web.seed)),
      first_(static_cast<uint32_t>(web.pages.size())),
      parents_(ParentsOf(web)),
      may_vanish_(first_),
      newcomers_of_(first_),
      lasting_of_site_(web.sites.size()),
      gets_newcomers_(first_) {
  std::vector<bool> leads(first_);
  for (const uint32_t parent : parents_) leads[parent] = true;
  for (const Site& site : web.sites) leads[site.front] = true;
  for (uint32_t page = 0; page < first_; ++page) {
    if (web.pages[page].kind != PageKind::kHtml) continue;
    may_vanish_[page] = !leads[page];
    gets_newcomers_[page] = leads[page];
    lasting_of_site_[web.pages[page].site] += leads[page];
  }
  if (changes.appear_rate > 0) AddNewcomers(changes, web);
}

void PageLives::AddNewcomers(const Changes& changes, Web& web) {
  std::vector<uint32_t> lasting;
  for (uint32_t page = 0; page < first_; ++page) {
    if (gets_newcomers_[page]) lasting.push_back(page);
  }
  const double rate = changes.appear_rate * first_;
  rate_of_each_ = rate / static_cast<double>(lasting.size());
  const uint32_t count =
      std::min(kNewcomersTimes * first_, kAllPagesMax - std::min(first_, kAllPagesMax));
  begins_ = PoissonProcess(base::Hash64("newcomers", web.seed), rate).FirstEvents(count);
  base::Rng rng(base::Hash64("parents of newcomers", web.seed));
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t page = first_ + i, parent = lasting[rng.Below(lasting.size())];
    web.pages.push_back(
        {.site = web.pages[parent].site, .target = absl::StrFormat("/new/%06u.html", i)});
    web.by_address[web.SiteOf(page).host + web.pages[page].target] = page;
    parents_.push_back(parent);
    newcomers_of_[parent].push_back(page);
  }
  may_vanish_.resize(web.pages.size(), true);
  gets_newcomers_.resize(web.pages.size(), false);
  newcomers_of_.resize(web.pages.size());
}

double PageLives::End(uint32_t page) const {
  if (!may_vanish_[page]) return std::numeric_limits<double>::infinity();
  return Begin(page) + PoissonProcess(base::Mix64(seed_ ^ base::Mix64(page)), vanish_rate_).First();
}

uint32_t PageLives::PagesUntil(double day) const {
  const auto after = std::upper_bound(begins_.begin(), begins_.end(), day);
  return first_ + static_cast<uint32_t>(after - begins_.begin());
}

double PageLives::NewcomerRateOf(uint32_t parent) const {
  return gets_newcomers_[parent] ? rate_of_each_ : 0;
}

double PageLives::NewcomerRateOfSite(uint32_t site) const {
  return rate_of_each_ * lasting_of_site_[site];
}

}  // namespace opic::sample
