// Messages between a node and its Page Scheduler that no program of ours sends: none is taken.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "opic/v1/session.pb.h"
#include "rpc/schedule_wire.h"

namespace opic::rpc {
namespace {

constexpr uint64_t kNoPage = uint64_t{1} << kPageIdBits;  // a bit between id and shard

TEST(HostileWireTest, AShardThatCannotBe) {
  v1::ToScheduler release, adopt;
  release.mutable_release()->set_shard(1 << 16);
  adopt.mutable_adopt()->set_shard(1 << 16);
  EXPECT_FALSE(FromWire(release).has_value());
  EXPECT_FALSE(FromWire(adopt).has_value());
  v1::ToNode released;
  released.mutable_released()->set_shard(1 << 16);
  EXPECT_FALSE(FromWire(released).has_value());
}

TEST(HostileWireTest, MoreShardsThanThereCanBe) {
  v1::ToScheduler release;
  release.mutable_release()->set_shards(1 << 16);
  EXPECT_TRUE(FromWire(release).has_value());
  release.mutable_release()->set_shards(1 << 17);
  EXPECT_FALSE(FromWire(release).has_value());
}

TEST(HostileWireTest, ALeaseMessageLongerThanAnyIsWritten) {
  v1::ToNode wire;
  for (size_t i = 0; i <= schedule::kLeaseEntriesMax; ++i)
    wire.mutable_lease_message()->add_requests("a");
  EXPECT_FALSE(FromWire(wire));
}

TEST(HostileWireTest, ALeaseMessageOfANodeBeyondAll) {
  v1::ToScheduler wire;
  wire.mutable_lease_message()->set_peer(65'536);
  EXPECT_FALSE(FromWire(wire));
}

TEST(HostileWireTest, ALeaseOfANegativeOrEndlessTerm) {
  for (const int64_t term : {int64_t{-1}, std::numeric_limits<int64_t>::max()}) {
    v1::ToScheduler wire;
    wire.mutable_lease_message()->add_leases()->set_term_us(term);
    EXPECT_FALSE(FromWire(wire)) << term;
  }
}

TEST(HostileWireTest, NoMessageAtAll) {
  EXPECT_FALSE(FromWire(v1::ToScheduler()).has_value());
  EXPECT_FALSE(FromWire(v1::ToNode()).has_value());
}

TEST(HostileWireTest, AWordThatIsNoPage) {
  v1::ToScheduler hello, offers, outcome;
  hello.mutable_hello()->add_in_flight()->set_page(kNoPage);
  offers.mutable_offers()->add_offers()->set_page(kNoPage);
  outcome.mutable_outcome()->set_page(kNoPage);
  for (const v1::ToScheduler& wire : {hello, offers, outcome}) {
    EXPECT_FALSE(FromWire(wire).has_value()) << wire.ShortDebugString();
  }
  v1::ToNode orders;
  orders.mutable_orders()->add_orders()->set_page(kNoPage);
  EXPECT_FALSE(FromWire(orders).has_value());
}

TEST(HostileWireTest, AnUnknownResult) {
  for (const int result : {-1, 4, 1'000'000}) {
    v1::ToScheduler wire;
    wire.mutable_outcome()->set_result(static_cast<v1::OutcomeResult>(result));
    EXPECT_FALSE(FromWire(wire).has_value()) << result;
  }
}

TEST(HostileWireTest, AnUnknownStrategy) {
  for (const int strategy : {-1, 5, 1'000'000}) {
    v1::ToNode wire;
    wire.mutable_directive()->set_strategy(static_cast<v1::Strategy>(strategy));
    EXPECT_FALSE(FromWire(wire).has_value()) << strategy;
  }
}

TEST(HostileWireTest, AClusterOfMoreNodesThanCanBe) {
  v1::ToScheduler wire;
  v1::Lending* lending = wire.mutable_hello()->mutable_lending();
  lending->set_nodes(65'536);
  lending->set_self(65'535);
  EXPECT_TRUE(FromWire(wire).has_value());
  lending->set_nodes(65'537);
  EXPECT_FALSE(FromWire(wire).has_value());
  lending->set_nodes(3);
  EXPECT_FALSE(FromWire(wire).has_value()) << "and this node is none of them";
}

TEST(HostileWireTest, MoreCashThanThereCanBe) {
  v1::ToScheduler wire;
  wire.mutable_offers()->add_offers()->set_cash(cash::kHoldingMax.units() + 1);
  EXPECT_FALSE(FromWire(wire).has_value());
}

}  // namespace
}  // namespace opic::rpc
