// Nodes that talk over loopback sockets: sessions begin, break and begin again; strangers are put
// out.
#include "rpc/peer_net.h"

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "opic/v1/peer.grpc.pb.h"
#include "rpc/peer_wire.h"
#include "rpc/server.h"
#include "tests/support/log_lines.h"

namespace opic::rpc {
namespace {

constexpr absl::Duration kPatience = absl::Seconds(20);

cluster::Hello HelloOf(int from, int to) {
  cluster::Hello hello;
  hello.from = NodeAt(from);
  hello.to = NodeAt(to);
  return hello;
}

v1::PeerMessage Wire(cluster::Message message) {
  v1::PeerMessage wire;
  ToWire(std::move(message), &wire);
  return wire;
}

// A node of which only the talk is there: says Hello when a session begins, remembers what it
// hears, and reads on unless it is told to wait.
class TalkingNode {
 public:
  TalkingNode(int self, std::vector<cluster::MemberNode> nodes, const std::string& listen,
              const std::string& secret = "")
      : self_(self),
        net_(std::move(nodes), NodeAt(self), std::nullopt,
             {[this](NodeId peer) { OnConnected(peer); },
              [this](NodeId peer) {
                absl::MutexLock lock(&mu_);
                ++ended_[peer.value];
              },
              [this](NodeId peer, cluster::Message message, std::function<void()> read_next) {
                OnMessage(peer, std::move(message), std::move(read_next));
              }},
             secret) {
    auto server = Server::Start(listen, {net_.service()});
    EXPECT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    net_.Start();
  }
  ~TalkingNode() {
    net_.Stop();
    server_->Shutdown();
  }

  PeerNet& net() { return net_; }
  const std::string& address() const { return server_->address(); }
  void Send(int to, cluster::Message message) { net_.Send(NodeAt(to), std::move(message)); }
  void ReadSlowly() {
    absl::MutexLock lock(&mu_);
    slow_ = true;
  }
  void ReadOn() {
    std::function<void()> next;
    {
      absl::MutexLock lock(&mu_);
      next = std::exchange(read_next_, nullptr);
    }
    if (next) next();
  }
  bool AwaitHellos(int peer, int count) {
    return Await([=, this] { return hellos_[peer] >= count; });
  }
  bool AwaitEnds(int peer, int count) {
    return Await([=, this] { return ended_[peer] >= count; });
  }
  bool AwaitBatches(size_t count) {
    return Await([=, this] { return batches_.size() >= count; });
  }
  std::vector<uint64_t> batches() {
    absl::MutexLock lock(&mu_);
    return batches_;
  }
  bool AwaitAcknowledged(uint64_t applied) {
    return Await([=, this] { return acknowledged_ == applied; });
  }
  int hellos(int peer) {
    absl::MutexLock lock(&mu_);
    return hellos_[peer];
  }
  int acknowledgements() {
    absl::MutexLock lock(&mu_);
    return acknowledgements_;
  }
  // By shard, as told last.
  std::map<uint32_t, uint64_t> moves() {
    absl::MutexLock lock(&mu_);
    return moves_;
  }

 private:
  void OnConnected(NodeId peer) { net_.Send(peer, HelloOf(self_, peer.value)); }
  void OnMessage(NodeId peer, cluster::Message message, std::function<void()> read_next) {
    absl::ReleasableMutexLock lock(&mu_);
    if (std::holds_alternative<cluster::Hello>(message)) ++hellos_[peer.value];
    if (const auto* batch = std::get_if<cluster::Sealed>(&message))
      batches_.push_back(batch->sequence);
    if (const auto* acknowledgement = std::get_if<cluster::Acknowledgement>(&message)) {
      acknowledged_ = acknowledgement->applied;
      ++acknowledgements_;
      for (const ledger::Placement& moved : acknowledgement->placements)
        moves_[moved.shard.value] = moved.move;
    }
    if (slow_) {
      read_next_ = std::move(read_next);
      return;
    }
    lock.Release();
    read_next();
  }
  template <typename Holds>
  bool Await(const Holds& holds) {
    absl::MutexLock lock(&mu_);
    return mu_.AwaitWithTimeout(absl::Condition(&holds), kPatience);
  }

  const int self_;
  absl::Mutex mu_;
  std::map<int, int> hellos_ ABSL_GUARDED_BY(mu_), ended_ ABSL_GUARDED_BY(mu_);
  std::vector<uint64_t> batches_ ABSL_GUARDED_BY(mu_);
  uint64_t acknowledged_ ABSL_GUARDED_BY(mu_) = 0;
  int acknowledgements_ ABSL_GUARDED_BY(mu_) = 0;
  std::map<uint32_t, uint64_t> moves_ ABSL_GUARDED_BY(mu_);
  bool slow_ ABSL_GUARDED_BY(mu_) = false;
  std::function<void()> read_next_ ABSL_GUARDED_BY(mu_);
  PeerNet net_;
  std::unique_ptr<Server> server_;
};

cluster::MemberNode Member(int id, const std::string& address) {
  return {NodeAt(id), "node" + std::to_string(id), address};
}

// Node 1 listens, node 0 dials it.
class PeerNetTest : public testing::Test {
 protected:
  void StartOne(const std::string& listen = "127.0.0.1:0") {
    one_ = std::make_unique<TalkingNode>(1, std::vector{Member(0, "127.0.0.1:1"), Member(1, "")},
                                         listen);
    address_ = one_->address();
  }
  void StartZero() {
    zero_ = std::make_unique<TalkingNode>(0, std::vector{Member(0, ""), Member(1, address_)},
                                          "127.0.0.1:0");
  }
  void StartBoth() {
    StartOne();
    StartZero();
    ASSERT_TRUE(zero_->AwaitHellos(1, 1));
    ASSERT_TRUE(one_->AwaitHellos(0, 1));
  }
  std::string address_;
  std::unique_ptr<TalkingNode> zero_, one_;
};

TEST_F(PeerNetTest, BothSayHelloAndMessagesComeInOrder) {
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
TEST_F(PeerNetTest, WhatIsMeantForANodeThatThereIsNotIsDropped) {
  StartBoth();
  zero_->Send(7, cluster::Sealed{1, "a"});
  zero_->Send(0, cluster::Sealed{2, "a"});
  zero_->Send(1, cluster::Sealed{3, "a"});
  ASSERT_TRUE(one_->AwaitBatches(1));
  EXPECT_EQ(one_->batches(), std::vector<uint64_t>{3});
}

TEST_F(PeerNetTest, TheNextMessageIsReadOnlyWhenTheNodeAsks) {
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
TEST_F(PeerNetTest, OfWaitingAcknowledgementsOnlyTheLastIsSent) {
  StartBoth();
  constexpr uint64_t kMany = 100'000;
  for (uint64_t i = 1; i <= kMany; ++i) zero_->Send(1, cluster::Acknowledgement{i, 0, {}});
  ASSERT_TRUE(one_->AwaitAcknowledged(kMany));
  EXPECT_LT(one_->acknowledgements(), static_cast<int>(kMany));
}

// A move is told once. Who did not hear of it asked the old owner for ever, and no cluster could be
// restated with it.
TEST_F(PeerNetTest, OfWaitingAcknowledgementsNoMoveIsLost) {
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

TEST_F(PeerNetTest, ABrokenStreamIsDialledAgain) {
  StartBoth();
  one_->net().Disconnect(NodeId{0});
  EXPECT_TRUE(zero_->AwaitEnds(1, 1));
  EXPECT_TRUE(one_->AwaitEnds(0, 1));
  EXPECT_TRUE(zero_->AwaitHellos(1, 2));
  EXPECT_TRUE(one_->AwaitHellos(0, 2));
}

TEST_F(PeerNetTest, ThePeerMayComeLaterAndComeBack) {
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
  stream->Write(Wire(HelloOf(0, 1)));
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

TEST_F(PeerNetTest, ItStopsWhileMessagesAreUnderWay) {
  StartBoth();
  one_->ReadSlowly();
  for (uint64_t i = 1; i <= 16; ++i) {
    zero_->Send(1, cluster::Sealed{i, std::string(1 << 20, 'x')});
    one_->Send(0, cluster::Sealed{i, std::string(1 << 20, 'y')});
  }
  ASSERT_TRUE(zero_->AwaitBatches(1));
  zero_.reset();
  EXPECT_TRUE(one_->AwaitEnds(0, 0));
  one_->ReadOn();
  one_.reset();
}

// Anybody who reaches the port.
class StrangerTest : public PeerNetTest {
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

// The secret of a cluster: without it any process of the machine could speak as a peer.
class SecretTest : public testing::Test {
 protected:
  // Whether they come to talk within a moment, in which they try several times.
  static bool Talk(const std::string& of_zero, const std::string& of_one) {
    TalkingNode one(1, {Member(0, "127.0.0.1:1"), Member(1, "")}, "127.0.0.1:0", of_one);
    TalkingNode zero(0, {Member(0, ""), Member(1, one.address())}, "127.0.0.1:0", of_zero);
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
  TalkingNode one(1, {Member(0, "127.0.0.1:1"), Member(1, "")}, "127.0.0.1:0");
  PeerNet zero({Member(0, ""), Member(1, one.address())}, NodeId{0}, std::nullopt,
               {[](NodeId) { ADD_FAILURE() << "it was taken for a peer"; }, [](NodeId) {},
                [](NodeId, const cluster::Message&, const std::function<void()>&) {}},
               "the secret");
  zero.Start();
  const absl::Time end = absl::Now() + absl::Milliseconds(500);
  while (absl::Now() < end) std::this_thread::yield();
  zero.Stop();
  EXPECT_EQ(one.hellos(0), 0);
}

// Node 0 dials an address where another node than node 1 answers.
TEST(WrongAddressTest, AnotherNodeAtAPeersAddressIsRefused) {
  TalkingNode two(2, {Member(0, ""), Member(1, "127.0.0.1:1"), Member(2, "")}, "127.0.0.1:0");
  TalkingNode zero(0, {Member(0, ""), Member(1, two.address())}, "127.0.0.1:0");
  EXPECT_TRUE(zero.AwaitEnds(1, 1));
  EXPECT_TRUE(two.AwaitHellos(0, 1));
  zero.net().Stop();
  EXPECT_TRUE(zero.batches().empty());
}

}  // namespace
}  // namespace opic::rpc
