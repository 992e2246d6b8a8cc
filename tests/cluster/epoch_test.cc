// Epochs far past all others: one made audits impossible for ever. They are refused, and a cluster
// that has one is mended without touching its cash.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "cluster/cut_sum.h"
#include "cluster/epoch_limits.h"
#include "tests/cluster/exchange_pair.h"

namespace opic::cluster {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class EpochTest : public ExchangePair {
 protected:
  // The audit of both nodes finds the supply.
  void ExpectAudit(uint64_t epoch) {
    const auto a = exchange(0).TakeCut(epoch), b = exchange(1).TakeCut(epoch);
    ASSERT_TRUE(a.ok() && b.ok()) << a.status() << b.status();
    const CutSum sum = SumOf(std::vector<ledger::Cut>{*a, *b});
    EXPECT_FALSE(sum.torn.has_value());
    EXPECT_TRUE(sum.total() == cash::kSupply.units());
  }
  // As an earlier version of this program let it come about.
  void Poison(uint16_t n, uint64_t epoch) {
    Commit(n);
    ledger(n).EnterEpoch(epoch);
  }
};

constexpr uint64_t kPoison = uint64_t{1} << 62;

TEST_F(EpochTest, WhoAsksFarAheadIsRefused) {
  Meet();
  for (uint64_t epoch : {kPoison, kPoison - 1, uint64_t{1} << 40, kEpochsAskedAhead + 1}) {
    const absl::Status refused = exchange(0).TakeCut(epoch).status();
    EXPECT_TRUE(absl::IsOutOfRange(refused)) << refused;
    EXPECT_THAT(std::string(refused.message()), HasSubstr("far past 0"));
  }
  EXPECT_EQ(ledger(0).epoch(), 0u);
  ExpectAudit(kEpochsAskedAhead);
  ExpectAudit(kEpochsAskedAhead + 1);
}

TEST_F(EpochTest, APeerThatWasAwayIsFollowedFar) {
  Meet();
  Poison(0, 5'000'000);
  PayAcross();
  Exchange10();
  EXPECT_EQ(ledger(1).epoch(), 5'000'000u);
  EXPECT_EQ(status(1).alarm, "");
}

TEST_F(EpochTest, NoMessageOfAPeerBringsOneFarAhead) {
  for (const bool before_hello : {false, true}) {
    Open(0), Open(1);
    if (!before_hello) Meet();
    Poison(0, kPoison);
    if (before_hello) Connect();
    PayAcross();
    Exchange10();
    EXPECT_EQ(ledger(1).epoch(), 0u);
    EXPECT_THAT(status(1).alarm, AllOf(HasSubstr("node a says that epoch 4611686018427387904"),
                                       HasSubstr("opic cluster mend-epochs")));
    EXPECT_FALSE(status(1).connected);
  }
}

// Both were in it, and a batch that waits for its receiver tells it too, also after a restart.
TEST_F(EpochTest, APoisonedClusterIsMendedWithoutLosingAUnit) {
  Meet();
  Poison(0, kPoison), Poison(1, kPoison);
  FetchAcross();
  PayAcross();
  for (uint16_t n = 0; n < 2; ++n) exchange(n).OnDisconnected(Other(n));
  Open(0), Open(1);
  Meet();
  EXPECT_NE(status(1).alarm, "");
  const auto batches = exchange(0).MendEpoch(now_);
  ASSERT_TRUE(batches.ok()) << batches.status();
  EXPECT_EQ(*batches, ledger(0).peers().retained(Other(0)).size());
  EXPECT_GT(*batches, 0u);
  EXPECT_EQ(*exchange(1).MendEpoch(now_), 0u);
  EXPECT_EQ(*exchange(0).MendEpoch(now_), 0u) << "the same again changes nothing";
  ExpectAudit(1);
  Meet();
  EXPECT_EQ(status(1).alarm, "");
  EXPECT_EQ(status(0).outbox_bytes, 0u);
  EXPECT_EQ(status(0).unacknowledged, 0u);
  EXPECT_TRUE(Held(0) + Held(1) == cash::kSupply.units());
  ExpectAudit(2);
}

// It was applied, and its acknowledgement lost: the rewritten batch is a repetition all the same.
TEST_F(EpochTest, ARewrittenBatchIsPaidOnce) {
  Meet();
  Poison(0, 100);
  PayAcross();
  Deliver(1);
  sent(1).clear();
  const cash::Sum held = Held(1);
  ASSERT_TRUE(exchange(0).MendEpoch(now_).ok());
  Meet();
  EXPECT_TRUE(Held(1) == held);
  EXPECT_EQ(status(0).unacknowledged, 0u);
}

// Batches of before the cut are told from later ones by their epoch. So where it may have fallen,
// a restating that is under way is begun anew.
class RestatingEpochTest : public ExchangePair {
 protected:
  RestatingEpochTest() : ExchangePair(Pushing()) {
    for (uint16_t n = 0; n < 2; ++n) Start(n, 10 + n);
    Meet();
    restating_ = ledger(0).restating().Prepare(1).value();
    EXPECT_TRUE(exchange(0).TakeCut(1).ok());
    std::atomic<bool> stop = false;
    EXPECT_TRUE(restating_->Read(stop).ok());
  }
  static ledger::Charter Pushing() {
    ledger::Charter charter = SmallCrawl::Charter();
    charter.method = importance::Method::kPush;
    charter.window.kind = importance::WindowKind::kNone;
    charter.base = cash::Amount(60);
    return charter;
  }
  void Start(uint16_t n, uint64_t process) {
    exchange_options_.incarnation = {process, process};
    Open(n);
  }
  absl::Status Claims() { return restating_->ClaimsFor(NodeId{1}, 0).status(); }

  std::shared_ptr<ledger::Restating> restating_;
};

TEST_F(RestatingEpochTest, AMendedEpochEndsIt) {
  ASSERT_TRUE(Claims().ok()) << Claims();
  ASSERT_TRUE(exchange(0).MendEpoch(now_).ok());
  EXPECT_THAT(std::string(Claims().message()), HasSubstr("the epoch was mended"));
}

TEST_F(RestatingEpochTest, APeerThatIsStartedAgainEndsIt) {
  Meet();
  ASSERT_TRUE(Claims().ok()) << "another session with the same process: " << Claims();
  Start(1, 12);
  Meet();
  EXPECT_THAT(std::string(Claims().message()), HasSubstr("node b was started again"));
}

}  // namespace
}  // namespace opic::cluster
