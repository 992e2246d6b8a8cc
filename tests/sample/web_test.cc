#include <algorithm>
#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sample/build_web.h"

namespace opic::sample {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

Web Built(const Options& options = {}) { return *BuildWeb(options); }

size_t CountOf(const Web& web, PageKind kind) {
  return std::count_if(web.pages.begin(), web.pages.end(),
                       [&](const Page& page) { return page.kind == kind; });
}

TEST(Web, HasAsManyPagesOfEachKindAsAsked) {
  const Web web = Built();
  EXPECT_THAT(web.pages, SizeIs(5000));
  EXPECT_THAT(web.sites, SizeIs(100));
  EXPECT_EQ(CountOf(web, PageKind::kForbidden), 50u);
  EXPECT_EQ(CountOf(web, PageKind::kRedirect), 100u);
  EXPECT_EQ(CountOf(web, PageKind::kDead), 50u);
  EXPECT_EQ(CountOf(web, PageKind::kFeed), 1u);
  EXPECT_EQ(CountOf(web, PageKind::kSitemap), 1u);
}

TEST(Web, GivesEveryPageAnAddressOfItsOwn) {
  const Web web = Built();
  EXPECT_THAT(web.by_address, SizeIs(5000));
  EXPECT_EQ(web.UrlOf(web.by_address.at("site07.sample.test/")), "http://site07.sample.test/");
}

TEST(Web, IsTheSameForTheSameOptionsOnly) {
  const Web web = Built(), again = Built(), other = Built({.seed = 2});
  EXPECT_EQ(web.links, again.links);
  EXPECT_EQ(web.by_address, again.by_address);
  EXPECT_NE(web.links, other.links);
}

TEST(Web, ForbidsOnlyWhatItsRobotsTxtForbids) {
  const Web web = Built();
  for (uint32_t page = 0; page < web.pages.size(); ++page) {
    const bool hidden = web.pages[page].target.starts_with("/private/");
    EXPECT_EQ(hidden, web.pages[page].kind == PageKind::kForbidden);
    if (hidden) {
      EXPECT_EQ(web.SiteOf(page).robots, RobotsKind::kPrivate);
    }
  }
}

TEST(Web, LinksFromEachKindAsItsAnswerDoes) {
  const Web web = Built();
  for (uint32_t page = 0; page < web.pages.size(); ++page) {
    const PageKind kind = web.pages[page].kind;
    const auto links = web.links.LinksOf(page);
    if (kind == PageKind::kDead || kind == PageKind::kForbidden) {
      EXPECT_THAT(links, IsEmpty());
    }
    if (kind == PageKind::kRedirect) {
      EXPECT_THAT(links, SizeIs(1));
    }
  }
}

TEST(Web, HasTheMeanNumberOfLinksAsked) {
  for (const double mean : {4.0, 8.0, 12.0}) {
    const Web web = Built({.links_per_page = mean});
    EXPECT_NEAR(static_cast<double>(web.links.links()) / web.pages.size(), mean, 0.05 * mean);
  }
}

TEST(Web, LinksMostlyInsideASite) {
  const Web web = Built();
  const std::vector<graph::Edge> edges = web.links.Edges();
  const auto inside = std::count_if(edges.begin(), edges.end(), [&](graph::Edge edge) {
    return web.pages[edge.from].site == web.pages[edge.to].site;
  });
  EXPECT_GT(inside, 0.5 * edges.size());
  EXPECT_LT(inside, 0.8 * edges.size());
}

// A power law of exponent 2.1 has P(degree >= k) ~ k^-1.1: a straight line of that slope on paper
// with two logarithmic scales.
TEST(Web, HasInDegreesThatFallAsAPowerLawDoes) {
  std::vector<uint32_t> degrees = Built({.pages = 20'000}).links.InDegrees();
  std::sort(degrees.rbegin(), degrees.rend());
  const double ratio = static_cast<double>(degrees[200]) / degrees[4000];
  EXPECT_NEAR(std::log(200.0 / 4000) / std::log(ratio), -1.1, 0.2);
  EXPECT_GT(degrees.front(), 1000u);
  EXPECT_GE(degrees.back(), 1u);
}

size_t ReachedFromSeed(const Web& web) {
  std::vector<bool> known(web.pages.size(), false);
  std::vector<uint32_t> reached = {web.sites[0].front};
  known[reached[0]] = true;
  for (size_t i = 0; i < reached.size(); ++i) {
    for (const uint32_t to : web.links.LinksOf(reached[i])) {
      if (!known[to]) reached.push_back(to);
      known[to] = true;
    }
  }
  return reached.size();
}

// Without links drawn by the power law, which would reach nearly every page by themselves.
TEST(Web, LeadsFromTheSeedToEveryPageHoweverFewLinksAreAsked) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const Web web = Built({.seed = seed,
                           .pages = 500,
                           .hosts = 10,
                           .links_per_page = 0,
                           .forbidden_share = 0.1,
                           .redirect_share = 0.2,
                           .dead_share = 0.1});
    EXPECT_EQ(ReachedFromSeed(web), 500u) << seed;
  }
}

TEST(Web, CanBeAsSmallAsOnePage) {
  EXPECT_EQ(Built({.pages = 1, .hosts = 1}).links.links(), 0u);
  for (uint32_t pages = 2; pages < 60; ++pages) {
    const Web web = Built({.seed = pages, .pages = pages, .hosts = 1 + pages / 5});
    EXPECT_THAT(web.by_address, SizeIs(pages));
  }
}

TEST(Web, RefusesOptionsThatMakeNoWeb) {
  const Options bad[] = {{.hosts = 0},
                         {.pages = 99},
                         {.hosts = 10'001},
                         {.pages = 2'000'001},
                         {.links_per_page = -1},
                         {.links_per_page = 1001},
                         {.forbidden_share = -0.1},
                         {.redirect_share = 0.3, .dead_share = 0.3},
                         {.dead_share = std::nan("")}};
  for (const Options& options : bad) {
    EXPECT_EQ(BuildWeb(options).status().code(), absl::StatusCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace opic::sample
