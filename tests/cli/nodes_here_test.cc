#include "cli/nodes_here.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <thread>

#include "cluster/shard_map.h"
#include "process/open_files.h"
#include "tests/support/own_path.h"

namespace opic::cli {
namespace {

using testing::HasSubstr;

TEST(NthAddressTest, PortsFollowTheGivenOne) {
  EXPECT_EQ(NthAddress("127.0.0.1:7070", 2, "http").value(), "127.0.0.1:7072");
  EXPECT_EQ(NthAddress("[::1]:7070", 1, "http").value(), "[::1]:7071");
  EXPECT_EQ(NthAddress("9100", 3, "http").value(), "9103");
  EXPECT_EQ(NthAddress("127.0.0.1:0", 3, "http").value(), "127.0.0.1:0");
  EXPECT_EQ(NthAddress("", 3, "http").value(), "");
  EXPECT_EQ(NthAddress("unix:/run/opic", 0, "listen-control").value(), "unix:/run/opic");
}

TEST(NthAddressTest, WhatHasNoPortForEachIsRefused) {
  EXPECT_THAT(NthAddress("unix:/run/opic", 1, "listen-control").status().message(),
              HasSubstr("--listen-control: unix:/run/opic has no port"));
  EXPECT_THAT(NthAddress("127.0.0.1:65534", 2, "http").status().message(),
              HasSubstr("one would have 65536, and 65535 is the highest"));
}

class NodesHereTest : public testing::Test {
 protected:
  NodesHereTest() {
    std::vector<cluster::MemberNode> members;
    for (uint16_t n = 0; n < 4; ++n) {
      const std::string name = "n" + std::to_string(n);
      members.push_back({NodeId{n}, name, "127.0.0.1:" + std::to_string(17'000 + 10 * n)});
    }
    std::ofstream(file_)
        << cluster::ShardMap::Even(ledger::Charter::ForNewCrawl(), std::move(members)).ToJson();
    flags_.data = "folder";
    run_.listen.clear();
    run_.membership.cluster = file_;
    run_.membership.node = "n1";
  }
  std::string Refusal(uint32_t count) const {
    return std::string(NodesHere(flags_, run_, count).status().message());
  }

  const std::string file_ = support::OwnPath("cluster.json");
  CrawlFlags flags_;
  RunOptions run_;
};

TEST_F(NodesHereTest, EachHasItsFolderItsPortsAndItsPartOfTheMemory) {
  flags_.memory = "1G";
  run_.http = "9100";
  const absl::StatusOr<std::vector<NodeHere>> nodes = NodesHere(flags_, run_, 3);
  ASSERT_TRUE(nodes.ok()) << nodes.status();
  ASSERT_EQ(nodes->size(), 3u);
  for (uint16_t n = 0; n < 3; ++n) {
    const NodeHere& node = (*nodes)[n];
    EXPECT_EQ(node.name, "n" + std::to_string(n + 1));
    EXPECT_EQ(node.options.data, "folder/" + node.name);
    EXPECT_EQ(node.options.listen, "127.0.0.1:" + std::to_string(17'010 + 10 * n));
    EXPECT_EQ(node.http, std::to_string(9100 + n));
    EXPECT_EQ(node.options.crawl.membership->self, NodeId{static_cast<uint16_t>(n + 1)});
    EXPECT_EQ(node.options.crawl.memory.whole, (uint64_t{1} << 30) / 3);
    EXPECT_EQ(node.options.crawl.processors, std::max(std::thread::hardware_concurrency() / 3, 1u));
    EXPECT_LE(node.options.crawl.fetches_most, process::FetchesWithinOpenFiles(4, 3));
  }
}

TEST_F(NodesHereTest, MemoryThatWasNotGivenIsEnoughForEach) {
  const absl::StatusOr<std::vector<NodeHere>> nodes = NodesHere(flags_, run_, 3);
  ASSERT_TRUE(nodes.ok()) << nodes.status();
  EXPECT_EQ(nodes->front().options.crawl.memory.whole,
            std::max(node::MemoryPlan().whole / 3,
                     std::max(node::MemoryPlan::kWholeMin,
                              node::MemoryPlan::kWholeInBodies *
                                  nodes->front().options.crawl.fetch.body_bytes_max)));
}

TEST_F(NodesHereTest, WhatCannotBeSharedOutIsRefused) {
  EXPECT_THAT(Refusal(4), HasSubstr("has 3 from the node n1 on"));
  flags_.memory = "300M";
  EXPECT_THAT(Refusal(3), HasSubstr("--memory: 300M is too little for 3 nodes"));
  flags_.memory.clear();
  run_.membership.tls.certificate = "a.pem";
  EXPECT_THAT(Refusal(2), HasSubstr("--tls-cert: with --nodes-here each node has its own"));
  run_.membership = {};
  EXPECT_THAT(Refusal(2), HasSubstr("--nodes-here needs --cluster"));
}

}  // namespace
}  // namespace opic::cli
