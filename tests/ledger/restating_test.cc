// Restating three ledgers that go on crawling (src/ledger/restating.h): at whatever moments the
// cuts are taken and the drifts corrected, the equation of every page holds afterwards.
#include "ledger/restating.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <limits>

#include "base/rng.h"
#include "ledger/equation.h"
#include "tests/ledger/moving_ledgers.h"

namespace opic::ledger {
namespace {

constexpr uint64_t kPages = 12;
constexpr NodeId kAll[] = {kA, kB, kC};

class RestatingTest : public MovingLedgers {
 protected:
  using Restatings = std::vector<std::shared_ptr<Restating>>;

  RestatingTest() : MovingLedgers(importance::Method::kPush) {}

  static NodeId OwnerOf(uint64_t page) { return ByMap(SmallCrawl::Page(page).shard()); }
  // A page that its node knows, if the dice find one.
  std::optional<uint64_t> SomePage(base::Rng& rng) {
    const uint64_t n = rng.Below(kPages);
    return Knows(OwnerOf(n), n) ? std::optional(n) : std::nullopt;
  }
  void Fetch(base::Rng& rng, uint64_t n) {
    std::set<uint64_t> links;
    for (uint64_t k = rng.Below(5); k > 0; --k) links.insert(rng.Below(kPages));
    ASSERT_TRUE(at(OwnerOf(n)).Record({SmallCrawl::Fetched(n, {links.begin(), links.end()})}).ok());
    Commit(OwnerOf(n));
  }
  // A page is read or settled, or a batch arrives.
  void Step(base::Rng& rng) {
    const NodeId from = kAll[rng.Below(3)], to = kAll[rng.Below(3)];
    const std::optional<uint64_t> n = SomePage(rng);
    if (rng.Below(2) == 0) {
      if (from == to || Waiting(from, to) == 0) return;
      // A node that is told of a later epoch enters it first (cluster/exchange.h).
      const TransferBatch next = Next(from, to);
      if (next.epoch > at(to).cut().epoch) at(to).EnterEpoch(next.epoch);
      DeliverOne(from, to);
    } else if (n && rng.Below(2) == 0) {
      Fetch(rng, *n);
    } else if (n) {
      const PageId page = SmallCrawl::Page(*n);
      if (!at(OwnerOf(*n)).books().table().Find(page)->done) return;
      ASSERT_TRUE(at(OwnerOf(*n)).Settle({&page, 1}).ok());
      Commit(OwnerOf(*n));
    }
  }
  void Steps(base::Rng& rng, int steps) {
    for (int n = 0; n < steps && !HasFatalFailure(); ++n) Step(rng);
  }
  // What nobody's rows say: a lost credit, of a damaged disk.
  void Damage(uint64_t n, cash::Sum more = 37) {
    const PageId page = SmallCrawl::Page(n);
    store::Store& store = *stores_[OwnerOf(n).value];
    const auto bytes = store.Get(store::Table::kHistory, KeyOf(page)).value();
    if (!bytes) return;
    HistoryRow row = DecodeHistoryRow(*bytes, at(kA).window()).value();
    row.history.sum += more;
    store::Batch batch;
    batch.Put(store::Table::kHistory, KeyOf(page), Encode(row, at(kA).window()));
    ASSERT_TRUE(store.Write(batch, store::Sync::kYes).ok());
  }
  std::vector<Drift> AllDrifts() {
    Equation equation(at(kA).charter());
    for (NodeId node : kAll) {
      EXPECT_TRUE(equation.Add(at(node), *stores_[node.value]).ok());
    }
    return equation.Drifts();
  }

  Restatings Prepare() {
    Restatings all;
    for (NodeId node : kAll) all.push_back(at(node).restating().Prepare(epoch_).value());
    return all;
  }
  void TakeCut(NodeId node) {
    if (at(node).cut().epoch < epoch_) at(node).EnterEpoch(epoch_);
  }
  // All that was sealed before a cut has arrived.
  void DeliverWhatWasUnderWay() {
    for (NodeId from : kAll) {
      for (NodeId to : kAll) {
        while (from != to && Waiting(from, to) > 0 && Next(from, to).epoch < epoch_) {
          DeliverOne(from, to);
        }
      }
    }
  }
  // Reads, and brings every node's claims to every other one.
  void WorkOut(const Restatings& all) {
    const std::atomic<bool> stop = false;
    for (NodeId node : kAll) {
      const absl::Status read = all[node.value]->Read(stop);
      ASSERT_TRUE(read.ok()) << read;
    }
    for (NodeId from : kAll) {
      for (NodeId to : kAll) {
        if (from == to) continue;
        const auto claims = DecodeDrifts(Encode(all[from.value]->ClaimsFor(to, 0).value().part));
        ASSERT_TRUE(claims.ok());
        ASSERT_TRUE(all[to.value]->AddClaims(from, 0, *claims).ok());
        ASSERT_TRUE(all[to.value]->AddClaims(from, 0, *claims).ok()) << "told again: left out";
      }
    }
  }
  void Correct(NodeId node, const Restatings& all) {
    EXPECT_EQ(at(node).Correct(all[node.value]->Drifts().value()), 0u);
    at(node).restating().Restated();
    Commit(node);
  }
  // The whole of it with `meanwhile` between any two acts.
  void RestateWhile(const std::function<void()>& meanwhile) {
    const Restatings all = Prepare();
    for (NodeId node : kAll) {
      TakeCut(node);
      meanwhile();
    }
    DeliverWhatWasUnderWay();
    ASSERT_NO_FATAL_FAILURE(WorkOut(all));
    for (NodeId node : kAll) {
      meanwhile();
      Correct(node, all);
    }
    meanwhile();
    epoch_ += 10;
  }

  uint64_t epoch_ = 7;  // of the next cut
};

TEST_F(RestatingTest, TheEquationHoldsAfterwardsWhateverWentOn) {
  for (uint64_t seed = 1; seed <= 30 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    base::Rng rng(seed);
    for (NodeId node : kAll) stores_[node.value] = std::make_unique<CrashingStore>();
    folder_ += "-";
    for (NodeId node : kAll) Open(node);
    at(kA).Seed(SmallCrawl::Links({0}));
    Commit(kA);
    Steps(rng, 120);
    for (uint64_t n = 0; n < kPages; n += 1 + rng.Below(3)) Damage(n);
    for (NodeId node : kAll) Open(node);  // they have kept the rows that they wrote
    ASSERT_NO_FATAL_FAILURE(RestateWhile([&] { Steps(rng, static_cast<int>(rng.Below(20))); }));
    DeliverAll();
    EXPECT_TRUE(AllDrifts().empty());
    EXPECT_EQ(Total(), cash::kSupply.units());
  }
}

TEST_F(RestatingTest, WhatIsLostWhileItIsCorrectedStaysDue) {
  at(kA).Seed(SmallCrawl::Links({0}));
  Commit(kA);
  for (const bool lost_meanwhile : {true, false}) {
    const uint64_t epoch = at(kA).epoch() + 1;
    ASSERT_TRUE(at(kA).restating().Prepare(epoch).ok());
    at(kA).EnterEpoch(epoch);
    if (lost_meanwhile) {
      ASSERT_TRUE(at(kA).BeginAnew(kB, 2).ok());
    }
    EXPECT_TRUE(at(kA).restating().due());
    at(kA).restating().Restated();
    EXPECT_EQ(at(kA).restating().due(), lost_meanwhile);
    Commit(kA);
  }
}

TEST_F(RestatingTest, ALostFolderIsMadeGood) {
  base::Rng rng(5);
  at(kA).Seed(SmallCrawl::Links({0}));
  Commit(kA);
  Steps(rng, 150);
  DeliverAll();
  ASSERT_NO_FATAL_FAILURE(Lose(kB));
  EXPECT_FALSE(AllDrifts().empty()) << "or this test shows nothing";
  for (NodeId node : kAll) {
    EXPECT_TRUE(at(node).restating().due());
    EXPECT_FALSE(at(node).Converged(1)) << "the lost links are not in the ranking";
    EXPECT_EQ(at(node).ErrorBound(), 2);
    Open(node);
    EXPECT_TRUE(at(node).restating().due()) << "after a restart";
  }
  ASSERT_NO_FATAL_FAILURE(RestateWhile([&] { Steps(rng, 3); }));
  DeliverAll();
  // Pages of the lost folder that nobody has named yet hold what their links pay them.
  EXPECT_GT(at(kB).held().pages(), 0u);
  EXPECT_TRUE(AllDrifts().empty());
  EXPECT_EQ(Total(), cash::kSupply.units());
  ASSERT_NO_FATAL_FAILURE(RestateWhile([] {}));
  EXPECT_TRUE(AllDrifts().empty()) << "what is held is counted in a cut, too";
  for (NodeId node : kAll) {
    EXPECT_FALSE(at(node).restating().due());
    Open(node);
    EXPECT_FALSE(at(node).restating().due()) << "after a restart";
  }
  EXPECT_TRUE(AllDrifts().empty()) << "after restarts";
  // They are named again, and get it.
  for (uint64_t n = 0; n < kPages; ++n) {
    if (Knows(OwnerOf(n), n)) Fetch(rng, n);
  }
  DeliverAll();
  EXPECT_TRUE(AllDrifts().empty());
}

TEST_F(RestatingTest, AShardThatMovesMeanwhileSpoilsIt) {
  Crawl();
  const Restatings all = Prepare();
  for (NodeId node : kAll) TakeCut(node);
  Move(kA, kB);
  const std::atomic<bool> stop = false;
  EXPECT_TRUE(all[1]->Read(stop).ok());
  EXPECT_EQ(CodeOf(all[1]->Drifts().status()), absl::StatusCode::kFailedPrecondition);
}

TEST_F(RestatingTest, ACutThatCameTooEarlySpoilsIt) {
  Crawl();
  EXPECT_EQ(CodeOf(at(kA).restating().Prepare(0).status()), absl::StatusCode::kAborted);
  const std::shared_ptr<Restating> one = at(kA).restating().Prepare(epoch_).value();
  EXPECT_EQ(CodeOf(one->Drifts().status()), absl::StatusCode::kFailedPrecondition)
      << "the cut was not taken yet";
  at(kA).EnterEpoch(epoch_ - 1);
  at(kA).EnterEpoch(epoch_);
  EXPECT_EQ(CodeOf(one->Drifts().status()), absl::StatusCode::kFailedPrecondition);
}

TEST_F(RestatingTest, ClaimsMustBeComplete) {
  Crawl();
  const Restatings all = Prepare();
  for (NodeId node : kAll) TakeCut(node);
  EXPECT_EQ(CodeOf(all[0]->AddClaims(kB, 0, {})), absl::StatusCode::kUnavailable)
      << "its rows are not read yet";
  const std::atomic<bool> stop = false;
  ASSERT_TRUE(all[0]->Read(stop).ok());
  EXPECT_EQ(CodeOf(all[0]->AddClaims(kB, 1, {})), absl::StatusCode::kFailedPrecondition);
  const Drift of_another{SmallCrawl::Page(1), 5};
  EXPECT_EQ(CodeOf(all[0]->AddClaims(kB, 0, {&of_another, 1})),
            absl::StatusCode::kFailedPrecondition);
}

// Nor may what single claims that could be add up to.
TEST_F(RestatingTest, ClaimsOfMoreThanThereCanBeAreRefused) {
  Crawl();
  const Restatings all = Prepare();
  for (NodeId node : kAll) TakeCut(node);
  const std::atomic<bool> stop = false;
  ASSERT_TRUE(all[0]->Read(stop).ok());
  for (const int64_t amount : {std::numeric_limits<int64_t>::min(), 4 * cash::kSupply.units()}) {
    const Drift much{SmallCrawl::Page(0), amount};
    EXPECT_EQ(CodeOf(all[0]->AddClaims(kB, 0, {&much, 1})), absl::StatusCode::kFailedPrecondition);
  }
  ASSERT_TRUE(all[0]->Drifts().ok());
  for (uint64_t n : {0, 4, 8, 12}) {
    const Drift one{SmallCrawl::Page(n), (n % 8 == 0 ? 1 : -1) * 3 * cash::kSupply.units()};
    ASSERT_TRUE(all[0]->AddClaims(kB, n / 4, {&one, 1}).ok());
  }
  EXPECT_EQ(CodeOf(all[0]->Drifts().status()), absl::StatusCode::kFailedPrecondition);
}

TEST_F(RestatingTest, WhatLinksCannotHavePaidIsNotClaimed) {
  Crawl();
  for (uint64_t n : {0, 4}) {
    ASSERT_TRUE(at(kA).Record({SmallCrawl::Fetched(n, {1})}).ok());
    Commit(kA);
    Damage(n, cash::Sum{5} * cash::kSupply.units());
  }
  const Restatings all = Prepare();
  for (NodeId node : kAll) TakeCut(node);
  const std::atomic<bool> stop = false;
  ASSERT_TRUE(all[0]->Read(stop).ok());
  EXPECT_EQ(CodeOf(all[0]->ClaimsFor(kB, 0).status()), absl::StatusCode::kFailedPrecondition);
}

TEST(DriftTest, ListsOfDriftsAreReadAsTheyWereWritten) {
  const std::vector<Drift> drifts = {{SmallCrawl::Page(0), -5},
                                     {SmallCrawl::Page(1), int64_t{1} << 62}};
  EXPECT_EQ(DecodeDrifts(Encode(drifts)).value(), drifts);
  EXPECT_TRUE(DecodeDrifts("").value().empty());
  const std::string bytes = Encode(drifts);
  EXPECT_FALSE(DecodeDrifts(bytes.substr(0, bytes.size() - 1)).ok());
  EXPECT_FALSE(DecodeDrifts(bytes + std::string("\0\0", 2)).ok()) << "a page twice";
  std::string no_page;
  base::AppendVarint(no_page, uint64_t{1} << 45);
  base::AppendZigzag(no_page, 5);
  EXPECT_FALSE(DecodeDrifts(no_page).ok());
}

}  // namespace
}  // namespace opic::ledger
