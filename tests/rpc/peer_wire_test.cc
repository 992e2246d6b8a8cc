// What nodes say to each other keeps its meaning on the wire; what no node would say is refused.
#include "rpc/peer_wire.h"

#include <gtest/gtest.h>

#include "opic/v1/peer.pb.h"

namespace opic::rpc {
namespace {

constexpr cash::Sum kBig = static_cast<cash::Sum>(7) << 90 | 11;

ledger::NodeSums SomeSums() {
  ledger::NodeSums sums;
  sums.clock = kBig;
  sums.fetch_clock = kBig - 1;
  sums.origin = kBig - 2;
  sums.table = 500;
  sums.virtual_page = cash::Amount(40);
  sums.pages = 9;
  sums.unread = 8;
  sums.idle = true;
  sums.method = importance::Method::kPush;
  sums.history = kBig - 3;
  sums.read_cash = -7;
  sums.residual = 8;
  sums.rounded = 9;
  sums.reread = 3;
  sums.unread_debt = 11;
  return sums;
}

// Through the very bytes.
template <typename Kind>
Kind OnTheWireAndBack(Kind message) {
  v1::PeerMessage wire, read;
  ToWire(cluster::Message(std::move(message)), &wire);
  EXPECT_TRUE(read.ParseFromString(wire.SerializeAsString()));
  std::optional<cluster::Message> back = FromWire(std::move(read));
  EXPECT_TRUE(back.has_value());
  return std::get<Kind>(*std::move(back));
}

TEST(PeerWireTest, Hello) {
  cluster::Hello hello;
  hello.cluster_id = ~uint64_t{0};
  hello.format_version = 2;
  hello.from = NodeId{3};
  hello.to = NodeId{65'535};
  hello.generation = 4;
  hello.birth = 5;
  hello.incarnation = {61, 62};
  hello.known = {63, 64};
  hello.known_generation = 65;
  hello.map_version = 6;
  hello.applied = 7;
  hello.applied_cash = kBig;
  hello.sealed = 10;
  hello.acknowledged = 9;
  hello.sealed_cash = kBig + 5;
  hello.closed_sealed_cash = -kBig;
  hello.closed_applied_cash = kBig + 6;
  hello.epoch = 12;
  hello.sums = SomeSums();
  hello.plans_together = true;
  hello.batches_carry_acknowledgements = true;
  const cluster::Hello read = OnTheWireAndBack(hello);
  EXPECT_EQ(read.cluster_id, hello.cluster_id);
  EXPECT_EQ(read.format_version, 2u);
  EXPECT_EQ(read.from, hello.from);
  EXPECT_EQ(read.to, hello.to);
  EXPECT_EQ(read.generation, 4u);
  EXPECT_EQ(read.incarnation, hello.incarnation);
  EXPECT_EQ(read.known, hello.known);
  EXPECT_EQ(read.known_generation, 65u);
  EXPECT_EQ(read.birth, 5u);
  EXPECT_EQ(read.map_version, 6u);
  EXPECT_EQ(read.applied, 7u);
  EXPECT_TRUE(read.applied_cash == hello.applied_cash);
  EXPECT_EQ(read.sealed, 10u);
  EXPECT_EQ(read.acknowledged, 9u);
  EXPECT_TRUE(read.sealed_cash == hello.sealed_cash);
  EXPECT_TRUE(read.closed_sealed_cash == hello.closed_sealed_cash);
  EXPECT_TRUE(read.closed_applied_cash == hello.closed_applied_cash);
  EXPECT_EQ(read.epoch, 12u);
  EXPECT_TRUE(read.sums == hello.sums);
  EXPECT_TRUE(read.plans_together);
  EXPECT_TRUE(read.batches_carry_acknowledgements);
}

// A batch is resent byte for byte, so any byte may be in it.
TEST(PeerWireTest, SealedBatch) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes.push_back(static_cast<char>(i));
  const cluster::Sealed read = OnTheWireAndBack(cluster::Sealed{77, bytes});
  EXPECT_EQ(read.sequence, 77u);
  EXPECT_EQ(read.bytes, bytes);
  EXPECT_FALSE(read.acknowledgement.has_value());
}

TEST(PeerWireTest, ABatchCarriesAnAcknowledgement) {
  const cluster::Sealed told{77, "batch", cluster::Acknowledgement{5, 6, SomeSums()}};
  const cluster::Sealed read = OnTheWireAndBack(told);
  EXPECT_EQ(read.bytes, "batch");
  ASSERT_TRUE(read.acknowledgement.has_value());
  EXPECT_EQ(read.acknowledgement->applied, 5u);
  EXPECT_EQ(read.acknowledgement->epoch, 6u);
  EXPECT_TRUE(read.acknowledgement->sums == SomeSums());

  v1::PeerMessage wire;
  ToWire(cluster::Message(told), &wire);
  v1::PeerNews* news = wire.mutable_after_batch()->mutable_news();
  news->set_unread(news->pages() + 1);
  EXPECT_FALSE(FromWire(std::move(wire))) << "sums that cannot be";
}

TEST(PeerWireTest, Demand) {
  cluster::Acknowledgement told{5, 6, SomeSums()};
  EXPECT_EQ(OnTheWireAndBack(told).demand, std::nullopt);
  schedule::RefreshDemand demand;
  demand.rate = 2.5;
  demand.first = -9;
  demand.least = 0.1;
  for (size_t i = 0; i < demand.planned.size(); ++i) demand.planned[i] = 1 + static_cast<double>(i);
  demand.most = 100;
  told.demand = demand;
  EXPECT_EQ(OnTheWireAndBack(told).demand, demand);

  v1::PeerMessage wire;
  ToWire(cluster::Message(told), &wire);
  v1::PeerMessage shorter = wire, falling = wire;
  shorter.mutable_acknowledgement()->mutable_demand()->mutable_planned()->RemoveLast();
  EXPECT_FALSE(FromWire(std::move(shorter)));
  falling.mutable_acknowledgement()->mutable_demand()->set_most(1);
  EXPECT_FALSE(FromWire(std::move(falling)));
}

TEST(PeerWireTest, Acknowledgement) {
  const auto read = OnTheWireAndBack(cluster::Acknowledgement{5, 6, SomeSums()});
  EXPECT_EQ(read.applied, 5u);
  EXPECT_EQ(read.epoch, 6u);
  EXPECT_TRUE(read.sums == SomeSums());
}

// What no peer of ours sends.

bool IsRefused(v1::PeerMessage wire) { return !FromWire(std::move(wire)).has_value(); }

TEST(PeerWireTest, LeaseMessage) {
  schedule::LeaseMessage message;
  message.process = 7;
  message.returns = {{"a.test", 3, "pace", "robots"}};
  const auto read = OnTheWireAndBack(message);
  EXPECT_EQ(read.process, 7u);
  ASSERT_EQ(read.returns.size(), 1u);
  EXPECT_EQ(read.returns[0].pace, "pace");
}

cluster::PlanPart SomePart() {
  return {.plan = 3,
          .round = 4,
          .out = true,
          .last = false,
          .left = cash::kSupply.units(),
          .may_be_left = 5,
          .payments = {{PageId(ShardAt(7), 8), -9}, {PageId(ShardAt(65'535), 10), 11}}};
}

TEST(PeerWireTest, PlanPart) {
  const auto read = OnTheWireAndBack(SomePart());
  EXPECT_EQ(read.plan, 3u);
  EXPECT_EQ(read.round, 4u);
  EXPECT_TRUE(read.out);
  EXPECT_FALSE(read.last);
  EXPECT_EQ(read.left, cash::kSupply.units());
  EXPECT_EQ(read.may_be_left, 5);
  ASSERT_EQ(read.payments.size(), 2u);
  EXPECT_EQ(read.payments[0].page, PageId(ShardAt(7), 8));
  EXPECT_EQ(read.payments[0].amount, -9);
  EXPECT_EQ(read.payments[1].page, PageId(ShardAt(65'535), 10));
  EXPECT_TRUE(OnTheWireAndBack(cluster::PlanPart{.plan = 1}).last);
}

// Each of them is a part that could be, but for one thing.
TEST(HostilePeerWireTest, PartsOfImpossiblePlans) {
  const auto refused = [](auto&& change) {
    v1::PeerMessage wire;
    ToWire(cluster::Message(SomePart()), &wire);
    change(*wire.mutable_plan());
    return IsRefused(std::move(wire));
  };
  EXPECT_FALSE(refused([](v1::PlanPart&) {}));
  EXPECT_TRUE(refused([](v1::PlanPart& part) { part.set_plan(0); }));
  EXPECT_TRUE(refused([](v1::PlanPart& part) { part.set_plan(~uint64_t{0}); }));
  EXPECT_TRUE(refused([](v1::PlanPart& part) { part.set_left(~uint64_t{0}); }));
  EXPECT_TRUE(refused([](v1::PlanPart& part) { part.set_may_be_left(~uint64_t{0}); }));
  EXPECT_TRUE(refused([](v1::PlanPart& part) { part.add_amounts(1); })) << "of no page";
  EXPECT_TRUE(refused([](v1::PlanPart& part) { part.set_pages(0, ~uint64_t{0}); }));
  EXPECT_TRUE(refused([](v1::PlanPart& part) { part.set_amounts(0, INT64_MAX); }));
  EXPECT_TRUE(refused([](v1::PlanPart& part) { part.set_amounts(0, INT64_MIN); }));
  EXPECT_TRUE(refused([](v1::PlanPart& part) {
    for (size_t i = 0; i < cluster::PlanPart::kPaymentsMax; ++i) {
      part.add_pages(1);
      part.add_amounts(1);
    }
  }));
}

TEST(HostilePeerWireTest, NoMessageAtAll) { EXPECT_TRUE(IsRefused(v1::PeerMessage())); }

TEST(HostilePeerWireTest, ANodeNumberBeyondAll) {
  v1::PeerMessage from, to;
  from.mutable_hello()->set_from(65'536);
  to.mutable_hello()->set_to(65'536);
  EXPECT_TRUE(IsRefused(from));
  EXPECT_TRUE(IsRefused(to));
}

TEST(HostilePeerWireTest, MoreAcknowledgedThanSealed) {
  v1::PeerMessage hello;
  hello.mutable_hello()->set_acknowledged(1);
  EXPECT_TRUE(IsRefused(hello));
}

TEST(HostilePeerWireTest, ABatchWithoutNumberOrBytesOrBounds) {
  v1::PeerMessage unnumbered, empty, huge;
  unnumbered.mutable_sealed()->set_batch("x");
  empty.mutable_sealed()->set_sequence(1);
  huge.mutable_sealed()->set_sequence(1);
  huge.mutable_sealed()->set_batch(std::string(kBatchBytesMax + 1, 'x'));
  for (const v1::PeerMessage& wire : {unnumbered, empty, huge}) EXPECT_TRUE(IsRefused(wire));
}

TEST(HostilePeerWireTest, SumsOfMoreCashThanThereIs) {
  v1::PeerMessage on_pages, beyond_64_bits, virtual_page;
  on_pages.mutable_acknowledgement()->mutable_news()->mutable_table()->set_low(
      cash::kHoldingMax.units() + 1);
  beyond_64_bits.mutable_acknowledgement()->mutable_news()->mutable_table()->set_high(1);
  virtual_page.mutable_hello()->mutable_news()->set_virtual_page(cash::kHoldingMax.units() + 1);
  for (const v1::PeerMessage& wire : {on_pages, beyond_64_bits, virtual_page})
    EXPECT_TRUE(IsRefused(wire));
}

TEST(HostilePeerWireTest, SumsOfMoreUnreadPagesThanPages) {
  v1::PeerMessage wire;
  wire.mutable_acknowledgement()->mutable_news()->set_unread(1);
  EXPECT_TRUE(IsRefused(wire));
}

}  // namespace
}  // namespace opic::rpc
