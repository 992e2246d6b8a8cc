// Answers of any length, to clients that take messages of a certain length.
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include "opic/v1/importance.grpc.pb.h"
#include "refresh/publication.h"
#include "rpc/limits.h"
#include "rpc/node_client.h"
#include "rpc/server.h"
#include "tests/rpc/served_node.h"
#include "url/url.h"

namespace opic::rpc {
namespace {

class OrdinaryClientTest : public ServedNodeTest {
 protected:
  void SetUp() override {
    ServedNodeTest::SetUp();
    importance_ = v1::Importance::NewStub(OrdinaryChannel());
  }
  grpc::Status Top(const v1::TopRequest& request, v1::TopResponse* reply) {
    grpc::ClientContext context;
    return importance_->Top(&context, request, reply);
  }

  std::unique_ptr<v1::Importance::Stub> importance_;
};

TEST_F(OrdinaryClientTest, TakesTheLongestAnswerForManyUrls) {
  const refresh::Publication longest{.treatment = refresh::Treatment::kBoost,
                                     .target = refresh::Target::kPrefix,
                                     .of = std::string(url::kUrlBytesMax, 'p')};
  const std::string words = refresh::DescribeTreatment(longest) + refresh::DescribeTarget(longest) +
                            std::string(2 * refresh::Publication::kWordsMax, 'w');
  node_.page_.publications = {words, words};
  v1::BatchGetRequest request;
  for (int i = 0; i < kBatchUrlsMax; ++i) request.add_urls(std::string(url::kUrlBytesMax, 'u'));
  v1::BatchGetResponse reply;
  grpc::ClientContext context;
  const grpc::Status status = importance_->BatchGet(&context, request, &reply);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(reply.pages_size(), kBatchUrlsMax);
}

TEST_F(OrdinaryClientTest, ReadsALongRankingInParts) {
  node_.page_.url = std::string(url::kUrlBytesMax, 'u');
  node_.ranked_ = 3'500;  // 7 MB
  v1::TopRequest request;
  request.set_count(5'000);
  uint32_t places = 0;
  int parts = 0;
  do {
    v1::TopResponse reply;
    const grpc::Status status = Top(request, &reply);
    ASSERT_TRUE(status.ok()) << status.error_message();
    for (const v1::PageImportance& page : reply.pages()) ASSERT_EQ(page.depth(), places++);
    request.set_page_token(reply.next_page_token());
    ASSERT_LE(++parts, 4);
  } while (!request.page_token().empty());
  EXPECT_EQ(places, 3'500u);
  EXPECT_EQ(parts, 3);
}

TEST_F(OrdinaryClientTest, GoesOnWhereItsCountHasEnded) {
  v1::TopRequest request;
  request.set_count(3);
  v1::TopResponse reply;
  ASSERT_TRUE(Top(request, &reply).ok());
  EXPECT_EQ(reply.pages_size(), 3);
  request.set_page_token(reply.next_page_token());
  request.set_count(2);
  ASSERT_TRUE(Top(request, &reply).ok());
  ASSERT_EQ(reply.pages_size(), 2);
  EXPECT_EQ(reply.pages(0).depth(), 3u);
}

TEST_F(OrdinaryClientTest, IsToldWhatIsWrongWithAPart) {
  v1::TopRequest request;
  v1::TopResponse reply;
  for (const char* token : {"x", "-1", "100000", "1e3"}) {
    request.set_page_token(token);
    const grpc::Status status = Top(request, &reply);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << token;
    EXPECT_NE(status.error_message().find("page_token"), std::string::npos) << token;
  }
  request.set_page_token("99999");
  request.set_count(2);
  const grpc::Status status = Top(request, &reply);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_NE(status.error_message().find("count: 2 after 99999"), std::string::npos)
      << status.error_message();
}

// One scan answers `opic top -n 100000`, and another node of the cluster.
TEST_F(OrdinaryClientTest, OursReadsALongRankingWhole) {
  node_.page_.url = std::string(url::kUrlBytesMax, 'u');
  node_.ranked_ = 3'500;
  const auto top = client_->Top({5'000});
  ASSERT_TRUE(top.ok()) << top.status();
  ASSERT_EQ(top->pages.size(), 3'500u);
  EXPECT_EQ(top->pages.back().depth, 3'499u);
  EXPECT_EQ(node_.tops_, 1);
}

// Every reply has room for two pages.
class SmallReplies final : public v1::Importance::Service {
 public:
  grpc::Status Top(grpc::ServerContext*, const v1::TopRequest* request,
                   v1::TopResponse* reply) override {
    asked_.push_back(request->count());
    const uint32_t first = request->page_token().empty() ? 0 : std::stoul(request->page_token());
    for (uint32_t place = first; place < first + 2; ++place) reply->add_pages()->set_depth(place);
    reply->set_next_page_token(std::to_string(first + 2));
    return grpc::Status::OK;
  }
  std::vector<uint32_t> asked_;
};

TEST(NodeClientTest, GoesOnWhereAReplyIsFull) {
  SmallReplies importance;
  auto server = Server::Start("127.0.0.1:0", {&importance});
  ASSERT_TRUE(server.ok()) << server.status();
  const auto top = NodeClient::To((*server)->address(), absl::Seconds(20))->Top({6});
  ASSERT_TRUE(top.ok()) << top.status();
  ASSERT_EQ(top->pages.size(), 6u);
  for (uint32_t place = 0; place < 6; ++place) EXPECT_EQ(top->pages[place].depth, place);
  EXPECT_EQ(importance.asked_, (std::vector<uint32_t>{6, 4, 2}));
  (*server)->Shutdown();
}

// It would give pages of any host for those of one.
TEST(NodeClientTest, AnOlderNodeThatReadsOverAFilterIsNotBelieved) {
  SmallReplies importance;
  auto server = Server::Start("127.0.0.1:0", {&importance});
  ASSERT_TRUE(server.ok()) << server.status();
  const auto client = NodeClient::To((*server)->address(), absl::Seconds(20));
  const auto top = client->Top({.count = 6, .filter = {.host = "a.test"}});
  EXPECT_TRUE(absl::IsUnimplemented(top.status())) << top.status();
  (*server)->Shutdown();
}

}  // namespace
}  // namespace opic::rpc
