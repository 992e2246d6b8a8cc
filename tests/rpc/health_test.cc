// What a server tells of itself by grpc.health.v1, over a real socket.
#include "rpc/health.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include "certs/authority.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "rpc/server.h"

namespace opic::rpc {
namespace {

constexpr absl::Duration kPatience = absl::Seconds(20);

std::unique_ptr<Server> ServerOf(const std::optional<TlsIdentity>& tls = std::nullopt) {
  absl::StatusOr<std::unique_ptr<Server>> server = Server::Start("127.0.0.1:0", {}, {.tls = tls});
  EXPECT_TRUE(server.ok()) << server.status();
  return *std::move(server);
}

HealthQuestion QuestionTo(const Server& server) {
  return {.address = server.address(), .patience = kPatience, .tls = {}, .name = ""};
}

TEST(HealthTest, AServerServesFromItsStart) {
  const auto server = ServerOf();
  const absl::StatusOr<Health> health = AskHealth(QuestionTo(*server));
  ASSERT_TRUE(health.ok()) << health.status();
  EXPECT_EQ(*health, Health::kServing);
}

TEST(HealthTest, AServerThatIsAboutToStopAnswersThatItDoesNotServe) {
  const auto server = ServerOf();
  server->SetServing(false);
  const absl::StatusOr<Health> health = AskHealth(QuestionTo(*server));
  ASSERT_TRUE(health.ok()) << health.status();
  EXPECT_EQ(*health, Health::kNotServing);
}

TEST(HealthTest, NobodyThereIsUnavailable) {
  auto server = ServerOf();
  const HealthQuestion question = QuestionTo(*server);
  server->Shutdown();
  EXPECT_TRUE(absl::IsUnavailable(AskHealth(question).status()));
}

// A load balancer need not ask again and again.
TEST(HealthTest, AWatcherHearsOfTheChange) {
  namespace v1 = grpc::health::v1;
  const auto server = ServerOf();
  const auto stub = v1::Health::NewStub(ChannelTo(server->address()));
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(20));
  const auto changes = stub->Watch(&context, v1::HealthCheckRequest());
  v1::HealthCheckResponse change;
  ASSERT_TRUE(changes->Read(&change));
  EXPECT_EQ(change.status(), v1::HealthCheckResponse::SERVING);
  server->SetServing(false);
  ASSERT_TRUE(changes->Read(&change));
  EXPECT_EQ(change.status(), v1::HealthCheckResponse::NOT_SERVING);
  context.TryCancel();
}

TEST(HealthTest, OnlyWhoHasACertificateMayAsk) {
  const certs::Authority authority = *certs::Authority::New("a cluster");
  const auto identity = [&](const certs::Holder& holder) {
    const certs::Pair pair = *authority.Issue(holder);
    return TlsIdentity{authority.pair().certificate, pair.certificate, pair.key};
  };
  const auto server = ServerOf(identity({"node0", {}}));
  HealthQuestion question = QuestionTo(*server);
  question.patience = absl::Seconds(5);
  EXPECT_THAT(AskHealth(question).status().message(), testing::HasSubstr("wants one (--tls-ca"));
  question.patience = kPatience;
  question.tls = identity({"operator", {}, /*server=*/false});
  question.name = "node0";
  const absl::StatusOr<Health> health = AskHealth(question);
  ASSERT_TRUE(health.ok()) << health.status();
  EXPECT_EQ(*health, Health::kServing);
}

}  // namespace
}  // namespace opic::rpc
