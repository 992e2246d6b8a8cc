// What a node does with shards that are to leave it, besides the ledger.
#include "node/shard_mover.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/support/memory_store.h"

namespace opic::node {
namespace {

constexpr ShardId kShard{0};
constexpr NodeId kHere{0}, kThere{1};

class Sent final : public desk::SchedulerLink {
 public:
  void Send(schedule::ToScheduler message) override {
    if (auto* release = std::get_if<schedule::Release>(&message))
      released.push_back(release->shard);
    if (auto* adopt = std::get_if<schedule::Adopt>(&message)) adopted.push_back(adopt->hosts);
  }
  std::vector<ShardId> released;
  std::vector<std::string> adopted;  // what was told of their hosts
};

class ShardMoverTest : public testing::Test {
 protected:
  ShardMoverTest() {
    ledger::Options options;
    options.owner = [](ShardId) { return kHere; };
    options.nodes = 2;
    ledger::Charter charter;
    charter.cluster_id = 7;
    charter.shards = 4;
    charter.node = kHere;
    charter.genesis = cash::kSupply;
    ledger_ = ledger::Ledger::Open(options, *store_, &charter).value();
    mover_.emplace(*ledger_);
    mover_->Start(link_, nullptr);
  }
  void Know(const std::string& url) {
    ledger_->Seed({ledger::Link{PageId(kShard, next_page_++), url}});
    ASSERT_TRUE(ledger_->Commit().ok());
    mover_->UpdateClosed();
  }
  // Its history row is longer than a batch may be.
  void ReadAPageThatCannotTravel() {
    Know("http://a.test/");
    ledger::Visit visit{PageId(kShard, 0), ledger::VisitKind::kFetched, 200};
    visit.etag = std::string(4 << 20, 'x');
    ASSERT_TRUE(ledger_->Record({visit}).ok());
    ASSERT_TRUE(ledger_->Commit().ok());
  }
  bool Departs() {
    mover_->Take(schedule::Released{kShard, ""});
    return mover_->Step({}).value();
  }

  std::unique_ptr<store::Store> store_ = NewMemoryStore();
  std::unique_ptr<ledger::Ledger> ledger_;
  Sent link_;
  std::optional<ShardMover> mover_;
  uint64_t next_page_ = 0;
};

TEST_F(ShardMoverTest, AShardIsClosedFromTheRequestOnAndLeavesWhenItIsReleased) {
  Know("http://a.test/");
  EXPECT_FALSE(mover_->closed().Contains(kShard));
  ASSERT_TRUE(mover_->Move(kShard, kThere).ok());
  EXPECT_TRUE(mover_->closed().Contains(kShard));
  EXPECT_EQ(link_.released, std::vector{kShard});
  EXPECT_FALSE(mover_->Step({}).value());
  EXPECT_TRUE(Departs());
  EXPECT_EQ(ledger_->placements().OwnerOf(kShard), kThere);
}

TEST_F(ShardMoverTest, AShardWaitsForWhatIsInProgress) {
  Know("http://a.test/");
  ASSERT_TRUE(mover_->Move(kShard, kThere).ok());
  mover_->Take(schedule::Released{kShard, ""});
  EXPECT_FALSE(mover_->Step({PageId(kShard, 0)}).value());
  EXPECT_TRUE(mover_->Step({}).value());
}

// A node without an order, whose scope is empty, counted pages that came to it as out of scope.
TEST_F(ShardMoverTest, AllShardsAreClosedUntilItIsKnownWhatIsCrawled) {
  Know("http://a.test/");
  mover_->AwaitOrder(true);
  mover_->UpdateClosed();
  EXPECT_TRUE(mover_->closed().Contains(kShard));
  mover_->AwaitOrder(false);
  mover_->UpdateClosed();
  EXPECT_FALSE(mover_->closed().Contains(kShard));
}

// Its hosts, let go by the scheduler, were never asked again in that session.
TEST_F(ShardMoverTest, AShardThatCannotTravelIsReportedAndOfferedAgain) {
  ReadAPageThatCannotTravel();
  ASSERT_TRUE(mover_->Move(kShard, kThere).ok());
  EXPECT_FALSE(Departs());
  EXPECT_TRUE(mover_->TakeStranded());
  EXPECT_FALSE(mover_->TakeStranded());
  mover_->UpdateClosed();
  EXPECT_FALSE(mover_->closed().Contains(kShard));
}

// `opic cluster drain` asks again and again.
TEST_F(ShardMoverTest, AShardThatCannotTravelIsNotReleasedTwice) {
  ReadAPageThatCannotTravel();
  ASSERT_TRUE(mover_->Move(kShard, kThere).ok());
  EXPECT_FALSE(Departs());
  const absl::Status again = mover_->Move(kShard, kThere);
  EXPECT_TRUE(absl::IsFailedPrecondition(again)) << again;
  EXPECT_EQ(link_.released.size(), 1u);
}

// A trap would begin anew at each node that gets it.
TEST_F(ShardMoverTest, WhatWasFetchedOfItsHostsGoesAlong) {
  const url::UrlHash hash(url::ShardBy::kHost, 4);
  std::string host;
  for (int i = 0; host.empty() || hash.ShardOfHost(host) != kShard; ++i)
    host = absl::StrCat("host", i, ".test");
  const auto rules = HostRuleBook::Open(*store_);
  ASSERT_TRUE(rules.ok()) << rules.status();
  HostBudgets budgets({}, **rules, ledger_->charter(), *store_);
  mover_->CarrySpending(budgets);
  Know(absl::StrCat("http://", host, "/"));
  const PageId page(kShard, 0);
  ASSERT_EQ(budgets.Begin(page, host).value_or("none"), "");
  budgets.Received(page, 70);
  ledger::Visit visit{page, ledger::VisitKind::kFetched, 200};
  ASSERT_TRUE(ledger_->Record({visit}).ok());
  for (auto& [key, row] : budgets.Record({page})) ledger_->Note(key, row);
  ASSERT_TRUE(ledger_->Commit().ok());
  ASSERT_TRUE(mover_->Move(kShard, kThere).ok());
  mover_->Take(schedule::Released{kShard, "paces"});
  ASSERT_TRUE(mover_->Step({}).value());
  ASSERT_TRUE(ledger_->Commit().ok());

  const std::unique_ptr<store::Store> there = NewMemoryStore();
  ledger::Charter charter = ledger_->charter();
  charter.node = kThere;
  charter.genesis = cash::Amount();
  ledger::Options options;
  options.owner = [](ShardId) { return kHere; };
  options.nodes = 2;
  auto receiver = ledger::Ledger::Open(options, *there, &charter);
  ASSERT_TRUE(receiver.ok()) << receiver.status();
  const auto rules_there = HostRuleBook::Open(*there);
  ASSERT_TRUE(rules_there.ok()) << rules_there.status();
  HostBudgets budgets_there({}, **rules_there, charter, *there);
  Sent link;
  ShardMover mover(**receiver);
  mover.CarrySpending(budgets_there);
  mover.Start(link, nullptr);
  for (const ledger::SealedBatch& sealed : ledger_->TakeSealed()) {
    const auto batch = ledger::DecodeTransferBatch(sealed.bytes);
    ASSERT_TRUE(batch.ok()) << batch.status();
    ASSERT_TRUE((*receiver)->Receive(*batch).ok());
  }
  ASSERT_TRUE((*receiver)->Commit().ok());
  ASSERT_TRUE(mover.Step({}).ok());
  EXPECT_EQ(link.adopted, std::vector<std::string>{"paces"}) << "the scheduler's part";
  EXPECT_EQ(budgets_there.SpentOf(host, /*domain=*/false).value(), (Spent{1, 70}));
}

}  // namespace
}  // namespace opic::node
