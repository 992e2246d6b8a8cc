// Questions about the pages of a host, a domain or a state, from the client to the node.
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "opic/v1/importance.grpc.pb.h"
#include "rpc/node_client.h"
#include "rpc/node_services.h"
#include "rpc/server.h"
#include "tests/rpc/scripted_node.h"

namespace opic::rpc {
namespace {

class SiteAnswersTest : public testing::Test {
 protected:
  void SetUp() override {
    auto server = Server::Start("127.0.0.1:0", services_.services());
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    services_.Open();
    client_ = NodeClient::To(server_->address(), absl::Seconds(20));
    importance_ = v1::Importance::NewStub(
        grpc::CreateChannel(server_->address(), grpc::InsecureChannelCredentials()));
  }
  void TearDown() override {
    services_.Stop();
    server_->Shutdown();
  }

  ScriptedNode node_;
  NodeServices services_{node_, {}};
  std::unique_ptr<Server> server_;
  std::unique_ptr<NodeClient> client_;
  std::unique_ptr<v1::Importance::Stub> importance_;
};

TEST_F(SiteAnswersTest, TopOfAFilterTellsHowManyItLetsThrough) {
  const auto top = client_->Top({.count = 3, .filter = {"WWW.a.test", "a.test", "out_of_scope"}});
  ASSERT_TRUE(top.ok()) << top.status();
  EXPECT_EQ(top->matching, 45u);
  EXPECT_EQ(node_.filter_.host, "www.a.test");
  EXPECT_EQ(node_.filter_.domain, "a.test");
  EXPECT_EQ(node_.filter_.state, "out_of_scope");
  ASSERT_TRUE(client_->Top({3}).ok());
  EXPECT_TRUE(node_.filter_.empty());
}

TEST_F(SiteAnswersTest, AStateThatNobodyKnowsIsAnInvalidArgument) {
  v1::TopRequest request;
  request.mutable_filter()->set_state(static_cast<v1::PageState>(99));
  grpc::ClientContext context;
  v1::TopReply reply;
  const grpc::Status status = importance_->Top(&context, request, &reply);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << status.error_message();
  EXPECT_EQ(node_.tops_, 0);
}

// A walk that lasts until it is given up. Whether it was.
class GivenUpTest : public SiteAnswersTest {
 protected:
  void SetUp() override {
    SiteAnswersTest::SetUp();
    node_.walks_ = [this](const node::GivenUp& given_up) {
      walks_.Notify();
      const absl::Time late = absl::Now() + absl::Seconds(20);
      while (!given_up() && absl::Now() < late) absl::SleepFor(absl::Milliseconds(1));
      ended_ = given_up();
      over_.Notify();
      return false;
    };
  }
  absl::Notification walks_, over_;
  std::atomic<bool> ended_ = false;
};

TEST_F(GivenUpTest, AWalkEndsWhenItsCallerHasGone) {
  grpc::ClientContext context;
  std::thread caller([&] {
    v1::TopReply reply;
    EXPECT_FALSE(importance_->Top(&context, {}, &reply).ok());
  });
  walks_.WaitForNotification();
  context.TryCancel();
  caller.join();
  over_.WaitForNotification();
  EXPECT_TRUE(ended_);
}

TEST_F(GivenUpTest, AWalkEndsWhenTheNodeStops) {
  std::thread caller([&] { EXPECT_FALSE(client_->Top({3}).ok()); });
  walks_.WaitForNotification();
  services_.Stop();
  caller.join();
  EXPECT_TRUE(ended_);
}

}  // namespace
}  // namespace opic::rpc
