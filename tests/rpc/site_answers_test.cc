// Questions about the pages of a host, a domain or a state, from the client to the node.
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "opic/v1/importance.grpc.pb.h"
#include "tests/rpc/served_node.h"

namespace opic::rpc {
namespace {

class SiteAnswersTest : public ServedNodeTest {
 protected:
  void SetUp() override {
    ServedNodeTest::SetUp();
    importance_ = v1::Importance::NewStub(OrdinaryChannel());
  }

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
  v1::TopResponse reply;
  const grpc::Status status = importance_->Top(&context, request, &reply);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << status.error_message();
  EXPECT_EQ(node_.tops_, 0);
}

TEST_F(SiteAnswersTest, SitesComeAsTheNodeKnowsThem) {
  const node::Site sent{.name = "a.test",
                        .importance = 0.5,
                        .pages = 7,
                        .unread = 1,
                        .fetched = 4,
                        .failed = 2,
                        .fetches = 9,
                        .bytes = uint64_t{1} << 40};
  node_.sites_ = {.sites = {sent, {.name = "b.test", .bytes = std::nullopt}},
                  .known = 12,
                  .pages = 90,
                  .clock = 3.5,
                  .error_bound = 0.25,
                  .method = importance::Method::kPush,
                  .importance_missed = 0.125,
                  .missing = {"c"}};
  const auto top = client_->Sites({.kind = node::SiteKind::kDomain, .count = 5});
  ASSERT_TRUE(top.ok()) << top.status();
  EXPECT_EQ(node_.sites_query_.kind, node::SiteKind::kDomain);
  EXPECT_EQ(node_.sites_query_.count, 5u);
  ASSERT_EQ(top->sites.size(), 2u);
  const node::Site& site = top->sites[0];
  EXPECT_EQ(site.name, "a.test");
  EXPECT_EQ(site.importance, 0.5);
  EXPECT_EQ(site.pages, 7u);
  EXPECT_EQ(site.unread, 1u);
  EXPECT_EQ(site.fetched, 4u);
  EXPECT_EQ(site.failed, 2u);
  EXPECT_EQ(site.fetches, 9u);
  EXPECT_EQ(site.bytes, uint64_t{1} << 40);
  EXPECT_FALSE(top->sites[1].bytes) << "a node of an earlier release does not tell";
  EXPECT_EQ(top->known, 12u);
  EXPECT_EQ(top->pages, 90u);
  EXPECT_EQ(top->clock, 3.5);
  EXPECT_EQ(top->error_bound, 0.25);
  EXPECT_EQ(top->method, importance::Method::kPush);
  EXPECT_EQ(top->importance_missed, 0.125);
  EXPECT_EQ(top->missing, std::vector<std::string>{"c"});
}

TEST_F(SiteAnswersTest, SitesAreHostsAndTenUnlessTold) {
  grpc::ClientContext context;
  v1::SitesResponse reply;
  ASSERT_TRUE(importance_->Sites(&context, {}, &reply).ok());
  EXPECT_EQ(node_.sites_query_.kind, node::SiteKind::kHost);
  EXPECT_EQ(node_.sites_query_.count, 10u);
}

TEST_F(SiteAnswersTest, WhatIsNoQuestionForSitesIsRefused) {
  v1::SitesRequest kind, count;
  kind.set_kind(static_cast<v1::SiteKind>(9));
  count.set_count(5'001);
  for (const v1::SitesRequest& request : {kind, count}) {
    grpc::ClientContext context;
    v1::SitesResponse reply;
    const grpc::Status status = importance_->Sites(&context, request, &reply);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << status.error_message();
  }
}

// gRPC's clients take 4 MB. Names of hosts can be as long as URLs.
TEST_F(SiteAnswersTest, SitesWithLongNamesAreAsManyAsFit) {
  node_.sites_.sites.resize(5'000, {.name = std::string(2'000, 'n'), .pages = 1});
  v1::SitesRequest request;
  request.set_count(5'000);
  grpc::ClientContext context;
  v1::SitesResponse reply;
  const grpc::Status status = importance_->Sites(&context, request, &reply);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_GT(reply.sites_size(), 1'400);
  EXPECT_LT(reply.sites_size(), 1'500);
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
    v1::TopResponse reply;
    EXPECT_FALSE(importance_->Top(&context, {}, &reply).ok());
  });
  walks_.WaitForNotification();
  context.TryCancel();
  caller.join();
  over_.WaitForNotification();
  EXPECT_TRUE(ended_);
}

TEST_F(GivenUpTest, AWalkEndsWhenTheNodeStops) {
  std::thread caller([&] {
    const absl::Status told = client_->Top({3}).status();
    EXPECT_TRUE(absl::IsUnavailable(told)) << told;
  });
  walks_.WaitForNotification();
  services_.Stop();
  caller.join();
  EXPECT_TRUE(ended_);
}

}  // namespace
}  // namespace opic::rpc
