#include "cli/seed_control.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

namespace opic::cli {
namespace {

using node::SeedOutcome;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(SeedControlTest, SaysOfEachWhatBecameOfIt) {
  SeedAnswers seeds({"http://a.test/", "b.test", "http://c.test/", "http://d.test/"});
  EXPECT_THAT(seeds.to_tell(), ElementsAre("http://a.test/", "http://c.test/", "http://d.test/"));
  EXPECT_TRUE(seeds.any_refused());
  seeds.Take({{SeedOutcome::kNew, ""},
              {SeedOutcome::kKnown, ""},
              {SeedOutcome::kOutOfScope, "left out by --include or --exclude"}});
  const std::string words = seeds.InWords();
  EXPECT_THAT(words, HasSubstr("new           http://a.test/\n"));
  EXPECT_THAT(words, HasSubstr("refused       b.test: "));
  EXPECT_THAT(words, HasSubstr("http://b.test/")) << "what may have been meant";
  EXPECT_THAT(words, HasSubstr("known         http://c.test/\n"));
  EXPECT_THAT(words, HasSubstr("out of scope  http://d.test/: left out by --include"));
  const auto json = seeds.ToJson();
  EXPECT_EQ(json.size(), 4u);
  EXPECT_EQ(json[0].dump(), R"({"url":"http://a.test/","outcome":"new"})");
  EXPECT_EQ(json[3]["outcome"], "out_of_scope");
  EXPECT_EQ(json[3]["reason"], "left out by --include or --exclude");
}

// Of a cluster every node answers, and the one that has the page knows.
TEST(SeedControlTest, TheNodeThatHasItKnows) {
  SeedAnswers seeds({"http://a.test/", "http://b.test/", "http://c.test/"});
  seeds.Take(
      {{SeedOutcome::kOtherNode, ""}, {SeedOutcome::kKnown, ""}, {SeedOutcome::kOtherNode, ""}});
  seeds.Take(
      {{SeedOutcome::kNew, ""}, {SeedOutcome::kOtherNode, ""}, {SeedOutcome::kOtherNode, ""}});
  EXPECT_EQ(seeds.InWords(),
            "new           http://a.test/\n"
            "known         http://b.test/\n"
            "other node    http://c.test/\n");
  EXPECT_FALSE(seeds.any_refused());
}

TEST(SeedControlTest, ManyAreCounted) {
  std::vector<std::string> urls;
  node::SeedResults results;
  for (int i = 0; i < 50; ++i) {
    urls.push_back("http://a.test/" + std::to_string(i));
    results.push_back({i == 7 ? SeedOutcome::kOutOfScope : SeedOutcome::kNew, i == 7 ? "why" : ""});
  }
  urls.push_back("mailto:anna@a.test");
  SeedAnswers seeds(urls);
  seeds.Take(results);
  const std::string words = seeds.InWords();
  EXPECT_THAT(words, HasSubstr("out of scope  http://a.test/7: why\n"));
  EXPECT_THAT(words, HasSubstr("refused       mailto:anna@a.test: not http or https\n"));
  EXPECT_THAT(words, Not(HasSubstr("http://a.test/8\n")));
  EXPECT_THAT(words, HasSubstr("51 seeds, 49 new, 1 out of scope, 1 refused\n"));
}

}  // namespace
}  // namespace opic::cli
