// Two nodes make one plan for their settled pages (src/node/settling_plan.h): each of their pages
// is settled once, however many links lead from one node to the other; and whatever happens to one
// of them meanwhile, the other comes to rest.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "node/settling_plan.h"
#include "tests/cluster/exchange_pair.h"

namespace opic::node {
namespace {

ledger::Charter PushCharter() {
  ledger::Charter charter = ledger::Charter::ForNewCrawl();
  charter.cluster_id = 42;
  charter.shards = SmallCrawl::kShards;
  return charter;
}

class JointPlanTest : public cluster::ExchangePair {
 protected:
  static constexpr double kGoal = 0.0025;
  static constexpr size_t kRoom = 1 << 20;
  static constexpr uint64_t kPages = 60;
  static constexpr size_t kVisitsAGroup = 7;
  static constexpr int kEver = 20'000;

  JointPlanTest() : ExchangePair(PushCharter()) {}
  void SetUp() override {
    Meet();
    for (uint16_t n = 0; n < 2; ++n) Plan(n, kRoom);
  }
  void Plan(uint16_t n, size_t bytes_max) {
    plans_[n] = std::make_unique<SettlingPlan>(ledger(n), store(n), closed_, bytes_max);
    plans_[n]->MeetPeers(
        {.plans_together = [this, n](NodeId peer) { return exchange(n).PlansTogether(peer); },
         .say = [this, n](NodeId peer,
                          cluster::PlanPart part) { exchange(n).Say(peer, std::move(part)); }});
  }
  // All pages are known and read; those with odd numbers are node 1's, or all are node 0's.
  void FetchAll(uint64_t step = 1) {
    for (uint64_t page = 0; page < kPages; page += step) {
      std::vector<uint64_t> links = {(page + step) % kPages};
      for (int i = 0; i < 5; ++i)
        links.push_back(std::min(rng_.Below(kPages), rng_.Below(kPages)) / step * step);
      std::sort(links.begin(), links.end());
      links.erase(std::unique(links.begin(), links.end()), links.end());
      const auto n = static_cast<uint16_t>(page % 2);
      ledger(n).Seed(SmallCrawl::Links({page}));
      Commit(n);
      ASSERT_TRUE(ledger(n).Record({SmallCrawl::Fetched(page, links)}).ok());
      Commit(n);
    }
    Exchange10();
  }
  // Parts of plans arrive here, all else at the exchange.
  void DeliverAll() {
    for (uint16_t to = 0; to < 2; ++to) {
      std::deque<cluster::Message> messages;
      messages.swap(sent(1 - to));
      for (cluster::Message& message : messages) {
        if (const auto* part = std::get_if<cluster::PlanPart>(&message)) {
          plans_[to]->Take(NodeAt(1 - to), *part, now_);
        } else {
          ASSERT_TRUE(Give(to, std::move(message)).ok());
        }
      }
      Commit(to);
    }
  }
  bool AtRest() { return ledger(0).Converged(kGoal) && ledger(1).Converged(kGoal); }
  // A turn of the node's loop. How many pages were settled.
  int Settle(uint16_t n) {
    if (ledger(n).Converged(kGoal)) return 0;
    const absl::StatusOr<bool> planned = plans_[n]->Step(kGoal, now_);
    EXPECT_TRUE(planned.ok()) << planned.status();
    if (!planned.value_or(false)) return SettleOneByOne(n);
    const bool pays = n == 0 || turns_ % slow_ == 0;
    const SettlingPlan::Payments next = plans_[n]->Take(pays ? kVisitsAGroup : 0);
    EXPECT_TRUE(ledger(n).Settle(next.pages, next.amounts).ok());
    if (!next.pages.empty() && first_paid_[n] == kEver) first_paid_[n] = turns_;
    return static_cast<int>(next.pages.size());
  }
  int SettleOneByOne(uint16_t n) {
    ++one_by_one_;
    const cash::Amount floor = ledger(n).accounting().SettleFloor(kGoal);
    for (uint64_t page = n; page < 2 * kPages; page += 2) {
      const auto known = ledger(n).books().table().Find(SmallCrawl::Page(page));
      if (!known || !known->done || known->cash.value().magnitude() < floor.magnitude()) continue;
      EXPECT_TRUE(ledger(n).Settle({SmallCrawl::Page(page)}).ok());
      return 1;
    }
    return 0;
  }
  // Until the bound is met. How many pages were settled.
  int SettleAll(const std::vector<uint16_t>& nodes = {0, 1}) {
    int settled = 0;
    for (turns_ = 0; turns_ < kEver && !AtRest(); ++turns_) {
      for (uint16_t n : nodes) {
        settled += Settle(n);
        Commit(n);
      }
      now_ += absl::Milliseconds(1);
      DeliverAll();
      if (turn_) turn_();
    }
    EXPECT_LT(turns_, kEver);
    return settled;
  }
  // The virtual page has no share, so all cash that was issued is on pages or recorded.
  cash::Sum HeldByAll() { return Held(0) + Held(1); }

  base::Rng rng_{5};
  ClosedShards closed_{SmallCrawl::kShards};
  std::unique_ptr<SettlingPlan> plans_[2];
  std::function<void()> turn_;
  int slow_ = 1;                        // in one of so many turns node 1 has pages pay
  int turns_ = 0, one_by_one_ = 0;      // turns of a millisecond
  int first_paid_[2] = {kEver, kEver};  // by a plan: in which turn
};

TEST_F(JointPlanTest, EachPageIsSettledOnce) {
  FetchAll();
  const cash::Sum held = HeldByAll();
  const int settled = SettleAll();
  EXPECT_GE(settled, static_cast<int>(kPages) / 2);
  EXPECT_LE(settled, static_cast<int>(kPages) * 5 / 4);
  EXPECT_EQ(one_by_one_, 0);
  EXPECT_TRUE(HeldByAll() == held);
}

// Each plans for its own: what it pays comes back, and must be paid again.
TEST_F(JointPlanTest, ThatTakesFewerVisitsThanPlansOfTheirOwn) {
  FetchAll();
  for (uint16_t n = 0; n < 2; ++n)
    plans_[n] = std::make_unique<SettlingPlan>(ledger(n), store(n), closed_, kRoom);
  EXPECT_GT(SettleAll(), static_cast<int>(kPages) * 2);
}

// As when one host is crawled, and is the other's.
TEST_F(JointPlanTest, ANodeWithoutPagesTakesPart) {
  FetchAll(/*step=*/2);
  const int settled = SettleAll();
  EXPECT_LE(settled, static_cast<int>(kPages) / 2 * 5 / 4);
  EXPECT_LT(first_paid_[0], 400) << "it hears four times a second how much there is to settle";
  EXPECT_EQ(one_by_one_, 0);
}

TEST_F(JointPlanTest, ANodeWithoutMemoryForAPlanLetsTheOtherGoOn) {
  FetchAll();
  Plan(1, 1000);
  SettleAll();
  EXPECT_GT(one_by_one_, 0);
  EXPECT_LT(first_paid_[0], 100) << "it was waited for";
}

TEST_F(JointPlanTest, ANodeThatSaysNothingIsWaitedForOnce) {
  FetchAll();
  for (int turn = 0; turn < 10; ++turn) {
    EXPECT_EQ(Settle(0), 0);
    DeliverAll();
  }
  EXPECT_TRUE(plans_[0]->waits());
  now_ += PlanRounds::kPatience + absl::Milliseconds(1);
  int settled = 0;
  for (int turn = 0; turn < 100 && settled == 0; ++turn) settled = Settle(0);
  EXPECT_GT(settled, 0);
}

// The fetch has changed links of one node, so its part of the plan is gone.
TEST_F(JointPlanTest, APlanThatANodeForgetsInTheMiddleIsMadeAlone) {
  FetchAll();
  turn_ = [this] {
    if (turns_ == 12) plans_[1]->Forget();
  };
  SettleAll();
  EXPECT_LT(turns_, 2000) << "nobody waits until patience ends";
}

// The page table of a peer is its own matter.
TEST_F(JointPlanTest, PaymentsForPagesThatAreNotKnownAreLeftOut) {
  FetchAll();
  turn_ = [this] {
    for (const cluster::Message& message : sent(0)) {
      const auto* part = std::get_if<cluster::PlanPart>(&message);
      if (part == nullptr || part->round < PlanRounds::kFirstPayments) continue;
      cluster::PlanPart wrong = *part;
      wrong.payments = {{SmallCrawl::Page(9999), 1'000'000}, {PageId(ShardAt(60'000), 1), 7}};
      wrong.last = false;
      plans_[1]->Take(NodeId{0}, wrong, now_);
    }
  };
  SettleAll();
  EXPECT_EQ(one_by_one_, 0);
}

// What the others have paid ahead is for its payments, which come for sure.
TEST_F(JointPlanTest, APeerThatPaysForLongIsWaitedFor) {
  FetchAll();
  slow_ = 1500;
  EXPECT_LE(SettleAll(), static_cast<int>(kPages) * 5 / 4);
  EXPECT_GT(turns_, 2 * absl::ToInt64Milliseconds(PlanRounds::kPatience));
}

class BrokenSessionTest : public JointPlanTest, public testing::WithParamInterface<int> {};

// What was under way is lost: cash is sent again, and parts of plans are not.
TEST_P(BrokenSessionTest, CostsNoMoreThanPatience) {
  FetchAll();
  const cash::Sum held = HeldByAll();
  turn_ = [this] {
    if (turns_ == GetParam()) Connect();
  };
  SettleAll();
  EXPECT_LT(turns_, 2 * absl::ToInt64Milliseconds(PlanRounds::kPatience));
  EXPECT_TRUE(HeldByAll() == held);
}

// Whether what it was paid has arrived or not.
TEST_P(BrokenSessionTest, APeerThatIsGoneIsNotWaitedFor) {
  FetchAll();
  for (int turn = 0; turn < 300; ++turn) {
    if (turn == GetParam()) exchange(0).OnDisconnected(NodeId{1});
    Settle(0);
    Commit(0);
    if (turn >= GetParam()) continue;
    Settle(1);
    Commit(1);
    DeliverAll();
  }
  EXPECT_FALSE(plans_[0]->waits());
  EXPECT_NE(first_paid_[0], kEver);
}

INSTANTIATE_TEST_SUITE_P(AfterTurns, BrokenSessionTest, testing::Range(0, 60, 3));

}  // namespace
}  // namespace opic::node
