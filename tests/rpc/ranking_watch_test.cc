#include "rpc/ranking_watch.h"

#include <gmock/gmock.h>

namespace opic::rpc {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

node::PageImportance PageOf(const std::string& url, double importance) {
  node::PageImportance page;
  page.url = url;
  page.known = true;
  page.importance = importance;
  page.state = "fetched";
  return page;
}

node::Answers::TopPages TopOf(const std::vector<std::pair<std::string, double>>& pages) {
  node::Answers::TopPages top;
  for (const auto& [url, importance] : pages) top.pages.push_back(PageOf(url, importance));
  top.known = 100;
  top.error_bound = 0.5;
  return top;
}

// "2 (was 1) http://a/"
std::vector<std::string> Words(const std::vector<RankChange>& changes) {
  std::vector<std::string> words;
  for (const RankChange& change : changes) {
    words.push_back(std::to_string(change.rank) + " (was " + std::to_string(change.before) + ") " +
                    change.page.url);
  }
  return words;
}

TEST(RankingWatchTest, FirstAllThenWhatChanges) {
  RankingWatch watch({.count = 3});
  const auto first = watch.Look(TopOf({{"a", 0.4}, {"b", 0.3}, {"c", 0.2}, {"d", 0.1}}), {});
  ASSERT_TRUE(first);
  EXPECT_TRUE(first->complete);
  EXPECT_EQ(first->known, 100u);
  EXPECT_EQ(first->error_bound, 0.5);
  EXPECT_THAT(Words(first->top), ElementsAre("1 (was 0) a", "2 (was 0) b", "3 (was 0) c"));
  // A hundredth is the least; what is beyond the best three is not watched.
  EXPECT_FALSE(watch.Look(TopOf({{"a", 0.403}, {"b", 0.3}, {"c", 0.2}, {"e", 0.15}}), {}));
  const auto second = watch.Look(TopOf({{"a", 0.403}, {"d", 0.35}, {"b", 0.3}, {"c", 0.2}}), {});
  ASSERT_TRUE(second);
  EXPECT_FALSE(second->complete);
  EXPECT_THAT(Words(second->top), ElementsAre("2 (was 0) d", "3 (was 2) b", "0 (was 3) c"));
}

// Many small steps are one large one: the difference is from what was told.
TEST(RankingWatchTest, SmallChangesAddUp) {
  RankingWatch watch({.count = 1, .least_change = 0.1});
  ASSERT_TRUE(watch.Look(TopOf({{"a", 0.1}}), {}));
  EXPECT_FALSE(watch.Look(TopOf({{"a", 0.105}}), {}));
  EXPECT_FALSE(watch.Look(TopOf({{"a", 0.109}}), {}));
  const auto changes = watch.Look(TopOf({{"a", 0.112}}), {});
  ASSERT_TRUE(changes);
  EXPECT_THAT(Words(changes->top), ElementsAre("1 (was 1) a"));
  EXPECT_EQ(changes->top[0].page.importance, 0.112);
}

TEST(RankingWatchTest, URLsAreWatchedWhereverTheyStand) {
  RankingWatch watch({.count = 0, .urls = {"a", "b"}});
  node::PageImportance unknown;
  unknown.url = "b";
  std::vector<node::PageImportance> pages = {PageOf("a", 0.1), unknown};
  auto changes = watch.Look({}, pages);
  ASSERT_TRUE(changes);
  EXPECT_EQ(changes->pages.size(), 2u);
  EXPECT_FALSE(watch.Look({}, pages));
  pages[1] = PageOf("b", 0.001);
  changes = watch.Look({}, pages);
  ASSERT_TRUE(changes);
  ASSERT_EQ(changes->pages.size(), 1u);
  EXPECT_EQ(changes->pages[0].url, "b");
  pages[0].state = "gone";
  changes = watch.Look({}, pages);
  ASSERT_TRUE(changes);
  EXPECT_EQ(changes->pages[0].url, "a");
}

// Else pages of a node that is away would leave the ranking, and come back with it.
TEST(RankingWatchTest, WhatANodeThatIsAwayHasStaysAsItWas) {
  RankingWatch watch({.count = 2, .urls = {"a"}});
  const std::vector<node::PageImportance> own = {PageOf("a", 0.4)};
  ASSERT_TRUE(watch.Look(TopOf({{"a", 0.4}, {"b", 0.3}}), own));
  node::Answers::TopPages part = TopOf({{"b", 0.3}});
  part.missing = {"n1"};
  node::PageImportance unanswered;
  unanswered.url = "a";
  unanswered.unanswered_by = "n1";
  const std::vector<node::PageImportance> nothing = {unanswered};
  const auto partial = watch.Look(part, nothing);
  ASSERT_TRUE(partial);
  EXPECT_THAT(partial->missing, ElementsAre("n1"));
  EXPECT_THAT(partial->top, IsEmpty());
  EXPECT_THAT(partial->pages, IsEmpty());
  EXPECT_FALSE(watch.Look(part, nothing)) << "it was told";
  const auto back = watch.Look(TopOf({{"a", 0.4}, {"b", 0.3}}), own);
  ASSERT_TRUE(back);
  EXPECT_THAT(back->missing, IsEmpty());
  EXPECT_THAT(back->top, IsEmpty());
}

}  // namespace
}  // namespace opic::rpc
