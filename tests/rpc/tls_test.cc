// Who may talk to whom when a cluster has certificates, over real sockets.
#include "rpc/tls.h"

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "absl/synchronization/notification.h"
#include "certs/authority.h"
#include "opic/v1/peer.grpc.pb.h"
#include "rpc/peer_net.h"
#include "rpc/peer_wire.h"
#include "rpc/server.h"

namespace opic::rpc {
namespace {

constexpr absl::Duration kPatience = absl::Seconds(20);

TlsIdentity IdentityOf(const certs::Authority& authority, const certs::Holder& holder) {
  absl::StatusOr<certs::Pair> pair = authority.Issue(holder);
  EXPECT_TRUE(pair.ok()) << pair.status();
  return {authority.pair().certificate, pair->certificate, pair->key};
}

cluster::Hello HelloOf(NodeId from, NodeId to) {
  cluster::Hello hello;
  hello.from = from;
  hello.to = to;
  return hello;
}

// Node 1 of two, with certificates. It says Hello to who gets in.
class TlsTest : public testing::Test {
 protected:
  void SetUp() override {
    const TlsIdentity one = IdentityOf(authority_, {"node1", {"127.0.0.1"}});
    net_ = std::make_unique<PeerNet>(
        Nodes(""), NodeId{1}, one,
        PeerNet::Callbacks{[this](NodeId peer) {
                             ++sessions_;
                             net_->Send(peer, HelloOf(NodeId{1}, peer));
                           },
                           [](NodeId) {},
                           [](NodeId, const cluster::Message&,
                              const std::function<void()>& read_next) { read_next(); }});
    auto server = Server::Start("127.0.0.1:0", {net_->service()}, {one});
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    net_->Start();
  }
  void TearDown() override {
    net_->Stop();
    server_->Shutdown();
  }
  static std::vector<cluster::MemberNode> Nodes(const std::string& address_of_one) {
    return {{NodeId{0}, "node0", "127.0.0.1:1"}, {NodeId{1}, "node1", address_of_one}};
  }
  // How it ends when somebody with this identity says he is node 0; OK: node 1 answers Hello.
  grpc::Status SayHelloAs(const std::optional<TlsIdentity>& identity,
                          const std::string& expected_name = "node1") {
    const auto stub = v1::Peers::NewStub(ChannelTo(server_->address(), identity, expected_name));
    grpc::ClientContext context;
    context.set_deadline(absl::ToChronoTime(absl::Now() + kPatience));
    const auto stream = stub->Channel(&context);
    v1::PeerMessage hello, answer;
    ToWire(HelloOf(NodeId{0}, NodeId{1}), &hello);
    stream->Write(hello);
    if (stream->Read(&answer)) {
      context.TryCancel();
      stream->Finish();
      return grpc::Status::OK;
    }
    return stream->Finish();
  }

  const certs::Authority authority_ = *certs::Authority::New("a cluster");
  std::atomic<int> sessions_ = 0;
  std::unique_ptr<PeerNet> net_;
  std::unique_ptr<Server> server_;
};

TEST_F(TlsTest, TheRightCertificatesTalk) {
  EXPECT_TRUE(SayHelloAs(IdentityOf(authority_, {"node0", {}})).ok());
}

TEST_F(TlsTest, TwoNetsFindEachOther) {
  absl::Notification heard;
  PeerNet zero(
      Nodes(server_->address()), NodeId{0}, IdentityOf(authority_, {"node0", {}}),
      {[&](NodeId peer) { zero.Send(peer, HelloOf(NodeId{0}, peer)); }, [](NodeId) {},
       [&](NodeId, const cluster::Message&, const std::function<void()>&) { heard.Notify(); }});
  zero.Start();
  EXPECT_TRUE(heard.WaitForNotificationWithTimeout(kPatience));
}

// Of one process they speak without a socket, so nobody shows a certificate.
TEST_F(TlsTest, NodesOfOneProcessAreKnownByTheFilesNames) {
  const std::string address = "127.0.0.1:2";  // where nobody listens
  const auto here = NewLocalPeers();
  absl::Notification heard_by[2];
  std::unique_ptr<PeerNet> nets[2];
  for (const uint16_t self : {0, 1}) {
    PeerNet::Callbacks callbacks{
        [&nets, self](NodeId peer) { nets[self]->Send(peer, HelloOf(NodeId{self}, peer)); },
        [](NodeId) {},
        [&heard_by, self](NodeId, const cluster::Message&, const std::function<void()>&) {
          heard_by[self].Notify();
        }};
    nets[self] = std::make_unique<PeerNet>(
        Nodes(address), NodeId{self},
        IdentityOf(authority_, {"node" + std::to_string(self), {"127.0.0.1"}}),
        std::move(callbacks), "", here);
  }
  for (const auto& net : nets) net->Start();
  for (absl::Notification& heard : heard_by)
    EXPECT_TRUE(heard.WaitForNotificationWithTimeout(kPatience));
  for (const auto& net : nets) net->Stop();
}

TEST_F(TlsTest, WithoutACertificateNobodyGetsIn) {
  EXPECT_EQ(SayHelloAs(std::nullopt).error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(sessions_, 0);
}

TEST_F(TlsTest, ACertificateOfAnotherAuthorityIsRefused) {
  const certs::Authority other = *certs::Authority::New("a cluster");
  TlsIdentity identity = IdentityOf(other, {"node0", {}});
  identity.ca = authority_.pair().certificate;  // it trusts node 1; node 1 must not trust it
  EXPECT_EQ(SayHelloAs(identity).error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(sessions_, 0);
}

TEST_F(TlsTest, ANodeDoesNotSpeakForAnother) {
  const TlsIdentity two = IdentityOf(authority_, {"node2", {"127.0.0.1"}});
  EXPECT_EQ(SayHelloAs(two).error_code(), grpc::StatusCode::PERMISSION_DENIED);
  const TlsIdentity the_operator = IdentityOf(authority_, {"operator", {}, /*server=*/false});
  EXPECT_EQ(SayHelloAs(the_operator).error_code(), grpc::StatusCode::PERMISSION_DENIED);
  EXPECT_EQ(sessions_, 0);
}

TEST_F(TlsTest, WhoExpectsAnotherNodeHangsUp) {
  const TlsIdentity zero = IdentityOf(authority_, {"node0", {}});
  EXPECT_EQ(SayHelloAs(zero, "node2").error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_TRUE(SayHelloAs(zero, "").ok());  // by its host, which stands in its certificate
}

TEST_F(TlsTest, AnOperatorsCertificateIsNoServers) {
  const TlsIdentity identity = IdentityOf(authority_, {"operator", {"127.0.0.1"}, false});
  const auto server = Server::Start("127.0.0.1:0", {}, {identity});
  ASSERT_TRUE(server.ok()) << server.status();
  const auto stub = v1::Peers::NewStub(ChannelTo((*server)->address(), identity, "operator"));
  grpc::ClientContext context;
  EXPECT_EQ(stub->Channel(&context)->Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
}

TEST(ListenTest, WithoutCertificatesItIsLoopbackOnly) {
  EXPECT_TRUE(absl::IsInvalidArgument(Server::Start("0.0.0.0:0", {}).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(Server::Start("[::]:0", {}).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(Server::Start("somewhere.test:0", {}).status()));
  EXPECT_TRUE(Server::Start("127.0.0.1:0", {}).ok());
  EXPECT_TRUE(Server::Start("0.0.0.0:0", {}, {.insecure = true}).ok());
}

// It was told that it lets in everybody.
TEST(ListenTest, AnAddressHasAPort) {
  for (const std::string address :
       {"somewhere", "127.0.0.1", "[::1]", "127.0.0.1:", "a:http", "::1"}) {
    const absl::Status refused = CheckListening(address, {.insecure = true});
    EXPECT_TRUE(absl::IsInvalidArgument(refused)) << address;
    EXPECT_NE(refused.message().find("give HOST:PORT"), std::string::npos) << refused;
  }
  EXPECT_TRUE(CheckListening("[::1]:0", {}).ok());
  EXPECT_TRUE(CheckListening("unix:/run/socket", {}).ok());
}

// gRPC said it in several lines before.
TEST(ListenTest, AnAddressInUseIsToldByTheStatusAlone) {
  const auto first = Server::Start("127.0.0.1:0", {});
  ASSERT_TRUE(first.ok()) << first.status();
  testing::internal::CaptureStderr();
  const absl::Status second = Server::Start((*first)->address(), {}).status();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_TRUE(absl::IsUnavailable(second)) << second;
  EXPECT_NE(second.message().find(": Address already in use"), std::string::npos) << second;
  const absl::Status nobodys = Server::Start("203.0.113.1:0", {}, {.insecure = true}).status();
  EXPECT_NE(nobodys.message().find(": Cannot assign requested address"), std::string::npos)
      << nobodys;
}

TEST(ListenTest, LoopbackIsWhatOnlyThisMachineReaches) {
  for (const std::string address : {"127.0.0.1:1", "127.9.9.9:1", "localhost:1", "[::1]:1"})
    EXPECT_TRUE(IsLoopback(address)) << address;
  for (const std::string address :
       {"128.0.0.1:1", "0.0.0.0:1", "[::]:1", "10.0.0.1:1", "localhost.example:1", "", ":1"})
    EXPECT_FALSE(IsLoopback(address)) << address;
}

class TlsFilesTest : public testing::Test {
 protected:
  std::string File(const std::string& name, const std::string& text) {
    const std::string path =
        testing::TempDir() + "/" + name + "-" + std::to_string(getpid()) + ".pem";
    std::ofstream(path) << text;
    return path;
  }
  const std::string pem_ = "-----BEGIN CERTIFICATE-----\n";
};

TEST_F(TlsFilesTest, AllThreeOrNone) {
  const std::string file = File("good", pem_);
  EXPECT_FALSE((*ReadTls({})).has_value());
  EXPECT_TRUE(absl::IsInvalidArgument(ReadTls({file, file, ""}).status()));
}

TEST_F(TlsFilesTest, WhatIsAbsentOrNoPemIsNamed) {
  const std::string good = File("good", pem_), bad = File("bad", "hello");
  const absl::Status no_pem = ReadTls({good, bad, good}).status();
  EXPECT_TRUE(absl::IsInvalidArgument(no_pem)) << no_pem;
  EXPECT_EQ(no_pem.message(), "--tls-cert: " + bad + " is not a PEM file");
  const absl::Status absent = ReadTls({good, good, "/absent.pem"}).status();
  EXPECT_TRUE(absl::IsNotFound(absent)) << absent;
  EXPECT_EQ(absent.message(), "--tls-key: cannot open /absent.pem: No such file or directory");
}

// They were "not found", too, without the system's reason.
TEST_F(TlsFilesTest, WhatIsThereAndNotOpenedIsAWrongValue) {
  const std::string good = File("good", pem_);
  const absl::Status behind = ReadTls({good + "/x", good, good}).status();
  EXPECT_TRUE(absl::IsInvalidArgument(behind)) << behind;
  EXPECT_EQ(behind.message(), "--tls-ca: cannot open " + good + "/x: Not a directory");
  const absl::Status folder = ReadTls({testing::TempDir(), good, good}).status();
  EXPECT_TRUE(absl::IsInvalidArgument(folder)) << folder;
}

// gRPC would only say that a socket was closed.
TEST_F(TlsFilesTest, AKeyOfAnotherCertificateIsRefused) {
  const certs::Authority authority = *certs::Authority::New("a cluster");
  const TlsIdentity one = IdentityOf(authority, {"node0", {"127.0.0.1"}});
  const TlsIdentity other = IdentityOf(authority, {"node1", {"127.0.0.1"}});
  const std::string ca = File("ca", one.ca), certificate = File("cert", one.certificate);
  EXPECT_EQ((*ReadTls({ca, certificate, File("key", one.key)}))->key, one.key);
  const absl::Status refused = ReadTls({ca, certificate, File("other", other.key)}).status();
  EXPECT_TRUE(absl::IsInvalidArgument(refused)) << refused;
  EXPECT_NE(refused.message().find("do not belong together"), std::string::npos) << refused;
  EXPECT_TRUE(absl::IsInvalidArgument(ReadTls({ca, certificate, certificate}).status()));
}

}  // namespace
}  // namespace opic::rpc
