// Questions to a whole cluster: owners are asked, parts are merged, who does not answer is named,
// and the sum of an audit is to the unit or not told at all.
#include "rpc/cluster_answers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/rpc/scripted_node.h"
#include "tests/support/log_lines.h"

namespace opic::rpc {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr uint64_t kSupply = cash::kSupply.units();

// One node of three, whose books are made up.
class Member final : public ScriptedNode {
 public:
  absl::StatusOr<std::vector<node::PageImportance>> Importance(
      const std::vector<std::string>& urls) override {
    if (away) return absl::UnavailableError("away");
    asked = urls;
    std::vector<node::PageImportance> pages;
    for (const std::string& url : urls) pages.push_back({.url = url, .known = true});
    return pages;
  }
  absl::StatusOr<TopPages> Top(const node::TopQuery& query) override {
    if (away) return absl::UnavailableError("away");
    filter = query.filter;
    return top;
  }
  absl::StatusOr<node::TopSites> Sites(const node::SitesQuery& query) override {
    if (away) return absl::UnavailableError("away");
    if (too_many_sites) return absl::OutOfRangeError("too many");
    return ScriptedNode::Sites(query);
  }
  absl::StatusOr<node::Audit> TakeAudit() override { return absl::InternalError("not asked"); }
  absl::StatusOr<node::NodeStats> Stats() override {
    if (away) return absl::UnavailableError("away");
    node::NodeStats answer = stats;
    answer.loop.epoch = tells_late ? 0 : cut.epoch;
    return answer;
  }
  absl::StatusOr<ledger::Cut> TakeCut(uint64_t epoch) override {
    if (away) return absl::UnavailableError("away");
    if (epoch < cut.epoch) return absl::AbortedError("a later epoch has begun");
    cut.epoch = epoch;
    if (on_cut) on_cut();
    return cut;
  }

  bool away = false, too_many_sites = false;
  bool tells_late = false;  // its epoch
  std::vector<std::string> asked;
  TopPages top;
  node::PageFilter filter;
  node::NodeStats stats;
  ledger::Cut cut;
  std::function<void()> on_cut;
};

class ClusterAnswersTest : public testing::Test {
 protected:
  ClusterAnswersTest() {
    std::vector<cluster::MemberNode> nodes;
    ClusterMembers members;
    for (int n = 0; n < 3; ++n) {
      nodes.push_back({NodeAt(n), "node" + std::to_string(n), "h:1"});
      nodes_.push_back(std::make_shared<Member>());
      members.push_back(nodes_[n]);
      for (int peer = 0; peer < 3; ++peer) {
        if (peer != n) nodes_[n]->cut.channels.push_back({NodeAt(peer), {}, {}});
      }
    }
    nodes_[0]->cut.genesis = nodes_[0]->cut.virtual_page = kSupply;
    map_ = cluster::ShardMap::Even(ledger::Charter{}, nodes);
    answers_ = std::make_unique<ClusterAnswers>(*map_, NodeId{1}, members);
  }
  ledger::Cut::ChannelState& Channel(int of, int to) {
    for (ledger::Cut::ChannelState& channel : nodes_[of]->cut.channels) {
      if (channel.peer.value == to) return channel;
    }
    std::abort();
  }
  // `from` seals a batch with this cash, taken off its virtual page.
  void Seal(int from, int to, uint64_t units) {
    ledger::Cut::ChannelState& channel = Channel(from, to);
    ++channel.book.sealed;
    channel.book.sealed_cash += units;
    channel.retained.push_back({channel.book.sealed, 100, units});
    nodes_[from]->cut.virtual_page -= units;
  }
  // `to` applies the next batch.
  void Apply(int from, int to, uint64_t units) {
    ledger::PeerBook& book = Channel(to, from).book;
    ++book.applied;
    book.applied_cash += units;
    nodes_[to]->cut.table += units;
  }
  // One of node `n`'s pages.
  std::string UrlOf(int n) const {
    const ledger::Charter charter;
    const url::UrlHash hash(charter.shard_by, charter.shards);
    for (int i = 0;; ++i) {
      const std::string url = "http://host" + std::to_string(i) + ".test/";
      if (map_->OwnerOf(hash.PageOf(*url::Parse(url)).shard()).value == n) return url;
    }
  }

  std::vector<std::shared_ptr<Member>> nodes_;
  std::optional<cluster::ShardMap> map_;
  std::unique_ptr<ClusterAnswers> answers_;
};

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

using ClusterAuditTest = ClusterAnswersTest;

TEST_F(ClusterAuditTest, CashUnderWayIsCountedOnce) {
  Seal(0, 1, 70);
  Apply(0, 1, 70);  // applied, and not acknowledged yet: still retained
  Seal(0, 1, 20);
  Seal(0, 2, 5);
  const auto audit = answers_->TakeAudit();
  ASSERT_TRUE(audit.ok()) << audit.status();
  EXPECT_FALSE(audit->partial());
  EXPECT_TRUE(audit->expected == kSupply);
  EXPECT_TRUE(audit->table == 70);
  EXPECT_TRUE(audit->virtual_page == kSupply - 95);
  EXPECT_TRUE(audit->in_flight == 25);
  EXPECT_TRUE(audit->difference() == 0);
  ASSERT_EQ(audit->nodes.size(), 3u);
  EXPECT_TRUE(audit->nodes[0].in_flight == 25);
  EXPECT_TRUE(audit->nodes[1].in_flight == 0);
  for (const node::AuditPart& part : audit->nodes) EXPECT_TRUE(part.difference == 0) << part.node;
}

TEST_F(ClusterAuditTest, AUnitThatIsMissingShowsAndWhereItIs) {
  Seal(0, 1, 70);
  Apply(0, 1, 70);
  nodes_[1]->cut.table -= 1;
  const auto audit = answers_->TakeAudit();
  ASSERT_TRUE(audit.ok()) << audit.status();
  EXPECT_TRUE(audit->difference() == -1);
  EXPECT_TRUE(audit->nodes[0].difference == 0);
  EXPECT_TRUE(audit->nodes[1].difference == -1);
}

TEST_F(ClusterAuditTest, ANodeThatIsAwayMakesItPartial) {
  nodes_[2]->away = true;
  const auto audit = answers_->TakeAudit();
  ASSERT_TRUE(audit.ok()) << audit.status();
  EXPECT_TRUE(audit->partial());
  EXPECT_THAT(audit->missing, ElementsAre("node2"));
  EXPECT_EQ(audit->nodes.size(), 2u);
}

// Every audit is a new cut; a node that has seen a later one than the asked one tells it.
TEST_F(ClusterAuditTest, ItsEpochIsAboveAllThatAnyNodeKnows) {
  nodes_[2]->cut.epoch = 40;
  const auto first = answers_->TakeAudit();
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(first->epoch, 41u);
  EXPECT_EQ(answers_->TakeAudit()->epoch, 42u);
}

// A node was restarted between its peers' parts and its own, and had forgotten the epoch. Also where
// nodes tell their epoch late, or the second try would get the first one's parts, and take them for
// a contradiction.
TEST_F(ClusterAuditTest, ATornCutIsTakenAgainAtALaterEpoch) {
  for (const bool tells_late : {false, true}) {
    SCOPED_TRACE(tells_late);
    for (const auto& node : nodes_) {
      node->tells_late = tells_late;
      node->cut.epoch = 0;
    }
    Channel(1, 0).book.applied = 1;  // more than node 0 had sealed in its part
    nodes_[1]->on_cut = [this] {
      if (nodes_[1]->cut.epoch == 2) Channel(1, 0).book.applied = 0;
    };
    const auto audit = answers_->TakeAudit();
    ASSERT_TRUE(audit.ok()) << audit.status();
    EXPECT_EQ(audit->epoch, 2u);
    EXPECT_TRUE(audit->difference() == 0);
  }
}

// Between any two tries node 0 was restarted and has gone on: what is missing in each part is
// there in the next.
TEST_F(ClusterAuditTest, WhatIsTornAgainAndAgainIsNotGuessed) {
  uint64_t tried = 0;
  nodes_[0]->on_cut = [&] { Channel(0, 1).book.sealed = tried++; };
  nodes_[1]->on_cut = [this] { ++Channel(1, 0).book.applied; };
  EXPECT_TRUE(absl::IsAborted(answers_->TakeAudit().status()));
}

// While a cluster grows, some nodes have its new file already.
TEST_F(ClusterAuditTest, ANodeWithAnotherClusterFileIsNamed) {
  nodes_[2]->cut.channels.push_back({NodeId{3}, {}, {}});
  EXPECT_THAT(
      answers_->TakeAudit().status().message(),
      HasSubstr("node2 has another cluster file (of 4 nodes) than the node that sums up (of 3)"));
  nodes_[2]->cut.channels.erase(nodes_[2]->cut.channels.begin());  // as many, and others
  const auto audit = answers_->TakeAudit();
  EXPECT_TRUE(absl::IsAborted(audit.status())) << audit.status();
}

// A forgery, a copy of a folder, an older disk: every try was "torn, try again", for ever.
TEST_F(ClusterAuditTest, NodesThatContradictEachOtherAreNamed) {
  ASSERT_TRUE(answers_->TakeAudit().ok());
  Channel(1, 0).book.applied = 7;
  const absl::Status first = answers_->TakeAudit().status();
  EXPECT_TRUE(absl::IsDataLoss(first)) << first;
  EXPECT_THAT(
      std::string(first.message()),
      AllOf(HasSubstr("node0 and node1 contradict each other"),
            HasSubstr("node1 has applied batch 7 of node0, which has sealed no more than 0"),
            HasSubstr("since at least 20"), HasSubstr("the last audit that balanced was at 20"),
            HasSubstr("opic cluster declare-lost node0")));
  EXPECT_EQ(answers_->TakeAudit().status(), first) << "since the same time";
}

TEST_F(ClusterAuditTest, WhoHasForgottenWhatItAcknowledgedIsNamed) {
  Channel(2, 1).book.sealed = Channel(2, 1).book.acknowledged = 3;
  const absl::Status answer = answers_->TakeAudit().status();
  EXPECT_TRUE(absl::IsDataLoss(answer)) << answer;
  EXPECT_THAT(
      std::string(answer.message()),
      AllOf(HasSubstr(
                "node2 has the acknowledgement of node1 for batch 3, and node1 has applied no more "
                "than 0"),
            HasSubstr("declare-lost node1")));
}

}  // namespace
}  // namespace opic::rpc
