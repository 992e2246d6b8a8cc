// Two nodes and a wire between them, for tests of the exchange: what is sent waits until the test
// delivers it, and may be lost, repeated or changed on the way.
//
// Pages are by number (SmallCrawl): node n owns the pages whose number is n modulo 2.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cluster/exchange.h"
#include "tests/support/crashing_store.h"
#include "tests/support/small_crawl.h"

namespace opic::cluster {

class ExchangePair : public testing::Test {
 protected:
  explicit ExchangePair(const ledger::Charter& charter = SmallCrawl::Charter())
      : map_(ShardMap::Even(charter, {{{}, "a", "h:1"}, {{}, "b", "h:2"}})) {
    for (uint16_t n = 0; n < 2; ++n) ends_[n].self = n, Open(n);
  }

  // A process of node `n` that starts anew on its store.
  void Open(uint16_t n) {
    Node& node = nodes_[n];
    ledger::Options options;
    options.nodes = 2;
    options.owner = [](ShardId shard) { return NodeAt(shard.value % 2); };
    ledger::Charter charter = map_.CharterOf(NodeId{n});
    charter.birth = 70 + n;
    node.exchange.reset();
    node.ledger.reset();
    auto ledger = ledger::Ledger::Open(options, node.store, &charter);
    ASSERT_TRUE(ledger.ok()) << ledger.status();
    node.ledger = *std::move(ledger);
    node.exchange =
        std::make_unique<Exchange>(map_, NodeId{n}, *node.ledger, ends_[n], exchange_options_);
    ends_[n].sent.clear();
  }

  ledger::Ledger& ledger(uint16_t n) { return *nodes_[n].ledger; }
  Exchange& exchange(uint16_t n) { return *nodes_[n].exchange; }
  CrashingStore& store(uint16_t n) { return nodes_[n].store; }
  std::deque<Message>& sent(uint16_t n) { return ends_[n].sent; }
  ChannelStatus status(uint16_t n) { return exchange(n).Status().at(0); }
  static NodeId Other(uint16_t n) { return NodeAt(1 - n); }

  void Connect() {
    for (uint16_t n = 0; n < 2; ++n) {
      sent(n).clear();
      exchange(n).OnConnected(Other(n), now_);
    }
  }
  // Both have said Hello and everything that was left has arrived.
  void Meet() {
    Connect();
    Exchange10();
  }
  absl::Status Give(uint16_t to, Message message) {
    return exchange(to).OnMessage(Other(to), std::move(message), now_);
  }
  // The commit group of node `n` ends.
  void Commit(uint16_t n, bool idle = false) {
    exchange(n).BeforeCommit(idle, now_);
    ASSERT_TRUE(ledger(n).Commit().ok());
    ASSERT_TRUE(exchange(n).AfterCommit(now_).ok());
  }
  // Everything that is under way arrives at node `to`, in one commit group.
  void Deliver(uint16_t to, bool idle = false) {
    std::deque<Message> messages;
    messages.swap(sent(Other(to).value));
    for (Message& message : messages) ASSERT_TRUE(Give(to, std::move(message)).ok());
    Commit(to, idle);
  }
  void Exchange10(bool idle = false) {
    for (int round = 0; round < 10; ++round) Deliver(1, idle), Deliver(0, idle);
  }

  // Node 0 fetches its page 0, which links to page 1 of node 1.
  void FetchAcross() {
    ledger(0).Seed(SmallCrawl::Links({0}));
    ASSERT_TRUE(ledger(0).Commit().ok());
    ASSERT_TRUE(ledger(0).Record({SmallCrawl::Fetched(0, {1})}).ok());
    Commit(0);
  }
  // One more batch from node 0 to node 1.
  void PayAcross() {
    ledger(0).Seed(SmallCrawl::Links({next_page_ += 2}));
    Commit(0);
  }
  template <typename T>
  std::vector<T> SentOf(uint16_t n) {
    std::vector<T> found;
    for (const Message& message : sent(n)) {
      if (const T* one = std::get_if<T>(&message)) found.push_back(*one);
    }
    return found;
  }
  // Those that went with batches, too.
  std::vector<Acknowledgement> Acknowledged(uint16_t n) {
    std::vector<Acknowledgement> found;
    for (const Message& message : sent(n)) {
      if (const auto* one = std::get_if<Acknowledgement>(&message)) found.push_back(*one);
      const auto* batch = std::get_if<Sealed>(&message);
      if (batch != nullptr && batch->acknowledgement) found.push_back(*batch->acknowledgement);
    }
    return found;
  }
  cash::Sum Held(uint16_t n) { return ledger(n).books().Due(); }

  struct End final : Transport {
    void Send(NodeId /*to*/, Message message) override { sent.push_back(std::move(message)); }
    void Disconnect(NodeId /*peer*/) override { ++disconnects; }
    uint16_t self = 0;
    std::deque<Message> sent;
    int disconnects = 0;
  };
  struct Node {
    CrashingStore store;
    std::unique_ptr<ledger::Ledger> ledger;
    std::unique_ptr<Exchange> exchange;
  };

  ExchangeOptions exchange_options_;
  const ShardMap map_;
  absl::Time now_ = absl::FromUnixSeconds(1'000'000'000);
  End ends_[2];
  Node nodes_[2];
  uint64_t next_page_ = 1;
};

}  // namespace opic::cluster
