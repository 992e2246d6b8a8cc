// The services that anybody may call on a running node, asked through the client that `opic` uses.
#include "rpc/node_services.h"

#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/codegen/client_unary_call.h>
#include <gtest/gtest.h>

#include <atomic>

#include "absl/synchronization/blocking_counter.h"
#include "absl/synchronization/notification.h"
#include "opic/v1/audit.grpc.pb.h"
#include "opic/v1/control.grpc.pb.h"
#include "opic/v1/importance.grpc.pb.h"
#include "rpc/limits.h"
#include "tests/rpc/served_node.h"

namespace opic::rpc {
namespace {

class NodeServicesTest : public ServedNodeTest {
 protected:
  // The bytes of a reply to a call of another service.
  std::string RawCall(const std::string& method, grpc::internal::RpcMethod::RpcType type,
                      const std::string& request_bytes);
};

TEST_F(NodeServicesTest, ImportanceComesAsTheNodeKnowsIt) {
  const auto pages = client_->Importance({"http://a/", "http://b/"});
  ASSERT_TRUE(pages.ok()) << pages.status();
  ASSERT_EQ(pages->size(), 2u);
  const node::PageImportance& page = (*pages)[1];
  const node::PageImportance& sent = node_.page_;
  EXPECT_EQ(page.url, "http://b/");
  EXPECT_EQ(page.known, sent.known);
  EXPECT_EQ(page.importance, sent.importance);
  EXPECT_EQ(page.relative, sent.relative);
  EXPECT_EQ(page.age, sent.age);
  EXPECT_EQ(page.state, sent.state);
  EXPECT_EQ(page.visits, sent.visits);
  EXPECT_EQ(page.fetches, sent.fetches);
  EXPECT_EQ(page.publications, sent.publications);
  EXPECT_EQ(page.links, sent.links);
  EXPECT_EQ(page.http_status, sent.http_status);
  EXPECT_EQ(page.left_out, sent.left_out);
  EXPECT_EQ(page.canonical, sent.canonical);
  EXPECT_EQ(page.duplicate_of, sent.duplicate_of);
  EXPECT_EQ(page.near_duplicate_of, sent.near_duplicate_of);
  EXPECT_EQ(page.similar_to, sent.similar_to);
  EXPECT_EQ(page.fetched_at, sent.fetched_at);
  EXPECT_EQ(page.depth, sent.depth);
  EXPECT_EQ(page.cash, sent.cash);
}

TEST_F(NodeServicesTest, GetAnswersForOneUrl) {
  grpc::ClientContext context;
  v1::GetRequest request;
  request.set_url("http://a/");
  v1::GetResponse reply;
  ASSERT_TRUE(v1::Importance::NewStub(Channel())->Get(&context, request, &reply).ok());
  EXPECT_EQ(reply.page().url(), "http://a/");
  EXPECT_EQ(reply.page().importance(), 0.125);
}

TEST_F(NodeServicesTest, AnExplanationComesAsTheNodeKnowsIt) {
  node_.page_.state = "unread";
  node_.page_.category = "html";
  node_.page_.change_rate = 0.5;
  node_.page_.change_rate_deviation = 0.25;
  node_.explanation_.host = schedule::HostExplanation{.known = true,
                                                      .queued = 7,
                                                      .in_flight = true,
                                                      .next_allowed = absl::FromUnixSeconds(1'700),
                                                      .delay = absl::Seconds(3),
                                                      .failures = 2,
                                                      .given_up = true,
                                                      .address = "192.0.2.1",
                                                      .reason = "Waiting."};
  node_.explanation_.cash_factor = 7;
  node_.explanation_.interest_factor = 3.5;
  const std::string url = "http://a/" + std::string(300, 'x');
  const auto explained = client_->Explain(url);
  ASSERT_TRUE(explained.ok()) << explained.status();
  EXPECT_EQ(explained->page.url, url);
  EXPECT_EQ(explained->page.cash, node_.page_.cash);
  EXPECT_EQ(explained->page.change_rate, 0.5);
  EXPECT_EQ(explained->page.change_rate_deviation, 0.25);
  ASSERT_TRUE(explained->host);
  EXPECT_EQ(explained->host->queued, 7u);
  EXPECT_EQ(explained->host->next_allowed, absl::FromUnixSeconds(1'700));
  EXPECT_EQ(explained->host->delay, absl::Seconds(3));
  EXPECT_EQ(explained->host->reason, "Waiting.");
  EXPECT_EQ(explained->cash_factor, 7);
  EXPECT_EQ(explained->interest_factor, 3.5);
  node_.explanation_ = {.host_unknown = "it does not answer"};
  EXPECT_EQ(client_->Explain("http://a/")->host_unknown, "it does not answer");
  EXPECT_FALSE(client_->Explain("http://a/")->host);
  EXPECT_TRUE(absl::IsInvalidArgument(client_->Explain("nonsense").status()));
}

TEST_F(NodeServicesTest, ATrapIsNamed) {
  node_.explanation_.trap = url::Trap::kReturningSegments;
  grpc::ClientContext context;
  v1::ExplainUrlRequest request;
  request.set_url("http://a/");
  v1::ExplainUrlResponse reply;
  ASSERT_TRUE(v1::Importance::NewStub(Channel())->ExplainUrl(&context, request, &reply).ok());
  EXPECT_EQ(reply.trap(), url::Name(url::Trap::kReturningSegments));
  EXPECT_TRUE(reply.trap_certain());
  EXPECT_FALSE(reply.has_host());
}

TEST_F(NodeServicesTest, WhatIsNoUrlIsAnInvalidArgument) {
  grpc::ClientContext context;
  v1::GetRequest request;
  request.set_url("nonsense");
  v1::GetResponse reply;
  EXPECT_EQ(v1::Importance::NewStub(Channel())->Get(&context, request, &reply).error_code(),
            grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_TRUE(absl::IsInvalidArgument(client_->Importance({"http://a/", "nonsense"}).status()));
}

// One of them made the others fail.
TEST_F(NodeServicesTest, AmongMostItIsToldOfThatOne) {
  grpc::ClientContext context;
  v1::BatchGetRequest request;
  for (const char* url : {"http://a/", "nonsense", "http://b/", "ftp://c/"}) request.add_urls(url);
  v1::BatchGetResponse reply;
  ASSERT_TRUE(v1::Importance::NewStub(Channel())->BatchGet(&context, request, &reply).ok());
  ASSERT_EQ(reply.pages_size(), 4);
  for (const int i : {0, 2}) {
    EXPECT_EQ(reply.pages(i).url(), request.urls(i));
    EXPECT_TRUE(reply.pages(i).known());
    EXPECT_EQ(reply.pages(i).error() + reply.pages(i).error_reason(), "");
  }
  for (const int i : {1, 3}) {
    EXPECT_EQ(reply.pages(i).url(), request.urls(i));
    EXPECT_FALSE(reply.pages(i).known());
    EXPECT_EQ(reply.pages(i).error(),
              "\"" + request.urls(i) +
                  "\" is not a URL: " + (i == 1 ? "relative without a base" : "not http or https"));
    EXPECT_EQ(reply.pages(i).error_reason(), "NO_URL");
  }
}

TEST_F(NodeServicesTest, MoreThanFiveHundredUrlsAreRefused) {
  EXPECT_TRUE(client_->Importance(std::vector<std::string>(500, "http://a/")).ok());
  const absl::Status more =
      client_->Importance(std::vector<std::string>(501, "http://a/")).status();
  EXPECT_TRUE(absl::IsInvalidArgument(more)) << more;
  EXPECT_NE(more.message().find("at most 500"), std::string::npos) << more;
}

// Two bytes each on the wire, and a hundred when they are decoded.
TEST_F(NodeServicesTest, MillionsOfEmptyStringsAreRefusedBeforeTheyAreDecoded) {
  const std::vector<std::string> empty(1'000'000);
  EXPECT_TRUE(absl::IsResourceExhausted(client_->Importance(empty).status()));
  EXPECT_TRUE(absl::IsResourceExhausted(client_->control().AddSeeds(empty).status()));
  EXPECT_TRUE(absl::IsResourceExhausted(client_->control().BeginCrawl({.seeds = empty}).status()));
  EXPECT_TRUE(
      absl::IsResourceExhausted(client_->control().BeginCrawl({.exclude = empty}).status()));
}

TEST_F(NodeServicesTest, AQuestionOfMoreThanFourMegabytesIsRefused) {
  const std::string url(size_t{3} << 20, 'u');
  EXPECT_TRUE(absl::IsInvalidArgument(client_->Importance({url}).status())) << "too long for one";
  EXPECT_TRUE(absl::IsResourceExhausted(client_->Importance({url, url}).status()));
  EXPECT_TRUE(absl::IsResourceExhausted(client_->Importance({url, url, url, url}).status()));
}

TEST_F(NodeServicesTest, TopTellsHowGoodItIs) {
  const auto top = client_->Top({3});
  ASSERT_TRUE(top.ok()) << top.status();
  EXPECT_EQ(top->pages.size(), 3u);
  EXPECT_EQ(top->known, 123u);
  EXPECT_EQ(top->clock, 4.5);
  EXPECT_EQ(top->error_bound, 0.25);
}

TEST_F(NodeServicesTest, TopOfNothingIsTopTenAndTooManyAreRefused) {
  EXPECT_EQ(client_->Top({0})->pages.size(), 10u);
  EXPECT_TRUE(absl::IsInvalidArgument(client_->Top({100'001}).status()));
}

// Sums pass 2^64, and a loss is told with its sign.
TEST_F(NodeServicesTest, AuditComesToTheUnit) {
  node_.audit_.cluster_id = ~uint64_t{0};
  node_.audit_.expected = cash::Sum{1} << 100;
  node_.audit_.table = (cash::Sum{1} << 100) - 8;
  node_.audit_.virtual_page = 5;
  node_.audit_.pages = 17;
  node_.audit_.unread = 4;
  const auto audit = client_->TakeAudit();
  ASSERT_TRUE(audit.ok()) << audit.status();
  EXPECT_TRUE(audit->expected == node_.audit_.expected);
  EXPECT_TRUE(audit->difference() == -3);
  EXPECT_EQ(audit->cluster_id, ~uint64_t{0});
  EXPECT_EQ(audit->pages, 17u);
  EXPECT_EQ(audit->unread, 4u);
}

// What a node tells when it is asked for its cluster goes over the wire whole.
TEST_F(NodeServicesTest, PartsOfAClusterAndMissingNodesAreReported) {
  node_.stats_.missing = {"node3"};
  node_.stats_.nodes.resize(2);
  node_.stats_.nodes[1].name = "node1";
  node_.stats_.nodes[1].loop.pages = 7;
  node_.stats_.loop.epoch = 12;
  node_.page_.unanswered_by = "node2";
  const auto stats = client_->Stats();
  ASSERT_TRUE(stats.ok()) << stats.status();
  EXPECT_EQ(stats->missing, std::vector<std::string>{"node3"});
  ASSERT_EQ(stats->nodes.size(), 2u);
  EXPECT_EQ(stats->nodes[1].name, "node1");
  EXPECT_EQ(stats->nodes[1].loop.pages, 7u);
  EXPECT_EQ(stats->loop.epoch, 12u);
  EXPECT_EQ(client_->Importance({"http://a/"})->front().unanswered_by, "node2");
}

TEST_F(NodeServicesTest, APartialAuditTellsWhoIsMissingAndNoDifference) {
  node_.audit_.missing = {"node3"};
  node_.audit_.nodes.push_back({.node = "node0", .table = 5, .difference = -2});
  grpc::ClientContext context;
  v1::TakeResponse reply;
  ASSERT_TRUE(v1::Audit::NewStub(Channel())->Take(&context, v1::TakeRequest(), &reply).ok());
  EXPECT_EQ(reply.difference(), "");
  EXPECT_EQ(reply.in_flight(), "");
  const auto audit = client_->TakeAudit();
  ASSERT_TRUE(audit.ok()) << audit.status();
  EXPECT_TRUE(audit->partial());
  EXPECT_EQ(audit->nodes.at(0).node, "node0");
  EXPECT_TRUE(audit->nodes.at(0).difference == -2);
}

// One question is being answered and 64 wait: the next ones are refused at once. A command took
// that for a full disk.
TEST_F(NodeServicesTest, TooManyQuestionsAreRefused) {
  absl::Notification hold;
  node_.hold = &hold;
  constexpr int kAsked = 100;
  const auto stub = v1::Control::NewStub(Channel());
  std::vector<grpc::ClientContext> contexts(kAsked);
  std::vector<v1::GetStatusResponse> replies(kAsked);
  const v1::GetStatusRequest request;
  std::atomic<int> refused = 0, answered = 0;
  absl::Notification some_refused;
  absl::BlockingCounter all(kAsked);
  for (size_t i = 0; i < kAsked; ++i) {
    stub->async()->GetStatus(&contexts[i], &request, &replies[i], [&](const grpc::Status& status) {
      if (status.ok()) ++answered;
      if (status.error_code() == grpc::StatusCode::UNAVAILABLE && ++refused == kAsked - 65) {
        some_refused.Notify();
      }
      all.DecrementCount();
    });
  }
  EXPECT_TRUE(some_refused.WaitForNotificationWithTimeout(absl::Seconds(20))) << refused;
  hold.Notify();
  all.Wait();
  EXPECT_EQ(refused + answered, kAsked);
  EXPECT_GE(answered, 64);
}

// The server listens while the node is being started, and while it stops.
TEST_F(NodeServicesTest, NothingIsAskedOfANodeThatIsNotThere) {
  NodeServices early(node_, {});
  const auto server = Server::Start("127.0.0.1:0", early.services());
  ASSERT_TRUE(server.ok()) << server.status();
  const auto client = NodeClient::To((*server)->address(), absl::Seconds(20));
  EXPECT_TRUE(absl::IsUnavailable(client->Stats().status()));
  EXPECT_TRUE(absl::IsUnavailable(client->TakeCut(1).status()));
  EXPECT_TRUE(absl::IsUnavailable(client->control().Pause(true)));
  EXPECT_FALSE(node_.paused_);
  early.Open();
  early.Stop();
  EXPECT_TRUE(absl::IsUnavailable(client->Stats().status()));
}

TEST_F(NodeServicesTest, NobodyThereIsUnavailable) {
  const std::string address = server_->address();
  services_.Stop();
  server_->Shutdown();
  const auto client = NodeClient::To(address, absl::Seconds(20));
  EXPECT_TRUE(absl::IsUnavailable(client->Stats().status()));
}

TEST(ServerTest, AnAddressInUseIsRefused) {
  const auto first = Server::Start("127.0.0.1:0", {});
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_TRUE(absl::IsUnavailable(Server::Start((*first)->address(), {}).status()));
}

grpc::ByteBuffer BufferOf(const std::string& bytes) {
  const grpc::Slice slice(bytes);
  return grpc::ByteBuffer(&slice, 1);
}

std::string BytesOf(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  buffer.Dump(&slices).ok();
  std::string bytes;
  for (const grpc::Slice& slice : slices) bytes.append(slice.begin(), slice.end());
  return bytes;
}

std::string NodeServicesTest::RawCall(const std::string& name,
                                      grpc::internal::RpcMethod::RpcType type,
                                      const std::string& request_bytes) {
  grpc::ClientContext context;
  context.set_deadline(absl::ToChronoTime(absl::Now() + absl::Seconds(20)));
  const auto channel = Channel();
  const grpc::internal::RpcMethod method(name.c_str(), type);
  const grpc::ByteBuffer request = BufferOf(request_bytes);
  grpc::ByteBuffer reply;
  if (type == grpc::internal::RpcMethod::NORMAL_RPC) {
    const grpc::Status status =
        grpc::internal::BlockingUnaryCall(channel.get(), method, &context, request, &reply);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return BytesOf(reply);
  }
  const std::unique_ptr<grpc::ClientReaderWriter<grpc::ByteBuffer, grpc::ByteBuffer>> stream(
      grpc::internal::ClientReaderWriterFactory<grpc::ByteBuffer, grpc::ByteBuffer>::Create(
          channel.get(), method, &context));
  EXPECT_TRUE(stream->Write(request));
  EXPECT_TRUE(stream->Read(&reply));
  stream->WritesDone();
  EXPECT_TRUE(stream->Finish().ok());
  return BytesOf(reply);
}

// Both services' messages are written by hand: their protos are not installed.
TEST_F(NodeServicesTest, HealthIsServing) {
  const std::string reply =
      RawCall("/grpc.health.v1.Health/Check", grpc::internal::RpcMethod::NORMAL_RPC, "");
  EXPECT_EQ(reply, "\x08\x01");  // status = SERVING
}

// It was NOT_FOUND, so a load balancer that asks for its service took the node for dead.
TEST_F(NodeServicesTest, HealthOfAServiceIsServing) {
  for (const std::string service :
       {"opic.v1.Importance", "opic.v1.Control", "opic.v1.Audit", "opic.v1.Export"}) {
    std::string question("\x0a");  // service = ...
    question.push_back(static_cast<char>(service.size()));
    const std::string reply = RawCall("/grpc.health.v1.Health/Check",
                                      grpc::internal::RpcMethod::NORMAL_RPC, question + service);
    EXPECT_EQ(reply, "\x08\x01") << service;
  }
}

TEST_F(NodeServicesTest, ReflectionNamesTheServices) {
  const std::string reply =
      RawCall("/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
              grpc::internal::RpcMethod::BIDI_STREAMING, "\x3a\x01*");  // list_services = "*"
  for (const std::string service : {"opic.v1.Importance", "opic.v1.Control", "opic.v1.Audit"}) {
    EXPECT_NE(reply.find(service), std::string::npos) << service;
  }
}

}  // namespace
}  // namespace opic::rpc
