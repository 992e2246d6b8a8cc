// Where redirects of robots.txt lead (RFC 9309 section 2.3.1.2).
#include <string>
#include <vector>

#include "tests/desk/robots_cache_fixture.h"

namespace opic::desk {
namespace {

TEST_F(RobotsCacheTest, ARedirectWithinTheHostIsFollowed) {
  EXPECT_FALSE(TellRedirect(page_, "/elsewhere.txt").settled);
  EXPECT_EQ(Wanted(page_), "http://a.test/elsewhere.txt");
  TellStatus(page_, 200, "User-agent: *\nDisallow: /page");
  EXPECT_FALSE(Allowed(page_));
}

TEST_F(RobotsCacheTest, ARedirectToAnotherHostTakesOverItsVerdict) {
  TellRedirect(page_, "http://b.test/robots.txt");
  EXPECT_EQ(Wanted(page_), "http://b.test/robots.txt");
  TellStatus(page_, 200, "User-agent: *\nDisallow: /page");
  EXPECT_FALSE(Allowed(page_));
  EXPECT_FALSE(Allowed("http://b.test/page"));  // learnt for that host too
}

TEST_F(RobotsCacheTest, AKnownVerdictOfTheOtherHostIsNotAskedForAgain) {
  TellStatus("http://b.test/", 200, "User-agent: *\nDisallow: /page");
  TellRedirect(page_, "http://b.test/robots.txt");
  EXPECT_FALSE(Allowed(page_));
}

TEST_F(RobotsCacheTest, ARedirectToAnotherPathOfAnotherHostHoldsHereOnly) {
  TellRedirect(page_, "http://b.test/rules.txt");
  EXPECT_EQ(Wanted(page_), "http://b.test/rules.txt");
  TellStatus(page_, 200, "User-agent: *\nDisallow: /page");
  EXPECT_FALSE(Allowed(page_));
  EXPECT_EQ(Wanted("http://b.test/page"), "http://b.test/robots.txt");
}

TEST_F(RobotsCacheTest, FiveRedirectsAreFollowedAndTheSixthMeansNoRules) {
  for (int hop = 1; hop <= 5; ++hop) {
    EXPECT_FALSE(TellRedirect(page_, "/" + std::to_string(hop)).settled) << hop;
  }
  EXPECT_EQ(Wanted(page_), "http://a.test/5");
  EXPECT_TRUE(TellRedirect(page_, "/6").settled);
  EXPECT_TRUE(Allowed(page_));
}

TEST_F(RobotsCacheTest, TwoHostsThatPointAtEachOtherEnd) {
  int requests = 0;
  while (!Wanted(page_).empty() && requests < 100) {
    ++requests;
    const bool at_a = Wanted(page_) == "http://a.test/robots.txt";
    TellRedirect(page_, at_a ? "http://b.test/robots.txt" : "http://a.test/robots.txt");
  }
  EXPECT_LE(requests, 12);
}

// As of a domain that leads to its "www." and from there to https: pages of it were postponed for
// ever, and the last of the three was asked again and again.
TEST_F(RobotsCacheTest, RedirectsAreFollowedFromOriginToOrigin) {
  const std::vector<std::string> trail = {"http://a.test", "http://b.test", "https://b.test",
                                          "https://b.test:8443", "https://c.test"};
  for (size_t i = 0; i + 1 < trail.size(); ++i) {
    EXPECT_EQ(Wanted(page_), trail[i] + "/robots.txt");
    TellRedirect(page_, trail[i + 1] + "/robots.txt");
  }
  EXPECT_EQ(Wanted(page_), "https://c.test/robots.txt");
  EXPECT_EQ(Wanted("https://b.test/"), "https://c.test/robots.txt");
  TellStatus(page_, 200, "User-agent: *\nDisallow: /page");
  for (const std::string& origin : trail) {
    EXPECT_FALSE(Allowed(origin + "/page")) << origin;
    EXPECT_TRUE(Allowed(origin + "/other")) << origin;
  }
}

TEST_F(RobotsCacheTest, AnOriginThatIsPassedMayLeadToAnotherPath) {
  TellRedirect(page_, "http://b.test/robots.txt");
  TellRedirect(page_, "/rules.txt");
  EXPECT_EQ(Wanted(page_), "http://b.test/rules.txt");
  TellStatus(page_, 200, "User-agent: *\nDisallow: /page");
  EXPECT_FALSE(Allowed(page_));
  EXPECT_FALSE(Allowed("http://b.test/page"));
}

TEST_F(RobotsCacheTest, NobodyAtTheLastOriginHoldsForAllOnTheWay) {
  TellRedirect(page_, "http://b.test/robots.txt");
  TellRedirect(page_, "https://b.test/robots.txt");
  for (int i = 0; i < 3; ++i) TellError(page_, fetch::Error::kTimeout);
  EXPECT_FALSE(Allowed(page_));
  EXPECT_EQ(Lookup(page_).unreachable, Failure::kTimeout);
  EXPECT_FALSE(Allowed("http://b.test/"));
}

TEST_F(RobotsCacheTest, AHostThatIsGivenUpOnTheWayHoldsForThoseBefore) {
  TellRedirect(page_, "http://b.test/robots.txt");
  TellRedirect(page_, "https://c.test/robots.txt");
  ASSERT_TRUE(cache_->GivenUp(UrlOf(page_), UrlOf(Wanted(page_)), now_).ok());
  EXPECT_FALSE(Allowed(page_));
  EXPECT_EQ(Lookup("https://c.test/").unreachable, Failure::kGivenUp);
}

TEST_F(RobotsCacheTest, ASixthOriginIsAskedAndNoSeventh) {
  for (int i = 1; i <= 5; ++i)
    TellRedirect(page_, "http://host" + std::to_string(i) + ".test/robots.txt");
  EXPECT_EQ(Wanted(page_), "http://host5.test/robots.txt");
  TellRedirect(page_, "http://host6.test/robots.txt");
  EXPECT_TRUE(Allowed(page_));
  EXPECT_EQ(Wanted("http://host6.test/"), "http://host6.test/robots.txt");
  // Those on the way are nearer to it: nobody who leads to them takes their rules away.
  for (int i = 1; i <= 5; ++i) {
    const std::string page = "http://host" + std::to_string(i) + ".test/";
    EXPECT_EQ(Wanted(page), "http://host6.test/robots.txt") << page;
  }
}

TEST_F(RobotsCacheTest, AVerdictIsTakenOverForAsLongAsItHoldsThere) {
  TellStatus("http://b.test/", 200, "User-agent: *\nDisallow: /page");
  now_ += absl::Hours(23);
  TellRedirect(page_, "http://b.test/robots.txt");
  EXPECT_FALSE(Allowed(page_));
  now_ += absl::Minutes(61);
  EXPECT_EQ(Wanted("http://b.test/"), "http://b.test/robots.txt");
  EXPECT_EQ(Wanted(page_), "http://a.test/robots.txt");
}

TEST_F(RobotsCacheTest, ARedirectThatLeadsNowhereMeansNoRules) {
  EXPECT_TRUE(TellRedirect(page_, "").settled);
  EXPECT_TRUE(TellRedirect("http://b.test/", "gopher://x/").settled);
  EXPECT_TRUE(Allowed(page_));
}

}  // namespace
}  // namespace opic::desk
