// A node's pages over gRPC: as they were sent, to readers, and garbage refused.
#include <gtest/gtest.h>

#include "opic/v1/export.pb.h"
#include "rpc/export_wire.h"
#include "rpc/node_client.h"
#include "rpc/node_services.h"
#include "rpc/server.h"
#include "tests/rpc/scripted_node.h"

namespace opic::rpc {
namespace {

constexpr char kReaderToken[] = "reader-reader-reader";

node::ExportedRows Rows() {
  node::ExportedRows rows;
  rows.cut = 77;
  rows.head.cluster_id = 5;
  rows.head.node = NodeId{2};
  rows.head.nodes = 3;
  rows.head.in_cluster = true;
  rows.head.method = importance::Method::kPush;
  rows.head.epsilon.parts = 1 << 30;
  rows.head.totals.pages = 9;
  rows.head.totals.unread_pages = 4;
  rows.head.totals.reread = 1;
  rows.head.totals.history = static_cast<cash::Sum>(1) << 80;
  rows.head.totals.read = -12;
  rows.head.totals.unread = 34;
  rows.head.clock_supplies = 1.5;
  for (uint16_t shard : {0, 3}) {
    node::PageRecord page;
    page.page = PageId(ShardId{shard}, 11);
    page.url = "http://a.test/" + std::to_string(shard);
    page.state = "fetched";
    page.importance = 0.1 + shard;
    page.cash = cash::Amount(-99);
    page.history = static_cast<cash::Sum>(1) << 70;
    page.depth = 2;
    page.visits = 7;
    page.fetches = 1;
    page.http_status = 200;
    page.fetched_at = 1'700'000'000;
    page.content_hash = ~uint64_t{shard};
    page.near_hash = 1 + shard;
    page.links = {PageId(ShardId{1}, 2), PageId(ShardId{65535}, kPageIdCount - 1)};
    rows.pages.push_back(page);
  }
  return rows;
}

class NodeWithPages final : public ScriptedNode {
 public:
  absl::StatusOr<node::ExportedRows> ReadExport(const node::ExportPosition& position) override {
    asked = position;
    return Rows();
  }
  node::ExportPosition asked;
};

class ExportServiceTest : public testing::Test {
 protected:
  void Start(const Gate& gate = {}) {
    services_ = std::make_unique<NodeServices>(node_, NodeServices::Options{.gate = gate});
    server_ = Server::Start("127.0.0.1:0", services_->services()).value();
    services_->Open();
  }
  std::unique_ptr<NodeClient> Client(const std::string& token = "") {
    return NodeClient::To(server_->address(),
                          NodeClientOptions{.patience = absl::Seconds(20), .token = token});
  }
  void TearDown() override {
    services_->Stop();
    server_->Shutdown();
  }

  NodeWithPages node_;
  std::unique_ptr<NodeServices> services_;
  std::unique_ptr<Server> server_;
};

TEST_F(ExportServiceTest, PagesComeAsTheyWereSent) {
  Start();
  const PageId after(ShardId{0}, 0);
  const auto rows = Client()->ReadExport({.cut = 12, .after = after});
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_EQ(node_.asked.cut, 12u);
  EXPECT_EQ(node_.asked.after, after);
  const node::ExportedRows sent = Rows();
  EXPECT_EQ(rows->cut, sent.cut);
  EXPECT_FALSE(rows->last);
  EXPECT_EQ(rows->head.node, sent.head.node);
  EXPECT_EQ(rows->head.nodes, sent.head.nodes);
  EXPECT_TRUE(rows->head.in_cluster);
  EXPECT_EQ(rows->head.method, importance::Method::kPush);
  EXPECT_EQ(rows->head.epsilon, sent.head.epsilon);
  EXPECT_EQ(rows->head.totals.pages, 9u);
  EXPECT_EQ(rows->head.totals.unread_pages, 4u);
  EXPECT_EQ(rows->head.totals.reread, 1u);
  EXPECT_TRUE(rows->head.totals.history == sent.head.totals.history);
  EXPECT_TRUE(rows->head.totals.read == -12 && rows->head.totals.unread == 34);
  EXPECT_EQ(rows->head.clock_supplies, 1.5);
  ASSERT_EQ(rows->pages.size(), sent.pages.size());
  for (size_t i = 0; i < sent.pages.size(); ++i) {
    EXPECT_EQ(Encode(rows->pages[i]), Encode(sent.pages[i]));
  }
}

TEST_F(ExportServiceTest, TheFirstQuestionNamesNoPage) {
  Start();
  ASSERT_TRUE(Client()->ReadExport({}).ok());
  EXPECT_EQ(node_.asked.cut, 0u);
  EXPECT_EQ(node_.asked.after, std::nullopt);
}

TEST_F(ExportServiceTest, ReadersMayAndStrangersMayNot) {
  Start(Gate(false, {}, {{kReaderToken, Role::kReader}}));
  EXPECT_TRUE(absl::IsPermissionDenied(Client()->ReadExport({}).status()));
  EXPECT_TRUE(Client(kReaderToken)->ReadExport({}).ok());
}

TEST(ExportWireTest, WhatNoNodeWouldTellIsRefused) {
  v1::ReadResponse good;
  ToWire(Rows(), &good);
  ASSERT_TRUE(FromWire(good).ok());
  const auto refused = [&](const std::function<void(v1::ReadResponse&)>& spoil) {
    v1::ReadResponse bad = good;
    spoil(bad);
    return absl::IsInvalidArgument(FromWire(bad).status());
  };
  constexpr uint64_t kNoPage = uint64_t{7} << kPageIdBits;
  EXPECT_TRUE(refused([](auto& bad) { bad.mutable_pages(0)->set_word(kNoPage); }));
  EXPECT_TRUE(refused([](auto& bad) { bad.mutable_pages(0)->set_links(0, kNoPage); }));
  EXPECT_TRUE(refused([](auto& bad) { bad.mutable_pages(1)->set_word(bad.pages(0).word()); }));
  EXPECT_TRUE(refused([](auto& bad) { bad.mutable_pages(1)->set_history("much"); }));
  EXPECT_TRUE(refused([](auto& bad) { bad.mutable_head()->set_node(1 << 16); }));
  EXPECT_TRUE(refused([](auto& bad) { bad.clear_pages(); }));
  v1::ReadRequest question;
  question.set_after(kNoPage);
  EXPECT_TRUE(absl::IsInvalidArgument(FromWire(question).status()));
}

}  // namespace
}  // namespace opic::rpc
