#include "links/robots_directives.h"

#include <gtest/gtest.h>

namespace opic::links {
namespace {

// "f" for nofollow, "i" for noindex.
std::string Header(std::string_view value) {
  Result result;
  ApplyRobotsHeader(value, "opic", result);
  return std::string(result.nofollow ? "f" : "") + (result.noindex ? "i" : "");
}

TEST(RobotsDirectives, HeaderIsReadWithoutRegardToCase) {
  EXPECT_EQ(Header("NoFollow"), "f");
  EXPECT_EQ(Header("noarchive,noindex"), "i");
  EXPECT_EQ(Header("none"), "fi");
  EXPECT_EQ(Header(""), "");
  EXPECT_EQ(Header("follow, nofollower"), "");
}

TEST(RobotsDirectives, AgentHoldsUpToTheNextOne) {
  EXPECT_EQ(Header("otherbot: nofollow, noindex"), "");
  EXPECT_EQ(Header("OPIC: nofollow, noindex"), "fi");
  EXPECT_EQ(Header("noindex, otherbot: nofollow"), "i");
  EXPECT_EQ(Header("otherbot: noindex, *: nofollow"), "f");
}

TEST(RobotsDirectives, AnAgentHoldsInItsLineOnly) {
  EXPECT_EQ(Header("otherbot: noindex\nnofollow"), "f");
  EXPECT_EQ(Header("opic: noindex\notherbot: nofollow"), "i");
}

TEST(RobotsDirectives, DirectivesWithValuesAreNoAgents) {
  EXPECT_EQ(Header("max-snippet: 20, nofollow"), "f");
  EXPECT_EQ(Header("unavailable_after: 25 Jun 2010 15:00:00 PST, noindex"), "i");
  EXPECT_EQ(Header("unavailable_after: Wednesday, 25-Jun-25 15:00:00 GMT, nofollow"), "f");
  EXPECT_EQ(Header("otherbot: unavailable_after: Wed, 25 Jun 2025 15:00:00 GMT, nofollow"), "");
}

}  // namespace
}  // namespace opic::links
