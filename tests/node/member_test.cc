// A node in a cluster, without its peers: what it takes from an order, and which folders it
// refuses.
#include <gtest/gtest.h>

#include <filesystem>

#include "absl/time/clock.h"
#include "base/clock.h"
#include "node/node.h"

namespace opic::node {
namespace {

// Hears what the node says, and says nothing.
class SilentScheduler final : public desk::SchedulerLink {
 public:
  void Send(schedule::ToScheduler message) override {
    const absl::MutexLock lock(&mu_);
    if (const auto* hello = std::get_if<schedule::NodeHello>(&message))
      given_up_again_ = hello->given_up_again;
    if (const auto* rules = std::get_if<schedule::Rules>(&message))
      given_up_again_ = rules->given_up_again;
    if (const auto* capacity = std::get_if<schedule::Capacity>(&message))
      fetches_max_ = capacity->fetches_max;
  }
  // Waits until the node wants to fetch, or does not.
  void AwaitWanted(bool wanted) {
    const absl::MutexLock lock(&mu_);
    const auto so = [&]() ABSL_SHARED_LOCKS_REQUIRED(mu_) { return (fetches_max_ > 0) == wanted; };
    EXPECT_TRUE(mu_.AwaitWithTimeout(absl::Condition(&so), absl::Seconds(20)));
  }
  // As last told.
  uint32_t fetches_max() const {
    const absl::MutexLock lock(&mu_);
    return fetches_max_;
  }
  // As last told.
  uint64_t given_up_again() const {
    const absl::MutexLock lock(&mu_);
    return given_up_again_;
  }

 private:
  mutable absl::Mutex mu_;
  uint64_t given_up_again_ ABSL_GUARDED_BY(mu_) = 0;
  uint32_t fetches_max_ ABSL_GUARDED_BY(mu_) = 0;
};

class NoPeers final : public cluster::Transport {
 public:
  void Send(NodeId, cluster::Message) override {}
  void Disconnect(NodeId) override {}
};

ledger::Charter ClusterCharter(uint64_t id = 7) {
  ledger::Charter charter;
  charter.cluster_id = id;
  charter.shards = 16;
  return charter;
}

class MemberTest : public testing::Test {
 protected:
  static cluster::ShardMap MapOf(const ledger::Charter& charter) {
    return cluster::ShardMap::Even(
        charter, {{NodeId{0}, "a", "127.0.0.1:1"}, {NodeId{1}, "b", "127.0.0.1:2"}});
  }
  static CrawlOptions OptionsOf(uint16_t self, const ledger::Charter& charter = ClusterCharter()) {
    CrawlOptions options;
    options.membership =
        std::make_shared<const Membership>(Membership{MapOf(charter), NodeId{self}, {}});
    return options;
  }

  absl::Status Open(const CrawlOptions& options) {
    node_.reset();
    folder_.reset();
    auto folder = DataFolder::Lock(path_, /*create=*/true);
    if (!folder.ok()) return folder.status();
    folder_ = *std::move(folder);
    auto node = Node::Open(options, *folder_, base::RealClock::Get());
    if (node.ok()) node_ = *std::move(node);
    return node.status();
  }
  void Run(uint16_t self) {
    ASSERT_TRUE(Open(OptionsOf(self)).ok());
    ASSERT_TRUE(node_->Start(scheduler_, &peers_).ok());
  }
  Control& control() { return node_->operations().control(); }
  uint64_t pages() { return node_->operations().TakeAudit()->pages; }

  // Hosts h0 ... of which each node owns some.
  static std::string HostOf(uint16_t owner) {
    const cluster::ShardMap map = MapOf(ClusterCharter());
    const url::UrlHash hash(url::ShardBy::kHost, 16);
    for (int i = 0;; ++i) {
      const std::string host = "h" + std::to_string(i) + ".test";
      if (map.OwnerOf(hash.ShardOfHost(host)) == NodeId{owner}) return host;
    }
  }

  const std::string path_ = [] {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    const std::string path = testing::TempDir() + "/opic_member_" + test->name();
    std::filesystem::remove_all(path);
    return path;
  }();
  SilentScheduler scheduler_;
  NoPeers peers_;
  std::unique_ptr<DataFolder> folder_;
  std::unique_ptr<Node> node_;
};

TEST_F(MemberTest, StartsWithoutSeedsAndHasNothingToDo) {
  Run(1);
  EXPECT_EQ(pages(), 0u);
  EXPECT_EQ(node_->stats().name, "b");
}

TEST_F(MemberTest, TakesUpTheSeedsThatItOwns) {
  Run(0);
  CrawlOrder order;
  order.seeds = {"http://" + HostOf(0) + "/", "http://" + HostOf(1) + "/"};
  ASSERT_TRUE(control().BeginCrawl(order).ok());
  EXPECT_EQ(pages(), 1u);
  ASSERT_TRUE(control().BeginCrawl(order).ok());
  EXPECT_EQ(pages(), 1u);
}

// Hosts that were given up in an outage stayed so for a day, whatever anybody told the node.
TEST_F(MemberTest, OneMoreRoundTriesHostsAgainThatWereGivenUp) {
  CrawlOptions options = OptionsOf(0);
  options.again = true;
  ASSERT_TRUE(Open(options).ok());
  ASSERT_TRUE(node_->Start(scheduler_, &peers_).ok());
  node_->OnSession();
  CrawlOrder order;
  order.seeds = {"http://" + HostOf(0) + "/"};
  ASSERT_TRUE(control().BeginCrawl(order).ok());  // after Hello
  const uint64_t first = scheduler_.given_up_again();
  EXPECT_NE(first, 0u);
  order.again = true;
  ASSERT_TRUE(control().BeginCrawl(order).ok());
  const uint64_t second = scheduler_.given_up_again();
  EXPECT_GT(second, first);
  node_.reset();
  Run(0);
  node_->OnSession();
  EXPECT_EQ(scheduler_.given_up_again(), second) << "the scheduler was away, perhaps";
}

// A script's `control resume` let a node that was stopping fetch again.
TEST_F(MemberTest, AfterStopFetchingNobodyResumes) {
  Run(0);
  node_->OnSession();
  CrawlOrder order;
  order.seeds = {"http://" + HostOf(0) + "/"};
  ASSERT_TRUE(control().BeginCrawl(order).ok());
  scheduler_.AwaitWanted(true);
  ASSERT_TRUE(control().Pause(true).ok());
  scheduler_.AwaitWanted(false);
  ASSERT_TRUE(control().Pause(false).ok());
  scheduler_.AwaitWanted(true);
  node_->StopFetching();
  scheduler_.AwaitWanted(false);
  ASSERT_TRUE(control().Pause(false).ok());
  for (int turn = 0; turn < 2; ++turn) ASSERT_TRUE(control().WhatIsInForce().ok());
  EXPECT_EQ(scheduler_.fetches_max(), 0u);
}

TEST_F(MemberTest, ACrawlThatGoesOnLeavesHostsGivenUpAlone) {
  Run(0);
  node_->OnSession();
  ASSERT_TRUE(control().BeginCrawl(CrawlOrder{.seeds = {"http://" + HostOf(0) + "/"}}).ok());
  EXPECT_EQ(scheduler_.given_up_again(), 0u);
}

// Each seed by itself: also the same one twice, and what is no URL.
TEST_F(MemberTest, SaysWhatBecameOfEachSeed) {
  Run(0);
  const std::string own = "http://" + HostOf(0) + "/", other = "http://" + HostOf(1) + "/";
  CrawlOrder order;
  order.seeds = {own, other, own};
  order.exclude = {{"*left-out*"}};
  const SeedResult fresh = {SeedOutcome::kNew, ""}, known = {SeedOutcome::kKnown, ""},
                   others = {SeedOutcome::kOtherNode, ""};
  EXPECT_EQ(*control().BeginCrawl(order), (SeedResults{fresh, others, known}));
  EXPECT_EQ(*control().BeginCrawl(order), (SeedResults{known, others, known}));
  const SeedResults added = *control().AddSeeds(
      {own + "new", "ftp://a.test/", other + "new", own, own + "left-out", "nonsense"});
  EXPECT_EQ(added, (SeedResults{fresh,
                                {SeedOutcome::kRefused, "not http or https"},
                                others,
                                known,
                                {SeedOutcome::kOutOfScope, "left out by --include or --exclude"},
                                {SeedOutcome::kRefused, added.back().reason}}));
  EXPECT_EQ(added.back().reason.empty(), false);
  EXPECT_EQ(pages(), 3u);
}

TEST_F(MemberTest, RemembersTheOrderForTheNextStart) {
  Run(0);
  CrawlOrder order;
  order.seeds = {"http://" + HostOf(0) + "/", "http://" + HostOf(1) + "/"};
  order.scope = "domain";
  order.depth = 3;
  order.traps = "off";
  order.strip_tracking = true;
  ASSERT_TRUE(control().BeginCrawl(order).ok());
  node_.reset();
  folder_.reset();
  const auto store = store::OpenRocksStore(path_ + "/store", {});
  ASSERT_TRUE(store.ok());
  const auto memory = RecallCrawl(**store);
  ASSERT_TRUE(memory.ok());
  EXPECT_EQ(memory->seeds, order.seeds);
  EXPECT_EQ(memory->scope.kind, url::ScopeKind::kDomain);
  EXPECT_EQ(memory->depth_max, 3u);
  EXPECT_EQ(memory->traps, url::TrapUse::kOff);
  EXPECT_TRUE(memory->strip_tracking);
}

TEST_F(MemberTest, AnOrderWithAWordThatItDoesNotKnowIsRefusedWhole) {
  Run(0);
  CrawlOrder scope, traps;
  scope.scope = "galaxy";
  traps.traps = "refuse";
  for (CrawlOrder order : {scope, traps}) {
    order.seeds = {"http://" + HostOf(0) + "/"};
    EXPECT_TRUE(absl::IsInvalidArgument(control().BeginCrawl(order).status()));
  }
  EXPECT_EQ(pages(), 0u);
  EXPECT_EQ(control().Order()->traps, "skip");
}

TEST_F(MemberTest, RulesForHostsComeWithTheOrderAndAreToldOn) {
  Run(1);
  const KeptRule block{
      {.name = "blocked.test", .blocked = true}, absl::FromUnixSeconds(1'700'000'000), "anna"};
  ASSERT_TRUE(control().BeginCrawl({.hosts = {block}}).ok());
  const auto order = control().Order();
  ASSERT_TRUE(order.ok()) << order.status();
  ASSERT_EQ(order->hosts.size(), 1u);
  EXPECT_EQ(order->hosts[0].rule, block.rule);
  EXPECT_EQ(order->hosts[0].since, block.since);
  EXPECT_EQ(order->hosts[0].by, "anna");
  ASSERT_TRUE(control().TuneHosts({{.host = "blocked.test", .blocked = false}}, "").ok());
  EXPECT_TRUE(control().Order()->hosts.empty());
}

refresh::Publication NeverOf(uint64_t id, const std::string& host, absl::Time given) {
  refresh::Publication publication;
  publication.id = id;
  publication.treatment = refresh::Treatment::kNever;
  publication.target = refresh::Target::kHost;
  publication.of = host;
  publication.by = "anna";
  publication.given = absl::ToUnixSeconds(given);
  return publication;
}

// A node that was added had none, and read again what nobody was to read again.
TEST_F(MemberTest, PublicationsComeWithTheOrderAndAreToldOn) {
  const refresh::Publication never = NeverOf(7, "a.test", absl::Now() - absl::Hours(1));
  refresh::Publication over = NeverOf(8, "b.test", absl::Now() - absl::Hours(1));
  over.until = over.given + 1;
  for (const double rate : {0.0, 5.0}) {  // it reads no page again at first, and keeps them
    CrawlOptions options = OptionsOf(1);
    options.refresh.pages_per_s = rate;
    ASSERT_TRUE(Open(options).ok());
    ASSERT_TRUE(node_->Start(scheduler_, &peers_).ok());
    ASSERT_TRUE(control().BeginCrawl({.publications = {never, over}}).ok());
    const auto order = control().Order();
    ASSERT_TRUE(order.ok()) << order.status();
    EXPECT_EQ(order->publications, std::vector<refresh::Publication>{never});
  }
  EXPECT_EQ(*control().Publications(), std::vector<refresh::Publication>{never});
  ASSERT_TRUE(control().Withdraw(never.id).ok());
  EXPECT_TRUE(control().Order()->publications.empty());
  const refresh::Publication wrong = NeverOf(9, "A.Test", absl::Now() - absl::Hours(1));
  EXPECT_TRUE(
      absl::IsInvalidArgument(control().BeginCrawl({.publications = {never, wrong}}).status()));
  EXPECT_TRUE(control().Order()->publications.empty());
}

// It would begin to crawl, and ask hosts that are blocked on all others.
TEST_F(MemberTest, ASeedForANodeThatHasNoOrderIsRefused) {
  CrawlOptions options = OptionsOf(1);
  options.refresh.pages_per_s = 5;
  ASSERT_TRUE(Open(options).ok());
  ASSERT_TRUE(node_->Start(scheduler_, &peers_).ok());
  refresh::Publication now;
  now.id = 7;
  now.of = "http://" + HostOf(1) + "/";
  now.by = "anna";
  for (const absl::Status& refused :
       {control().AddSeeds({now.of}).status(), control().Publish(now).status()}) {
    EXPECT_TRUE(absl::IsFailedPrecondition(refused)) << refused;
    EXPECT_NE(refused.message().find("--cluster FILE"), std::string::npos) << refused;
  }
  EXPECT_EQ(pages(), 0u);
  EXPECT_TRUE(control().Publications()->empty());
  ASSERT_TRUE(control().BeginCrawl({.seeds = {now.of}}).ok());
  EXPECT_TRUE(control().AddSeeds({now.of + "more"}).ok());
  EXPECT_TRUE(control().Publish(now).ok());
  EXPECT_EQ(pages(), 2u);
}

TEST_F(MemberTest, AWrongOrderChangesNothing) {
  Run(0);
  CrawlOrder order;
  order.seeds = {"http://" + HostOf(0) + "/", "no url"};
  EXPECT_TRUE(absl::IsInvalidArgument(control().BeginCrawl(order).status()));
  order.seeds.pop_back();
  order.scope = "everything";
  EXPECT_TRUE(absl::IsInvalidArgument(control().BeginCrawl(order).status()));
  EXPECT_EQ(pages(), 0u);
}

TEST_F(MemberTest, OnlyTheFirstNodeHasTheSupply) {
  Run(0);
  EXPECT_EQ(node_->operations().TakeAudit()->virtual_page, cash::kSupply.units());
  node_.reset();
  std::filesystem::remove_all(path_);
  Run(1);
  EXPECT_EQ(node_->operations().TakeAudit()->virtual_page, 0u);
}

TEST_F(MemberTest, TakesACutOfItsOwn) {
  Run(0);
  const auto cut = node_->operations().TakeCut(5);
  ASSERT_TRUE(cut.ok()) << cut.status();
  EXPECT_EQ(cut->epoch, 5u);
  EXPECT_EQ(cut->virtual_page, cash::kSupply.units());
  EXPECT_TRUE(absl::IsAborted(node_->operations().TakeCut(4).status()));
}

TEST_F(MemberTest, AFolderOfAnotherNodeOrClusterIsRefused) {
  ASSERT_TRUE(Open(OptionsOf(0)).ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(Open(OptionsOf(1))));
  EXPECT_TRUE(absl::IsFailedPrecondition(Open(OptionsOf(0, ClusterCharter(8)))));
  EXPECT_TRUE(Open(OptionsOf(0)).ok());
}

TEST_F(MemberTest, AFolderOfAClusterIsNotCrawledAlone) {
  ASSERT_TRUE(Open(OptionsOf(1)).ok());
  CrawlOptions alone;
  alone.seeds = {"http://a.test/"};
  EXPECT_TRUE(absl::IsFailedPrecondition(Open(alone)));
}

TEST_F(MemberTest, AtRestItAnswersForItself) {
  Run(0);
  ASSERT_TRUE(control().BeginCrawl({.seeds = {"http://" + HostOf(0) + "/"}}).ok());
  node_.reset();
  const auto answers = OpenAtRest(*folder_);
  ASSERT_TRUE(answers.ok()) << answers.status();
  EXPECT_EQ((*answers)->TakeAudit()->pages, 1u);
  EXPECT_EQ((*answers)->Stats()->loop.phase, Phase::kCrawling);
}

}  // namespace
}  // namespace opic::node
