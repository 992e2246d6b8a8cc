// The sample web over time: what every page is at any moment, by the seed and the moment alone.
// Nothing is remembered and nothing replayed, so the order of questions does not matter, and
// whoever has the same options knows the truth.
//
// A change is an event of the page's own Poisson process. It gives an HTML page another text and,
// with the given probability, other targets to some of its links; links of the discovery tree
// (page_lives.h) stay until what they lead to is gone. A page also changes when it begins to link
// to a newcomer. Feeds list what changed last on their site and sitemaps what is there, with dates:
// they change with those pages. Redirects, dead pages and forbidden ones stay as they are.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "sample/options.h"
#include "sample/page_lives.h"
#include "sample/page_state.h"
#include "sample/web.h"

namespace opic::sample {

// Thread safety: immutable.
class ChangingWeb {
 public:
  // InvalidArgument: options that make no web (build_web.h); rates that are negative or above
  // 10,000; a spread above 5; shares above 1; a time factor not in (0, 1,000,000]; a start before
  // 2025, when the pages were not all made.
  static absl::StatusOr<ChangingWeb> Build(const Options& options);

  // All pages that there ever are; those of the beginning are the first, and web().links theirs.
  const Web& web() const { return web_; }
  // Times are the web's own; before the start all is as at the start. A web that never changes is
  // the one of BuildWeb at any time.
  PageState StateOf(uint32_t page, absl::Time now) const;

 private:
  // What became of an HTML page until a day.
  struct Past {
    std::vector<double> events;  // days of its own changes
    size_t newcomers = 0;        // of NewcomersOf(page), that it links to
    double last_day = 0;         // of its last change, or when it appeared
    uint64_t changes() const { return events.size() + newcomers; }
  };

  // A change of links, the `number`-th of the page's changes. Links are numbered as in
  // FirstLinksOf, newcomers behind.
  struct LinkEvent {
    size_t number;
    double day;
    size_t certain;
  };

  ChangingWeb(Web web, const Changes& changes);
  absl::Time TimeOf(double day) const { return changes_.start + absl::Hours(24) * day; }
  double DayOf(absl::Time now) const;
  double RateOf(uint32_t page) const;
  Past PastOf(uint32_t page, double day) const;
  std::vector<uint32_t> LinksOf(uint32_t page, const Past& past) const;
  std::vector<LinkEvent> LinkEventsOf(uint32_t page, const std::vector<double>& days,
                                      const std::vector<uint32_t>& first) const;
  uint32_t TargetOf(uint32_t page, size_t link, uint32_t first,
                    const std::vector<LinkEvent>& events) const;
  std::vector<uint32_t> FirstLinksOf(uint32_t page) const;
  uint32_t DrawTarget(uint32_t page, double day, uint64_t seed) const;
  PageState HtmlState(uint32_t page, double day) const;
  PageState SitemapState(uint32_t page, double day) const;
  PageState FeedState(uint32_t page, double day) const;
  std::vector<uint32_t> HtmlPagesOfSite(uint32_t site, double day) const;
  absl::Time FirstModifiedOf(uint32_t page) const;

  Changes changes_;
  Web web_;
  PageLives lives_;
  std::vector<std::vector<uint32_t>> newcomers_of_site_;  // ascending
  bool is_still_;
};

}  // namespace opic::sample
