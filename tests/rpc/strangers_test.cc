// Who speaks to a node and is no peer of it, or not the one it should be.
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include "opic/v1/peer.grpc.pb.h"
#include "rpc/peer_wire.h"
#include "tests/rpc/talking_peer.h"
#include "tests/support/log_lines.h"

namespace opic::rpc {
namespace {

v1::PeerMessage Wire(cluster::Message message) {
  v1::PeerMessage wire;
  ToWire(std::move(message), &wire);
  return wire;
}

// Anybody who reaches the port.
class StrangerTest : public TwoPeers {
 protected:
  void SetUp() override { StartOne(); }
  // How the stream ends when these are said.
  grpc::Status Say(const std::vector<v1::PeerMessage>& messages) {
    const auto stub = v1::Peers::NewStub(ChannelTo(address_));
    grpc::ClientContext context;
    context.set_deadline(absl::ToChronoTime(absl::Now() + kPatience));
    const auto stream = stub->Channel(&context);
    for (const v1::PeerMessage& message : messages) stream->Write(message);
    v1::PeerMessage reply;
    while (stream->Read(&reply)) continue;
    return stream->Finish();
  }
};

TEST_F(StrangerTest, WhatCannotBeReadEndsTheStream) {
  EXPECT_EQ(Say({v1::PeerMessage()}).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
}

TEST_F(StrangerTest, WhoDoesNotBeginWithHelloIsPutOut) {
  EXPECT_EQ(Say({Wire(cluster::Sealed{1, "x"})}).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_TRUE(one_->batches().empty());
}

TEST_F(StrangerTest, ANodeThatDoesNotDialThisOneIsPutOut) {
  for (const int from : {1, 2, 65'535}) {
    EXPECT_EQ(Say({Wire(HelloOf(from, 1))}).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  }
}

TEST_F(StrangerTest, HelloIsSaidOnce) {
  EXPECT_EQ(Say({Wire(HelloOf(0, 1)), Wire(HelloOf(0, 1))}).error_code(),
            grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_TRUE(one_->AwaitEnds(0, 1));
}

// Seventy silent streams kept a restarted peer out.
TEST_F(StrangerTest, WhoeverIsSilentKeepsNoPeerOut) {
  const auto stub = v1::Peers::NewStub(ChannelTo(address_));
  std::vector<std::unique_ptr<grpc::ClientContext>> contexts;
  std::vector<std::unique_ptr<grpc::ClientReaderWriter<v1::PeerMessage, v1::PeerMessage>>> streams;
  for (int i = 0; i < 70; ++i) {
    contexts.push_back(std::make_unique<grpc::ClientContext>());
    streams.push_back(stub->Channel(contexts.back().get()));
    streams.back()->WaitForInitialMetadata();
  }
  StartZero();
  EXPECT_TRUE(one_->AwaitHellos(0, 1));
  // Of one address no more than these are still there.
  streams.front()->WritesDone();
  EXPECT_EQ(streams.front()->Finish().error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  for (const auto& context : contexts) context->TryCancel();
}

// Two megabytes of wire became a hundred of memory: a million words about no shard.
TEST_F(StrangerTest, AHelloOfAMillionEmptyWordsIsNotDecoded) {
  v1::PeerMessage many = Wire(HelloOf(0, 1));
  for (int i = 0; i < 1'000'000; ++i) many.mutable_hello()->add_placements();
  EXPECT_EQ(Say({many}).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_TRUE(one_->batches().empty());
}

// What is with a batch is counted as what is alone.
TEST_F(StrangerTest, NorIsAnAcknowledgementOfThemWithABatch) {
  v1::PeerMessage many = Wire(cluster::Sealed{1, "x", cluster::Acknowledgement{}});
  for (int i = 0; i < 500'000; ++i) many.mutable_after_batch()->add_placements();
  const grpc::Status ended = Say({many});
  EXPECT_EQ(ended.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(ended.error_message(), testing::HasSubstr("cannot be read"));
}

// The secret of a cluster: without it any process of the machine could speak as a peer.
class SecretTest : public testing::Test {
 protected:
  // Whether they come to talk within a moment, in which they try several times.
  static bool Talk(const std::string& of_zero, const std::string& of_one) {
    TalkingPeer one(1, {Member(0, "127.0.0.1:1"), Member(1, "")}, "127.0.0.1:0", of_one);
    TalkingPeer zero(0, {Member(0, ""), Member(1, one.address())}, "127.0.0.1:0", of_zero);
    if (of_zero == of_one) return one.AwaitHellos(0, 1) && zero.AwaitHellos(1, 1);
    const auto stranger = v1::Peers::NewStub(ChannelTo(one.address()));
    grpc::ClientContext context;
    const auto stream = stranger->Channel(&context);
    stream->Write(Wire(HelloOf(0, 1)));
    v1::PeerMessage answer;
    const bool answered = stream->Read(&answer);
    if (!answered) {
      EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::PERMISSION_DENIED);
    } else {
      context.TryCancel();
      stream->Finish();
    }
    EXPECT_EQ(zero.hellos(1), 0);
    return answered;
  }
};

TEST_F(SecretTest, WhoKnowsItIsLetIn) { EXPECT_TRUE(Talk("the secret", "the secret")); }

TEST_F(SecretTest, WhoDoesNotKnowItIsNot) {
  EXPECT_FALSE(Talk("another one", "the secret"));
  EXPECT_FALSE(Talk("", "the secret"));
}

// The one that dials is told nothing by whoever took its peer's address.
TEST_F(SecretTest, WhoDialsLooksForAProofToo) {
  const support::LogLines log;
  TalkingPeer one(1, {Member(0, "127.0.0.1:1"), Member(1, "")}, "127.0.0.1:0");
  PeerNet zero({Member(0, ""), Member(1, one.address())}, NodeId{0}, std::nullopt,
               {[](NodeId) { ADD_FAILURE() << "it was taken for a peer"; }, [](NodeId) {},
                [](NodeId, const cluster::Message&, const std::function<void()>&) {}},
               "the secret");
  zero.Start();
  EXPECT_TRUE(log.Await("node node1: it does not know this cluster's secret"));
  zero.Stop();
  EXPECT_EQ(one.hellos(0), 0);
}

// Node 0 dials an address where another node than node 1 answers.
TEST(WrongAddressTest, AnotherNodeAtAPeersAddressIsRefused) {
  TalkingPeer two(2, {Member(0, ""), Member(1, "127.0.0.1:1"), Member(2, "")}, "127.0.0.1:0");
  TalkingPeer zero(0, {Member(0, ""), Member(1, two.address())}, "127.0.0.1:0");
  EXPECT_TRUE(zero.AwaitEnds(1, 1));
  EXPECT_TRUE(two.AwaitHellos(0, 1));
  zero.net().Stop();
  EXPECT_TRUE(zero.batches().empty());
}

}  // namespace
}  // namespace opic::rpc
