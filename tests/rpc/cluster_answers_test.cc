// Questions to a whole cluster: owners are asked, parts are merged, who does not answer is named.
#include "rpc/cluster_answers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/rpc/cluster_members.h"
#include "tests/support/log_lines.h"

namespace opic::rpc {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST_F(ClusterAnswersTest, EachOwnerIsAskedAndAnswersStandInTheOrderOfQuestions) {
  const std::vector<std::string> urls{UrlOf(2), UrlOf(0), UrlOf(2), UrlOf(1)};
  const auto pages = answers_->Importance(urls);
  ASSERT_TRUE(pages.ok()) << pages.status();
  for (size_t i = 0; i < urls.size(); ++i) EXPECT_EQ((*pages)[i].url, urls[i]);
  EXPECT_THAT(nodes_[0]->asked, ElementsAre(urls[1]));
  EXPECT_THAT(nodes_[2]->asked, ElementsAre(urls[0], urls[2]));
}

TEST_F(ClusterAnswersTest, TheOwnerExplains) {
  nodes_[2]->explanation_.host_unknown = "as node2 says";
  const auto explained = answers_->Explain(UrlOf(2));
  ASSERT_TRUE(explained.ok()) << explained.status();
  EXPECT_EQ(explained->page.url, UrlOf(2));
  EXPECT_EQ(explained->host_unknown, "as node2 says");
  EXPECT_THAT(nodes_[0]->asked, IsEmpty());
  nodes_[2]->away = true;
  const auto unanswered = answers_->Explain(UrlOf(2));
  ASSERT_TRUE(unanswered.ok()) << unanswered.status();
  EXPECT_EQ(unanswered->page.unanswered_by, "node2");
  EXPECT_FALSE(unanswered->page.known);
  EXPECT_TRUE(absl::IsInvalidArgument(answers_->Explain("ftp://a/").status()));
}

// Shards move; who owns them is asked once for all the URLs of a question.
TEST_F(ClusterAnswersTest, OwnersAreThoseOfNow) {
  int asked = 0;
  const auto all_at_2 = [&] {
    ++asked;
    return std::make_shared<const std::vector<NodeId>>(ledger::Charter().shards, NodeId{2});
  };
  ClusterAnswers answers(*map_, NodeId{1}, {nodes_[0], nodes_[1], nodes_[2]}, all_at_2);
  const std::vector<std::string> urls{UrlOf(0), UrlOf(1), UrlOf(2)};
  ASSERT_TRUE(answers.Importance(urls).ok());
  EXPECT_EQ(nodes_[2]->asked, urls);
  EXPECT_EQ(asked, 1);
}

TEST_F(ClusterAnswersTest, AnOwnerThatIsNotInTheClusterFileIsTheOneOfTheMap) {
  const auto all_at_9 = [] {
    return std::make_shared<const std::vector<NodeId>>(ledger::Charter().shards, NodeId{9});
  };
  ClusterAnswers answers(*map_, NodeId{1}, {nodes_[0], nodes_[1], nodes_[2]}, all_at_9);
  ASSERT_TRUE(answers.Importance({UrlOf(0)}).ok());
  EXPECT_THAT(nodes_[0]->asked, ElementsAre(UrlOf(0)));
}

TEST_F(ClusterAnswersTest, APageWhoseOwnerIsAwaySaysSo) {
  nodes_[2]->away = true;
  const auto pages = answers_->Importance({UrlOf(2), UrlOf(0)});
  ASSERT_TRUE(pages.ok()) << pages.status();
  EXPECT_EQ((*pages)[0].unanswered_by, "node2");
  EXPECT_FALSE((*pages)[0].known);
  EXPECT_EQ((*pages)[1].unanswered_by, "");
  EXPECT_TRUE((*pages)[1].known);
}

TEST_F(ClusterAnswersTest, WhatIsNoUrlIsRefused) {
  EXPECT_TRUE(absl::IsInvalidArgument(answers_->Importance({"nonsense"}).status()));
}

TEST_F(ClusterAnswersTest, TopIsMergedAndCut) {
  nodes_[0]->top = {
      {{.url = "a", .importance = 0.5}, {.url = "d", .importance = 0.1}}, 10, 7, 3, 0.2};
  nodes_[1]->top = {{{.url = "b", .importance = 0.4}}, 20, 8, 4, 0.1};
  nodes_[2]->top = {{{.url = "c", .importance = 0.3}}, 30, 9, 2, 0.1};
  const auto top = answers_->Top({3});
  ASSERT_TRUE(top.ok()) << top.status();
  ASSERT_EQ(top->pages.size(), 3u);
  EXPECT_EQ(top->pages[0].url + top->pages[1].url + top->pages[2].url, "abc");
  EXPECT_EQ(top->known, 60u);
  EXPECT_EQ(top->matching, 24u);
  EXPECT_EQ(top->clock, 4);
  EXPECT_EQ(top->error_bound, 0.2);
  EXPECT_THAT(top->missing, IsEmpty());
}

TEST_F(ClusterAnswersTest, EveryNodeIsAskedForThePagesOfTheFilter) {
  ASSERT_TRUE(answers_->Top({3, {.host = "a.test"}}).ok());
  for (const auto& node : nodes_) EXPECT_EQ(node->filter.host, "a.test");
  nodes_[2]->filter = {};
  for (const node::PageFilter& wrong :
       {node::PageFilter{.domain = "co.uk"}, node::PageFilter{.host = "a.test", .domain = "b.test"},
        node::PageFilter{.state = "lost"}}) {
    EXPECT_TRUE(absl::IsInvalidArgument(answers_->Top({3, wrong}).status()));
  }
  EXPECT_TRUE(nodes_[2]->filter.empty()) << "nobody is asked";
}

TEST_F(ClusterAnswersTest, TopWithoutANodeNamesIt) {
  nodes_[0]->away = true;
  EXPECT_THAT(answers_->Top({3})->missing, ElementsAre("node0"));
}

// The log had a warning for each question.
TEST_F(ClusterAnswersTest, ANodeThatStaysAwayIsToldOnceAndOnceWhenItIsBack) {
  const support::LogLines log;
  for (int time = 1; time <= 2; ++time) {
    nodes_[0]->away = true;
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(answers_->Stats().ok());
    EXPECT_EQ(log.With("warning node node0 does not answer"), time);
    nodes_[0]->away = false;
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(answers_->Stats().ok());
    EXPECT_EQ(log.With("info node node0 answers again"), time);
  }
}

TEST_F(ClusterAnswersTest, WhatNodesHaveOfADomainIsAddedUp) {
  nodes_[0]->sites_ = {
      .sites = {{.name = "a", .importance = 0.3, .pages = 3}, {.name = "b", .importance = 0.2}},
      .known = 5,
      .pages = 10};
  nodes_[1]->sites_ = {
      .sites = {{.name = "b", .importance = 0.2, .pages = 2}}, .known = 1, .pages = 2};
  nodes_[2]->sites_ = {.sites = {{.name = "c", .importance = 0.1}}, .known = 2, .pages = 4};
  const auto top = answers_->Sites({.kind = node::SiteKind::kDomain, .count = 2});
  ASSERT_TRUE(top.ok()) << top.status();
  ASSERT_EQ(top->sites.size(), 2u);
  EXPECT_EQ(top->sites[0].name, "b");
  EXPECT_DOUBLE_EQ(top->sites[0].importance, 0.4);
  EXPECT_EQ(top->sites[0].pages, 2u);
  EXPECT_EQ(top->sites[1].name, "a");
  EXPECT_EQ(top->known, 8u);
  EXPECT_EQ(top->pages, 16u);
  // Node 0 keeps three to itself that have less than b there, node 2 one that has less than c.
  EXPECT_DOUBLE_EQ(top->importance_missed, 0.2 + 0.1);
  EXPECT_EQ(nodes_[0]->sites_query_.count, 1'008u) << "more than are wanted";
  EXPECT_THAT(top->missing, IsEmpty());
}

TEST_F(ClusterAnswersTest, ASiteThatAllNodesToldCountsOnce) {
  nodes_[0]->sites_ = {.sites = {{.name = "a", .importance = 0.3}, {.name = "b"}}, .known = 2};
  nodes_[1]->sites_ = {.sites = {{.name = "a", .importance = 0.2}}, .known = 1};
  const auto top = answers_->Sites({.kind = node::SiteKind::kDomain, .count = 1});
  ASSERT_TRUE(top.ok()) << top.status();
  EXPECT_EQ(top->known, 2u);
  EXPECT_EQ(top->importance_missed, 0);
}

TEST_F(ClusterAnswersTest, NoHostIsOnTwoNodesSoThatNothingIsMissed) {
  nodes_[0]->sites_ = {.sites = {{.name = "a", .importance = 0.3}}, .known = 5};
  nodes_[1]->sites_ = {.sites = {{.name = "b", .importance = 0.2}}, .known = 1};
  const auto top = answers_->Sites({.kind = node::SiteKind::kHost, .count = 1});
  ASSERT_TRUE(top.ok()) << top.status();
  ASSERT_EQ(top->sites.size(), 1u);
  EXPECT_EQ(top->sites[0].name, "a");
  EXPECT_EQ(top->importance_missed, 0);
  EXPECT_EQ(nodes_[0]->sites_query_.count, 1u);
}

TEST_F(ClusterAnswersTest, SitesWithoutANodeNameIt) {
  nodes_[2]->away = true;
  const auto top = answers_->Sites({});
  ASSERT_TRUE(top.ok()) << top.status();
  EXPECT_THAT(top->missing, ElementsAre("node2"));
}

// A node that can not tell is no node that is away.
TEST_F(ClusterAnswersTest, ANodeWithTooManySitesSaysSo) {
  nodes_[1]->too_many_sites = true;
  EXPECT_TRUE(absl::IsOutOfRange(answers_->Sites({}).status()));
}

TEST_F(ClusterAnswersTest, StatusIsSummedAndToldOneByOne) {
  nodes_[0]->stats.loop.pages = 5;
  nodes_[1]->stats.loop.pages = 6;
  nodes_[2]->away = true;
  nodes_[0]->stats.loop.phase = node::Phase::kFinished;
  nodes_[1]->stats.loop.phase = node::Phase::kCrawling;
  const auto stats = answers_->Stats();
  ASSERT_TRUE(stats.ok()) << stats.status();
  EXPECT_EQ(stats->loop.pages, 11u);
  EXPECT_EQ(stats->loop.phase, node::Phase::kCrawling);
  ASSERT_EQ(stats->nodes.size(), 2u);
  EXPECT_EQ(stats->nodes[1].name, "node1");
  EXPECT_EQ(stats->nodes[1].loop.pages, 6u);
  EXPECT_THAT(stats->missing, ElementsAre("node2"));
}

TEST_F(ClusterAnswersTest, AReleaseIsThatOfAllNodesOrNone) {
  for (const auto& node : nodes_) node->stats.release = "0.1, commit 1";
  EXPECT_EQ(answers_->Stats()->release, "0.1, commit 1");
  nodes_[1]->stats.release = "0.1, commit 2";
  const auto stats = answers_->Stats();
  EXPECT_EQ(stats->release, "");
  EXPECT_EQ(stats->nodes[1].release, "0.1, commit 2");
  nodes_[1]->stats.release = "";  // an earlier one
  EXPECT_EQ(answers_->Stats()->release, "");
}

TEST_F(ClusterAnswersTest, NobodyAtAllIsUnavailable) {
  for (const auto& node : nodes_) node->away = true;
  EXPECT_TRUE(absl::IsUnavailable(answers_->Top({3}).status()));
  EXPECT_TRUE(absl::IsUnavailable(answers_->Stats().status()));
  EXPECT_TRUE(absl::IsUnavailable(answers_->TakeAudit().status()));
}

}  // namespace
}  // namespace opic::rpc
