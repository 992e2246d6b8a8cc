// What settled pages pay ahead, on ledgers (src/importance/relaxation.h tells how much): to the
// unit, and with an end, also where a circle of pages goes through two nodes.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "importance/relaxation.h"
#include "ledger/ledger.h"
#include "tests/support/crashing_store.h"
#include "tests/support/small_crawl.h"

namespace opic::ledger {
namespace {

constexpr uint64_t kEver = 10'000;

// One node or two, of which node n owns the pages whose number is n modulo 2.
class PayingAheadTest : public testing::Test {
 protected:
  void Open(uint16_t nodes, int64_t base = importance::kBase.units()) {
    nodes_ = nodes;
    for (uint16_t n = 0; n < nodes; ++n) {
      Options options;
      if (nodes > 1) options.owner = [](ShardId shard) { return NodeAt(shard.value % 2); };
      options.nodes = nodes;
      Charter charter = SmallCrawl::Charter();
      charter.node = NodeId{n};
      charter.genesis = n == 0 ? cash::kSupply : cash::Amount();
      charter.method = importance::Method::kPush;
      charter.window.kind = importance::WindowKind::kNone;
      charter.base = cash::Amount(base);
      auto ledger = Ledger::Open(options, stores_[n], &charter);
      ASSERT_TRUE(ledger.ok()) << ledger.status();
      ledgers_[n] = *std::move(ledger);
    }
  }
  Ledger& OwnerOf(uint64_t page) { return *ledgers_[nodes_ == 1 ? 0 : page % 2]; }
  int64_t CashOf(uint64_t page) {
    return OwnerOf(page).books().table().Find(SmallCrawl::Page(page))->cash.value().units();
  }
  int64_t HistoryOf(uint64_t page) {
    const auto row = stores_[0].Get(store::Table::kHistory, KeyOf(SmallCrawl::Page(page)));
    return static_cast<int64_t>(DecodeHistoryRow(**row, ledgers_[0]->window()).value().history.sum);
  }
  void Fetch(uint64_t page, const std::vector<uint64_t>& links) {
    ASSERT_TRUE(OwnerOf(page).Record({SmallCrawl::Fetched(page, links)}).ok());
  }
  void Settle(uint64_t page) { ASSERT_TRUE(OwnerOf(page).Settle({SmallCrawl::Page(page)}).ok()); }
  // Ends the groups; what they pay to pages of the other node arrives there.
  void Commit() {
    for (int round = 0; round < nodes_; ++round) {
      for (uint16_t n = 0; n < nodes_; ++n) {
        ASSERT_TRUE(ledgers_[n]->Commit().ok());
        for (const SealedBatch& sealed : ledgers_[n]->TakeSealed()) {
          const TransferBatch batch = DecodeTransferBatch(sealed.bytes).value();
          ASSERT_EQ(ledgers_[1 - n]->Receive(batch).value(), Receipt::kTaken);
          ASSERT_TRUE(ledgers_[n]->Acknowledge(NodeAt(1 - n), batch.sequence).ok());
        }
      }
    }
  }
  // Circles of so many pages, each of which links to the next one.
  void FetchCircles(uint64_t pages, uint64_t around) {
    for (uint64_t n = 0; n < pages; ++n) OwnerOf(n).Seed(SmallCrawl::Links({n}));
    Commit();
    for (uint64_t n = 0; n < pages; ++n) Fetch(n, {n / around * around + (n + 1) % around});
    Commit();
    pages_ = pages;
  }
  // Pages 0 and 1 link to each other, and 1 to 5, which links nowhere.
  void FetchPairAndEnd() {
    Open(1, 1000);
    FetchCircles(2, 2);
    Fetch(1, {0, 5});
    Commit();
    Fetch(5, {});
    Commit();
  }
  int64_t Most() {
    int64_t most = 0;
    for (uint64_t n = 0; n < pages_; ++n) most = std::max(most, std::abs(CashOf(n)));
    return most;
  }
  // Settles the pages with much cash until none has a ten thousandth of its base; how many visits
  // that takes.
  uint64_t VisitsToRest() {
    uint64_t visits = 0;
    for (int64_t most = Most(); most > importance::kBase.units() / 10'000 && visits < kEver;
         most = Most()) {
      for (uint64_t n = 0; n < pages_; ++n) {
        if (std::abs(CashOf(n)) <= most / 2) continue;
        Settle(n);
        ++visits;
      }
      Commit();
    }
    return visits;
  }

  uint16_t nodes_ = 1;
  uint64_t pages_ = 0;
  CrashingStore stores_[2];
  std::unique_ptr<Ledger> ledgers_[2];
};

TEST_F(PayingAheadTest, ASettledPagePaysAFifthMoreAndOwesIt) {
  Open(1, 1000);
  FetchCircles(2, 2);
  const int64_t cash = CashOf(0), other = CashOf(1), history = HistoryOf(0);
  const cash::Sum clock = ledgers_[0]->books().clock();
  ASSERT_EQ(cash, 850);
  Settle(0);
  Commit();
  const int64_t beyond = cash * importance::Relaxation::kExcessMax / importance::Relaxation::kOne;
  EXPECT_EQ(beyond, 169);
  EXPECT_EQ(CashOf(0), -beyond);
  EXPECT_EQ(HistoryOf(0) - history, cash + beyond);
  EXPECT_TRUE(ledgers_[0]->books().clock() - clock == cash + beyond) << "histories add up to it";
  EXPECT_NEAR(CashOf(1) - other, 0.85 * static_cast<double>(cash + beyond), 1);
}

TEST_F(PayingAheadTest, ByAPlanItPaysWhatThatSays) {
  FetchPairAndEnd();
  struct Said {
    uint64_t page;
    int64_t pays;
    double each;  // of its links
  };
  for (const Said& said : {Said{0, 5000, 0.85}, Said{1, -700, 0.425}, Said{5, 30, 0}}) {
    SCOPED_TRACE(said.page);
    const int64_t cash = CashOf(said.page), history = HistoryOf(said.page), other = CashOf(1);
    const cash::Sum clock = ledgers_[0]->books().clock();
    const uint64_t settled = ledgers_[0]->counts().settled;
    ASSERT_TRUE(ledgers_[0]->Settle({SmallCrawl::Page(said.page)}, {cash::Amount(said.pays)}).ok());
    Commit();
    EXPECT_NEAR(CashOf(said.page), cash - said.pays, 8) << "within the steps of its cell";
    EXPECT_EQ(HistoryOf(said.page) - history, said.pays);
    EXPECT_TRUE(ledgers_[0]->books().clock() - clock == said.pays) << "histories add up to it";
    EXPECT_EQ(ledgers_[0]->counts().settled, settled + 1);
    if (said.page == 0) {
      EXPECT_NEAR(CashOf(1) - other, 0.85 * 5000, 8);
    }
  }
}

TEST_F(PayingAheadTest, BesideAPlanItPaysWhatIsSafe) {
  Open(1, 1000);
  FetchCircles(4, 2);
  const int64_t cash = CashOf(0);
  ASSERT_TRUE(ledgers_[0]->Settle({SmallCrawl::Page(2)}, {cash::Amount(5000)}).ok());
  Settle(0);
  Commit();
  EXPECT_LT(CashOf(0), 0);
  EXPECT_GT(CashOf(0), -cash * 0.15 / 1.85);
}

TEST_F(PayingAheadTest, BesideAFetchItPaysWhatIsSafe) {
  Open(1, 1000);
  FetchCircles(4, 2);
  const int64_t cash = CashOf(0);
  Fetch(2, {3});
  Settle(0);
  Commit();
  EXPECT_LT(CashOf(0), 0);
  EXPECT_GT(CashOf(0), -cash * 0.15 / 1.85);
}

TEST_F(PayingAheadTest, APageWithoutLinksOwesNothing) {
  FetchPairAndEnd();
  for (uint64_t page : {0, 1}) {
    Settle(page);
    Commit();
  }
  ASSERT_NE(CashOf(5), 0);
  Settle(5);
  Commit();
  EXPECT_EQ(CashOf(5), 0);
}

TEST_F(PayingAheadTest, CirclesOfFiveComeToRest) {
  Open(1);
  FetchCircles(40, 5);
  EXPECT_LT(VisitsToRest(), kEver);
}

TEST_F(PayingAheadTest, CirclesThroughTwoNodesComeToRest) {
  Open(2);
  FetchCircles(40, 5);
  EXPECT_LT(VisitsToRest(), kEver);
}

TEST_F(PayingAheadTest, PairsOverTwoNodesPayAheadAsOnOne) {
  Open(1);
  FetchCircles(40, 2);
  const uint64_t visits = VisitsToRest();
  for (CrashingStore& store : stores_) store = CrashingStore();
  Open(2);
  FetchCircles(40, 2);
  EXPECT_LT(VisitsToRest(), visits * 5 / 4);
}

}  // namespace
}  // namespace opic::ledger
