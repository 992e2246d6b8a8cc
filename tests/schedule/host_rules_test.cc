#include "schedule/host_rules.h"

#include <gtest/gtest.h>

namespace opic::schedule {
namespace {

TEST(HostRulesTest, ARuleOfAHostIsForThatHostAlone) {
  const HostRules rules({{.name = "www.example.org", .blocked = true}});
  EXPECT_NE(rules.BlockOf("www.example.org"), nullptr);
  for (const char* other : {"example.org", "a.www.example.org", "wwww.example.org", "org", ""})
    EXPECT_EQ(rules.BlockOf(other), nullptr) << other;
}

TEST(HostRulesTest, ARuleOfADomainIsForAllNamesBelowIt) {
  const HostRules rules({{.name = "example.org", .domain = true, .blocked = true}});
  for (const char* name : {"example.org", "www.example.org", "a.b.c.example.org"})
    EXPECT_NE(rules.BlockOf(name), nullptr) << name;
  for (const char* other : {"anexample.org", "example.org.test", "org", "example.com"})
    EXPECT_EQ(rules.BlockOf(other), nullptr) << other;
}

TEST(HostRulesTest, AFinalDotDoesNotEvadeABlock) {
  const HostRules rules({{.name = "example.org", .blocked = true},
                         {.name = "example.com", .domain = true, .blocked = true}});
  EXPECT_NE(rules.BlockOf("example.org."), nullptr);
  EXPECT_NE(rules.BlockOf("www.example.com."), nullptr);
}

TEST(HostRulesTest, TheNearestRuleSaysTheDelay) {
  const HostRules rules(
      {{.name = "www.example.org", .delay = absl::Seconds(5)},
       {.name = "www.example.org", .domain = true, .delay = absl::Seconds(6)},
       {.name = "example.org", .domain = true, .blocked = true, .delay = absl::Seconds(7)}});
  EXPECT_EQ(rules.DelayOf("www.example.org"), absl::Seconds(5));
  EXPECT_EQ(rules.DelayOf("a.www.example.org"), absl::Seconds(6));
  EXPECT_EQ(rules.DelayOf("b.example.org"), absl::Seconds(7));
  EXPECT_EQ(rules.DelayOf("example.com"), std::nullopt);
}

TEST(HostRulesTest, ABlockOfTheDomainHoldsBesideARuleOfTheHost) {
  const HostRules rules({{.name = "www.example.org", .delay = absl::Seconds(5)},
                         {.name = "example.org", .domain = true, .blocked = true}});
  ASSERT_NE(rules.BlockOf("www.example.org"), nullptr);
  EXPECT_EQ(rules.BlockOf("www.example.org")->name, "example.org");
  EXPECT_EQ(rules.DelayOf("www.example.org"), absl::Seconds(5));
}

TEST(HostRulesTest, WithoutRulesNothingIsBlocked) {
  const HostRules rules;
  EXPECT_TRUE(rules.empty());
  EXPECT_EQ(rules.BlockOf("example.org"), nullptr);
  EXPECT_EQ(rules.DelayOf("example.org"), std::nullopt);
}

TEST(HostRulesTest, ABudgetIsOfTheNameThatItsRuleSays) {
  const HostRules rules(
      {{.name = "example.org", .pages = 1}, {.name = "example.org", .domain = true, .pages = 2}});
  EXPECT_TRUE(rules.any_budget());
  EXPECT_EQ(rules.Find("example.org", false)->pages, 1u);
  EXPECT_EQ(rules.Find("example.org", true)->pages, 2u);
  EXPECT_EQ(rules.Find("www.example.org", false), nullptr);
  EXPECT_EQ(rules.Find("www.example.org", true), nullptr);
  EXPECT_FALSE(HostRules({{.name = "a.test", .blocked = true}}).any_budget());
}

}  // namespace
}  // namespace opic::schedule
