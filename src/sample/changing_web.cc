#include "sample/changing_web.h"

#include <algorithm>
#include <string_view>
#include <tuple>

#include "base/encoding.h"
#include "base/rng.h"
#include "sample/build_web.h"
#include "sample/lying_dates.h"
#include "sample/poisson_process.h"

namespace opic::sample {
namespace {

constexpr uint64_t kOneLinkIn = 4;  // a change of links gives another target to this part of them
constexpr int kTargetTries = 64;

bool IsShare(double value) { return value >= 0 && value <= 1; }

absl::Status Check(const Changes& changes) {
  for (const double rate : {changes.change_rate, changes.appear_rate, changes.vanish_rate}) {
    if (!(rate >= 0 && rate <= 10'000)) {
      return absl::InvalidArgumentError("rates of a sample web are 0 to 10,000 a day");
    }
  }
  if (!(changes.change_spread >= 0 && changes.change_spread <= 5)) {
    return absl::InvalidArgumentError("the spread of change rates must be 0 to 5");
  }
  if (!IsShare(changes.link_change) || !IsShare(changes.lying_dates)) {
    return absl::InvalidArgumentError(
        "the parts of changes that change links and of hosts that lie must be 0 to 1");
  }
  if (!(changes.time_factor > 0 && changes.time_factor <= 1e6)) {
    return absl::InvalidArgumentError("a time factor must be above 0 and at most 1,000,000");
  }
  return absl::OkStatus();
}

bool IsStill(const Changes& changes) {
  return changes.change_rate == 0 && changes.appear_rate == 0 && changes.vanish_rate == 0;
}

uint64_t SeedOf(const Web& web, uint32_t page, std::string_view purpose, uint64_t event,
                uint64_t link) {
  return base::Mix64(base::Mix64(web.DrawFor(page, purpose) ^ event) ^ link);
}

}  // namespace

absl::StatusOr<ChangingWeb> ChangingWeb::Build(const Options& options) {
  if (absl::Status status = Check(options.changes); !status.ok()) return status;
  if (!IsStill(options.changes) &&
      options.changes.start < absl::FromCivil(absl::CivilYear(2025), absl::UTCTimeZone())) {
    return absl::InvalidArgumentError(
        "a sample web cannot begin to change before 2025: its pages are of 2024");
  }
  absl::StatusOr<Web> web = BuildWeb(options);
  if (!web.ok()) return web.status();
  return ChangingWeb(*std::move(web), options.changes);
}

ChangingWeb::ChangingWeb(Web web, const Changes& changes)
    : changes_(changes),
      web_(std::move(web)),
      lives_(changes, web_),
      newcomers_of_site_(web_.sites.size()),
      is_still_(IsStill(changes)) {
  for (uint32_t page = lives_.first_newcomer(); page < web_.pages.size(); ++page) {
    newcomers_of_site_[web_.pages[page].site].push_back(page);
  }
}

double ChangingWeb::DayOf(absl::Time now) const {
  return std::max(0.0, absl::FDivDuration(now - changes_.start, absl::Hours(24)));
}

absl::Time ChangingWeb::FirstModifiedOf(uint32_t page) const {
  return page < lives_.first_newcomer() ? FirstModified(web_, page) : TimeOf(lives_.Begin(page));
}

double ChangingWeb::RateOf(uint32_t page) const {
  if (web_.pages[page].kind != PageKind::kHtml) return 0;
  return DrawRate(web_.DrawFor(page, "change rate"), changes_.change_rate, changes_.change_spread);
}

ChangingWeb::Past ChangingWeb::PastOf(uint32_t page, double day) const {
  Past past;
  past.last_day = lives_.Begin(page);
  const double until = std::min(day, lives_.End(page));
  past.events = PoissonProcess(web_.DrawFor(page, "changes"), RateOf(page))
                    .EventsUntil(until - lives_.Begin(page));
  for (double& event : past.events) event += lives_.Begin(page);
  if (!past.events.empty()) past.last_day = past.events.back();
  const std::vector<uint32_t>& newcomers = lives_.NewcomersOf(page);
  while (past.newcomers < newcomers.size() && lives_.Begin(newcomers[past.newcomers]) <= until) {
    past.last_day = std::max(past.last_day, lives_.Begin(newcomers[past.newcomers++]));
  }
  return past;
}

// Half of the targets as the web's own links go, to where many lead already; half anywhere.
uint32_t ChangingWeb::DrawTarget(uint32_t page, double day, uint64_t seed) const {
  base::Rng rng(seed);
  const uint32_t pages = lives_.PagesUntil(day);
  for (int i = 0; i < kTargetTries; ++i) {
    uint32_t to = static_cast<uint32_t>(rng.Below(pages));
    if (rng.Below(2) == 0 && to < lives_.first_newcomer()) {
      const auto links = web_.links.LinksOf(to);
      if (!links.empty()) to = links[rng.Below(links.size())];
    }
    if (to != page && web_.pages[to].kind != PageKind::kDead && lives_.IsThere(to, day)) return to;
  }
  return web_.SiteOf(page).front;
}

std::vector<uint32_t> ChangingWeb::FirstLinksOf(uint32_t page) const {
  if (page < lives_.first_newcomer()) {
    const auto links = web_.links.LinksOf(page);
    return {links.begin(), links.end()};
  }
  const double mean = static_cast<double>(web_.links.links()) / lives_.first_newcomer();
  base::Rng rng(web_.DrawFor(page, "number of links"));
  std::vector<uint32_t> links(1 + rng.Below(1 + static_cast<uint64_t>(2 * mean)));
  for (size_t i = 0; i < links.size(); ++i) {
    links[i] = DrawTarget(page, lives_.Begin(page), SeedOf(web_, page, "first targets", 0, i));
  }
  return links;
}

// Events that change links, each with a link that it touches in any case. Links of the tree are not
// among these.
std::vector<ChangingWeb::LinkEvent> ChangingWeb::LinkEventsOf(
    uint32_t page, const std::vector<double>& days, const std::vector<uint32_t>& first) const {
  std::vector<size_t> free;
  for (size_t link = 0; link < first.size(); ++link) {
    if (lives_.ParentOf(first[link]) != page) free.push_back(link);
  }
  std::vector<LinkEvent> events;
  for (size_t i = 0; i < days.size(); ++i) {
    base::Rng rng(SeedOf(web_, page, "changes links", i, 0));
    if (rng.Uniform() >= changes_.link_change) continue;
    events.push_back({i, days[i], free.empty() ? first.size() : free[rng.Below(free.size())]});
  }
  return events;
}

// What a link leads to that led to `first`: as the last event left it which touched it, found from
// the end. A link of the tree is let alone as long as there is what it leads to.
uint32_t ChangingWeb::TargetOf(uint32_t page, size_t link, uint32_t first,
                               const std::vector<LinkEvent>& events) const {
  const double free_from = lives_.ParentOf(first) == page ? lives_.End(first) : 0;
  for (size_t i = events.size(); i-- > 0 && events[i].day >= free_from;) {
    const uint64_t draw = SeedOf(web_, page, "touched links", events[i].number, link);
    if (events[i].certain != link && draw % kOneLinkIn != 0) continue;
    return DrawTarget(page, events[i].day, base::Mix64(draw));
  }
  return first;
}

std::vector<uint32_t> ChangingWeb::LinksOf(uint32_t page, const Past& past) const {
  std::vector<uint32_t> links = FirstLinksOf(page);
  const std::vector<LinkEvent> events = LinkEventsOf(page, past.events, links);
  const std::vector<uint32_t>& newcomers = lives_.NewcomersOf(page);
  links.insert(links.end(), newcomers.begin(), newcomers.begin() + past.newcomers);
  for (size_t i = 0; i < links.size(); ++i) links[i] = TargetOf(page, i, links[i], events);
  std::sort(links.begin(), links.end());
  links.erase(std::unique(links.begin(), links.end()), links.end());
  links.erase(std::remove(links.begin(), links.end(), page), links.end());
  return links;
}

PageState ChangingWeb::HtmlState(uint32_t page, double day) const {
  PageState state;
  if (day < lives_.Begin(page)) return {.presence = Presence::kNotYet};
  const Past past = PastOf(page, day);
  state.changes = past.changes();
  if (day >= lives_.End(page)) {
    state.presence = Presence::kGone;
    state.modified = TimeOf(lives_.End(page));
    return state;
  }
  state.rate = RateOf(page) + lives_.NewcomerRateOf(page);
  state.modified = past.changes() == 0 ? FirstModifiedOf(page) : TimeOf(past.last_day);
  state.links = LinksOf(page, past);
  return state;
}

// All that there were until the day, gone or not.
std::vector<uint32_t> ChangingWeb::HtmlPagesOfSite(uint32_t site, double day) const {
  std::vector<uint32_t> pages;
  for (uint32_t page = web_.sites[site].front; page < web_.sites[site].end; ++page) {
    if (web_.pages[page].kind == PageKind::kHtml) pages.push_back(page);
  }
  for (const uint32_t page : newcomers_of_site_[site]) {
    if (lives_.Begin(page) <= day) pages.push_back(page);
  }
  return pages;
}

// Changes with every page of its site, whose dates and presence it tells.
PageState ChangingWeb::SitemapState(uint32_t page, double day) const {
  PageState state;
  const uint32_t site = web_.pages[page].site;
  double last = 0;
  state.rate = lives_.NewcomerRateOfSite(site);
  for (const uint32_t each : HtmlPagesOfSite(site, day)) {
    const Past past = PastOf(each, day);
    state.changes += past.events.size() + (each >= lives_.first_newcomer());
    last = std::max(last, past.last_day);
    if (lives_.IsThere(each, day)) {
      state.links.push_back(each);
      state.rate += RateOf(each) + (lives_.MayVanish(each) ? changes_.vanish_rate : 0);
    } else {
      ++state.changes;
      last = std::max(last, lives_.End(each));
    }
  }
  state.modified = state.changes == 0 ? FirstModified(web_, page) : TimeOf(last);
  return state;
}

// The pages that changed or appeared last, as many as it had at the beginning. That one of them is
// gone is no news.
PageState ChangingWeb::FeedState(uint32_t page, double day) const {
  PageState state;
  const uint32_t site = web_.pages[page].site, front = web_.SiteOf(page).front;
  const std::vector<uint32_t> first = FirstLinksOf(page);
  struct Entry {
    double last;
    bool later;  // was not among the first ones
    uint32_t page;
    bool operator<(const Entry& other) const {
      return std::tie(other.last, later, page) < std::tie(last, other.later, other.page);
    }
  };
  std::vector<Entry> entries;
  double last = 0;
  state.rate = lives_.NewcomerRateOfSite(site);
  for (const uint32_t each : HtmlPagesOfSite(site, day)) {
    const Past past = PastOf(each, day);
    state.changes += past.events.size() + (each >= lives_.first_newcomer());
    last = std::max(last, past.last_day);
    if (lives_.IsThere(each, day)) state.rate += RateOf(each);
    const bool later = !std::binary_search(first.begin(), first.end(), each);
    if (each != front) entries.push_back({past.last_day, later, each});
  }
  std::sort(entries.begin(), entries.end());
  const size_t count = first.size() - 1;  // without the front page
  if (entries.size() > count) entries.resize(count);
  state.links.push_back(front);
  for (const Entry& entry : entries) state.links.push_back(entry.page);
  std::sort(state.links.begin(), state.links.end());
  state.modified = state.changes == 0 ? FirstModified(web_, page) : TimeOf(last);
  return state;
}

PageState ChangingWeb::StateOf(uint32_t page, absl::Time now) const {
  const PageKind kind = is_still_ ? PageKind::kDead : web_.pages[page].kind;
  PageState state = kind == PageKind::kHtml      ? HtmlState(page, DayOf(now))
                    : kind == PageKind::kSitemap ? SitemapState(page, DayOf(now))
                    : kind == PageKind::kFeed    ? FeedState(page, DayOf(now))
                                                 : FirstState(web_, page);
  state.reported = ReportedDate(HabitOf(web_, web_.pages[page].site, changes_.lying_dates),
                                state.modified, FirstModifiedOf(page), now);
  return state;
}

}  // namespace opic::sample
