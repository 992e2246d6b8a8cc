#include "sample/changing_web.h"

#include <algorithm>
#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sample/answer.h"
#include "sample/href.h"

namespace opic::sample {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr absl::Time kStart = absl::FromUnixSeconds(1'800'000'000);  // in 2027
constexpr double kDays[] = {0.1, 0.5, 1, 2, 5, 9};

absl::Time Day(double days) { return kStart + absl::Hours(24) * days; }

Options Changing(Changes changes = {}) {
  changes.start = kStart;
  return {.pages = 600, .hosts = 6, .forbidden_share = 0.03, .changes = changes};
}

constexpr Changes kAll = {
    .change_rate = 0.5, .link_change = 0.5, .appear_rate = 0.05, .vanish_rate = 0.05};

ChangingWeb Built(const Options& options) { return *ChangingWeb::Build(options); }

std::vector<PageState> StatesOf(const ChangingWeb& web, double day) {
  std::vector<PageState> states;
  for (uint32_t page = 0; page < web.web().pages.size(); ++page) {
    states.push_back(web.StateOf(page, Day(day)));
    if (states.back().presence != Presence::kNotYet) continue;
    states.pop_back();
    break;
  }
  return states;
}

Answer Get(const ChangingWeb& web, uint32_t page, double day, Request request = {}) {
  request.host = web.web().SiteOf(page).host;
  request.target = web.web().pages[page].target;
  return AnswerTo(
      web.web(), [&](uint32_t each) { return web.StateOf(each, Day(day)); }, request);
}

std::string Header(const Answer& answer, const std::string& name) {
  for (const auto& [key, value] : answer.headers) {
    if (key == name) return value;
  }
  return "";
}

bool SameState(const PageState& a, const PageState& b) {
  return a.presence == b.presence && a.changes == b.changes && a.rate == b.rate &&
         a.modified == b.modified && a.reported == b.reported && a.links == b.links;
}

TEST(ChangingWeb, IsStillUnlessTold) {
  const ChangingWeb still = Built({.pages = 600, .hosts = 6});
  for (uint32_t page = 0; page < 600; ++page) {
    EXPECT_TRUE(SameState(still.StateOf(page, Day(1e4)), FirstState(still.web(), page)));
  }
}

TEST(ChangingWeb, BeginsAsTheStillOneByteForByte) {
  const ChangingWeb still = Built({.pages = 600, .hosts = 6, .forbidden_share = 0.03});
  const ChangingWeb web = Built(Changing(kAll));
  for (const double day : {-3.0, 0.0}) {
    for (uint32_t page = 0; page < 600; ++page) {
      const Answer one = Get(still, page, 0), other = Get(web, page, day);
      EXPECT_EQ(one.body, other.body) << web.web().UrlOf(page);
      EXPECT_EQ(one.headers, other.headers) << web.web().UrlOf(page);
    }
    EXPECT_EQ(Get(web, 600, day).status, 404);
  }
}

// Whoever asks, in whatever order, in whichever process: a restart goes on with the history.
TEST(ChangingWeb, IsTheSameWhateverWasAskedBefore) {
  const ChangingWeb web = Built(Changing(kAll)), again = Built(Changing(kAll));
  std::vector<std::vector<PageState>> forward;
  for (const double day : kDays) forward.push_back(StatesOf(web, day));
  for (size_t i = std::size(kDays); i-- > 0;) {
    for (size_t page = forward[i].size(); page-- > 0;) {
      EXPECT_TRUE(
          SameState(forward[i][page], again.StateOf(static_cast<uint32_t>(page), Day(kDays[i]))));
    }
  }
}

// 500 pages of mean 6: the mean of the counts has a standard error of 0.11, their variance of 0.4.
TEST(ChangingWeb, HasPagesThatChangeAtTheRateAsked) {
  const ChangingWeb web = Built(Changing({.change_rate = 2, .change_spread = 0}));
  double count = 0, sum = 0, squares = 0;
  for (uint32_t page = 0; page < 600; ++page) {
    if (web.web().pages[page].kind != PageKind::kHtml) continue;
    const PageState state = web.StateOf(page, Day(3));
    EXPECT_DOUBLE_EQ(state.rate, 2);
    ++count;
    sum += static_cast<double>(state.changes);
    squares += static_cast<double>(state.changes * state.changes);
  }
  const double mean = sum / count;
  EXPECT_GT(count, 500);
  EXPECT_NEAR(mean, 6, 4 * 0.11);
  EXPECT_NEAR(squares / count - mean * mean, 6, 4 * 0.4);
}

// What a page tells and what it says change together, and only then.
TEST(ChangingWeb, ChangesItsTextExactlyWhenItSaysSo) {
  const ChangingWeb web = Built(Changing(kAll));
  int changed = 0, links_changed = 0;
  for (uint32_t page = 0; page < 600; ++page) {
    const PageKind kind = web.web().pages[page].kind;
    if (kind == PageKind::kFeed || kind == PageKind::kSitemap) continue;
    const PageState before = web.StateOf(page, Day(1)), after = web.StateOf(page, Day(2));
    if (after.presence != Presence::kThere) continue;
    const bool same = before.changes == after.changes;
    EXPECT_EQ(same, before.modified == after.modified);
    EXPECT_EQ(same, after.modified <= Day(1));
    EXPECT_EQ(same, Get(web, page, 1).body == Get(web, page, 2).body);
    if (same) {
      EXPECT_EQ(before.links, after.links);
    }
    changed += !same;
    links_changed += before.links != after.links;
  }
  EXPECT_GT(changed, 100);
  EXPECT_GT(links_changed, 50);
  EXPECT_LT(links_changed, 0.8 * changed);
}

TEST(ChangingWeb, KeepsItsLinksIfOnlyTextsChange) {
  const ChangingWeb web = Built(Changing({.change_rate = 5, .link_change = 0}));
  for (uint32_t page = 0; page < 600; ++page) {
    if (web.web().pages[page].kind == PageKind::kFeed) continue;
    EXPECT_EQ(web.StateOf(page, Day(3)).links, FirstState(web.web(), page).links);
  }
}

// Links that came in between lead to pages that were there within that time.
TEST(ChangingWeb, LinksAnewOnlyToWhatExists) {
  const ChangingWeb web = Built(Changing(kAll));
  const std::vector<PageState> before = StatesOf(web, 5), after = StatesOf(web, 5.05);
  int came = 0, to_newcomers = 0;
  for (uint32_t page = 0; page < before.size(); ++page) {
    for (const uint32_t to : after[page].links) {
      if (std::binary_search(before[page].links.begin(), before[page].links.end(), to)) continue;
      ++came;
      to_newcomers += to >= 600;
      EXPECT_TRUE(to >= before.size() || before[to].presence == Presence::kThere);
    }
  }
  EXPECT_GT(came, 5);
  EXPECT_GT(to_newcomers, 0);
}

TEST(ChangingWeb, LeadsFromTheSeedToAllThatIsThere) {
  const ChangingWeb web = Built(Changing(kAll));
  for (const double day : kDays) {
    const std::vector<PageState> states = StatesOf(web, day);
    std::vector<bool> known(states.size());
    std::vector<uint32_t> reached = {0};
    known[0] = true;
    for (size_t i = 0; i < reached.size(); ++i) {
      for (const uint32_t to : states[reached[i]].links) {
        if (!known[to]) reached.push_back(to);
        known[to] = true;
      }
    }
    for (uint32_t page = 0; page < states.size(); ++page) {
      if (states[page].presence == Presence::kThere) {
        EXPECT_TRUE(known[page]) << web.web().UrlOf(page) << " on day " << day;
      }
    }
  }
}

// 600 x 0.1 x 9 = 540 newcomers, standard deviation 23.
TEST(ChangingWeb, GetsPagesAtTheRateAsked) {
  const ChangingWeb web = Built(Changing({.appear_rate = 0.1}));
  EXPECT_NEAR(static_cast<double>(StatesOf(web, 9).size()) - 600, 540, 4 * 23);
}

TEST(ChangingWeb, LosesPagesAtTheRateAsked) {
  const ChangingWeb web = Built(Changing({.vanish_rate = 0.1}));
  const Web& plan = web.web();
  double may_vanish = 0, gone = 0, linked = 0;
  const std::vector<PageState> states = StatesOf(web, 5), end = StatesOf(web, 1000);
  for (uint32_t page = 0; page < 600; ++page) {
    may_vanish += end[page].presence == Presence::kGone;
    gone += states[page].presence == Presence::kGone;
    if (states[page].presence != Presence::kGone) continue;
    EXPECT_THAT(states[page].links, IsEmpty());
    const int status = Get(web, page, 5).status;
    EXPECT_TRUE(status == 404 || status == 410) << plan.UrlOf(page);
  }
  for (const PageState& state : states) {
    for (const uint32_t to : state.links) linked += states[to].presence == Presence::kGone;
  }
  EXPECT_GT(may_vanish, 200);
  EXPECT_NEAR(gone, may_vanish * (1 - std::exp(-0.5)), 4 * std::sqrt(may_vanish * 0.24));
  EXPECT_GT(linked, gone);  // links lead to them as before
}

TEST(ChangingWeb, AnswersConditionalRequestsByWhatChangedSince) {
  const ChangingWeb web = Built(Changing(kAll));
  int unchanged = 0, changed = 0;
  for (uint32_t page = 0; page < 600; ++page) {
    const Answer first = Get(web, page, 1);
    if (first.status != 200 || Get(web, page, 2).status != 200) continue;
    const bool same = first.body == Get(web, page, 2).body;
    const int expected = same ? 304 : 200;
    (same ? unchanged : changed) += 1;
    EXPECT_EQ(Get(web, page, 2, {.if_none_match = Header(first, "ETag")}).status, expected);
    EXPECT_EQ(Get(web, page, 2, {.if_modified_since = Header(first, "Last-Modified")}).status,
              expected)
        << web.web().UrlOf(page);
  }
  EXPECT_GT(unchanged, 100);
  EXPECT_GT(changed, 100);
}

uint32_t FirstOf(const Web& web, PageKind kind) {
  uint32_t page = 0;
  while (web.pages.at(page).kind != kind) ++page;
  return page;
}

TEST(ChangingWeb, ListsInItsSitemapWhatIsThereWithItsDates) {
  const ChangingWeb web = Built(Changing(kAll));
  const uint32_t sitemap = FirstOf(web.web(), PageKind::kSitemap);
  const PageState state = web.StateOf(sitemap, Day(5));
  const std::string text = Get(web, sitemap, 5).body;
  bool newcomer = false;
  const size_t pages = StatesOf(web, 5).size();
  for (uint32_t page = 0; page < pages; ++page) {
    const bool html = web.web().pages[page].kind == PageKind::kHtml;
    if (!html || web.web().pages[page].site != web.web().pages[sitemap].site) continue;
    const PageState each = web.StateOf(page, Day(5));
    const bool there = each.presence == Presence::kThere;
    EXPECT_EQ(std::binary_search(state.links.begin(), state.links.end(), page), there);
    if (there) {
      EXPECT_LE(each.modified, state.modified);
      EXPECT_THAT(text, HasSubstr(Escaped(web.web().UrlOf(page)) + "</loc><lastmod>" +
                                  absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", *each.reported,
                                                   absl::UTCTimeZone())));
      newcomer |= page >= 600;
    }
  }
  EXPECT_TRUE(newcomer);
}

TEST(ChangingWeb, ListsInItsFeedWhatChangedLast) {
  const ChangingWeb web = Built(Changing(kAll));
  const uint32_t feed = FirstOf(web.web(), PageKind::kFeed);
  const PageState state = web.StateOf(feed, Day(5));
  EXPECT_EQ(state.links.size(), FirstState(web.web(), feed).links.size());
  absl::Time last = absl::InfinitePast();
  for (const uint32_t to : state.links) {
    if (to != web.web().SiteOf(feed).front) last = std::max(last, web.StateOf(to, Day(5)).modified);
  }
  EXPECT_GT(last, Day(4));
  EXPECT_GE(state.modified, last);
}

TEST(ChangingWeb, HasHostsThatLieAboutTheirDates) {
  Options options = Changing(kAll);
  options.hosts = 60;
  options.changes.lying_dates = 0.5;
  const ChangingWeb web = Built(options);
  int true_hosts = 0, missing = 0, now = 0, old = 0;
  for (const Site& site : web.web().sites) {
    const PageState state = web.StateOf(site.front, Day(50));  // has changed, not just now
    const absl::Time modified = absl::FromUnixSeconds(absl::ToUnixSeconds(state.modified));
    ASSERT_GT(state.changes, 0u);
    true_hosts += state.reported == modified;
    missing += !state.reported;
    now += state.reported == Day(50);
    old += state.reported == FirstModified(web.web(), site.front);
  }
  EXPECT_EQ(true_hosts + missing + now + old, 60);
  EXPECT_NEAR(true_hosts, 30, 4 * 3.9);
  EXPECT_GT(std::min({missing, now, old}), 0);
}

TEST(ChangingWeb, RefusesWhatMakesNoWeb) {
  const Changes bad[] = {{.change_rate = -1},  {.change_rate = std::nan("")},
                         {.change_spread = 6}, {.link_change = 1.1},
                         {.appear_rate = 1e5}, {.vanish_rate = -0.1},
                         {.lying_dates = 2},   {.time_factor = 0}};
  for (const Changes& changes : bad) {
    EXPECT_EQ(ChangingWeb::Build(Changing(changes)).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
  EXPECT_EQ(ChangingWeb::Build({.changes = {.change_rate = 1, .start = absl::UnixEpoch()}})
                .status()
                .code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace opic::sample
