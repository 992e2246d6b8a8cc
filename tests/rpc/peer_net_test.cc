// Nodes that talk, over loopback sockets or within a process: sessions begin, break and begin
// again.
#include "rpc/peer_net.h"

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include "absl/synchronization/notification.h"
#include "opic/v1/peer.grpc.pb.h"
#include "rpc/peer_wire.h"
#include "tests/rpc/talking_peer.h"
#include "tests/support/log_lines.h"

namespace opic::rpc {
namespace {

class SessionsTest : public TwoPeers, public testing::WithParamInterface<bool> {
 protected:
  SessionsTest() : TwoPeers(/*local=*/GetParam()) {}
};

INSTANTIATE_TEST_SUITE_P(OverSocketsAndWithinAProcess, SessionsTest, testing::Bool());

TEST_P(SessionsTest, BothSayHelloAndMessagesComeInOrder) {
  StartBoth();
  for (uint64_t i = 1; i <= 100; ++i) {
    zero_->Send(1, cluster::Sealed{i, std::string(1000, 'a')});
    one_->Send(0, cluster::Sealed{1000 + i, "b"});
  }
  ASSERT_TRUE(one_->AwaitBatches(100));
  ASSERT_TRUE(zero_->AwaitBatches(100));
  for (uint64_t i = 1; i <= 100; ++i) {
    EXPECT_EQ(one_->batches()[i - 1], i);
    EXPECT_EQ(zero_->batches()[i - 1], 1000 + i);
  }
}

// Of a cluster that the scheduler of a node worked for before, say.

TEST_P(SessionsTest, WhatIsMeantForANodeThatThereIsNotIsDropped) {
  StartBoth();
  zero_->Send(7, cluster::Sealed{1, "a"});
  zero_->Send(0, cluster::Sealed{2, "a"});
  zero_->Send(1, cluster::Sealed{3, "a"});
  ASSERT_TRUE(one_->AwaitBatches(1));
  EXPECT_EQ(one_->batches(), std::vector<uint64_t>{3});
}

TEST_P(SessionsTest, TheNextMessageIsReadOnlyWhenTheNodeAsks) {
  StartBoth();
  one_->ReadSlowly();
  for (uint64_t i = 1; i <= 3; ++i) zero_->Send(1, cluster::Sealed{i, "x"});
  ASSERT_TRUE(one_->AwaitBatches(1));
  one_->Send(0, cluster::Sealed{9, "the other way is open"});
  ASSERT_TRUE(zero_->AwaitBatches(1));
  EXPECT_EQ(one_->batches().size(), 1u);
  one_->ReadOn();
  EXPECT_TRUE(one_->AwaitBatches(2));
}

// A slow reader must not make its peer gather acknowledgements without end: the last one says all.
TEST_P(SessionsTest, OfWaitingAcknowledgementsOnlyTheLastIsSent) {
  StartBoth();
  constexpr uint64_t kMany = 100'000;
  for (uint64_t i = 1; i <= kMany; ++i) zero_->Send(1, cluster::Acknowledgement{i, 0, {}});
  ASSERT_TRUE(one_->AwaitAcknowledged(kMany));
  EXPECT_LT(one_->acknowledgements(), static_cast<int>(kMany));
}

// A move is told once. Who did not hear of it asked the old owner for ever, and no cluster could be
// restated with it.
TEST_P(SessionsTest, OfWaitingAcknowledgementsNoMoveIsLost) {
  StartBoth();
  constexpr uint64_t kMoves = 1000, kPlain = 100;
  uint64_t sent = 0;
  for (uint64_t shard = 0; shard < kMoves; ++shard) {
    const ledger::Placement moved{ShardAt(shard), NodeAt(1), 1};
    zero_->Send(1, cluster::Acknowledgement{++sent, 0, {}, {moved}});
    for (uint64_t i = 0; i < kPlain; ++i) zero_->Send(1, cluster::Acknowledgement{++sent, 0, {}});
  }
  const ledger::Placement again{ShardAt(0), NodeAt(0), 2};
  zero_->Send(1, cluster::Acknowledgement{++sent, 0, {}, {again}});
  ASSERT_TRUE(one_->AwaitAcknowledged(sent));
  EXPECT_LT(one_->acknowledgements(), static_cast<int>(sent));
  const std::map<uint32_t, uint64_t> moves = one_->moves();
  EXPECT_EQ(moves.size(), kMoves);
  EXPECT_EQ(moves.at(0), 2u);
}

// Nor is what a node would read again, which is told once, too.
TEST_P(SessionsTest, OfWaitingAcknowledgementsTheLastDemandIsKept) {
  StartBoth();
  constexpr uint64_t kMany = 100'000;
  uint64_t sent = 0;
  while (sent < kMany) zero_->Send(1, cluster::Acknowledgement{++sent, 0, {}});
  cluster::Acknowledgement wants{++sent, 0, {}};
  wants.demand = schedule::RefreshDemand{.rate = 7};
  zero_->Send(1, std::move(wants));
  while (sent < 2 * kMany) zero_->Send(1, cluster::Acknowledgement{++sent, 0, {}});
  ASSERT_TRUE(one_->AwaitAcknowledged(sent));
  EXPECT_LT(one_->acknowledgements(), static_cast<int>(sent));
  EXPECT_EQ(one_->demands(), std::vector<double>{7});
}

TEST_P(SessionsTest, ABrokenStreamIsDialledAgain) {
  StartBoth();
  one_->net().Disconnect(NodeId{0});
  EXPECT_TRUE(zero_->AwaitEnds(1, 1));
  EXPECT_TRUE(one_->AwaitEnds(0, 1));
  EXPECT_TRUE(zero_->AwaitHellos(1, 2));
  EXPECT_TRUE(one_->AwaitHellos(0, 2));
}

TEST_P(SessionsTest, ThePeerMayComeLaterAndComeBack) {
  StartOne();
  one_.reset();
  StartZero();
  StartOne(address_);
  ASSERT_TRUE(one_->AwaitHellos(0, 1));
  ASSERT_TRUE(zero_->AwaitHellos(1, 1));
  one_.reset();
  ASSERT_TRUE(zero_->AwaitEnds(1, 1));
  StartOne(address_);
  EXPECT_TRUE(one_->AwaitHellos(0, 1));
  EXPECT_TRUE(zero_->AwaitHellos(1, 2));
}

TEST_P(SessionsTest, ItStopsWhileMessagesAreUnderWay) {
  StartBoth();
  one_->ReadSlowly();
  for (uint64_t i = 1; i <= 16; ++i) {
    zero_->Send(1, cluster::Sealed{i, std::string(1 << 20, 'x')});
    one_->Send(0, cluster::Sealed{i, std::string(1 << 20, 'y')});
  }
  ASSERT_TRUE(zero_->AwaitBatches(1));
  zero_.reset();
  one_->ReadOn();
  EXPECT_TRUE(one_->AwaitEnds(0, 1));
  one_.reset();
}

class PeerNetTest : public TwoPeers {};

// Each start of a cluster had warnings: its nodes are started one after the other.
TEST_F(PeerNetTest, APeerThatIsNotThereYetIsNoReasonToWarn) {
  const support::LogLines log;
  StartOne();
  one_.reset();
  StartZero();
  ASSERT_TRUE(log.Await("is not there yet"));
  StartOne(address_);
  ASSERT_TRUE(zero_->AwaitHellos(1, 1));
  EXPECT_EQ(log.With("warning"), 0);
  EXPECT_EQ(log.With("is not there yet"), 1);
  one_.reset();
  ASSERT_TRUE(log.Await("trying again")) << "now it is away";
  StartOne(address_);
  ASSERT_TRUE(log.Await("node1 is there again"));
  EXPECT_EQ(log.With("warning"), 1);
  EXPECT_EQ(log.With("is there again"), 1);
}

// A node that was cut off without noticing dials again; the session it left behind must give way.
TEST_F(PeerNetTest, ANewerSessionTakesThePlaceOfTheOlder) {
  StartBoth();
  const auto stub = v1::Peers::NewStub(ChannelTo(address_));
  grpc::ClientContext context;
  const auto stream = stub->Channel(&context);
  v1::PeerMessage hello;
  ToWire(HelloOf(0, 1), &hello);
  stream->Write(hello);
  EXPECT_TRUE(one_->AwaitEnds(0, 1));
  EXPECT_TRUE(one_->AwaitHellos(0, 2));
  EXPECT_TRUE(zero_->AwaitEnds(1, 1));
  context.TryCancel();
}

// What belongs to the session before is not said in the next one.
TEST_F(PeerNetTest, WhatIsSentBeforeHelloIsDropped) {
  StartOne();
  const auto stub = v1::Peers::NewStub(ChannelTo(address_));
  std::vector<cluster::MemberNode> nodes{Member(0, ""), Member(1, address_)};
  absl::Notification connected;
  PeerNet net(nodes, NodeId{0}, std::nullopt,
              {[&](NodeId) { connected.Notify(); }, [](NodeId) {},
               [](NodeId, const cluster::Message&, const std::function<void()>&) {}});
  net.Start();
  ASSERT_TRUE(connected.WaitForNotificationWithTimeout(kPatience));
  net.Send(NodeId{1}, cluster::Sealed{1, "stale"});
  net.Send(NodeId{1}, HelloOf(0, 1));
  net.Send(NodeId{1}, HelloOf(0, 1));
  net.Send(NodeId{1}, cluster::Sealed{2, "fresh"});
  ASSERT_TRUE(one_->AwaitBatches(1));
  EXPECT_EQ(one_->batches(), std::vector<uint64_t>{2});
  EXPECT_TRUE(one_->AwaitHellos(0, 1));
}

class LocalSessionTest : public TwoPeers {
 protected:
  LocalSessionTest() : TwoPeers(/*local=*/true) {}
};

TEST_F(LocalSessionTest, WhoIsElsewhereIsDialledOverASocket) {
  TalkingPeer one(1, {Member(0, ""), Member(1, "")}, "127.0.0.1:0");
  address_ = one.address();
  StartZero();
  EXPECT_TRUE(one.AwaitHellos(0, 1));
  EXPECT_TRUE(zero_->AwaitHellos(1, 1));
}

TEST_F(LocalSessionTest, WhoHasAnotherSecretIsNotSpokenWith) {
  const support::LogLines log;
  StartOne();
  TalkingPeer zero(0, {Member(0, ""), Member(1, address_)}, "127.0.0.1:0", "another one", here_);
  EXPECT_TRUE(log.Await("does not know this cluster's secret"));
  EXPECT_EQ(zero.hellos(1) + one_->hellos(0), 0);
}

}  // namespace
}  // namespace opic::rpc
